# SPDX-License-Identifier: BSD-3-Clause
"""Every example program does what the table in examples/README.md says."""
import os
import re
import signal
import subprocess

import pytest

import conftest
from peer import BINARY, CLOSE, Peer, close_payload, until

EXAMPLES = sorted(path.stem for path in (conftest.ROOT / "examples").glob("*.c"))


def curl(*args):
    result = subprocess.run(["curl", "-sS", "--max-time", "20", *args], capture_output=True,
                            check=True, timeout=30)
    return result.stdout.decode()


def test_every_example_is_tested_and_in_the_table():
    folder = conftest.ROOT / "tests/integration"
    tests = "".join(path.read_text() for path in folder.glob("test_examples*.py"))
    table = (conftest.ROOT / "examples/README.md").read_text()
    for name in EXAMPLES:
        assert re.search(rf"^def test_{name}(_\w+)?\(", tests, re.MULTILINE), name
        assert f"| `{name}` |" in table, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_help(name):
    result = subprocess.run([conftest.program(name), "--help"], capture_output=True, text=True,
                            timeout=30)
    assert result.returncode == 0
    for option in ("--listen", "--loops", "--help"):
        assert option in result.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_listens_on_a_unix_socket_with_one_loop_and_drains(server, tmp_path, name):
    path = tmp_path / "socket"
    second = ["--second", "127.0.0.1:0"] if name == "multiple_servers" else []
    started = server(name, listen=[f"unix:{path}"], args=["--loops", "1", *second],
                     addresses=2 if second else 1)
    assert started.addresses[0] == f"unix:{path}"
    with started.connect():
        pass
    started.stop()
    assert not path.exists()


def test_hello_world(server):
    started = server("hello_world")
    assert curl(started.url()) == "Hello World."
    answer = started.get()
    assert (answer.status, answer.field("content-type")) == (200, "text/plain")
    assert started.get("/other").status == 404


def test_get_variable(server):
    started = server("get_variable")
    assert curl(started.url("/?value=x")) == "<http_test><value>x</value></http_test>"
    assert curl(started.url()) == "<http_test><error>no value specified</error></http_test>"
    assert started.get().field("content-type") == "text/xml"


def test_get_variable_escapes(server):
    started = server("get_variable")
    body = started.get("/?value=%3Ca%20b%3D%22%27%22%3E%26").text
    value = re.fullmatch(r"<http_test><value>(.*)</value></http_test>", body)[1]
    assert not set(value) & set("<>\"'")
    assert value.startswith("&lt;a b=") and value.endswith("&gt;&amp;")


def test_json(server):
    answer = server("json").get("/json")
    assert answer.field("content-type") == "application/json"
    assert answer.body == b'{"message":"Hello, World!"}'


def test_echo(server):
    started = server("echo")
    assert curl("-d", "some body", started.url("/echo")) == "some body"
    binary = bytes(range(256)) * 400
    answer = started.post("/echo", binary, [("Content-Type", "image/x-test")])
    assert (answer.status, answer.body) == (200, binary)
    assert answer.field("content-type") == "image/x-test"
    lines = started.get("/echo?a=b", [("X-Mine", "yes")]).text.splitlines()
    assert lines[0] == "GET /echo?a=b HTTP/1.1"
    assert "X-Mine: yes" in lines
    assert started.post("/echo", b"").body == b""


def test_rest(server):
    started = server("rest")
    assert curl(started.url()) == "Main home page."
    assert curl(started.url("/users")) == "Main users root."
    assert curl(started.url("/users/ada")) == "This is ada's page."
    assert curl(started.url("/users/ada/photos")) == "This is ada's photos page."
    assert curl(started.url("/users/%C3%A9mile")) == "This is émile's page."
    assert started.get("/users/ada/none").status == 404
    refused = started.post("/users", b"")
    assert refused.status == 405
    assert "GET" in refused.field("allow")


def test_chunked(server):
    started = server("chunked")
    whole = "".join(f"part {i}\n" for i in range(1, 6)) + "done\n"
    with started.connect() as client:
        client.request()
        answer = client.head()
        assert answer.field("transfer-encoding") == "chunked"
        # The first part arrives by itself: the pause behind it does not hold it back.
        assert client.chunk() == b"part 1\n"
        assert b"done" not in client.buffer
        text = "part 1\n" + b"".join(client._chunks()).decode()
        assert text == whole
        client.request()
        assert client.response().text == whole
    with started.connect() as client:
        client.request(version="1.0")
        answer = client.response()
        assert answer.field("transfer-encoding") is None
        assert answer.text == whole


def test_stream(server):
    started = server("stream")
    for count in (0, 1, 100, 3_000_000):
        answer = started.get(f"/?bytes={count}")
        assert answer.field("content-length") == str(count)
        assert len(answer.body) == count
    assert started.get("/?bytes=-1").status == 400
    assert started.get("/?bytes=2000000000").status == 400


