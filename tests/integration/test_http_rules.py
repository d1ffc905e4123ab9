# SPDX-License-Identifier: BSD-3-Clause
"""The framing rules of RFC 9110 and RFC 9112 that show on the wire, one test a rule."""
import time

import pytest

from peer import PING, PONG, frame

GET = b"GET /echo HTTP/1.1\r\nHost: test\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: test\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def echo(shared):
    return shared("echo")


def refuse(server, request, *statuses):
    """The request is refused, nothing behind it is answered, and the server goes on."""
    with server.connect() as client:
        client.send(request + b"GET /echo HTTP/1.1\r\nHost: smuggled\r\n\r\n")
        answer = client.response()
        assert answer.status in statuses, answer.status
        assert "close" in answer.field("connection").lower()
        assert client.rest() == b""
    assert server.get("/echo").status == 200


def accept(server, request, method="GET"):
    """The request is answered 200 and the connection goes on."""
    with server.connect() as client:
        client.send(request)
        answer = client.response(method)
        assert answer.status == 200, answer.status
        client.request(target="/echo")
        assert client.response().status == 200
        return answer


# Rule 1

@pytest.mark.parametrize("value", ["+5", "-5", "0x5", "5 5", "5, 6", "5_0", "5;", "five", "",
                                   "99999999999999999999", "18446744073709551621", "1e1", "5.0"])
def test_bad_content_length(echo, value):
    refuse(echo, POST + f"Content-Length: {value}\r\n\r\nhello".encode(), 400)


def test_content_lengths_that_differ(echo):
    refuse(echo, POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400)


# Rule 2

def test_content_length_with_transfer_encoding(echo):
    refuse(echo, POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400)


@pytest.mark.parametrize("coding, statuses", [
    ("gzip", (400, 501)), ("gzip, chunked", (501,)), ("chunked, gzip", (400, 501)),
    ("chunked, chunked", (400,)), ("xchunked", (400, 501)), ("chunked;a", (400, 501)),
    ("chun ked", (400, 501))])
def test_bad_transfer_encoding(echo, coding, statuses):
    refuse(echo, POST + f"Transfer-Encoding: {coding}\r\n\r\n0\r\n\r\n".encode(), *statuses)


def test_transfer_encoding_lines_are_joined(echo):
    line = b"Transfer-Encoding: chunked\r\n"
    refuse(echo, POST + line + line + b"\r\n0\r\n\r\n", 400)


