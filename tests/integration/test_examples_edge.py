# SPDX-License-Identifier: BSD-3-Clause
"""Proxies in front, sockets that are handed over, and a lack of descriptors."""
import os
import resource
import signal
import socket
import subprocess
import time

import pytest

import conftest
from peer import until


def curl(*args):
    result = subprocess.run(["curl", "-sS", "--max-time", "20", *args], capture_output=True,
                            check=True, timeout=30)
    return result.stdout.decode()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_proxy_protocol(server):
    started = server("proxy_protocol", args=["--proxy-protocol"])
    assert curl("--haproxy-protocol", started.url()).startswith("client 127.0.0.1, peer 127.0.0.1:")
    with started.connect() as client:
        client.send(b"PROXY TCP4 192.0.2.7 198.51.100.1 5000 80\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\n")
        assert client.response("GET").body == b"client 192.0.2.7, peer 192.0.2.7:5000, http\n"


def test_proxy_protocol_is_off_unless_asked_for(server):
    started = server("proxy_protocol")
    result = subprocess.run(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}",
                             "--haproxy-protocol", started.url()], capture_output=True, text=True,
                            timeout=30)
    assert result.stdout == "400"


NGINX = """
daemon off; pid @DIR@/pid; error_log stderr; worker_processes 1;
events {}
http {
    access_log off;
    client_body_temp_path @DIR@/body; proxy_temp_path @DIR@/proxy;
    fastcgi_temp_path @DIR@/fastcgi; uwsgi_temp_path @DIR@/uwsgi; scgi_temp_path @DIR@/scgi;
    server {
        listen 127.0.0.1:@PORT@;
        location / {
            proxy_pass http://@BACKEND@;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto https;
        }
    }
}
"""


@pytest.fixture
def nginx(tmp_path):
    running = []

    def start(backend):
        port = free_port()
        config = NGINX.replace("@DIR@", str(tmp_path)).replace("@PORT@", str(port))
        (tmp_path / "nginx.conf").write_text(config.replace("@BACKEND@", backend))
        running.append(subprocess.Popen(["/usr/sbin/nginx", "-p", tmp_path, "-c",
                                         tmp_path / "nginx.conf"], stderr=subprocess.DEVNULL))

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        until(answers)
        return f"http://127.0.0.1:{port}/"

    yield start
    for process in running:
        process.terminate()
        process.wait(timeout=20)


def test_proxy_protocol_behind_nginx(server, nginx):
    backend = server("proxy_protocol", args=["--trust-proxy", "127.0.0.0/8"])
    url = nginx(backend.addresses[0])
    forwarded = curl("-H", "X-Forwarded-For: 203.0.113.9", url)
    assert forwarded.startswith("client 203.0.113.9, peer 127.0.0.1:")
    assert forwarded.endswith(", https\n")
    untrusting = server("proxy_protocol")
    assert curl("-H", "X-Forwarded-For: 203.0.113.9", untrusting.url()).startswith(
        "client 127.0.0.1, ")


# Service managers


def start_handed_over(sockets, environment, args=()):
    """Starts hello_world with these sockets from descriptor 3 on, as a service manager does."""
    for number, handed in enumerate(sockets):
        os.dup2(handed.fileno(), 50 + number)

    def prepare():
        for number in range(len(sockets)):
            os.dup2(50 + number, 3 + number)

    # The variable must name the process that execs: a shell in between passes its own number on.
    command = ["sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', str(conftest.program("hello_world")),
               *args]
    return subprocess.Popen(command, preexec_fn=prepare, pass_fds=range(3, 3 + len(sockets)),
                            stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "LISTEN_FDS": str(len(sockets)), **environment})


def test_sockets_that_are_handed_over(tmp_path):
    with socket.socket() as first, socket.socket(socket.AF_UNIX) as second, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        first.bind(("127.0.0.1", 0))
        second.bind(str(tmp_path / "handed"))
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        for handed in (first, second):
            handed.listen()
        process = start_handed_over([first, second], {"NOTIFY_SOCKET": str(tmp_path / "notify")})
        try:
            assert manager.recv(100) == b"READY=1"
            port = first.getsockname()[1]
            assert process.stdout.readline() == f"listening on 127.0.0.1:{port}\n"
            assert process.stdout.readline() == f"listening on unix:{tmp_path}/handed\n"
            for _ in range(20):
                assert curl(f"http://127.0.0.1:{port}/") == "Hello World."
                assert curl("--unix-socket", str(tmp_path / "handed"), "http://t/") == "Hello World."
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)
        assert manager.recv(100) == b"STOPPING=1"
        assert process.returncode == 0
        assert (tmp_path / "handed").exists(), "it is the manager's"


def test_listen_wins_over_sockets_that_are_handed_over():
    with socket.socket() as handed:
        handed.bind(("127.0.0.1", 0))
        handed.listen()
        process = start_handed_over([handed], {}, ["--listen", "127.0.0.1:0"])
        try:
            line = process.stdout.readline()
            assert line.startswith("listening on 127.0.0.1:")
            assert line.strip() != f"listening on 127.0.0.1:{handed.getsockname()[1]}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)


def test_what_is_no_listening_socket_fails_the_start():
    with socket.socket() as handed:
        process = start_handed_over([handed], {})
        assert process.wait(timeout=20) == 1


def test_abstract_unix_socket(server):
    name = f"lario-test-{os.getpid()}"
    started = server("hello_world", listen=[f"unix:@{name}"])
    assert started.addresses[0] == f"unix:@{name}"
    assert curl("--abstract-unix-socket", name, "http://t/") == "Hello World."


# No descriptors


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_lack_of_descriptors_is_survived(server):
    started = server("hello_world", args=["--loops", "1"])
    pid = started.process.pid
    with started.connect() as old:
        old.request("GET", "/")
        assert old.response("GET").status == 200
        used = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 5, 1024))
        host, port = started.addresses[0].rsplit(":", 1)
        waiting = []
        for _ in range(50):
            client = socket.create_connection((host, int(port)))
            client.sendall(b"GET / HTTP/1.1\r\nHost: t\r\n\r\n")
            waiting.append(client)
        time.sleep(0.5)
        before = cpu_seconds(pid)
        time.sleep(1)
        assert cpu_seconds(pid) - before < 0.2, "it spins"
        old.request("GET", "/")
        assert old.response("GET").status == 200
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (1024, 1024))
        for client in waiting:
            client.settimeout(20)
            assert client.recv(12) == b"HTTP/1.1 200"
            client.close()
