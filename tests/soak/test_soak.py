# SPDX-License-Identifier: BSD-3-Clause
"""Memory stays flat under a mixture of everything, good and bad, for LARIO_SOAK_SECONDS (600)."""
import os
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))

from conftest import server  # noqa: E402,F401  the fixture
from peer import CLOSE, TEXT, frame  # noqa: E402

SECONDS = int(os.environ.get("LARIO_SOAK_SECONDS", "600"))
WARM_UP = SECONDS // 5
STEP_S = max(SECONDS // 100, 1)
GROWTH_BYTES = 2 << 20  # what page-sized noise of the allocator may come to
HANDSHAKE = ("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
BAD = (b"GET / HTTP/1.1\n\n", b"GET /%00 HTTP/1.1\r\nHost: t\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
       b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n",
       b"GET / HTTP/1.1\r\nHost: t\r\nX: " + b"y" * 40000)


def resident(pid):
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def keep_alive(started, serial, chance):
    """Requests on one connection, answered or not found, and a bad end now and then."""
    with started.connect() as client:
        for _ in range(chance.randrange(1, 100)):
            client.request("GET", chance.choice(("/devices", "/groups", "/", "/none")))
            assert client.response().status in (200, 404)
        client.request("POST", "/devices/none/messages", [("Content-Type", "application/json")],
                       b'{"body":1}')
        assert client.response().status == 404
        if chance.random() < 0.5:
            client.send(chance.choice(BAD))
        if chance.random() < 0.5:
            client.reset()


def device(started, serial, chance):
    """A device that joins, publishes, gets its own message, and leaves in one of three ways."""
    with started.connect() as client:
        client.send(f"GET /devices/{serial}/connect HTTP/1.1\r\nHost: t\r\n{HANDSHAKE}".encode())
        if client.head().status != 101:
            return  # the last device of this serial has not ended yet
        for command in (b'{"type":"join","group":"all"}',
                        b'{"type":"publish","group":"all","body":"' + b"z" * 2000 + b'"}'):
            client.send(frame(TEXT, command))
            client.read(2)
        leave = chance.random()
        if leave < 0.3:
            client.reset()
        elif leave < 0.6:
            client.send(frame(CLOSE, b"\x03\xe8"))
            client.rest()


def work(started, number, until, failures):
    chance = random.Random(number)
    while time.monotonic() < until and not failures:
        try:
            chance.choice((keep_alive, device))(started, f"soak-{number}", chance)
        except OSError:
            pass  # a connection that was reset by one of us
        except Exception as error:  # noqa: BLE001  told by the test
            failures.append(error)


def test_memory_is_flat(server):  # noqa: F811
    started = server("switchboard", args=["--loops", "2"])
    until = time.monotonic() + SECONDS
    failures, samples = [], []
    threads = [threading.Thread(target=work, args=(started, number, until, failures))
               for number in range(8)]
    for thread in threads:
        thread.start()
    begin = time.monotonic()
    while time.monotonic() < until and not failures:
        time.sleep(STEP_S)
        samples.append((time.monotonic() - begin, resident(started.process.pid)))
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    warm = [size for when, size in samples if when >= WARM_UP]
    third = len(warm) // 3
    first, last = sum(warm[:third]) / third, sum(warm[-third:]) / third
    print(f"resident: {first / 2**20:.2f} MiB after the warm-up, {last / 2**20:.2f} MiB at the end, "
          f"{max(warm) / 2**20:.2f} MiB at most, {len(samples)} samples in {SECONDS} s")
    assert last - first <= GROWTH_BYTES
