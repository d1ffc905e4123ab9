# SPDX-License-Identifier: BSD-3-Clause
"""The rules of RFC 6455, by a client that keeps them and by one that breaks them."""
import asyncio
import os
import pathlib
import subprocess

import pytest
import websockets

import conftest
from peer import BINARY, CLOSE, PING, PONG, TEXT, close_payload, frame


@pytest.fixture
def echo(shared):
    return shared("websocket_echo")


@pytest.fixture
def client(echo):
    with echo.connect() as peer:
        yield peer.websocket("/")


def fails(peer, code):
    """The server fails the connection with this code, echoes nothing and closes."""
    opcode, payload = peer.read_frame()
    assert opcode == CLOSE, (opcode, payload)
    assert int.from_bytes(payload[:2], "big") == code
    assert peer.rest() == b""


# Handshake

def without(name):
    lines = ["GET / HTTP/1.1", "Host: test", "Upgrade: websocket", "Connection: Upgrade",
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"]
    return [line for line in lines if not line.startswith(name)]


def answer_to(server, lines):
    with server.connect() as peer:
        peer.send("\r\n".join(lines).encode() + b"\r\n\r\n")
        return peer.response()


def test_accept_of_the_sample_nonce(echo):
    answer = answer_to(echo, without("nothing"))
    assert answer.status == 101
    assert answer.field("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    assert answer.field("sec-websocket-extensions") is None


@pytest.mark.parametrize("lines, statuses", [
    (without("Upgrade"), (400, 426)), (without("Connection"), (400, 426)),
    (without("Sec-WebSocket-Key"), (400,)),
    (without("Sec-WebSocket-Key") + ["Sec-WebSocket-Key: c2hvcnQ="], (400,)),
    (without("Sec-WebSocket-Key") + ["Sec-WebSocket-Key: not base64 at all!!="], (400,)),
    (without("nothing") + ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="], (400,))],
    ids=["no Upgrade", "no Connection", "no key", "short key", "bad key", "two keys"])
def test_bad_handshake(echo, lines, statuses):
    assert answer_to(echo, lines).status in statuses
    assert answer_to(echo, without("nothing")).status == 101


def test_http_1_0_is_no_handshake(echo):
    lines = ["GET / HTTP/1.0"] + without("GET")
    assert 400 <= answer_to(echo, lines).status < 500


@pytest.mark.parametrize("version", ["8", "14", "x"])
def test_other_versions_learn_which_one(echo, version):
    with echo.connect() as peer:
        answer = peer.handshake("/", version=version)
    assert answer.status == 426
    assert answer.field("sec-websocket-version") == "13"


def test_a_frame_in_the_packet_of_the_handshake(echo):
    with echo.connect() as peer:
        peer.websocket("/", after=frame(TEXT, b"early"))
        assert peer.read_text() == "early"


def test_byte_by_byte(echo):
    with echo.connect() as peer:
        peer.websocket("/")
        for byte in frame(TEXT, b"slow") + frame(BINARY, b"\x00" * 200):
            peer.send(bytes([byte]))
        assert peer.read_text() == "slow"
        assert peer.read_frame() == (BINARY, b"\x00" * 200)


# Messages

@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65535, 65536, 1048576])
def test_lengths(client, size):
    data = os.urandom(size)
    client.frame(BINARY, data)
    assert client.read_frame() == (BINARY, data)


def test_many_messages_in_one_packet(client):
    client.send(b"".join(frame(TEXT, b"%d" % i) for i in range(500)))
    assert [client.read_text() for _ in range(500)] == [str(i) for i in range(500)]


def test_fragments_with_control_frames_between(client):
    client.frame(TEXT, b"one ", fin=False)
    client.frame(PING, b"between")
    client.frame(0, b"two ", fin=False)
    client.frame(PONG, b"unasked")
    client.frame(0, b"")
    assert client.read_frame() == (PONG, b"between")
    assert client.read_text() == "one two "


def test_a_character_across_fragments(client):
    euro = "\N{EURO SIGN}".encode()
    client.frame(TEXT, euro[:1], fin=False)
    client.frame(0, euro[1:])
    assert client.read_text() == "\N{EURO SIGN}"


def test_ping(client):
    for payload in (b"", b"x" * 125):
        client.frame(PING, payload)
        assert client.read_frame() == (PONG, payload)


def test_pong_is_not_answered(client):
    client.frame(PONG, b"x")
    client.frame(TEXT, b"next")
    assert client.read_text() == "next"


# Failing the connection

@pytest.mark.parametrize("data", [
    frame(TEXT, b"x", mask=False), frame(TEXT, b"x", rsv=4), frame(TEXT, b"x", rsv=2),
    frame(TEXT, b"x", rsv=1), frame(3, b"x"), frame(7, b"x"), frame(11), frame(15),
    frame(PING, b"x" * 126), frame(PING, b"x", fin=False), frame(CLOSE, b"\x03", fin=True),
    frame(0, b"x"), frame(TEXT, b"x", fin=False) + frame(TEXT, b"y"),
    frame(TEXT, b"x" * 10, length_bytes=2), frame(BINARY, b"x" * 300, length_bytes=8),
    frame(BINARY, b"", length=1 << 63, length_bytes=8)],
    ids=["unmasked", "RSV1", "RSV2", "RSV3", "opcode 3", "opcode 7", "opcode 11", "opcode 15",
         "long ping", "fragmented ping", "close of one byte", "continuation of nothing",
         "message in a message", "16 bits for 10", "64 bits for 300", "top bit of the length"])
def test_protocol_error(echo, client, data):
    client.send(data)
    fails(client, 1002)
    assert answer_to(echo, without("nothing")).status == 101


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1012, 1015, 1016, 2999, 5000, 65535])
def test_close_codes_that_may_not_be_sent(client, code):
    client.frame(CLOSE, close_payload(code))
    fails(client, 1002)


