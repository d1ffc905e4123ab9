# SPDX-License-Identifier: BSD-3-Clause
"""The examples of hooks and redirects."""
import re
import subprocess

import conftest

LINE = re.compile(r'127\.0\.0\.1 - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] '
                  r'"GET /\S* HTTP/1\.1" (\d{3}) (\d+) "-" "curl/[\d.]+"')


def curl(*args):
    result = subprocess.run(["curl", "-sS", "--max-time", "20", *args], capture_output=True,
                            check=True, timeout=30)
    return result.stdout.decode()


def test_redirect(server):
    started = server("redirect")
    answer = started.get()
    assert (answer.status, answer.field("location")) == (301, "/new")
    assert curl("-L", started.url()) == "Here it is.\n"


def test_access_log(server, tmp_path):
    path = tmp_path / "access.log"
    started = server("access_log", args=["--file", str(path)])
    for target in ("/", "/none", "/?" + "x" * 100):
        curl(started.url(target))
    started.stop()
    lines = path.read_text().splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), lines
    # Each loop writes its own lines: their order is not that of the requests.
    assert sorted(match.groups() for match in found) == [("200", "13"), ("200", "13"), ("404", "10")]


def test_access_log_that_cannot_be_opened(server, tmp_path):
    result = subprocess.run([conftest.program("access_log"), "--listen", "127.0.0.1:0", "--file",
                             str(tmp_path / "no/log")], capture_output=True, text=True, timeout=30)
    assert result.returncode == 1
    assert "cannot open the access log" in result.stderr
    assert "No such file or directory" in result.stderr
