# SPDX-License-Identifier: BSD-3-Clause
"""Clients that others wrote, against the examples. One that is not installed fails its test."""
import re
import socket
import subprocess

import h11


def run(*command, timeout=60, **options):
    result = subprocess.run(command, capture_output=True, timeout=timeout, check=False, **options)
    assert result.returncode == 0, (command, result.stdout[-2000:], result.stderr[-2000:])
    return result.stdout


def test_curl_keeps_one_connection(shared):
    url = shared("hello_world").url()
    out = run("curl", "-sS", "-w", "%{http_code} %{num_connects}\n", url, url, url).decode()
    assert out == "Hello World.200 1\nHello World.200 0\nHello World.200 0\n"


def test_curl_uploads_with_a_length_and_in_chunks(shared, tmp_path):
    url = shared("echo").url("/echo")
    data = bytes(range(256)) * 4000
    path = tmp_path / "data"
    path.write_bytes(data)
    for field in ("Expect: 100-continue", "Transfer-Encoding: chunked"):
        assert run("curl", "-sSf", "-H", field, "--data-binary", f"@{path}", url) == data


def test_curl_speaks_http_1_0_and_head(shared):
    url = shared("hello_world").url()
    assert run("curl", "-sSf", "--http1.0", url) == b"Hello World."
    assert b"\r\ncontent-length: 12\r\n" in run("curl", "-sSfI", url).lower()


def test_wget_reads_chunks(shared):
    assert run("wget", "-q", "-O", "-", shared("chunked").url()).endswith(b"done\n")


def test_wget_reads_to_the_end_of_a_stream(shared):
    out = run("wget", "-q", "-O", "-", shared("stream").url("/?bytes=1000000"))
    assert len(out) == 1_000_000


def test_ab_keeps_its_connections(shared):
    out = run("ab", "-q", "-k", "-n", "5000", "-c", "20", shared("hello_world").url()).decode()
    assert re.search(r"Complete requests:\s+5000\n", out)
    assert re.search(r"Failed requests:\s+0\n", out)
    assert re.search(r"Keep-Alive requests:\s+5000\n", out)


def test_httperf_pipelines(shared):
    out = run("httperf", "--hog", "--server", "127.0.0.1", "--port",
              str(shared("hello_world").port), "--num-conns", "20", "--num-calls", "50",
              "--burst-length", "10").decode()
    assert "replies 1000 " in out
    assert "Reply status: 1xx=0 2xx=1000 3xx=0 4xx=0 5xx=0" in out
    assert "Errors: total 0 " in out


def test_h11_takes_every_answer(shared):
    server = shared("chunked")
    client = h11.Connection(h11.CLIENT)
    with socket.create_connection(("127.0.0.1", server.port), 20) as plain:
        for _ in range(2):
            plain.sendall(client.send(h11.Request(method="GET", target="/",
                                                  headers=[("Host", "test")])))
            plain.sendall(client.send(h11.EndOfMessage()))
            data = b""
            while True:
                event = client.next_event()
                if event is h11.NEED_DATA:
                    client.receive_data(plain.recv(65536))
                elif isinstance(event, h11.Response):
                    assert event.status_code == 200
                elif isinstance(event, h11.Data):
                    data += bytes(event.data)
                elif isinstance(event, h11.EndOfMessage):
                    break
            assert data.endswith(b"done\n")
            client.start_next_cycle()


NODE = """
const http = require('http');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const ports = new Set();
function post(i) {
  return new Promise((resolve, reject) => {
    const req = http.request(process.argv[1], { method: 'POST', agent }, res => {
      let text = '';
      res.on('data', part => { text += part; });
      res.on('end', () => text === 'ab' + i ? resolve() : reject(new Error(text)));
    });
    req.on('error', reject);
    req.on('socket', s => s.localPort ? ports.add(s.localPort)
                                      : s.once('connect', () => ports.add(s.localPort)));
    req.write('a');
    setImmediate(() => req.end('b' + i));
  });
}
(async () => {
  for (let i = 0; i < 50; i++) await post(i);
  agent.destroy();
  console.log(ports.size);
})();
"""


def test_node_posts_chunks_on_one_connection(shared):
    assert run("node", "-e", NODE, shared("echo").url("/echo")) == b"1\n"


def test_chromium_shows_a_page(shared, tmp_path):
    out = run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
              "--disable-background-networking", "--disable-component-update", "--disable-sync",
              f"--user-data-dir={tmp_path}", "--dump-dom", shared("hello_world").url(),
              timeout=120)
    assert b"Hello World." in out
