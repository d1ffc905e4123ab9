# SPDX-License-Identifier: BSD-3-Clause
"""The page of the switchboard app in a real browser."""
import pathlib
import shutil
import subprocess

import pytest

import conftest


def test_page(server, tmp_path):
    browser = shutil.which("chromium")
    if not browser:
        pytest.fail("chromium is missing: script/bootstrap test installs it")
    started = server("switchboard")
    script = pathlib.Path(__file__).with_name("page.test.js")
    result = subprocess.run(["node", str(script), started.url(), browser, str(tmp_path / "profile"),
                             str(conftest.BUILD)], capture_output=True, text=True, timeout=180,
                            cwd=conftest.ROOT / "tests")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1] == "ok"
