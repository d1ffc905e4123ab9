# SPDX-License-Identifier: BSD-3-Clause
"""TLS with real clients: curl, openssl s_client, Python's ssl, Node's https and ws."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time

import pytest

import conftest
from certificates import Authority

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def ca(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def files(ca):
    return ca.issue("localhost", "localhost")


def start(server, name, *pairs, args=()):
    options = [part for cert, key in pairs for part in ("--tls-cert", cert, "--tls-key", key)]
    return server(name, args=["--loops", "1", *options, *args])


def context(ca, version=None, client=None):
    made = ssl.create_default_context(cafile=str(ca.file))
    if version:
        made.minimum_version = made.maximum_version = version
    if client:
        made.load_cert_chain(*client)
    return made


def connect(started, made, name="localhost", session=None, receive_bytes=None):
    plain = socket.socket()
    plain.settimeout(20)
    if receive_bytes:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    try:
        plain.connect(("127.0.0.1", started.port))
        return made.wrap_socket(plain, server_hostname=name, session=session)
    except BaseException:
        plain.close()
        raise


def read_answer(sock):
    """The head and the body, by Content-Length, of the next answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = sock.recv(65536)
        assert part, data
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(lines[b"content-length"]):
        part = sock.recv(65536)
        assert part, data
        body += part
    return head, body


def facts(sock):
    """What the ssl example says of this connection."""
    sock.sendall(GET)
    head, body = read_answer(sock)
    assert head.startswith(b"HTTP/1.1 200 ")
    return dict(line.split(": ", 1) for line in body.decode().splitlines())


def curl(ca, started, *args, host="localhost"):
    url = f"https://{host}:{started.port}/"
    return subprocess.run(["curl", "-sS", "--max-time", "20", "--cacert", str(ca.file), "--resolve",
                           f"{host}:{started.port}:127.0.0.1", *args, url],
                          capture_output=True, text=True, timeout=30, check=False)


def test_curl(server, ca, files):
    started = start(server, "ssl", files)
    for version in ("1.2", "1.3"):
        result = curl(ca, started, f"--tlsv{version}", "--tls-max", version)
        assert result.returncode == 0, result.stderr
        assert f"version: TLSv{version}\n" in result.stdout
        assert "server name: localhost\nprotocol: http/1.1\nresumed: no\n" in result.stdout


def test_versions_before_1_2_are_refused(server, ca, files):
    started = start(server, "ssl", files)
    result = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{started.port}",
                             "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], input="", text=True,
                            capture_output=True, timeout=30, check=False)
    assert "alert protocol version" in result.stderr


def test_keep_alive_and_large_bodies_both_ways(server, ca, files):
    started = start(server, "echo", files)
    body = os.urandom(3_000_000)
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with connect(started, context(ca, version)) as sock:
            for size in (1, 16384, 16385, 700_000, 1_000_000):
                sock.sendall(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                             % size + body[:size])
                assert read_answer(sock)[1] == body[:size]


def test_the_name_chooses_the_certificate(server, ca, files):
    other = ca.issue("other", "other.test", "*.wild.test")
    started = start(server, "ssl", files, other)
    for name, common_name in (("localhost", "localhost"), ("other.test", "other"),
                              ("a.wild.test", "other")):
        with connect(started, context(ca), name) as sock:
            subject = dict(entry[0] for entry in sock.getpeercert()["subject"])
            assert subject["commonName"] == common_name
            assert facts(sock)["server name"] == name
    for name in ("unknown.test", "a.b.wild.test"):
        with pytest.raises(ssl.SSLCertVerificationError):
            connect(started, context(ca), name)