def test_transfer_encoding_in_http_1_0(echo):
    refuse(echo, b"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400)


def test_chunked_is_case_insensitive(echo):
    answer = accept(echo, POST + b"Transfer-Encoding: ChUnKeD\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    assert answer.body == b"hello"


# Rule 3

@pytest.mark.parametrize("line", [
    b"0x5\r\n", b"+5\r\n", b"-5\r\n", b" 5\r\n", b"5_0\r\n", b"\r\n", b";ext\r\n", b"5\n", b"g\r\n",
    b"FFFFFFFFFFFFFFFFF\r\n", b"10000000000000005\r\n", b"5;a\x01b\r\n", b"5;a\rb\r\n",
    b"5;" + b"x" * 300 + b"\r\n"],
    ids=["0x", "plus", "minus", "blank", "underscore", "no size", "only an extension", "bare LF",
         "no digit", "overflow", "overflow to 5", "control", "bare CR", "long"])
def test_bad_chunk_size(echo, line):
    refuse(echo, CHUNKED + line + b"hello\r\n0\r\n\r\n", 400)


def test_chunk_data_ends_in_crlf(echo):
    refuse(echo, CHUNKED + b"5\r\nhelloXX0\r\n\r\n", 400)


def test_chunks_with_extensions_and_trailers(echo):
    answer = accept(echo, CHUNKED + b"5;a=b\r\nhello\r\n6;c=\"d\"\r\n world\r\n0\r\nX: y\r\n\r\n")
    assert answer.body == b"hello world"


def test_tiny_chunks_in_a_row(echo):
    refuse(echo, CHUNKED + b"1\r\nx\r\n" * 1002 + b"0\r\n\r\n", 400)


def test_chunks_byte_by_byte(echo):
    with echo.connect() as client:
        for byte in CHUNKED + b"5\r\nhello\r\n0\r\n\r\n":
            client.send(bytes([byte]))
        assert client.response().body == b"hello"


# Rule 4

@pytest.mark.parametrize("request_bytes", [
    b"GET /echo HTTP/1.1\nHost: test\r\n\r\n", b"GET /echo HTTP/1.1\r\nHost: test\n\r\n",
    b"GET /echo HTTP/1.1\r\nHost: test\r\nA: b\rc\r\n\r\n", GET + b"A: b\r\n c\r\n\r\n",
    GET + b"A : b\r\n\r\n", GET + b": b\r\n\r\n", GET + b"A(: b\r\n\r\n", GET + b"A b: c\r\n\r\n",
    GET + b"A\r\n\r\n", GET + b"A: b\x00c\r\n\r\n", GET + b"A: b\x01c\r\n\r\n",
    GET + b"A: b\x7fc\r\n\r\n", GET + b" A: b\r\n\r\n", GET + b"\xc3\xa4: b\r\n\r\n"],
    ids=["LF after the request line", "LF after a field", "CR in a value", "obs-fold",
         "space before the colon", "empty name", "bad name", "space in a name", "no colon",
         "NUL in a value", "control in a value", "DEL in a value", "space before the first name",
         "name that is not ASCII"])
def test_bad_field(echo, request_bytes):
    refuse(echo, request_bytes, 400)


def test_every_tchar_is_a_legal_name(echo):
    name = "!#$%&'*+-.^_`|~09azAZ"
    answer = accept(echo, GET + f"{name}: yes\r\n\r\n".encode())
    assert f"{name}: yes" in answer.text.splitlines()


def test_blanks_around_a_value_are_trimmed(echo):
    answer = accept(echo, GET + b"A: \t b c\t \r\nB:d\r\nC:\r\n\r\n")
    lines = answer.text.splitlines()
    assert "A: b c" in lines and "B: d" in lines and "C: " in lines


# Rule 5

@pytest.mark.parametrize("fields", [
    b"", b"Host: a\r\nHost: a\r\n", b"Host: user@a\r\n", b"Host: a/b\r\n", b"Host: a, b\r\n",
    b"Host: a b\r\n", b"Host: a:port\r\n"])
def test_bad_host(echo, fields):
    refuse(echo, b"GET /echo HTTP/1.1\r\n" + fields + b"\r\n", 400)


def test_http_1_0_needs_no_host(echo):
    with echo.connect() as client:
        client.send(b"GET /echo HTTP/1.0\r\n\r\n")
        assert client.response().status == 200


def test_absolute_form(echo):
    answer = accept(echo, b"GET http://other/echo?x HTTP/1.1\r\nHost: test\r\n\r\n")
    assert answer.text.startswith("GET http://other/echo?x ")


@pytest.mark.parametrize("target", [b"*", b"echo", b"/echo#part", b"/ech\xc3\xb6", b"/a b", b"",
                                    b"//\x01"])
def test_bad_target(echo, target):
    refuse(echo, b"GET " + target + b" HTTP/1.1\r\nHost: test\r\n\r\n", 400)


def test_options_of_the_server(echo):
    with echo.connect() as client:
        client.request("OPTIONS", "*")
        assert client.response().status in (200, 204)
        client.request(target="/echo")
        assert client.response().status == 200


def test_http_1_2_is_answered_as_1_1(echo):
    answer = accept(echo, b"GET /echo HTTP/1.2\r\nHost: test\r\n\r\n")
    assert answer.version == "HTTP/1.1"


@pytest.mark.parametrize("version, status", [
    ("HTTP/2.0", 505), ("HTTP/3.0", 505), ("http/1.1", 400), ("HTTP/1", 400), ("HTTP/1.1.1", 400),
    ("HTTP/1.x", 400), ("HTTP/01.1", 400)])
def test_bad_version(echo, version, status):
    refuse(echo, f"GET /echo {version}\r\nHost: test\r\n\r\n".encode(), status)


# Rule 6

def test_empty_lines_before_a_request(echo):
    accept(echo, b"\r\n\r\n" + GET + b"\r\n")


def test_a_frame_in_the_packet_of_the_handshake(shared):
    with shared("websocket_echo").connect() as client:
        client.websocket("/", after=frame(1, b"early") + frame(PING, b"p"))
        assert {client.read_frame(), client.read_frame()} == {(1, b"early"), (PONG, b"p")}


# Rule 7

def test_pipelined_answers_keep_their_order(shared):
    with shared("get_variable").connect() as client:
        client.send(b"".join(f"GET /?value={i} HTTP/1.1\r\nHost: test\r\n\r\n".encode()
                             for i in range(100)))
        values = [client.response().text for _ in range(100)]
    assert values == [f"<http_test><value>{i}</value></http_test>" for i in range(100)]


def test_pipelined_posts_keep_their_order(echo):
    with echo.connect() as client:
        client.send(b"".join(POST + b"Content-Length: 3\r\n\r\n%03d" % i for i in range(100)))
        assert [client.response().body for _ in range(100)] == [b"%03d" % i for i in range(100)]


def test_a_parked_handler_holds_back_later_answers(shared):
    with shared("chunked").connect() as client:
        client.send((b"GET / HTTP/1.1\r\nHost: test\r\n\r\n" +
                     b"GET /none HTTP/1.1\r\nHost: test\r\n\r\n"))
        assert client.response().text.endswith("done\n")
        assert client.response().status == 404


def test_an_unread_body_is_skipped(shared):
    with shared("hello_world").connect() as client:
        client.request("POST", "/", body=b"x" * 100_000)
        assert client.response().status == 405
        client.request()
        assert client.response().text == "Hello World."


def test_a_long_unread_body_closes(shared):
    with shared("hello_world").connect() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 100000000\r\n\r\n")
        assert client.response().status == 405
        assert client.rest() == b""


# Rule 8

@pytest.mark.parametrize("value", ["close", "Close", "foo, CLOSE", "close ,foo"])
def test_connection_is_a_list_of_tokens(echo, value):
    with echo.connect() as client:
        client.request(target="/echo", fields=[("Connection", value)])
        answer = client.response()
        assert answer.field("connection").lower() == "close"
        assert client.rest() == b""


def test_http_1_0_closes_unless_asked(shared):
    with shared("hello_world").connect() as client:
        client.send(b"GET / HTTP/1.0\r\n\r\n")
        assert client.response().text == "Hello World."
        assert client.rest() == b""


def test_http_1_0_keep_alive_is_said(shared):
    with shared("hello_world").connect() as client:
        for _ in range(2):
            client.send(b"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
            answer = client.response()
            assert answer.field("connection").lower() == "keep-alive"


# Rule 9

def test_expect_is_answered_when_the_handler_reads(echo):
    with echo.connect() as client:
        client.send(POST + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert client.head().status == 100
        client.send(b"hello")
        assert client.response().body == b"hello"


def test_expect_is_not_answered_when_the_body_is_not_wanted(shared):
    with shared("hello_world").connect() as client:
        client.send(b"POST / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\n"
                    b"Content-Length: 5\r\n\r\n")
        assert client.head().status == 405


def test_expect_is_not_answered_to_http_1_0(echo):
    with echo.connect() as client:
        client.send(b"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\n"
                    b"Content-Length: 5\r\n\r\nhello")
        answer = client.response()
        assert (answer.status, answer.body) == (200, b"hello")


def test_expect_of_something_else(echo):
    with echo.connect() as client:
        client.send(GET + b"Expect: miracles\r\n\r\n")
        assert client.response().status == 417
    assert echo.get("/echo").status == 200


# Rule 10

def test_head_has_the_length_of_get_and_no_body(shared):
    with shared("hello_world").connect() as client:
        client.request("HEAD")
        head = client.response("HEAD")
        client.request()
        get = client.response()
    assert head.field("content-length") == get.field("content-length") == "12"


def test_no_content_has_no_length(shared):
    with shared("switchboard").connect() as client:
        client.request("OPTIONS", "/devices")
        answer = client.response()
        assert answer.status == 204
        assert answer.field("content-length") is None and answer.field("transfer-encoding") is None
        client.request(target="/devices")
        assert client.response().status == 200


def test_exactly_one_date(echo):
    assert len(echo.get("/echo").all("date")) == 1


# Rule 12

def test_a_half_closed_client_gets_its_whole_response(shared):
    with shared("stream").connect() as client:
        client.request(target="/?bytes=3000000")
        client.end()
        assert len(client.response().body) == 3_000_000
        assert client.rest() == b""


def test_a_half_closed_client_gets_the_answer_of_a_parked_handler(shared):
    with shared("chunked").connect() as client:
        client.request()
        client.end()
        assert client.response().text.endswith("done\n")


def test_a_client_that_resets_does_no_harm(shared):
    server = shared("stream")
    for _ in range(20):
        client = server.connect()
        client.request(target="/?bytes=100000000")
        client.read(100_000)
        client.reset()
    assert server.get("/?bytes=1").status == 200


# Rule 13

@pytest.mark.parametrize("query, value", [
    ("value=a+b", "a b"), ("value=a%2Bb", "a+b"), ("value", ""), ("&x&value=1&value=2", "1"),
    ("val%75e=x", "x"), ("value==", "=")])
def test_query(shared, query, value):
    body = shared("get_variable").get(f"/?{query}").text
    assert body == f"<http_test><value>{value}</value></http_test>"


def test_plus_is_no_space_in_a_path(shared):
    assert shared("rest").get("/users/a+b").text == "This is a+b's page."


@pytest.mark.parametrize("path", ["/users/%00", "/users/a%0d%0ab", "/users/%0A", "/users/%",
                                  "/users/%4", "/users/%zz", "/users/%c0%af", "/users/%c0%ae",
                                  "/users/%ff", "/users/%ed%a0%80"])
def test_bad_path(shared, path):
    server = shared("rest")
    assert server.get(path).status == 400
    assert server.get("/users").status == 200


def test_an_encoded_slash_parts_no_segments(shared):
    assert shared("rest").get("/users/a%2Fphotos").text == "This is a/photos's page."


# Rule 16

def test_upgrade_with_a_body(shared):
    with shared("websocket_echo").connect() as client:
        answer = client.handshake("/", fields=[("Content-Length", "5")], after=b"hello")
        if answer.status == 101:
            client.frame(1, b"x")
            assert client.read_frame() == (1, b"x")
        else:
            assert 400 <= answer.status < 500


# Limits

@pytest.mark.parametrize("request_bytes, status", [
    (b"GET /" + b"x" * 8001 + b" HTTP/1.1\r\nHost: test\r\n\r\n", 414),
    (GET + b"".join(b"F%d: x\r\n" % i for i in range(100)) + b"\r\n", 431),
    (GET + b"n" * 65 + b": x\r\n\r\n", 431),
    (GET + b"F: " + b"v" * 8193 + b"\r\n\r\n", 431),
    (GET + b"".join(b"F%d: " % i + b"v" * 8000 + b"\r\n" for i in range(5)) + b"\r\n", 431)],
    ids=["request line", "fields", "name", "value", "head"])
def test_head_limits(echo, request_bytes, status):
    refuse(echo, request_bytes, status)


@pytest.mark.parametrize("request_bytes, status", [
    (b"GET /" + b"x" * (8000 - 14) + b" HTTP/1.1\r\nHost: test\r\n\r\n", 404),
    (GET + b"".join(b"F%d: x\r\n" % i for i in range(99)) + b"\r\n", 200),
    (GET + b"n" * 64 + b": x\r\n\r\n", 200),
    (GET + b"F: " + b"v" * 8192 + b"\r\n\r\n", 200)],
    ids=["request line", "fields", "name", "value"])
def test_heads_just_inside_their_limits(echo, request_bytes, status):
    with echo.connect() as client:
        client.send(request_bytes)
        assert client.response().status == status
        client.request(target="/echo")
        assert client.response().status == 200


def test_body_limit(echo):
    assert len(echo.post("/echo", b"x" * 1048576).body) == 1048576
    with echo.connect() as client:
        client.send(POST + b"Content-Length: 1048577\r\n\r\n")
        assert client.response().status == 413
    assert echo.get("/echo").status == 200


def test_deadlines_of_head_and_body(echo):
    """A head of more than 5 s and a body slower than 1 KiB/s over 10 s are cut."""
    start = time.monotonic()
    with echo.connect(timeout=25) as head, echo.connect(timeout=25) as body:
        head.send(GET)
        body.send(POST + b"Content-Length: 100000\r\n\r\nhello")
        assert head.response().status == 408
        assert head.rest() == b""
        assert time.monotonic() - start >= 4.5
        assert body.response().status == 408
        assert body.rest() == b""
        assert time.monotonic() - start >= 9.5
    assert echo.get("/echo").status == 200


def test_garbage_is_refused(echo):
    for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET\r\n\r\n",
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x00" * 100, b"\xff" * 9000):
        with echo.connect() as client:
            client.send(garbage)
            client.end()
            data = client.rest()
            assert data == b"" or data.startswith((b"HTTP/1.1 4", b"HTTP/1.1 505")), data
    assert echo.get("/echo").status == 200
