# SPDX-License-Identifier: BSD-3-Clause
"""script/bootstrap installs what is missing, once, and says what it cannot do."""
import os
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("LARIO_SOURCE", Path(__file__).parents[2]))
BUILD_PACKAGES = ["gcc", "libc6-dev", "cmake", "ninja-build", "pkg-config", "libmd-dev",
                  "libjansson-dev", "libssl-dev", "zlib1g-dev", "libbrotli-dev"]


class Machine:
    """A Debian of shell stubs: its installed packages, its user, and what apt-get was asked."""

    def __init__(self, folder):
        self.folder = folder
        self.asked = folder / "asked"
        for tool in ("bash", "sed", "tr", "grep", "cat", "dirname", "env"):
            (folder / tool).symlink_to(f"/usr/bin/{tool}")
        self.installed([])
        self.add("apt-get", f'echo "$@" >>{self.asked}')
        self.user(0)

    def add(self, name, body):
        (self.folder / name).write_text(f"#!/usr/bin/bash\n{body}\n", encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def installed(self, lines):
        listing = "\n".join(lines)
        self.add("dpkg-query", f"cat <<'EOF'\n{listing}\nEOF")

    def user(self, number):
        self.add("id", f"echo {number}")

    def bootstrap(self, *purposes):
        return subprocess.run([SOURCE / "script/bootstrap", *purposes], capture_output=True,
                              text=True, check=False, cwd="/",
                              env={"PATH": str(self.folder)})

    def apt_get(self):
        return self.asked.read_text(encoding="utf-8").splitlines() if self.asked.exists() else []


@pytest.fixture(name="machine")
def fixture_machine(tmp_path):
    return Machine(tmp_path)


def test_everything_is_there(machine):
    machine.installed([f"installed {package} " for package in BUILD_PACKAGES])
    result = machine.bootstrap()
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert machine.apt_get() == []


def test_a_bare_machine_gets_all(machine):
    assert machine.bootstrap("build").returncode == 0
    assert machine.apt_get() == [
        "update -q",
        "install -q -y --no-install-recommends " + " ".join(BUILD_PACKAGES)]


def test_only_what_is_missing_is_installed(machine):
    machine.installed([f"installed {package} " for package in BUILD_PACKAGES[1:]]
                      + ["config-files gcc "])
    assert machine.bootstrap("build").returncode == 0
    assert machine.apt_get()[1:] == ["install -q -y --no-install-recommends gcc"]


def test_a_provided_package_is_not_missing(machine):
    machine.installed([f"installed {package} " for package in BUILD_PACKAGES[1:]]
                      + ["installed other-gcc c-compiler, gcc (= 12)"])
    assert machine.bootstrap("build").returncode == 0
    assert machine.apt_get() == []


def test_another_user_needs_sudo(machine):
    machine.user(1000)
    result = machine.bootstrap("build")
    assert result.returncode == 1
    assert "run as root: apt-get install gcc" in result.stderr
    assert machine.apt_get() == []

    machine.add("sudo", 'exec "$@"')
    assert machine.bootstrap("build").returncode == 0
    assert len(machine.apt_get()) == 2


def test_another_system_is_told_what_it_needs(machine):
    (machine.folder / "apt-get").unlink()
    result = machine.bootstrap("build")
    assert result.returncode == 0
    assert "this is not Debian; make sure that you have: gcc" in result.stderr


def test_an_unknown_purpose_is_refused(machine):
    result = machine.bootstrap("everything")
    assert result.returncode == 2
    assert "usage: script/bootstrap" in result.stderr


@pytest.mark.parametrize("script", ["bootstrap", "build", "serve", "test", "lint", "bench"])
def test_every_script_has_help(script):
    result = subprocess.run([SOURCE / "script" / script, "--help"], capture_output=True, text=True,
                            check=False, cwd="/")
    assert result.returncode == 0
    assert f"usage: script/{script}" in result.stdout