def test_stream_without_an_end_until_the_client_leaves(server):
    started = server("stream")
    with started.connect() as client:
        client.request(target="/ticks")
        assert client.head().field("transfer-encoding") == "chunked"
        assert [client.chunk(), client.chunk()] == [b"tick\n", b"tick\n"]
    assert started.get("/?bytes=1").status == 200


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "index.html").write_text("<p>home</p>")
    (root / "sub" / "index.html").write_text("<p>sub</p>")
    (root / "data.json").write_text("{}")
    (root / "big.bin").write_bytes(os.urandom(2_000_000))
    (root / ".hidden").write_text("hidden")
    (tmp_path / "secret.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    os.mkfifo(root / "pipe")
    return root


def test_static(server, folder):
    started = server("static", args=["--root", str(folder)])
    assert curl(started.url("/")) == "<p>home</p>"
    assert started.get("/").field("content-type").startswith("text/html")
    assert started.get("/data.json").field("content-type").startswith("application/json")
    assert started.get("/big.bin").body == (folder / "big.bin").read_bytes()
    assert started.get("/sub/").body == b"<p>sub</p>"
    moved = started.get("/sub")
    assert moved.status in (301, 302, 307, 308)
    assert moved.field("location").endswith("/sub/")
    head = started.get("/big.bin", method="HEAD")
    assert (head.status, head.field("content-length")) == (200, "2000000")


@pytest.mark.parametrize("target", ["/none", "/.hidden", "/link.txt", "/pipe", "/sub/none",
                                    "/../secret.txt", "/%2e%2e/secret.txt", "/sub/../../secret.txt",
                                    "/..%2fsecret.txt", "/sub/%2e%2e%2f%2e%2e%2fsecret.txt"])
def test_static_gives_nothing_else(server, folder, target):
    answer = server("static", args=["--root", str(folder)]).get(target)
    assert answer.status in (400, 404)
    assert b"secret" not in answer.body and b"hidden" not in answer.body


def test_static_without_the_folder(tmp_path):
    result = subprocess.run([conftest.program("static"), "--listen", "127.0.0.1:0", "--root",
                             str(tmp_path / "none")], capture_output=True, text=True, timeout=30)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1


def wait_for_waiting(started, count):
    until(lambda: started.get("/waiting").text == f"{count}\n")


def test_comet_long_polling(server):
    started = server("comet_long_polling")
    with started.connect() as first, started.connect() as second:
        first.request()
        second.request()
        wait_for_waiting(started, 2)
        assert started.post("/notify", b"news").text == "notified 2\n"
        assert first.response().text == "news"
        assert second.response().text == "news"
    assert started.get("/waiting").text == "0\n"


def test_comet_long_polling_ends_when_the_client_leaves(server):
    started = server("comet_long_polling")
    client = started.connect()
    client.request()
    wait_for_waiting(started, 1)
    client.reset()
    wait_for_waiting(started, 0)
    assert started.post("/notify", b"news").text == "notified 0\n"


def test_multiple_servers(server):
    started = server("multiple_servers", args=["--second", "127.0.0.1:0"], addresses=2)
    first, second = (f"http://{address}/" for address in started.addresses)
    assert curl(first) == "This is the first server."
    assert curl(second) == "This is the second server."


def test_tcp_echo(server):
    started = server("tcp_echo")
    with started.connect() as client:
        client.send(b"one\n")
        assert client.read(4) == b"one\n"
        data = os.urandom(50_000)
        client.send(data)
        assert client.read(len(data)) == data
        client.end()
        assert client.rest() == b""


def test_websocket_answers_and_pushes(server):
    started = server("websocket")
    with started.connect() as client:
        client.websocket("/service")
        client.frame(1, b"hello")
        assert client.read_text() == "received 'hello'"
        assert client.read_text() == "pushing!"
        client.frame(1, "grüße".encode())
        assert client.read_text() == "received 'grüße'"
        client.frame(CLOSE, close_payload(1000))
        assert client.read_close() == 1000
        assert client.rest() == b""


def test_websocket_page(server):
    answer = server("websocket").get("/")
    assert answer.field("content-type").startswith("text/html")
    assert "/service" in answer.text


def test_websocket_echo(server):
    with server("websocket_echo").connect() as client:
        client.websocket("/")
        client.frame(1, b"text")
        assert client.read_frame() == (1, b"text")
        data = os.urandom(100_000)
        client.frame(BINARY, data)
        assert client.read_frame() == (BINARY, data)


def test_ipv6(server):
    started = server("hello_world", listen=["[::1]:0"])
    assert started.addresses[0].startswith("[::1]:")
    with Peer(started.addresses[0]) as client:
        client.request()
        assert client.response().text == "Hello World."


def test_sigint_ends_it_too(server):
    started = server("hello_world")
    started.signal(signal.SIGINT)
    assert started.wait() == 0
