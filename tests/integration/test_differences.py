# SPDX-License-Identifier: BSD-3-Clause
"""Odd requests to Lario and to nginx, lighttpd and Node: every difference is known and explained.

What a server answered is a line such as `ok ok keep`: the statuses in their order, and whether the
connection is open afterwards. Statuses that depend only on what the server has to offer are `ok`.
docs/differences.md holds a row for each way in which a server differs in a family of requests.
"""
import collections
import concurrent.futures
import contextlib
import re
import shutil
import socket
import subprocess
import time

import pytest

import conftest
import odd_requests

SILENCE_S = 0.4
OK = {b"200", b"204", b"403", b"404", b"405"}
STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r]")
NODE = ("require('http').createServer((q, s) => { q.on('end', () => s.end('ok')); q.resume(); })"
        ".listen(+process.argv[1], '127.0.0.1');")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def outcome(port, data):
    got, end = b"", "keep"
    with socket.create_connection(("127.0.0.1", port), 10) as plain:
        plain.settimeout(SILENCE_S)
        with contextlib.suppress(ConnectionError):
            plain.sendall(data)
        try:
            while part := plain.recv(65536):
                got += part
            end = "close"
        except TimeoutError:
            pass
        except ConnectionError:
            end = "close"
    statuses = ["ok" if s in OK else s.decode() for s in STATUS.findall(got)]
    if len(statuses) > 3:
        statuses = [f"{len(statuses)} answers"]
    return " ".join(statuses + [end])


def start(tmp_path, name, port):
    if not shutil.which(name):
        pytest.fail(f"{name} is not installed: script/bootstrap test")
    if name == "nginx":
        config = (f"daemon off; master_process off; pid {tmp_path}/nginx.pid; error_log stderr;"
                  f"events {{}} http {{ access_log off; client_body_temp_path {tmp_path}/a;"
                  f"proxy_temp_path {tmp_path}/b; fastcgi_temp_path {tmp_path}/c;"
                  f"uwsgi_temp_path {tmp_path}/d; scgi_temp_path {tmp_path}/e;"
                  f"server {{ listen 127.0.0.1:{port};"
                  f"location / {{ return 200 ok; }} }} }}")
        (tmp_path / "nginx.conf").write_text(config)
        command = ["nginx", "-c", str(tmp_path / "nginx.conf"), "-e", "stderr"]
    elif name == "lighttpd":
        (tmp_path / "index.html").write_text("ok")
        (tmp_path / "lighttpd.conf").write_text(
            f'server.document-root = "{tmp_path}"\nserver.bind = "127.0.0.1"\n'
            f'server.port = {port}\nindex-file.names = ( "index.html" )\n')
        command = ["lighttpd", "-D", "-f", str(tmp_path / "lighttpd.conf")]
    else:
        command = ["node", "-e", NODE, str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while True:
        with contextlib.suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
            return process
        assert process.poll() is None and time.monotonic() < deadline, f"{name} does not start"
        time.sleep(0.02)


def differences(ports):
    """The number of requests by (family, peer, what Lario did, what the peer did)."""
    cases = odd_requests.cases()
    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        results = {name: list(pool.map(lambda case, p=port: outcome(p, case[2]), cases))
                   for name, port in ports.items()}
    found = collections.Counter()
    for at, (family, _, _) in enumerate(cases):
        ours = results["lario"][at]
        for name in ports:
            if results[name][at] != ours:
                found[family, name, ours, results[name][at]] += 1
    return found


def rows(text):
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] not in ("family", "---"):
            yield cells


def test_every_difference_is_explained(server, tmp_path):
    assert len(odd_requests.cases()) >= 300
    ports = {"lario": server("echo").port}
    processes = []
    try:
        for name in ("nginx", "lighttpd", "node"):
            ports[name] = free_port()
            processes.append(start(tmp_path, name, ports[name]))
        found = differences(ports)
    finally:
        for process in processes:
            process.terminate()
            process.wait(20)
    known = {}
    for family, peer, ours, theirs, count, why in rows(
            (conftest.ROOT / "docs" / "differences.md").read_text()):
        assert len(why) > 10, (family, peer, "has no explanation")
        known[family, peer, ours, theirs] = int(count)
    assert known == dict(found), {"unexplained": found.keys() - known.keys(),
                                  "stale": known.keys() - found.keys()}