@pytest.mark.parametrize("text", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
                                  b"a\xe2\x82"],
                         ids=["0xff", "overlong", "surrogate", "beyond Unicode", "cut off"])
def test_text_that_is_not_utf8(client, text):
    client.frame(TEXT, text)
    fails(client, 1007)


def test_bad_text_fails_before_the_message_ends(client):
    client.frame(TEXT, b"good ", fin=False)
    client.frame(0, b"\xff", fin=False)
    fails(client, 1007)


def test_close_reason_that_is_not_utf8(client):
    client.frame(CLOSE, close_payload(1000) + b"\xff")
    fails(client, 1007)


def test_message_too_big(client):
    client.send(frame(BINARY, b"", length=1048577))
    fails(client, 1009)


def test_message_too_big_in_fragments(client):
    client.frame(BINARY, b"x" * 1048576, fin=False)
    client.frame(0, b"x", fin=False)
    fails(client, 1009)


# Closing

@pytest.mark.parametrize("code", [1000, 1001, 1003, 1007, 1011, 3000, 4999])
def test_close_is_answered_with_its_code(client, code):
    client.frame(CLOSE, close_payload(code, "bye"))
    assert client.read_close() == code
    assert client.rest() == b""


def test_close_without_a_code(client):
    client.frame(CLOSE)
    opcode, payload = client.read_frame()
    assert opcode == CLOSE and payload in (b"", close_payload(1000))
    assert client.rest() == b""


def test_what_came_before_a_close_is_answered_and_nothing_after(client):
    client.send(frame(TEXT, b"before") + frame(CLOSE, close_payload(1000)) + frame(TEXT, b"after") +
                frame(PING))
    assert client.read_text() == "before"
    fails(client, 1000)


def test_drain_closes_with_1001(server):
    started = server("websocket_echo")
    with started.connect() as peer:
        peer.websocket("/")
        started.signal()
        assert peer.read_close() == 1001
        peer.frame(CLOSE, close_payload(1001))
        assert peer.rest() == b""
    assert started.wait() == 0


def test_a_client_that_resets_does_no_harm(echo):
    for _ in range(20):
        peer = echo.connect().websocket("/")
        peer.frame(TEXT, b"x" * 100_000)
        peer.reset()
    assert answer_to(echo, without("nothing")).status == 101


# Independent clients

def test_python_websockets(echo):
    async def talk():
        url = echo.url("/", "ws")
        async with websockets.connect(url, max_size=None, compression=None) as ws:
            for message in ("text", "grüße", b"\x00\xff", "x" * 70_000, b"y" * 1_000_000):
                await ws.send(message)
                assert await ws.recv() == message
            await ws.send(["frag", "men", "ted"])
            assert await ws.recv() == "fragmented"
            await asyncio.wait_for(await ws.ping(), 20)
            await ws.close(4001, "enough")
            assert ws.close_code == 4001

    asyncio.run(talk())


def test_python_websockets_many_at_once(echo):
    async def talk(number):
        async with websockets.connect(echo.url("/", "ws")) as ws:
            for i in range(20):
                await ws.send(f"{number} {i}")
                assert await ws.recv() == f"{number} {i}"

    async def all_of_them():
        await asyncio.gather(*(talk(number) for number in range(100)))

    asyncio.run(all_of_them())


def test_npm_ws(echo):
    script = pathlib.Path(__file__).with_name("ws_client.js")
    result = subprocess.run(["node", str(script), echo.url("/", "ws")], capture_output=True,
                            text=True, timeout=60, cwd=conftest.ROOT / "tests")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "ok"