def test_client_certificates(server, ca, files, tmp_path):
    client = ca.issue("ann", subject="/O=Example/CN=Ann")
    stranger = Authority(tmp_path, "Stranger").issue("eve")
    started = start(server, "ssl", files, args=["--tls-client-ca", str(ca.file)])
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with connect(started, context(ca, version, client)) as sock:
            assert facts(sock)["client"] == "CN=Ann,O=Example"
        for bad in (None, stranger):
            with pytest.raises((ssl.SSLError, ConnectionError)):
                with connect(started, context(ca, version, bad)) as sock:
                    facts(sock)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_sessions_are_resumed(server, ca, files, version):
    client = ca.issue("ann", subject="/O=Example/CN=Ann")
    started = start(server, "ssl", files, args=["--tls-client-ca", str(ca.file)])
    made = context(ca, version, client)
    with connect(started, made) as sock:
        assert facts(sock)["resumed"] == "no"
        session = sock.session
    with connect(started, made, session=session) as sock:
        seen = facts(sock)
        assert (seen["resumed"], seen["client"]) == ("yes", "CN=Ann,O=Example")
        assert sock.session_reused


def test_reload_keeps_connections(server, ca, tmp_path):
    old, new = ca.issue("old", "localhost"), ca.issue("new", "localhost")
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    shutil.copy(old[0], cert)
    shutil.copy(old[1], key)
    started = start(server, "ssl", (cert, key))

    def name():
        with connect(started, context(ca)) as sock:
            return dict(entry[0] for entry in sock.getpeercert()["subject"])["commonName"]

    def reload_with(source, event):
        shutil.copy(source[0], cert)
        shutil.copy(source[1], key)
        before = started.log().count(event)
        started.signal(signal.SIGHUP)
        deadline = time.monotonic() + 20
        while started.log().count(event) == before:
            assert time.monotonic() < deadline, started.log()
            time.sleep(0.01)

    with connect(started, context(ca)) as living:
        assert facts(living)["resumed"] == "no"
        assert name() == "old"
        reload_with(new, "tls_reloaded")
        assert name() == "new"
        reload_with((old[0], new[1]), "tls_reload_failed")
        assert name() == "new"
        assert facts(living)["resumed"] == "no"


def test_plain_http_gets_a_clean_end(server, files):
    started = start(server, "ssl", files)
    with socket.create_connection(("127.0.0.1", started.port), timeout=20) as sock:
        sock.sendall(GET)
        data = b""
        while part := sock.recv(4096):
            data += part
    assert data[:1] in (b"", b"\x15")  # an alert at most


def test_renegotiation_is_refused(server, ca, files):
    started = start(server, "ssl", files)
    result = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{started.port}",
                             "-tls1_2", "-CAfile", str(ca.file)], input="R\n", text=True,
                            capture_output=True, timeout=30, check=False)
    assert "RENEGOTIATING" in result.stdout + result.stderr
    assert "no renegotiation" in result.stderr


def test_alpn_without_http_1_1_is_refused(server, ca, files):
    started = start(server, "ssl", files)
    made = context(ca)
    made.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError):
        connect(started, made)
    made.set_alpn_protocols(["h2", "http/1.1"])
    with connect(started, made) as sock:
        assert sock.selected_alpn_protocol() == "http/1.1"


def test_bytes_one_by_one_and_half_close(server, ca, files):
    started = start(server, "ssl", files)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context(ca).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", started.port), timeout=20) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def send():
            for byte in outgoing.read():
                sock.send(bytes([byte]))

        def step(call, *args):
            while True:
                try:
                    return call(*args)
                except ssl.SSLWantReadError:
                    send()
                    part = sock.recv(1)
                    if part:
                        incoming.write(part)
                    else:
                        incoming.write_eof()
                finally:
                    send()

        step(client.do_handshake)
        step(client.write, GET)
        # close_notify, then FIN: the answer comes all the same, and the server's close_notify.
        with contextlib.suppress(ssl.SSLWantReadError):
            client.unwrap()
        send()
        sock.shutdown(socket.SHUT_WR)
        records = b""
        while part := sock.recv(65536):
            records += part
    kinds = []
    while records:
        kind, _, length = struct.unpack("!BHH", records[:5])
        assert len(records) >= 5 + length
        kinds.append(kind)
        records = records[5 + length:]
    assert len(kinds) >= 2 and set(kinds) == {23}


