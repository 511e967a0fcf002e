"""web_socket.py: the client's half of a web socket, which browsers are driven through."""
import base64
import os
import socket
import struct


class Socket:
    """Sends and receives texts; knows no pings, and does not wait for the other's farewell."""

    def __init__(self, url):
        host, path = url.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\n"
                             "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = (bytes([0x81, 0x80 | size]) if size < 126 else
                struct.pack(">BBH", 0x81, 0xFE, size) if size < 65536 else
                struct.pack(">BBQ", 0x81, 0xFF, size))
        self.socket.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, size = self.stream.read(2)
            if size == 126:
                size, = struct.unpack(">H", self.stream.read(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.stream.read(8))
            text += self.stream.read(size)
            if first & 0x80:
                return text.decode()
