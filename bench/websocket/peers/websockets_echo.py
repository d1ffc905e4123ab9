# SPDX-License-Identifier: BSD-3-Clause
"""WebSocket echo on the Python package websockets: websockets_echo.py PORT"""
import asyncio
import sys

import websockets


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def main():
    port = int(sys.argv[1])
    async with websockets.serve(
        echo, "127.0.0.1", port, compression=None, ping_interval=None, backlog=4096
    ):
        await asyncio.Event().wait()


asyncio.run(main())