def test_slow_readers_get_everything(server, ca, files):
    started = start(server, "stream", files)
    with connect(started, context(ca), receive_bytes=32768) as sock:
        sock.sendall(b"GET /?bytes=4000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.5)
        head, body = read_answer(sock)
        assert head.startswith(b"HTTP/1.1 200 ") and len(body) == 4_000_000


def test_unfinished_handshakes_are_cut(server, files):
    """Half of a ClientHello on many connections: little memory each, all cut at the deadline."""
    started = start(server, "ssl", files)

    def resident():
        for line in pathlib.Path(f"/proc/{started.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")

    before = resident()
    with contextlib.ExitStack() as stack:
        socks = []
        begin = time.monotonic()
        for _ in range(500):
            sock = socket.create_connection(("127.0.0.1", started.port), timeout=30)
            stack.enter_context(sock)
            sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc")
            socks.append(sock)
        time.sleep(0.5)
        grown = resident() - before
        if not os.environ.get("LARIO_SANITIZE"):
            assert grown < 500 * 64_000, grown
        for sock in socks:
            with contextlib.suppress(ConnectionError):
                assert sock.recv(1) == b""
        assert time.monotonic() - begin < 20


def test_bad_files_end_the_start(files, tmp_path):
    bad = tmp_path / "bad.pem"
    bad.write_text("nothing")
    for args, code, text in (
            (["--tls-cert", str(bad), "--tls-key", files[1]], 1, "cannot use certificate"),
            (["--tls-cert", files[0], "--tls-key", str(bad)], 1, "cannot use key"),
            (["--tls-cert", files[0], "--tls-key", str(tmp_path / "none")], 1, "No such file"),
            (["--tls-cert", files[0]], 2, "--tls-key is missing"),
            (["--tls-key", files[1]], 2, "--tls-cert is missing")):
        result = subprocess.run([conftest.program("ssl"), "--listen", "127.0.0.1:0", *args],
                                capture_output=True, text=True, timeout=30, check=False)
        assert result.returncode == code
        assert text in result.stderr


def node(ca, script, *args):
    env = dict(os.environ, NODE_EXTRA_CA_CERTS=str(ca.file),
               NODE_PATH=str(conftest.ROOT / "tests" / "node_modules"))
    result = subprocess.run(["node", "-e", script, *args], capture_output=True, text=True,
                            timeout=60, env=env, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_node_https(server, ca, files):
    started = start(server, "ssl", files)
    out = node(ca, """
        require('https').get(process.argv[1], (res) => {
          let text = '';
          res.on('data', (part) => { text += part; });
          res.on('end', () => console.log(JSON.stringify([res.statusCode, text])));
        });""", f"https://localhost:{started.port}/")
    status, text = json.loads(out)
    assert status == 200 and "version: TLSv1.3" in text


def test_node_wss(server, ca, files):
    started = start(server, "websocket_ssl", files)
    out = node(ca, """
        const ws = new (require('ws'))(process.argv[1]);
        ws.on('open', () => ws.send("x".repeat(1000)));
        ws.on('message', (data) => { console.log(data.length); ws.close(1000); });
        ws.on('close', (code) => console.log(code));""", f"wss://localhost:{started.port}/service")
    assert out.split() == [str(1000 + len("received ''")), "1000"]


def test_tls_behind_a_proxy_header(server, ca, files):
    """The header comes first and in plain; ClientHello may be in the same packet."""
    started = start(server, "ssl", files, args=["--proxy-protocol"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context(ca).wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    with socket.create_connection(("127.0.0.1", started.port), timeout=20) as sock:
        sock.sendall(b"PROXY TCP4 192.0.2.1 192.0.2.2 4000 443\r\n" + outgoing.read())

        def step(call, *args):
            while True:
                try:
                    return call(*args)
                except ssl.SSLWantReadError:
                    sock.sendall(outgoing.read())
                    incoming.write(sock.recv(65536))
                finally:
                    sock.sendall(outgoing.read())

        step(client.do_handshake)
        step(client.write, GET)
        assert step(client.read, 65536).startswith(b"HTTP/1.1 200 ")
