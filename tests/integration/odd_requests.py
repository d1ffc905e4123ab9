# SPDX-License-Identifier: BSD-3-Clause
"""Odd requests by family: what a server may read in more than one way."""

TAIL = b"GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"


def get(line=b"GET / HTTP/1.1", fields=b"Host: test\r\n"):
    return line + b"\r\n" + fields + b"\r\n"


def post(fields, body=b""):
    return b"POST / HTTP/1.1\r\nHost: test\r\n" + fields + b"\r\n" + body


CHUNKED = b"Transfer-Encoding: chunked\r\n"

FAMILIES = {
    "request line": [get(line) for line in (
        b"GET  / HTTP/1.1", b"GET /  HTTP/1.1", b" GET / HTTP/1.1", b"GET / HTTP/1.1 ",
        b"GET\t/ HTTP/1.1", b"GET /\tHTTP/1.1", b"GET / HTTP/1.1\t", b"GET /", b"GET", b"/",
        b"get / HTTP/1.1", b"G(T / HTTP/1.1", b"G\x00T / HTTP/1.1", b"G\x80T / HTTP/1.1",
        b"GET / / HTTP/1.1", b"GET / HTTP/1.1 x", b"GET\x0b/ HTTP/1.1", b"GET\x0c/ HTTP/1.1",
        b"G,T / HTTP/1.1", b"GET: / HTTP/1.1", b"\"GET\" / HTTP/1.1", b"GET / ", b"\xef\xbb\xbfGET / HTTP/1.1")],
    "method": [get(name + b" / HTTP/1.1") for name in (
        b"FOO", b"G", b"GETT", b"X-Y", b"X_Y", b"X.Y", b"X!Y", b"X1", b"1X", b"x", b"PRI",
        b"TRACE", b"DELETE", b"PROPFIND", b"A" * 40, b"M" * 300)],
    "target": [get(b"GET " + target + b" HTTP/1.1") for target in (
        b"*", b"x", b"", b"//", b"//x/y", b"/#f", b"/?a#f", b"/\x01", b"/\x7f", b"/\x80", b"/\xc3\xa4",
        b"/%", b"/%4", b"/%zz", b"/%00", b"/%0a", b"/%0d", b"/\"", b"/<", b"/>", b"/\\", b"/^",
        b"/`", b"/{", b"/|", b"/}", b"/?\"", b"/?<", b"/?\\", b"/?%", b"/?%zz", b"/?%00", b"/?\x80",
        b"/..", b"/../..", b"/.", b"/a/../..", b"/%2e%2e", b"/%2e%2e/x", b"/%c0%af", b"?a", b"/?",
        b"/;a", b"/a:b", b"/@")],
    "absolute form": [get(b"GET " + target + b" HTTP/1.1") for target in (
        b"http://test/", b"http://test", b"http://other/", b"HTTP://test/", b"https://test/",
        b"ftp://test/", b"http:///", b"http://", b"http:/", b"http:", b"http://u@test/",
        b"http://test:80/", b"http://test:x/", b"http://test:99999/", b"http://[::1]/",
        b"http://[::1/", b"http://te st/", b"http://test?x", b"http://test#f", b"test:80", b"test/")],
    "other forms": [get(b"OPTIONS * HTTP/1.1"), get(b"OPTIONS / HTTP/1.1"), get(b"HEAD * HTTP/1.1"),
                    get(b"CONNECT test:80 HTTP/1.1"), get(b"CONNECT / HTTP/1.1"),
                    get(b"CONNECT test HTTP/1.1"), get(b"OPTIONS test:80 HTTP/1.1"),
                    get(b"OPTIONS ** HTTP/1.1"), get(b"OPTIONS *a HTTP/1.1")],
    "version": [get(b"GET / " + version) for version in (
        b"HTTP/1.0", b"HTTP/1.2", b"HTTP/1.9", b"HTTP/0.9", b"HTTP/2.0", b"HTTP/3.0", b"HTTP/1",
        b"HTTP/1.", b"HTTP/.1", b"HTTP/1.1.1", b"HTTP/1.x", b"HTTP/x.1", b"HTTP/01.1", b"HTTP/1.01",
        b"HTTP/1.10", b"HTTP/10.1", b"HTTP/11", b"http/1.1", b"Http/1.1", b"HTTP1.1", b"HTTP /1.1",
        b"HTTP/ 1.1", b"HTTPS/1.1", b"HTTP/1,1", b"HTTP/+1.1", b"HTTP/-1.1", b"ICY/1.1", b"X")],
    "field": [get(fields=b"Host: test\r\n" + field) for field in (
        b"A : b\r\n", b"A\t: b\r\n", b" A: b\r\n", b"\tA: b\r\n", b"A\r\n", b": b\r\n", b"A b: c\r\n",
        b"A:\r\n", b"A:b\r\n", b"A: \t b \t\r\n", b"A(: b\r\n", b"A/: b\r\n", b"A\x00: b\r\n", b"A\x01: b\r\n",
        b"A\x80: b\r\n", b"A\": b\r\n", b"A@: b\r\n", b"A[: b\r\n", b"A_: b\r\n", b"A.: b\r\n", b"A!: b\r\n",
        b"A: b\x00\r\n", b"A: b\x01c\r\n", b"A: b\x7fc\r\n", b"A: b\x80c\r\n", b"A: b\x0bc\r\n", b"A: b\x0cc\r\n",
        b"A: b\r\n c\r\n", b"A: b\r\n\tc\r\n", b"A:\r\n b\r\n", b"A: b\r\n \r\n", b"A: b:c\r\n",
        b"A: b\rc\r\n", b"A: b\r\r\n", b"A: b\n", b"A: b\n\r\n", b"A: b\r\nA: c\r\n", b"A: \x1b[0m\r\n",
        b"A: b\x08\r\n", b"-: b\r\n", b"1: b\r\n", b"A: \xff\xfe\r\n")],
    "host": [get(fields=fields) for fields in (
        b"", b"Host:\r\n", b"Host: \r\n", b"Host: a\r\nHost: a\r\n", b"Host: a\r\nHost: b\r\n",
        b"Host: a b\r\n", b"Host: a,b\r\n", b"Host: a/b\r\n", b"Host: u@a\r\n", b"Host: a:80\r\n",
        b"Host: a:\r\n", b"Host: a:x\r\n", b"Host: a:99999\r\n", b"Host: :80\r\n", b"Host: [::1]\r\n",
        b"Host: [::1\r\n", b"Host: ::1\r\n", b"Host: a?b\r\n", b"Host: a#b\r\n", b"Host: a\\b\r\n",
        b"Host: a\x80\r\n", b"Host: a_b\r\n", b"Host: a..b\r\n", b"Host: .\r\n", b"Host: -\r\n",
        b"Host: a%20b\r\n", b"Host: http://a\r\n", b"hOST: a\r\n", b"Host: a;b\r\n", b"Host: <a>\r\n")],
    "line ends": [b"GET / HTTP/1.1\nHost: test\n\n", b"GET / HTTP/1.1\nHost: test\r\n\r\n",
                  b"GET / HTTP/1.1\r\nHost: test\n\r\n", b"GET / HTTP/1.1\r\nHost: test\r\n\n",
                  b"GET / HTTP/1.1\rHost: test\r\r", b"GET / HTTP/1.1\r\r\nHost: test\r\n\r\n",
                  b"\r\n" + get(), b"\n" + get(), b"\r" + get(), b"\r\n" * 5 + get(), b" \r\n" + get(),
                  b"\x00" + get(), b"GET / HTTP/1.1\r\n\r\nHost: test\r\n\r\n",
                  b"GET / HTTP/1.1\n\rHost: test\r\n\r\n"],
    "content length": [post(b"Content-Length: " + value + b"\r\n", b"hello") for value in (
        b"5", b"05", b"0005", b"+5", b"-5", b"0x5", b"5.0", b"5,5", b"5, 5", b"5,6", b"5 5", b"5_0", b"5;",
        b"five", b"", b" 5", b"5 ", b"\t5", b"1e0", b"5\x00", b"18446744073709551621",
        b"99999999999999999999999", b"'5'", b"\xb2")] + [
        post(b"Content-Length: 5\r\nContent-Length: 5\r\n", b"hello"),
        post(b"Content-Length: 5\r\nContent-Length: 6\r\n", b"hello"),
        post(b"Content-Length : 5\r\n", b"hello"), post(b"Content_Length: 5\r\n"),
        b"GET / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello"],
    "transfer encoding": [post(fields, b"5\r\nhello\r\n0\r\n\r\n") for fields in (
        CHUNKED, b"Transfer-Encoding: Chunked\r\n", b"Transfer-Encoding: gzip\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: chunked, gzip\r\n",
        b"Transfer-Encoding: chunked, chunked\r\n", b"Transfer-Encoding: identity\r\n",
        b"Transfer-Encoding: identity, chunked\r\n", b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding: chunked;a\r\n", b"Transfer-Encoding: \"chunked\"\r\n",
        b"Transfer-Encoding:\r\n", b"Transfer-Encoding: ,chunked\r\n", b"Transfer-Encoding: chunked,\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n", b"Transfer-Encoding: chun ked\r\n",
        b"Transfer-Encoding : chunked\r\n", b"Transfer-Encoding:\r\n chunked\r\n", CHUNKED * 2,
        CHUNKED + b"Content-Length: 5\r\n", b"Content-Length: 5\r\n" + CHUNKED,
        CHUNKED + b"Content-Length: x\r\n", b"Transfer_Encoding: chunked\r\n")] + [
        b"POST / HTTP/1.0\r\nHost: test\r\n" + CHUNKED + b"\r\n5\r\nhello\r\n0\r\n\r\n"],
    "chunks": [post(CHUNKED, body) for body in (
        b"0\r\n\r\n", b"00\r\n\r\n", b"000000000000000000000\r\n\r\n", b"05\r\nhello\r\n0\r\n\r\n",
        b"0x5\r\nhello\r\n0\r\n\r\n", b"+5\r\nhello\r\n0\r\n\r\n", b"-5\r\nhello\r\n0\r\n\r\n",
        b" 5\r\nhello\r\n0\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n", b"5\t\r\nhello\r\n0\r\n\r\n",
        b"5_\r\nhello\r\n0\r\n\r\n", b"\r\nhello\r\n0\r\n\r\n", b";a\r\nhello\r\n0\r\n\r\n",
        b"g\r\nhello\r\n0\r\n\r\n", b"5;a\r\nhello\r\n0\r\n\r\n", b"5;a=b\r\nhello\r\n0\r\n\r\n",
        b"5;\r\nhello\r\n0\r\n\r\n", b"5 ;a\r\nhello\r\n0\r\n\r\n", b"5;a=\"b\"\r\nhello\r\n0\r\n\r\n",
        b"5;a=\"b\r\nhello\r\n0\r\n\r\n", b"5;a\x01\r\nhello\r\n0\r\n\r\n", b"5;a\rb\r\nhello\r\n0\r\n\r\n",
        b"5;a\nb\r\nhello\r\n0\r\n\r\n", b"5\nhello\n0\n\n", b"5\nhello\r\n0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n",
        b"5\r\nhelloXX0\r\n\r\n", b"5\r\nhello0\r\n\r\n", b"5\rhello\r\n0\r\n\r\n",
        b"5\r\nhello\r\n0\r\nA: b\r\n\r\n", b"5\r\nhello\r\n0\r\nA : b\r\n\r\n", b"5\r\nhello\r\n0\r\nA\r\n\r\n",
        b"5\r\nhello\r\n0\r\nA: b\n\r\n", b"5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n",
        b"5\r\nhello\r\n0\n\n", b"FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
        b"10000000000000005\r\nhello\r\n0\r\n\r\n", b"7fffffffffffffff\r\nhello\r\n0\r\n\r\n")],
    "connection": [get(line, b"Host: test\r\n" + field) for line, field in (
        (b"GET / HTTP/1.1", b"Connection: close\r\n"), (b"GET / HTTP/1.1", b"Connection: CLOSE\r\n"),
        (b"GET / HTTP/1.1", b"Connection: a, close\r\n"), (b"GET / HTTP/1.1", b"Connection: closed\r\n"),
        (b"GET / HTTP/1.1", b"Connection: keep-alive\r\n"), (b"GET / HTTP/1.0", b"Connection: keep-alive\r\n"),
        (b"GET / HTTP/1.0", b"Connection: close\r\n"), (b"GET / HTTP/1.1", b"Connection: keep-alive, close\r\n"),
        (b"GET / HTTP/1.1", b"Connection:\r\n"), (b"GET / HTTP/1.1", b"Connection: Upgrade\r\nUpgrade: x\r\n"),
        (b"GET / HTTP/1.1", b"Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n"),
        (b"GET / HTTP/1.1", b"Expect: x\r\n"), (b"GET / HTTP/1.1", b"Expect: 100-continue\r\n"),
        (b"GET / HTTP/1.0", b"Expect: 100-continue\r\n"))],
    "long": [get(b"GET /?" + b"x" * 7000 + b" HTTP/1.1"), get(b"GET /?" + b"x" * 9000 + b" HTTP/1.1"),
             get(b"GET /?" + b"x" * 40000 + b" HTTP/1.1"),
             get(fields=b"Host: test\r\nA: " + b"b" * 7000 + b"\r\n"),
             get(fields=b"Host: test\r\nA: " + b"b" * 9000 + b"\r\n"),
             get(fields=b"Host: test\r\n" + b"a" * 100 + b": b\r\n"),
             get(fields=b"Host: test\r\n" + b"".join(b"A%d: b\r\n" % i for i in range(90))),
             get(fields=b"Host: test\r\n" + b"".join(b"A%d: b\r\n" % i for i in range(150))),
             get(fields=b"Host: test\r\n" + b"".join(b"A%d: b\r\n" % i for i in range(3000)))],
    "pipeline": [get() + TAIL, get() * 20, get() + b"\r\n" + TAIL, get() + b"\r\n\r\n" + TAIL,
                 get() + b"x" + TAIL, post(b"Content-Length: 5\r\n", b"hello") + TAIL,
                 post(b"Content-Length: 5\r\n", b"hello\r\n") + TAIL,
                 post(CHUNKED, b"0\r\n\r\n") + TAIL, TAIL + get(), get(b"HEAD / HTTP/1.1") + TAIL],
}


def cases():
    """(family, number, bytes) of each."""
    return [(family, number, data) for family, requests in FAMILIES.items()
            for number, data in enumerate(requests)]
