# SPDX-License-Identifier: BSD-3-Clause
"""The HTTP and WebSocket interface of the switchboard app."""
import json

import pytest

from peer import BINARY, CLOSE, TEXT, close_payload, until


class Board:
    def __init__(self, server):
        self.server = server
        self.peers = []

    def connect(self, serial):
        peer = self.server.connect()
        self.peers.append(peer)
        return peer.websocket(f"/devices/{serial}/connect")

    def watch(self):
        peer = self.server.connect()
        self.peers.append(peer)
        peer.websocket("/watch")
        first = event(peer)
        assert first["type"] == "devices"
        return peer, first["devices"]

    def ask(self, method, target, body=None, kind="application/json", fields=()):
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        fields = [*fields, ("Content-Type", kind)] if data is not None else list(fields)
        with self.server.connect() as client:
            client.request(method, target, fields, data)
            answer = client.response(method)
        if answer.status == 204:
            return answer.status, None
        assert answer.field("content-type") == "application/json"
        return answer.status, json.loads(answer.body)

    def devices(self):
        status, value = self.ask("GET", "/devices")
        assert status == 200
        return value["devices"]

    def serials(self):
        return [device["serial"] for device in self.devices()]


def event(peer):
    return json.loads(peer.read_text())


def leave(peer):
    peer.frame(CLOSE, close_payload(1000))
    assert peer.read_close() == 1000
    assert peer.rest() == b""


def command(peer, **value):
    peer.frame(TEXT, json.dumps(value).encode())
    return event(peer)


@pytest.fixture
def board(server):
    started = Board(server("switchboard"))
    yield started
    for peer in started.peers:
        peer.close()


def refused(answer, status):
    assert answer[0] == status
    assert list(answer[1]) == ["error"] and answer[1]["error"]
    return answer[1]["error"]


def test_devices_come_and_go(board):
    assert board.devices() == []
    first = board.connect("B-2")
    board.connect("A_1.x")
    until(lambda: len(board.devices()) == 2)
    devices = board.devices()
    assert [device["serial"] for device in devices] == ["A_1.x", "B-2"]
    assert all(device["groups"] == [] and device["since"].endswith("Z") for device in devices)
    assert board.ask("GET", "/devices/B-2")[1]["serial"] == "B-2"
    leave(first)
    until(lambda: board.serials() == ["A_1.x"])
    refused(board.ask("GET", "/devices/B-2"), 404)


def test_a_device_is_listed_once_it_is_connected(board):
    for i in range(20):
        board.connect(f"d{i:02}")
        assert board.serials() == [f"d{j:02}" for j in range(i + 1)]


def test_a_device_that_resets_is_gone(board):
    board.connect("A").reset()
    until(lambda: board.devices() == [])


def test_a_second_connection_is_refused(board):
    first = board.connect("A")
    with board.server.connect() as second:
        answer = second.handshake("/devices/A/connect")
        assert answer.status == 409
        body = second.read(int(answer.field("content-length")))
        assert "A is connected already" in json.loads(body)["error"]
    assert board.ask("POST", "/devices/A/messages", {"body": 1}) == (202, {"delivered": 1})
    assert event(first)["body"] == 1
    leave(first)
    until(lambda: board.devices() == [])
    board.connect("A")


def test_a_request_that_is_no_handshake_leaves_no_device(board):
    answer = board.server.get("/devices/A/connect")
    assert answer.status in (400, 426)
    assert board.devices() == []
    board.connect("A")


@pytest.mark.parametrize("serial", ["a" * 65, "a%20b", "%C3%A9", "a%2Fb", "a@b", "%22"],
                         ids=["long", "space", "not ASCII", "slash", "at", "quote"])
def test_bad_serials(board, serial):
    with board.server.connect() as peer:
        answer = peer.handshake(f"/devices/{serial}/connect")
        assert answer.status == 400
        assert "error" in json.loads(peer.read(int(answer.field("content-length"))))
    refused(board.ask("POST", f"/devices/{serial}/messages", {"body": 1}), 400)
    assert board.devices() == []


def test_the_longest_serial(board):
    board.connect("a" * 64)
    assert board.serials() == ["a" * 64]


@pytest.mark.parametrize("body", ["text", 1, -1.5, None, True, [],
                                  {"a": [1, {"b": "\u00fc\u0000"}]}])
