# SPDX-License-Identifier: BSD-3-Clause
"""The examples of TLS, as the table in examples/README.md has them; more is in test_tls.py."""
import asyncio
import ssl
import subprocess

import pytest
import websockets

from certificates import Authority


@pytest.fixture(scope="module")
def ca(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def options(ca):
    cert, key = ca.issue("localhost", "localhost")
    return ["--tls-cert", cert, "--tls-key", key]


def test_ssl(server, options):
    result = subprocess.run(["curl", "-sSk", "--max-time", "20",
                             server("ssl", args=options).url(scheme="https")],
                            capture_output=True, text=True, timeout=30, check=True)
    assert result.stdout.startswith("version: TLSv1.3\ncipher: TLS_")


def test_ssl_says_when_nothing_is_encrypted(server):
    assert server("ssl").get().text == "not encrypted\n"


def test_websocket_ssl(server, ca, options):
    started = server("websocket_ssl", args=options)
    context = ssl.create_default_context(cafile=str(ca.file))

    async def talk():
        url = f"wss://localhost:{started.port}/service"
        async with websockets.connect(url, ssl=context) as client:
            await client.send("hello")
            assert await asyncio.wait_for(client.recv(), 20) == "received 'hello'"

    asyncio.run(talk())
