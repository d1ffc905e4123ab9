# SPDX-License-Identifier: BSD-3-Clause
"""A client that sends exactly the bytes that it is told, and reads answers strictly."""
import base64
import hashlib
import os
import socket
import struct
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
WS_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Response:
    def __init__(self, version, status, fields):
        self.version = version
        self.status = status
        self.fields = fields
        self.body = b""
        self.chunks = None

    def all(self, name):
        return [value for key, value in self.fields if key == name.lower()]

    def field(self, name):
        values = self.all(name)
        assert len(values) <= 1, f"{name} is there {len(values)} times"
        return values[0] if values else None

    @property
    def text(self):
        return self.body.decode()


class Peer:
    def __init__(self, address, timeout=20):
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(timeout)
            self.socket.connect(address[len("unix:"):])
        else:
            host, _, port = address.rpartition(":")
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes without a proper end, as when a machine goes away."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def end(self):
        """Half-closes: nothing more is sent."""
        self.socket.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.socket.sendall(data)

    def fill(self):
        """Reads once; False at the end of the stream. A reset counts as an end."""
        try:
            part = self.socket.recv(65536)
        except ConnectionResetError:
            part = b""
        self.buffer += part
        return bool(part)

    def read(self, count):
        while len(self.buffer) < count:
            assert self.fill(), f"the stream ended after {self.buffer!r}"
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read_until(self, mark):
        while mark not in self.buffer:
            assert self.fill(), f"the stream ended after {self.buffer!r}"
        data, _, self.buffer = self.buffer.partition(mark)
        return data

    def rest(self):
        """Everything until the server closes."""
        while self.fill():
            pass
        data, self.buffer = self.buffer, b""
        return data

    # HTTP

    def request(self, method="GET", target="/", fields=(), body=None, version="1.1", host="test"):
        lines = [f"{method} {target} HTTP/{version}"]
        if host is not None:
            lines.append(f"Host: {host}")
        lines += [f"{name}: {value}" for name, value in fields]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b""))

    def head(self):
        start, *lines = self.read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, _ = start.split(" ", 2)
        fields = []
        for line in lines:
            name, colon, value = line.partition(":")
            assert colon and name and name == name.strip(), line
            fields.append((name.lower(), value.strip()))
        return Response(version, int(status), fields)

    def response(self, method="GET"):
        answer = self.head()
        length = answer.field("content-length")
        coding = answer.field("transfer-encoding")
        assert not (length and coding), answer.fields
        if method == "HEAD" or answer.status in (204, 304) or answer.status < 200:
            return answer
        if coding:
            assert coding == "chunked", coding
            answer.chunks = list(self._chunks())
            answer.body = b"".join(answer.chunks)
        elif length is not None:
            answer.body = self.read(int(length))
        else:
            answer.body = self.rest()
        return answer

    def chunk(self):
        size = int(self.read_until(b"\r\n"), 16)
        data = self.read(size)
        assert self.read(2) == b"\r\n"
        return data

    def _chunks(self):
        while True:
            data = self.chunk()
            if not data:
                return
            yield data

    # WebSocket

    def handshake(self, target="/", fields=(), after=b"", version="13", host="test"):
        """Asks for an upgrade; `after` leaves in the same packet. The answer is returned."""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {target} HTTP/1.1", f"Host: {host}", "Upgrade: websocket",
                 "Connection: Upgrade", f"Sec-WebSocket-Key: {key}",
                 f"Sec-WebSocket-Version: {version}"]
        lines += [f"{name}: {value}" for name, value in fields]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + after)
        answer = self.head()
        if answer.status == 101:
            proof = base64.b64encode(hashlib.sha1((key + WS_GUID).encode()).digest()).decode()
            assert answer.field("sec-websocket-accept") == proof
            assert answer.field("upgrade").lower() == "websocket"
            assert "upgrade" in answer.field("connection").lower()
        return answer

    def websocket(self, target="/", **options):
        answer = self.handshake(target, **options)
        assert answer.status == 101, answer.status
        return self

    def frame(self, opcode, payload=b"", **options):
        self.send(frame(opcode, payload, **options))

    def read_frame(self):
        """The opcode and payload of the next frame, which must be whole, plain and minimal."""
        first, second = self.read(2)
        assert first & 0x70 == 0 and second & 0x80 == 0, (first, second)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack("!H", self.read(2))[0]
            assert length > 125
        elif length == 127:
            length = struct.unpack("!Q", self.read(8))[0]
            assert length > 65535
        assert first & 0x80, "a fragment"
        return first & 0x0F, self.read(length)

    def read_text(self):
        opcode, payload = self.read_frame()
        assert opcode == TEXT, (opcode, payload)
        return payload.decode()

    def read_close(self):
        """The close code that the server sends; other frames before it are passed over."""
        while True:
            opcode, payload = self.read_frame()
            if opcode == CLOSE:
                return struct.unpack("!H", payload[:2])[0] if payload else 1005


def frame(opcode, payload=b"", fin=True, mask=True, rsv=0, length=None, length_bytes=None):
    """A client's frame; the options break its rules. `length_bytes` is 0, 2 or 8."""
    size = len(payload) if length is None else length
    if length_bytes is None:
        length_bytes = 0 if size < 126 else 2 if size < 65536 else 8
    flag = 0x80 if mask else 0
    data = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    if length_bytes == 0:
        data += bytes([flag | size])
    elif length_bytes == 2:
        data += bytes([flag | 126]) + struct.pack("!H", size)
    else:
        data += bytes([flag | 127]) + struct.pack("!Q", size)
    if not mask:
        return data + payload
    key = os.urandom(4)
    stream = key * (len(payload) // 4 + 1)
    masked = (int.from_bytes(payload, "big") ^
              int.from_bytes(stream[:len(payload)], "big")).to_bytes(len(payload), "big")
    return data + key + masked


def close_payload(code, reason=""):
    return struct.pack("!H", code) + reason.encode()


def until(condition, seconds=30):
    """Asks again and again, since the server tells nobody when it has come so far."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
