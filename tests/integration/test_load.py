# SPDX-License-Identifier: BSD-3-Clause
"""Many clients at once: nobody is forgotten, and an end under load loses no answer."""
import json
import os
import resource
import selectors
import socket
import threading
import time

import pytest

from peer import PONG, TEXT, frame

# ThreadSanitizer knows at most 8,128 stacks at a time, and each costs it much memory.
CONNECTIONS = 2_000 if os.environ.get("LARIO_SANITIZE") == "thread" else 10_000
BATCH = 200
DEADLINE_S = 240
EMPTY_PING = b"\x89\x00"  # how the server asks after a silent device; occurs in no text of ours


class Crowd:
    """Many sockets of one thread, each with what it has received and not yet used."""

    def __init__(self, port):
        self.port = port
        self.sockets = []
        self.received = []
        self.selector = selectors.DefaultSelector()
        self.deadline = time.monotonic() + DEADLINE_S

    def add(self, requests):
        """Connects once for each request, sends it and reads the head of the answer."""
        first = len(self.sockets)
        for number, request in enumerate(requests, first):
            client = socket.create_connection(("127.0.0.1", self.port), 30)
            client.setblocking(False)
            self.sockets.append(client)
            self.received.append(b"")
            self.selector.register(client, selectors.EVENT_READ, number)
            client.send(request)
        numbers = range(first, len(self.sockets))
        self.collect(numbers, lambda data: b"\r\n\r\n" in data)
        for number in numbers:
            head, _, self.received[number] = self.received[number].partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 101 "), head

    def collect(self, numbers, complete):
        """Reads until complete(data) holds for each of the sockets."""
        missing = {number for number in numbers if not complete(self.received[number])}
        while missing:
            ready = self.selector.select(self.deadline - time.monotonic())
            assert ready, f"{len(missing)} clients wait in vain"
            for key, _ in ready:
                data = self.sockets[key.data].recv(65536)
                assert data, f"client {key.data} was disconnected"
                self.received[key.data] += data
                if EMPTY_PING in self.received[key.data]:
                    self.received[key.data] = self.received[key.data].replace(EMPTY_PING, b"")
                    self.sockets[key.data].send(frame(PONG))
                if complete(self.received[key.data]):
                    missing.discard(key.data)

    def close(self):
        self.selector.close()
        for client in self.sockets:
            client.close()


def handshake(serial):
    return (f"GET /devices/{serial}/connect HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n").encode()


def text_of(data):
    """The payload of the one short frame that `data` is, or None while it is not whole."""
    if len(data) < 2 or len(data) < 2 + data[1]:
        return None
    assert data[0] == 0x80 | TEXT and data[1] < 126, data
    assert len(data) == 2 + data[1], data
    return json.loads(data[2:])


@pytest.fixture
def descriptors():
    """Enough of them for the clients, and for the server that inherits the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = CONNECTIONS + 1000
    if hard != resource.RLIM_INFINITY and hard < need:
        pytest.skip(f"this system allows {hard} descriptors, the test needs {need}")
    if soft < need:
        resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_ten_thousand_devices_and_a_broadcast(server, descriptors):
    started = server("switchboard")
    crowd = Crowd(started.port)
    join = frame(TEXT, b'{"type":"join","group":"all"}')
    try:
        for first in range(0, CONNECTIONS, BATCH):
            crowd.add([handshake(f"d{i}") for i in range(first, first + BATCH)])
        for number in range(CONNECTIONS):
            crowd.sockets[number].send(join)
        crowd.collect(range(CONNECTIONS), text_of)
        for number in range(CONNECTIONS):
            assert text_of(crowd.received[number])["type"] == "ok"
            crowd.received[number] = b""
        answer = started.post("/groups/all/messages", b"to all", [("Content-Type", "text/plain")])
        assert json.loads(answer.body) == {"receivers": CONNECTIONS}
        crowd.collect(range(CONNECTIONS), text_of)
        assert all(text_of(data)["body"] == "to all" for data in crowd.received)
        assert len(json.loads(started.get("/devices").body)["devices"]) == CONNECTIONS
    finally:
        crowd.close()


def ask_until_refused(started, begun, results):
    """
    Sends one request after the other. An answer that begins must be whole, and only a connection
    that was idle may be closed without one; what went wrong is put into `results`.
    """
    count = 0
    try:
        while True:
            try:
                client = started.connect()
            except OSError:
                break
            with client:
                try:
                    count += ask_on(client, begun)
                except OSError:
                    pass
        results.append(count)
    except AssertionError as error:
        results.append(error)


def ask_on(client, begun):
    count = 0
    while True:
        client.request(target=f"/?value={count}")
        if not client.fill():
            assert client.buffer == b""
            return count
        answer = client.response()
        assert answer.text == f"<http_test><value>{count}</value></http_test>"
        count += 1
        begun.release()
        if answer.field("connection") == "close":
            return count


def test_sigterm_under_load_loses_no_answer(server):
    started = server("get_variable")
    begun = threading.Semaphore(0)
    results = []
    threads = [threading.Thread(target=ask_until_refused, args=(started, begun, results))
               for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(500):
        begun.acquire()
    started.signal()
    assert started.wait() == 0
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert all(isinstance(result, int) for result in results), results
    assert len(results) == 8 and sum(results) >= 500


def test_a_slow_reader_holds_up_nobody(server):
    started = server("stream", args=["--loops", "1"])
    slow = [started.connect() for _ in range(50)]
    for client in slow:
        client.request(target="/?bytes=50000000")
        assert client.head().status == 200
    assert len(started.get("/?bytes=100000").body) == 100_000
    for client in slow:
        client.close()
    assert started.get("/?bytes=1").status == 200


def test_one_connection_after_the_other(server):
    started = server("hello_world")
    for _ in range(2000):
        with started.connect() as client:
            client.request(fields=[("Connection", "close")])
            assert client.response().text == "Hello World."


def test_requests_of_a_client_that_reads_nothing_stay_outside(server, tmp_path):
    """By a unix socket, where the kernel keeps little of what the server does not take."""
    request = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n" * 1000
    taken = 0
    started = server("hello_world", listen=[f"unix:{tmp_path}/socket"])
    with started.connect(timeout=1) as client:
        with pytest.raises(TimeoutError):
            while taken < 4_000_000:
                taken += client.socket.send(request)
        assert started.get().text == "Hello World."
