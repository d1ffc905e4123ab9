# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP servers that are compared. Each is configured as its own documents recommend."""
from pathlib import Path

from harness.server import Server

BENCH = Path(__file__).resolve().parent.parent
PEERS = BENCH / "http" / "peers"
PYTHON = "/usr/bin/python3"

XML = b"<http_test><value>benchmarks</value></http_test>"
FLOOR = "floor"


def _lario(build, example, **how):
    program = build / "examples" / example
    command = [program, "--listen", "127.0.0.1:@PORT@", "--loops", "1"]
    return Server(f"lario {example}", command, **how)


def lario_servers(build):
    return [
        _lario(build, "get_variable", expect=XML),
        _lario(build, "hello_world", path="/"),
        _lario(build, "json", path="/json"),
    ]


def floor(build):
    return Server(FLOOR, [build / "bench" / "floor_epoll", "--port", "@PORT@"], expect=XML)


def _static_servers():
    files = {"index.xml": XML}
    nginx = ["nginx", "-p", "@DIR@", "-c", "@CONFIG@", "-g", "daemon off;"]
    return [
        Server("nginx", nginx, ["nginx", "-v"], PEERS / "nginx.conf", expect=XML),
        Server("h2o", ["h2o", "-c", "@CONFIG@"], ["h2o", "-v"], PEERS / "h2o.conf", files, expect=XML),
        Server(
            "lighttpd",
            ["lighttpd", "-D", "-f", "@CONFIG@"],
            ["lighttpd", "-v"],
            PEERS / "lighttpd.conf",
            files,
            expect=XML,
        ),
    ]


def _library_servers(build):
    mochiweb_version = [
        "erl", "-noshell", "-eval",
        'application:load(mochiweb), {ok, V} = application:get_key(mochiweb, vsn), '
        'io:format("mochiweb ~s, OTP ~s~n", [V, erlang:system_info(otp_release)]), halt().',
    ]
    return [
        Server(
            "libmicrohttpd",
            [build / "bench" / "peer_microhttpd", "--port", "@PORT@"],
            ["pkg-config", "--modversion", "libmicrohttpd"],
            expect=XML,
        ),
        Server("node", ["node", PEERS / "node_server.js", "@PORT@"], ["node", "-v"], expect=XML),
        Server(
            "mochiweb",
            ["escript", PEERS / "mochiweb_server.escript", "@PORT@"],
            mochiweb_version,
            needs=[["erl", "-noshell", "-eval", "{ok, _} = application:ensure_all_started(mochiweb), halt()."]],
            expect=XML,
        ),
        Server(
            "tornado",
            [PYTHON, PEERS / "tornado_server.py", "@PORT@"],
            [PYTHON, "-c", "import tornado; print(tornado.version)"],
            needs=[[PYTHON, "-c", "import tornado"]],
            expect=XML,
        ),
    ]


def peers(build):
    return _static_servers() + _library_servers(build)
