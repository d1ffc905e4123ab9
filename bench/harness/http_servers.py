# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP servers that are compared. Each is configured as its own documents recommend."""
from harness.options import BENCH
from harness.server import Server

PEERS = BENCH / "http" / "peers"
PYTHON = "/usr/bin/python3"

XML = b"<http_test><value>benchmarks</value></http_test>"
FLOOR = "floor"


def lario(build, example, **how):
    """An example of Lario, on one loop."""
    program = build / "examples" / example
    command = [program, "--listen", "127.0.0.1:@PORT@", "--loops", "1"]
    return Server(f"lario {example}", command, **how)


def lario_servers(build):
    return [
        lario(build, "get_variable", expect=XML),
        lario(build, "hello_world", path="/"),
        lario(build, "json", path="/json"),
    ]


def floor(build):
    return Server(FLOOR, [build / "bench" / "floor_epoll", "--port", "@PORT@"], expect=XML)


def _static_servers():
    files = {"index.xml": XML}
    nginx = ["nginx", "-p", "@DIR@", "-c", "@CONFIG@", "-g", "daemon off;"]
    return [
        Server("nginx", nginx, ["nginx", "-v"], PEERS / "nginx.conf", expect=XML),
        Server(
            "h2o",
            ["h2o", "-c", "@CONFIG@"],
            ["h2o", "-v"],
            PEERS / "h2o.conf",
            files,
            expect=XML,
        ),
        Server(
            "lighttpd",
            ["lighttpd", "-D", "-f", "@CONFIG@"],
            ["lighttpd", "-v"],
            PEERS / "lighttpd.conf",
            files,
            expect=XML,
        ),
    ]


MOCHIWEB_STARTS = "{ok, _} = application:ensure_all_started(mochiweb), halt()."
MOCHIWEB_VERSION = (
    "application:load(mochiweb), {ok, V} = application:get_key(mochiweb, vsn), "
    'io:format("~s on OTP ~s~n", [V, erlang:system_info(otp_release)]), halt().'
)


def _library_servers(build):
    erl = ["erl", "-noshell", "-eval"]
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
            [*erl, MOCHIWEB_VERSION],
            needs=[[*erl, MOCHIWEB_STARTS]],
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


def overload_servers(build):
    """Those that the test of many busy connections compares."""
    names = ["nginx", "node", "lighttpd", "tornado"]
    chosen = [server for server in peers(build) if server.name in names]
    guile = Server(
        "guile",
        ["guile", "--no-auto-compile", PEERS / "guile_server.scm", "@PORT@"],
        ["guile", "--version"],
        path="/",
    )
    return [
        floor(build), lario(build, "json", path="/json"), lario(build, "get_variable"), *chosen,
        guile,
    ]