def test_message_of_any_json(board, body):
    device = board.connect("A")
    assert board.ask("POST", "/devices/A/messages", {"body": body}) == (202, {"delivered": 1})
    assert event(device) == {"type": "message", "from": None, "body": body}


def test_message_of_plain_text(board):
    device = board.connect("A")
    text = 'say "hi" <b>\n\u00fc'
    answer = board.ask("POST", "/devices/A/messages", text.encode(), "text/plain; charset=utf-8")
    assert answer == (202, {"delivered": 1})
    assert event(device)["body"] == text


def test_messages_keep_their_order(board):
    device = board.connect("A")
    for i in range(50):
        board.ask("POST", "/devices/A/messages", {"body": i})
    assert [event(device)["body"] for _ in range(50)] == list(range(50))


def test_message_to_nobody(board):
    assert "no device" in refused(board.ask("POST", "/devices/A/messages", {"body": 1}), 404)


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"{}", b"{\"body\":1}x",
                                  b"{\"body\":1,\"body\":2}", b"{\"body\":\"\xff\"}",
                                  b"{\"body\":" + b"[" * 100000,
                                  b"{\"body\":" + b"[" * 40 + b"]" * 40 + b"}"],
                         ids=["nothing", "a brace", "no object", "no body", "more behind it",
                              "a name twice", "no UTF-8", "bottomless", "too deep"])
def test_bad_json(board, body):
    device = board.connect("A")
    refused(board.ask("POST", "/devices/A/messages", body), 400)
    board.ask("POST", "/devices/A/messages", {"body": "next"})
    assert event(device)["body"] == "next"


def test_bad_text_and_types(board):
    board.connect("A")
    refused(board.ask("POST", "/devices/A/messages", b"\xff", "text/plain"), 400)
    form = "application/x-www-form-urlencoded"
    refused(board.ask("POST", "/devices/A/messages", b"a=b", form), 415)


def test_too_large(board):
    board.connect("A")
    refused(board.ask("POST", "/devices/A/messages", b"x" * 1048577, "text/plain"), 413)


def test_groups(board):
    first, second = board.connect("A"), board.connect("B")
    board.connect("C")
    assert board.ask("GET", "/groups") == (200, {"groups": []})
    assert board.ask("PUT", "/groups/g/members/B") == (204, None)
    assert board.ask("PUT", "/groups/g/members/A") == (204, None)
    assert board.ask("PUT", "/groups/g/members/A") == (204, None)
    assert board.ask("PUT", "/groups/f/members/A") == (204, None)
    assert board.ask("GET", "/groups") == (200, {"groups": [
        {"group": "f", "members": ["A"]}, {"group": "g", "members": ["A", "B"]}]})
    assert [device["groups"] for device in board.devices()] == [["f", "g"], ["g"], []]
    assert board.ask("POST", "/groups/g/messages", {"body": "all"}) == (202, {"receivers": 2})
    for device in (first, second):
        assert event(device) == {"type": "message", "from": None, "group": "g", "body": "all"}
    assert board.ask("DELETE", "/groups/g/members/A") == (204, None)
    assert board.ask("POST", "/groups/g/messages", {"body": "rest"}) == (202, {"receivers": 1})
    assert event(second)["body"] == "rest"
    leave(second)
    until(lambda: board.ask("GET", "/groups") == (200, {"groups": [
        {"group": "f", "members": ["A"]}]}))
    assert board.ask("POST", "/groups/g/messages", {"body": "none"}) == (202, {"receivers": 0})


def test_group_errors(board):
    board.connect("A")
    refused(board.ask("PUT", "/groups/g/members/B"), 404)
    refused(board.ask("DELETE", "/groups/g/members/A"), 404)
    refused(board.ask("DELETE", "/groups/g/members/B"), 404)
    refused(board.ask("PUT", "/groups/a%20b/members/A"), 400)
    refused(board.ask("POST", "/groups/g/messages", b"{"), 400)


def test_number_of_groups_is_limited(board):
    device = board.connect("A")
    for i in range(1000):
        assert command(device, type="join", group=f"g{i}")["type"] == "ok"
    assert "too many groups" in command(device, type="join", group="more")["error"]
    assert command(device, type="leave", group="g0")["type"] == "ok"
    assert command(device, type="join", group="more")["type"] == "ok"


