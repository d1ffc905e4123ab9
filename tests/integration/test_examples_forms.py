# SPDX-License-Identifier: BSD-3-Clause
"""The examples of forms, cookies and sessions."""
import os
import subprocess

import conftest


def curl(*args):
    result = subprocess.run(["curl", "-sS", "--max-time", "20", *args], capture_output=True,
                            check=True, timeout=30)
    return result.stdout.decode()


def test_cookies(server, tmp_path):
    url = server("cookies").url()
    jar = ["-b", tmp_path / "jar", "-c", tmp_path / "jar"]
    assert curl(*jar, url) == "Visit number 1.\n"
    assert curl(*jar, url) == "Visit number 2.\n"
    assert curl(url) == "Visit number 1.\n"
    assert curl(*jar, url + "forget") == "Forgotten.\n"
    assert curl(*jar, url) == "Visit number 1.\n"


def test_sessions(server, tmp_path):
    url = server("sessions").url()
    jar = ["-L", "-b", tmp_path / "jar", "-c", tmp_path / "jar"]
    assert "<form" in curl(*jar, url)
    assert "Hello, A&lt;b&gt;." in curl(*jar, "--data-urlencode", "name=A<b>", url)
    assert "Hello, A&lt;b&gt;." in curl(*jar, url)
    assert "<form" in curl(url)
    assert "<form" in curl(*jar, url + "logout")
    assert "<form" in curl(*jar, url)


def test_file_upload(server, tmp_path):
    folder = tmp_path / "kept"
    folder.mkdir()
    url = server("file_upload", args=["--folder", str(folder)]).url()
    sent = [os.urandom(3_000_000), b"", b"--boundary\r\n" * 1000]
    files = []
    for number, data in enumerate(sent):
        path = tmp_path / f"sent{number}"
        path.write_bytes(data)
        files += ["-F", f"file=@{path};filename=../../etc/{number}"]
    assert curl("-F", "other=field", *files, url) == "3 files saved.\n"
    assert [path.read_bytes() for path in sorted(folder.iterdir())] == sent
    node = ("const form = new FormData(); form.append('file', new Blob(['from node']), 'n.txt');"
            f"fetch('{url}', {{method: 'POST', body: form}}).then(r => r.text())"
            ".then(t => process.stdout.write(t));")
    result = subprocess.run(["node", "-e", node], capture_output=True, check=True, timeout=30)
    assert result.stdout == b"1 files saved.\n"
    assert (folder / "upload-3").read_bytes() == b"from node"


def test_body_recv(server, tmp_path):
    url = server("body_recv").url()
    data = os.urandom(5_000_000)
    path = tmp_path / "data"
    path.write_bytes(data)
    expected = f"{len(data)} bytes, sum {sum(data) & 0xffff}\n"
    assert curl("--data-binary", f"@{path}", url) == expected
    assert curl("--data-binary", f"@{path}", "-H", "Transfer-Encoding: chunked", url) == expected
    assert curl("-d", "", url) == "0 bytes, sum 0\n"


def test_unicode(server):
    url = server("unicode").url()
    assert "<p>/größe</p><p>日本&lt;</p>" in curl(url + "gr%C3%B6%C3%9Fe?text=%E6%97%A5%E6%9C%AC%3C")
    assert curl("--data-urlencode", "text=שלום & Ω", url) == "<p>שלום &amp; Ω</p>\n"


def test_websocket_sessions(server):
    started = server("websocket_sessions")
    answer = started.get("/login/ada")
    cookie = answer.field("set-cookie").split(";")[0]
    assert started.get("/service").status == 403
    client = ("const WebSocket = require('ws'); const s = new WebSocket(process.argv[1],"
              "{headers: {cookie: process.argv[2]}}); s.on('open', () => s.send('hi'));"
              "s.on('message', m => { process.stdout.write(m.toString()); s.close(); });")
    url = started.url("/service").replace("http", "ws")
    result = subprocess.run(["node", "-e", client, url, cookie], capture_output=True, check=True,
                            timeout=30, cwd=conftest.ROOT / "tests")
    assert result.stdout == b"ada says: hi"
