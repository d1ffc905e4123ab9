# SPDX-License-Identifier: BSD-3-Clause
"""The examples of compression and of answers that push."""
import gzip
import os
import pathlib
import shutil
import subprocess
import threading

import brotli

import conftest
from peer import until

PLAIN = "".join(f"{number:0100d}\n" for number in range(1, 11))


def curl(*args):
    result = subprocess.run(["curl", "-sS", "--max-time", "20", *args], capture_output=True,
                            check=True, timeout=30)
    return result.stdout


def check_page_shows(url, text, tmp_path):
    script = pathlib.Path(__file__).with_name("page_shows.js")
    result = subprocess.run(["node", script, url, shutil.which("chromium") or "chromium",
                             tmp_path / "profile", text], capture_output=True, text=True,
                            timeout=60, cwd=conftest.ROOT / "tests",
                            env={**os.environ, "NODE_PATH": conftest.ROOT / "tests/node_modules"})
    assert result.stdout == "ok\n", result.stderr


def test_compress(server):
    started = server("compress")
    url = started.url()
    assert curl("--compressed", url).decode() == PLAIN
    assert gzip.decompress(curl("-H", "Accept-Encoding: gzip", url)).decode() == PLAIN
    assert brotli.decompress(curl("-H", "Accept-Encoding: br", url)).decode() == PLAIN
    assert curl(url).decode() == PLAIN
    assert len(curl("-H", "Accept-Encoding: gzip", url)) < len(PLAIN) / 3
    node = subprocess.run(["node", "-e", f"fetch('{url}').then(r => r.text())"
                           ".then(t => process.stdout.write(t))"], capture_output=True, check=True,
                          timeout=30)
    assert node.stdout.decode() == PLAIN


def test_compress_reads_compressed_bodies(server, tmp_path):
    url = server("compress").url()
    data = b"x" * 50000
    for coding, packed in (("gzip", gzip.compress(data)), ("br", brotli.compress(data))):
        (tmp_path / "body").write_bytes(packed)
        assert curl("--data-binary", f"@{tmp_path}/body", "-H", f"Content-Encoding: {coding}",
                    url) == b"50000 bytes\n"


def test_server_sent_events(server):
    started = server("server_sent_events")
    with subprocess.Popen(["curl", "-sSN", "--max-time", "20", started.url("/events")],
                          stdout=subprocess.PIPE) as listener:
        assert listener.stdout.readline() == b"data: You are listening.\n"
        assert listener.stdout.readline() == b"\n"
        assert curl("-d", "first\nsecond", started.url("/news")) == b"1 listeners\n"
        assert [listener.stdout.readline() for _ in range(3)] == [
            b"data: first\n", b"data: second\n", b"\n"]
        listener.terminate()
    until(lambda: curl("-d", "nobody", started.url("/news")) == b"0 listeners\n")


def test_server_sent_events_in_a_browser(server, tmp_path):
    started = server("server_sent_events")
    stop = threading.Event()

    def publish():
        while not stop.wait(0.1):
            curl("-d", "breaking news", started.url("/news"))

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        check_page_shows(started.url(), "breaking news", tmp_path)
    finally:
        stop.set()
        thread.join()


def test_comet_iframe(server, tmp_path):
    started = server("comet_iframe")
    with subprocess.Popen(["curl", "-sSN", "--max-time", "20", started.url("/comet")],
                          stdout=subprocess.PIPE) as frame:
        lines = [frame.stdout.readline() for _ in range(3)]
        frame.terminate()
    assert lines[1:] == [b"<script>parent.tick(1)</script>\n", b"<script>parent.tick(2)</script>\n"]
    check_page_shows(started.url(), "tick 2", tmp_path)