def test_commands_of_a_device(board):
    first, second = board.connect("A"), board.connect("B")
    assert command(first, type="send", to="B", body={"on": True}) == {
        "type": "ok", "command": "send", "delivered": 1}
    assert event(second) == {"type": "message", "from": "A", "body": {"on": True}}
    assert command(second, type="join", group="g") == {"type": "ok", "command": "join"}
    assert command(first, type="publish", group="g", body=[1]) == {
        "type": "ok", "command": "publish", "receivers": 1}
    assert event(second) == {"type": "message", "from": "A", "group": "g", "body": [1]}
    assert command(second, type="leave", group="g") == {"type": "ok", "command": "leave"}
    assert command(first, type="publish", group="g", body=1)["receivers"] == 0


@pytest.mark.parametrize("value", [{}, {"type": "dance"}, {"type": 1}, {"type": "send"},
                                   {"type": "send", "to": "none", "body": 1},
                                   {"type": "send", "to": "A"}, {"type": "join"},
                                   {"type": "join", "group": "a b"},
                                   {"type": "leave", "group": "g"},
                                   {"type": "publish", "group": "g"}])
def test_bad_commands_are_answered(board, value):
    device = board.connect("A")
    answer = command(device, **value)
    assert answer["type"] == "error" and answer["error"]
    assert command(device, type="join", group="g")["type"] == "ok"


def test_commands_that_are_no_json(board):
    device = board.connect("A")
    for opcode, payload in ((TEXT, b"{"), (TEXT, b""), (TEXT, b"[" * 100000), (BINARY, b"{}")):
        device.frame(opcode, payload)
        assert event(device)["type"] == "error"
    assert command(device, type="join", group="g")["type"] == "ok"


def test_watchers_see_each_change(board):
    board.connect("A")
    watcher, devices = board.watch()
    assert [device["serial"] for device in devices] == ["A"]
    second = board.connect("B")
    connected = event(watcher)
    assert (connected["type"], connected["serial"], connected["groups"]) == ("connected", "B", [])
    board.ask("PUT", "/groups/g/members/B")
    assert event(watcher) == {"type": "joined", "serial": "B", "group": "g"}
    command(second, type="leave", group="g")
    assert event(watcher) == {"type": "left", "serial": "B", "group": "g"}
    leave(second)
    assert event(watcher) == {"type": "disconnected", "serial": "B", "since": connected["since"]}
    assert board.serials() == ["A"]
    board.connect("B")
    assert event(watcher)["type"] == "connected"


def test_pages_of_other_origins_are_refused(board):
    device = board.connect("A")
    foreign = [("Origin", "http://evil.example")]
    for origin in ("http://evil.example", "null", "http://test.evil", "test"):
        answer = board.ask("POST", "/devices/A/messages", {"body": 1}, fields=[("Origin", origin)])
        refused(answer, 403)
    refused(board.ask("PUT", "/groups/g/members/A", fields=foreign), 403)
    refused(board.ask("POST", "/groups/g/messages", {"body": 1}, fields=foreign), 403)
    for path in ("/watch", "/devices/B/connect"):
        with board.server.connect() as peer:
            assert peer.handshake(path, fields=foreign).status == 403
    own = [("Origin", "http://test")]
    assert board.ask("POST", "/devices/A/messages", {"body": 2}, fields=own)[0] == 202
    assert event(device)["body"] == 2
    assert board.serials() == ["A"]


def test_errors_are_json(board):
    refused(board.ask("GET", "/none"), 404)
    refused(board.ask("GET", "/devices/A/none"), 404)
    for method, target in (("DELETE", "/devices"), ("POST", "/devices/A/connect"),
                           ("GET", "/devices/A/messages"), ("GET", "/groups/g/members/A")):
        refused(board.ask(method, target), 405)
    assert board.server.get("/devices", method="OPTIONS").field("allow") == "GET, HEAD, OPTIONS"


def test_page(board):
    page = board.server.get("/")
    assert page.field("content-type") == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.field("content-security-policy")
    assert "://" not in page.text
    for path, kind in (("/style.css", "text/css"), ("/script.js", "text/javascript")):
        assert path in page.text
        assert board.server.get(path).field("content-type").startswith(kind)


def test_drain_tells_the_devices(board):
    device = board.connect("A")
    board.server.signal()
    assert device.read_close() == 1001
    device.frame(CLOSE, close_payload(1001))
    assert device.rest() == b""
    assert board.server.wait() == 0
