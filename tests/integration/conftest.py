# SPDX-License-Identifier: BSD-3-Clause
"""Starts the built programs for the tests and sees to it that each ends well."""
import os
import pathlib
import selectors
import signal
import subprocess
import time

import pytest

import peer

ROOT = pathlib.Path(os.environ.get("LARIO_SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("LARIO_BUILD", ROOT / "build" / "dev"))
REPORTS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:")
START_S = 30
STOP_S = 45


def program(name):
    """The path of a built example or app."""
    if name == "switchboard":
        return str(BUILD / "apps" / "switchboard" / name)
    return str(BUILD / "examples" / name)


class Server:
    """A running program; `addresses` are those that it said it listens on."""

    def __init__(self, name, log_path, listen=("127.0.0.1:0",), args=(), addresses=None):
        self.name = name
        self.log_path = log_path
        self.stopped = False
        command = [program(name)]
        for address in listen:
            command += ["--listen", address]
        with open(log_path, "wb") as log:
            self.process = subprocess.Popen(command + list(args), stdout=subprocess.PIPE,
                                            stderr=log, stdin=subprocess.DEVNULL)
        try:
            self.addresses = self._read_addresses(addresses or max(len(listen), 1))
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def _read_addresses(self, count):
        deadline = time.monotonic() + START_S
        text = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while text.count(b"\n") < count:
                assert selector.select(deadline - time.monotonic()), "the server does not start"
                part = os.read(self.process.stdout.fileno(), 4096)
                assert part, f"{self.name} ended: {self.log()}"
                text += part
        lines = text.decode().splitlines()
        assert all(line.startswith("listening on ") for line in lines), lines
        return [line[len("listening on "):] for line in lines]

    @property
    def port(self):
        return int(self.addresses[0].rpartition(":")[2])

    def url(self, path="/", scheme="http"):
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def connect(self, index=0, timeout=20):
        return peer.Peer(self.addresses[index], timeout)

    def get(self, target="/", fields=(), method="GET"):
        """One request on a connection of its own."""
        with self.connect() as client:
            client.request(method, target, fields)
            return client.response(method)

    def post(self, target, body, fields=(), method="POST"):
        with self.connect() as client:
            client.request(method, target, fields, body)
            return client.response(method)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def wait(self, timeout=STOP_S):
        """Waits for the end and returns the exit code; no sanitizer may have complained."""
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} did not end: {self.log()}") from None
        finally:
            self.stopped = True
            self.process.stdout.close()
        assert not any(report in self.log() for report in REPORTS), self.log()
        return code

    def stop(self):
        if self.stopped:
            return
        self.signal()
        code = self.wait()
        assert code == 0, f"{self.name} ended with {code}: {self.log()}"


@pytest.fixture
def server(tmp_path):
    """server(name, ...) starts a program, which ends with the test by SIGTERM and code 0."""
    servers = []

    def start(name, **options):
        started = Server(name, tmp_path / f"{name}-{len(servers)}.log", **options)
        servers.append(started)
        return started

    yield start
    failures = []
    for started in servers:
        try:
            started.stop()
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, failures


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Like `server`, but one server a program and module, for tests that leave it as it was."""
    servers = {}

    def start(name, **options):
        if name not in servers:
            servers[name] = Server(name, tmp_path_factory.mktemp(name) / "log", **options)
        return servers[name]

    yield start
    failures = []
    for started in servers.values():
        try:
            started.stop()
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, failures
