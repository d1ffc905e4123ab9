# SPDX-License-Identifier: BSD-3-Clause
"""The command line of a server program, and how it ends."""
import os
import pathlib
import pwd
import signal
import socket
import subprocess

import pytest

import conftest
from peer import Peer


def run(name, *args, **options):
    return subprocess.run([conftest.program(name), *args], capture_output=True, text=True,
                          timeout=30, stdin=subprocess.DEVNULL, **options)


@pytest.mark.parametrize("name", ["hello_world", "switchboard"])
def test_help_is_no_failure(name):
    result = run(name, "--help")
    assert result.returncode == 0
    assert result.stderr == ""
    assert name in result.stdout.splitlines()[0]


def test_help_shows_added_options():
    text = run("static", "--help").stdout
    assert "--root DIR" in text and "the folder to serve" in text


@pytest.mark.parametrize("args", [["--nonsense"], ["--listen"], ["--loops"], ["--loops", "x"],
                                  ["--loops", "-1"], ["--loops", "1x"], ["--loops", "100000"],
                                  ["word"], ["-x"]])
def test_bad_usage_is_2_with_one_line(args):
    result = run("hello_world", *args)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("hello_world: ")


@pytest.mark.parametrize("address", ["", "nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000",
                                     "127.0.0.1:x", "256.0.0.1:80", "[::1", "[::1]", "unix:"])
def test_bad_address(address):
    result = run("hello_world", "--listen", address)
    assert result.returncode in (1, 2)
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("hello_world: ")


def test_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        result = run("hello_world", "--listen", address)
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.lower().startswith(f"hello_world: cannot listen on {address}: ")
    assert "in use" in result.stderr


def test_no_permission(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    options = {}
    if os.geteuid() == 0:
        # Root may write everywhere; nobody, who must reach the program and the folder, may not.
        options["user"] = pwd.getpwnam("nobody").pw_uid
        if subprocess.run(["test", "-x", conftest.program("hello_world")], check=False,
                          **options).returncode:
            pytest.skip("the build folder is closed to nobody")
        for path in (tmp_path, *tmp_path.parents[:2]):
            path.chmod(path.stat().st_mode | 0o011)
    folder.chmod(0o555)
    result = run("hello_world", "--listen", f"unix:{folder}/socket", **options)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert "ermission denied" in result.stderr


def test_path_that_is_no_socket(tmp_path):
    (tmp_path / "file").write_text("mine")
    result = run("hello_world", "--listen", f"unix:{tmp_path}/file")
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert "exists" in result.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_path_of_a_unix_socket_in_use(server, tmp_path):
    path = f"unix:{tmp_path}/socket"
    started = server("hello_world", listen=[path])
    result = run("hello_world", "--listen", path)
    assert result.returncode == 1
    assert "in use" in result.stderr
    assert started.get().text == "Hello World."


def test_stale_unix_socket_is_replaced(server, tmp_path):
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    assert path.exists()
    assert server("hello_world", listen=[f"unix:{path}"]).get().text == "Hello World."


def test_a_file_is_not_replaced_by_a_unix_socket(tmp_path):
    path = tmp_path / "file"
    path.write_text("precious")
    assert run("hello_world", "--listen", f"unix:{path}").returncode == 1
    assert path.read_text() == "precious"


def test_several_addresses(server, tmp_path):
    listen = ["127.0.0.1:0", "[::1]:0", f"unix:{tmp_path}/socket"]
    started = server("hello_world", listen=listen, args=["--loops", "3"])
    assert len(started.addresses) == 3
    for address in started.addresses:
        with Peer(address) as client:
            client.request()
            assert client.response().text == "Hello World."


def test_drain_answers_the_request_that_runs(server):
    started = server("chunked")
    with started.connect() as client, started.connect() as idle:
        client.request()
        assert client.head().status == 200
        assert client.chunk() == b"part 1\n"
        started.signal()
        # An idle connection is closed at once, so its end tells that the drain has begun.
        assert idle.rest() == b""
        assert b"".join(client._chunks()).endswith(b"part 5\ndone\n")
        assert client.rest() == b""
    assert started.wait() == 0


def test_drain_takes_no_new_connections(server):
    started = server("comet_long_polling")
    with started.connect() as waiting, started.connect() as idle:
        waiting.request()
        assert started.get("/waiting").status == 200
        started.signal()
        assert idle.rest() == b""
        with pytest.raises(OSError):
            started.connect().response()
        started.signal()
        started.wait()


def test_drain_says_close(server):
    started = server("echo")
    with started.connect() as client, started.connect() as idle:
        client.send(b"POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n"
                    b"Expect: 100-continue\r\n\r\n")
        assert client.head().status == 100
        started.signal()
        assert idle.rest() == b""
        client.send(b"hello")
        answer = client.response()
        assert (answer.status, answer.body) == (200, b"hello")
        assert answer.field("connection").lower() == "close"
        assert client.rest() == b""
    assert started.wait() == 0


def test_a_second_signal_ends_it_now(server):
    started = server("stream")
    with started.connect() as client, started.connect() as idle:
        client.request(target="/ticks")
        assert client.head().status == 200
        started.signal()
        assert idle.rest() == b""
        assert client.chunk() == b"tick\n"
        started.signal(signal.SIGTERM)
        started.wait(timeout=15)


def test_output_to_a_closed_pipe_does_not_end_it(tmp_path):
    """The log goes to standard error, which may be gone; requests are answered all the same."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen([conftest.program("hello_world"), "--listen", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=write_end)
    os.close(write_end)
    os.close(read_end)
    try:
        address = process.stdout.readline().decode().split()[-1]
        with Peer(address) as client:
            client.request()
            assert client.response().text == "Hello World."
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()


def test_script_serve_shows_help():
    script = pathlib.Path(conftest.ROOT, "script", "serve")
    result = subprocess.run([str(script), "--help"], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0
    assert "switchboard" in result.stdout
