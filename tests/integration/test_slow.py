# SPDX-License-Identifier: BSD-3-Clause
"""
Slow heads, slow bodies and slow readers by slowhttptest, while a normal client goes on. The
attackers are cut at their deadlines, cost no more than their limits, and nobody else notices.
"""
import os
import re
import subprocess
import threading
import time
from statistics import median

ATTACKERS = 200
KIB = 1024
# The sanitizers' programs are several times slower.
SLOWDOWN = 8 if os.environ.get("LARIO_SANITIZE") else 1
# And their memory is not the server's.
MEMORY_IS_OURS = not os.environ.get("LARIO_SANITIZE")


class NormalClient(threading.Thread):
    """Asks again and again on one connection and notes how long each answer took."""

    def __init__(self, server):
        super().__init__()
        self.server = server
        self.seconds = []
        self.failure = None
        self.is_done = threading.Event()

    def run(self):
        try:
            with self.server.connect() as client:
                while not self.is_done.wait(0.01):
                    before = time.perf_counter()
                    client.request("GET", "/")
                    assert client.response("GET").status in (200, 404)
                    self.seconds.append(time.perf_counter() - before)
        except (AssertionError, OSError) as error:
            self.failure = error

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.join()


def resident_kib(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def slowhttptest(server, path, *options):
    """Runs the attack; its report without colours, and the server's most memory meanwhile."""
    command = ["slowhttptest", "-c", str(ATTACKERS), "-r", str(ATTACKERS), "-i", "1", "-p", "5",
               "-u", server.url(path), *options]
    most = resident_kib(server)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL) as attack:
        while attack.poll() is None:
            most = max(most, resident_kib(server))
            time.sleep(0.05)
        report = attack.stdout.read().decode(errors="replace")
    return re.sub(r"\x1b\[[\d;]*m", "", report), most


def ended_after(report):
    """Seconds after which the last attacker was gone."""
    assert "No open connections left" in report, report
    return int(re.search(r"Test ended on (\d+)\w\w second", report).group(1))


def attack(server, path, *options):
    """The report and the server's growth in KiB; the normal client must not have noticed."""
    before = resident_kib(server)
    with NormalClient(server) as client:
        report, most = slowhttptest(server, path, *options)
    assert client.failure is None, client.failure
    assert len(client.seconds) > 100
    print(f"{path}: median {median(client.seconds) * 1000:.2f} ms, "
          f"longest {max(client.seconds) * 1000:.2f} ms, {most - before} KiB more")
    # No figure of speed: that the client was served all along, and never waited for an attacker.
    assert max(client.seconds) < 0.5 * SLOWDOWN
    return report, most - before


def test_slow_heads_are_cut_at_the_head_deadline(server):
    app = server("hello_world", args=("--loops", "1"))
    report, growth = attack(app, "/", "-H", "-l", "15")
    assert ended_after(report) <= 7
    assert not MEMORY_IS_OURS or growth < ATTACKERS * 40


def test_slow_bodies_are_cut_at_the_least_rate(server):
    app = server("echo", args=("--loops", "1"))
    report, growth = attack(app, "/echo", "-B", "-l", "25", "-s", "65536", "-x", "10")
    assert ended_after(report) <= 13
    assert not MEMORY_IS_OURS or growth < ATTACKERS * 40


def test_slow_readers_hold_no_more_than_their_queue(server, tmp_path):
    (tmp_path / "large").write_bytes(b"x" * (8 << 20))
    app = server("static", args=("--loops", "1", "--root", str(tmp_path)))
    report, growth = attack(app, "/large", "-X", "-l", "8", "-w", "512", "-y", "1024", "-n", "2",
                            "-z", "16")
    assert re.search(r"connected:\s+" + str(ATTACKERS), report), report
    # 1 MiB may wait for each, and what was being added when that was full.
    assert not MEMORY_IS_OURS or growth < ATTACKERS * 1300
