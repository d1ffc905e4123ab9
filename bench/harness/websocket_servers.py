# SPDX-License-Identifier: BSD-3-Clause
"""The WebSocket echo servers that are compared."""
from harness.http_servers import PYTHON, lario
from harness.options import BENCH
from harness.server import Server

PEERS = BENCH / "websocket" / "peers"
WS = PEERS / "node_modules" / "ws"


def servers(build):
    ws_version = f"require('{WS}/package.json').version"
    return [
        Server("floor", [build / "bench" / "floor_ws_epoll", "--port", "@PORT@"], path="/"),
        lario(build, "websocket_echo", path="/"),
        Server(
            "npm ws",
            ["node", PEERS / "ws_echo.js", "@PORT@"],
            ["node", "-p", f"{ws_version} + ' on node ' + process.version"],
            needs=[["node", "-e", f"require('{WS}')"]],
            path="/",
        ),
        Server(
            "python websockets",
            [PYTHON, PEERS / "websockets_echo.py", "@PORT@"],
            [PYTHON, "-c", "import websockets; print(websockets.__version__)"],
            needs=[[PYTHON, "-c", "import websockets"]],
            path="/",
        ),
    ]
