# SPDX-License-Identifier: BSD-3-Clause
"""The example of one file, by clients that resume, and many slow readers of a large file."""
import os
import re
import socket
import subprocess

import pytest

MIB = 1 << 20
READERS = 1000


def run(*args, **options):
    return subprocess.run(args, capture_output=True, check=True, timeout=60, **options).stdout


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(os.urandom(3 * MIB))
    return path


def test_file(server, large):
    url = server("file", args=["--file", str(large)]).url()
    data = large.read_bytes()
    assert run("curl", "-sS", url) == data
    assert run("curl", "-sS", "-r", "1000-2000000", url) == data[1000:2000001]
    assert run("curl", "-sS", "-r", "-5", url) == data[-5:]
    head = run("curl", "-sSI", url + "download").decode()
    assert "filename*=UTF-8''Gr%C3%BC%C3%9Fe.bin" in head
    node = (f"fetch('{url}', {{headers: {{range: 'bytes=5-9'}}}}).then(async r => "
            "process.stdout.write(r.status + Buffer.from(await r.arrayBuffer()).toString('hex')))")
    assert run("node", "-e", node).decode() == "206" + data[5:10].hex()


def test_file_is_resumed(server, large, tmp_path):
    url = server("file", args=["--file", str(large)]).url()
    data = large.read_bytes()
    for name, command in (("curl", ["curl", "-sS", "-C", "-", "-o", "curl", url]),
                          ("wget", ["wget", "-q", "-c", "-O", "wget", url])):
        (tmp_path / name).write_bytes(data[:MIB])
        run(*command, cwd=tmp_path)
        assert (tmp_path / name).read_bytes() == data


def test_file_that_the_client_has_is_not_sent_again(server, large, tmp_path):
    url = server("file", args=["--file", str(large)]).url()
    run("curl", "-sS", "--etag-save", "tag", "-o", "first", url, cwd=tmp_path)
    status = run("curl", "-sS", "--etag-compare", "tag", "-o", "second", "-w", "%{http_code}", url,
                 cwd=tmp_path)
    assert status == b"304"


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


@pytest.mark.skipif(bool(os.environ.get("LARIO_SANITIZE")), reason="their memory is not ours")
def test_slow_readers_cost_no_copies(server, tmp_path):
    path = tmp_path / "ten"
    path.write_bytes(bytes(10 * MIB))
    started = server("file", args=["--file", str(path), "--loops", "1"])
    before = resident_kib(started.process.pid)
    readers = []
    host, port = started.addresses[0].rsplit(":", 1)
    for _ in range(READERS):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect((host, int(port)))
        reader.sendall(b"GET / HTTP/1.1\r\nHost: t\r\n\r\n")
        readers.append(reader)
    for reader in readers:
        assert reader.recv(1) == b"H"
    grown = resident_kib(started.process.pid) - before
    for reader in readers:
        reader.close()
    # 10 MiB a reader would be 10 GiB; a connection with its head and a place in the file is 8 KiB.
    # A loop that stalls on a busy machine has its stack written down, once, for which the tables of
    # the debug information are read: some 20 MiB.
    assert grown < 8 * READERS + 28 * 1024, f"{grown} KiB"
