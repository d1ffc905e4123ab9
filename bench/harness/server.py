# SPDX-License-Identifier: BSD-3-Clause
"""Starting one server on its core, waiting until it answers, and stopping it."""
import contextlib
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from harness import process
from harness.options import BENCH

SERVER_CORE = 0
CLIENT_CORE = 1
START_SECONDS = 20
STOP_SECONDS = 10


class ServerError(Exception):
    """A server that does not start or does not answer as it should."""


@dataclass
class Server:
    """
    How a server is run. In `command` and in the configuration file, @PORT@ and @DIR@ (a fresh
    folder) and @CONFIG@ (the configuration, filled in) are replaced.
    """

    name: str
    command: list
    version: list = field(default_factory=list)  # a command that prints it
    config: Optional[Path] = None
    files: dict = field(default_factory=dict)  # name -> content, placed into @DIR@
    needs: list = field(default_factory=list)  # commands that must succeed, else it is skipped
    path: str = "/?value=benchmarks"
    expect: Optional[bytes] = None  # the exact body, when it is known

    def missing(self):
        """Why the server cannot run here, or None."""
        program = self.command[0]
        if not shutil.which(program) and not Path(program).exists():
            return f"{Path(program).name} is not installed or not built"
        for check in self.needs:
            if subprocess.run(check, capture_output=True).returncode != 0:
                return f"`{' '.join(check)}` fails"
        return None

    def command_text(self):
        """The command, with paths from the root of the project on."""
        return shlex.join(map(str, self.command)).replace(f"{BENCH.parent}/", "")

    def version_text(self):
        if not self.version:
            return ""
        done = subprocess.run(self.version, capture_output=True, text=True)
        lines = (done.stdout + done.stderr).strip().splitlines()
        return lines[0] if lines else ""


def end_on_sigterm():
    """Makes SIGTERM leave by an exception, as SIGINT does, so that servers are stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def pinned(core, command):
    return ["taskset", "-c", str(core), *map(str, command)]


def _fill(text, port, folder):
    config = f"{folder}/server.conf"
    return text.replace("@PORT@", str(port)).replace("@DIR@", folder).replace("@CONFIG@", config)


def _prepare(server, port, folder):
    Path(folder).chmod(0o755)  # servers that give up root must still read it
    for name, content in server.files.items():
        Path(folder, name).write_bytes(content)
    if server.config:
        text = _fill(server.config.read_text(), port, folder)
        Path(folder, "server.conf").write_text(text)
    return [_fill(str(word), port, folder) for word in server.command]


def _wait_until_listening(child, port):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if child.poll() is not None:
            raise ServerError(f"ended with status {child.returncode}")
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.02)
    raise ServerError("does not listen")


def _stop(child):
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        for pid in process.tree(child.pid):
            os.kill(pid, signal.SIGKILL)
        child.wait()


@contextlib.contextmanager
def running(server):
    """Runs the server for the time of a `with` block, which gets its process id and its port."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="lario-bench-") as folder, open(
        f"{folder}/output", "w+b"
    ) as output:
        command = pinned(SERVER_CORE, _prepare(server, port, folder))
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=folder
        )
        try:
            _wait_until_listening(child, port)
            yield child.pid, port
        except ServerError as error:
            output.seek(0)
            said = output.read(2000).decode(errors="replace").strip()
            raise ServerError(f"{server.name} {error}: {said}") from error
        finally:
            _stop(child)
