# SPDX-License-Identifier: BSD-3-Clause
"""Bad input never costs more memory than the limits allow.

Each attack has a server of its own with one loop. Its resident memory is read before, all through
and after the attack, and the peak is held against a bound that is computed from the limits:
what the attacked connections may hold at the most, and a fixed allowance for the first use of code
and stacks. The server must answer as before when the attack is over.
"""
import contextlib
import os
import threading

import pytest

from peer import BINARY, PING, TEXT, frame

# The defaults of lario_limits.
HEAD_BYTES = 32_768
BODY_BYTES = 1 << 20
OUTPUT_BYTES = 1 << 20
MESSAGE_BYTES = 1 << 20

# Output waits in blocks, which count whole, and the writer parks behind the one that is too much.
QUEUE_BYTES = OUTPUT_BYTES + HEAD_BYTES

# Requests that wait: at most what one read brings, behind a head that is not whole; the buffer of
# it is made twice as large as it must be.
READ_BYTES = 64 << 10
WINDOW_BYTES = 2 * (HEAD_BYTES + READ_BYTES)
STACK_BYTES = 64 << 10

ALLOWANCE_BYTES = 256 << 10
SECONDS = 1.5
MANY = 1000

pytestmark = pytest.mark.skipif(bool(os.environ.get("LARIO_SANITIZE")),
                                reason="a sanitizer's own memory hides the server's")

GET = b"GET /echo HTTP/1.1\r\nHost: test\r\n"
CHUNKED = b"POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Watch:
    """Reads the resident memory again and again while it is entered."""

    def __init__(self, pid):
        self.pid = pid
        self.before = self.peak = resident(pid)
        self.after = None
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        while not self.ended.wait(0.005):
            self.peak = max(self.peak, resident(self.pid))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.after = resident(self.pid)
        self.peak = max(self.peak, self.after)


def pour(client, part, bytes_max=64 << 20):
    """Sends `part` until the server ends the connection, or takes no more, or had enough."""
    client.socket.settimeout(SECONDS)
    sent = 0
    with contextlib.suppress(ConnectionError, TimeoutError):
        while sent < bytes_max:
            sent += client.socket.send(part)
    return sent


def flood(head, part):
    def attack(server, _):
        with server.connect() as client:
            client.send(head)
            return pour(client, part)
    return attack


def slow_heads(server, clients):
    for _ in range(MANY):
        client = clients.enter_context(server.connect())
        client.send(GET + b"X: " + b"x" * 7000)
    return MANY * 7000


def never_read(server, clients):
    client = clients.enter_context(server.connect())
    return pour(client, (GET + b"F: " + b"v" * 8000 + b"\r\n\r\n") * 10, 1000 * 8040)


def websocket(first, part):
    def attack(server, clients):
        client = clients.enter_context(server.connect())
        client.websocket("/")
        client.send(first)
        return pour(client, part)
    return attack


def resets(server, _):
    for _ in range(MANY):
        client = server.connect()
        client.send(GET)
        client.reset()
    return MANY


# A message in fragments grows by doubling: while it is copied, its old half is there as well.
# name: program, attack, what the attacked connections may hold
ATTACKS = {
    "request line without an end": ("echo", flood(b"GET /", b"x" * 65536), HEAD_BYTES),
    "header lines without an end": ("echo", flood(GET, b"F: " + b"v" * 1000 + b"\r\n"), HEAD_BYTES),
    "header value without an end": ("echo", flood(GET + b"F: ", b"v" * 65536), HEAD_BYTES),
    "NUL bytes": ("echo", flood(b"", b"\0" * 65536), HEAD_BYTES),
    "empty lines": ("echo", flood(b"", b"\r\n" * 32768), HEAD_BYTES),
    "chunk extension without an end": ("echo", flood(CHUNKED + b"5;", b"x" * 65536), HEAD_BYTES),
    "trailers without an end": ("echo", flood(CHUNKED + b"0\r\n", b"T: x\r\n" * 1000), HEAD_BYTES),
    "chunks of one byte": ("echo", flood(CHUNKED, b"1\r\nx\r\n" * 1000), BODY_BYTES),
    "body without an end": ("echo", flood(CHUNKED, b"ffff\r\n" + b"x" * 65535 + b"\r\n"),
                            2 * BODY_BYTES),
    "slow heads of 1,000": ("echo", slow_heads, MANY * HEAD_BYTES),
    "answers never read": ("echo", never_read,
                           QUEUE_BYTES + WINDOW_BYTES + 2 * HEAD_BYTES),
    "pings": ("websocket_echo", websocket(b"", frame(PING, b"p" * 125) * 500), QUEUE_BYTES),
    "messages, answers never read": ("websocket_echo",
                                     websocket(b"", frame(TEXT, b"x" * 1000) * 60),
                                     QUEUE_BYTES + MESSAGE_BYTES),
    "fragments without an end": ("websocket_echo",
                                 websocket(frame(BINARY, b"", fin=False),
                                           frame(0, b"x" * 1000, fin=False) * 60),
                                 MESSAGE_BYTES + MESSAGE_BYTES // 2),
    "giant length announced": ("websocket_echo",
                               websocket(frame(BINARY, b"", length=1 << 62, length_bytes=8),
                                         b"x" * 65536), MESSAGE_BYTES),
    "connections that reset": ("echo", resets, 64 * (HEAD_BYTES + STACK_BYTES)),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_memory_stays_within_the_limits(server, name):
    program, attack, held = ATTACKS[name]
    target = server(program, args=("--loops", "1"))
    status = target.get("/").status
    with Watch(target.process.pid) as watch:
        with contextlib.ExitStack() as clients:
            sent = attack(target, clients)
            assert target.get("/").status == status
        assert target.get("/").status == status
    bound = held + STACK_BYTES + ALLOWANCE_BYTES
    grown = watch.peak - watch.before
    print(f"\n{name:32} sent {sent:>10,}  before {watch.before >> 10:>6,} KiB  "
          f"peak +{grown >> 10:>6,} KiB  after +{(watch.after - watch.before) >> 10:>6,} KiB  "
          f"bound {bound >> 10:>6,} KiB")
    assert grown <= bound


@pytest.mark.parametrize("name", ["pings", "messages, answers never read"])
def test_memory_of_an_attack_is_used_again(server, name):
    """What a loop keeps of its blocks after one such client serves the next: nothing adds up."""
    program, attack, held = ATTACKS[name]
    target = server(program, args=("--loops", "1"))
    status = target.get("/").status
    before = resident(target.process.pid)
    for _ in range(4):
        with contextlib.ExitStack() as clients:
            attack(target, clients)
        assert target.get("/").status == status
    assert resident(target.process.pid) - before <= held + STACK_BYTES + ALLOWANCE_BYTES
