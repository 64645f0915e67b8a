# SPDX-License-Identifier: Apache-2.0
"""A tap between collector and server: passes every byte on unchanged and keeps it, then tells which
gRPC messages went by, in order, with what each protobuf field held. Also a bare client that can say
anything to a gRPC port, right or wrong.

Only as much of HTTP/2 as that needs: frames are split, DATA of a stream is joined, gRPC's five-byte
prefixes are taken off, and of the headers only the path is looked for.
"""

import socket
import struct
import threading

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, CONTINUATION = 0, 1, 4, 9
END_STREAM, END_HEADERS, PADDED, PRIORITY = 1, 4, 8, 32


class Message:
    """One gRPC message. ORDER counts over all connections of a tap, in the order of arrival."""

    def __init__(self, order, connection, stream, from_client, compressed, body):
        self.order, self.connection, self.stream = order, connection, stream
        self.from_client, self.compressed, self.body = from_client, compressed, body
        self.path = None


class Direction:
    """Splits what one side says on one connection into messages."""

    def __init__(self, connection, from_client, take):
        self.connection, self.from_client, self.take = connection, from_client, take
        self.rest = b""
        self.streams = {}
        self.headers = []
        self.waits_for_preface = from_client

    def feed(self, data):
        self.rest += data
        if self.waits_for_preface:
            if len(self.rest) < len(PREFACE):
                return
            self.waits_for_preface = False
            self.rest = self.rest[len(PREFACE) :]
        while len(self.rest) >= 9:
            length = int.from_bytes(self.rest[:3], "big")
            if len(self.rest) < 9 + length:
                return
            kind, flags, stream = self.rest[3], self.rest[4], int.from_bytes(self.rest[5:9], "big") & 0x7FFFFFFF
            self.frame(kind, flags, stream, self.rest[9 : 9 + length])
            self.rest = self.rest[9 + length :]

    def frame(self, kind, flags, stream, payload):
        if kind in (DATA, HEADERS) and flags & PADDED:
            payload = payload[1 : len(payload) - payload[0]]
        if kind == HEADERS and flags & PRIORITY:
            payload = payload[5:]
        if kind in (HEADERS, CONTINUATION):
            self.headers.append((stream, payload))
        if kind != DATA:
            return
        joined = self.streams.get(stream, b"") + payload
        while len(joined) >= 5:
            length = int.from_bytes(joined[1:5], "big")
            if len(joined) < 5 + length:
                break
            self.take(self.connection, stream, self.from_client, joined[0], joined[5 : 5 + length])
            joined = joined[5 + length :]
        self.streams[stream] = joined


class Tap:
    """Listens on a loopback port of its own and passes everything on to TARGET ("host:port")."""

    def __init__(self, target):
        host, _, port = target.rpartition(":")
        self.target = (host, int(port))
        self.lock = threading.Lock()
        self.messages = []
        self.raw = []
        self.directions = []
        self.broken = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        number = 0
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            for source, sink, from_client in ((client, server, True), (server, client, False)):
                direction = Direction(number, from_client, self._take)
                self.directions.append(direction)
                threading.Thread(target=self._pass, args=(source, sink, direction), daemon=True).start()
            number += 1

    def _pass(self, source, sink, direction):
        try:
            while data := source.recv(1 << 16):
                with self.lock:
                    if direction.from_client:
                        self.raw.append(data)
                    try:
                        direction.feed(data)
                    except Exception as error:  # the test must see it, the programs must not
                        self.broken.append(repr(error))
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            source.close()
            sink.close()

    def _take(self, connection, stream, from_client, compressed, body):
        self.messages.append(Message(len(self.messages), connection, stream, from_client, compressed, body))

    def bytes_from_clients(self):
        with self.lock:
            return b"".join(self.raw)

    def all(self):
        """Every message so far, each with the path of its call."""
        with self.lock:
            messages, directions = list(self.messages), list(self.directions)
            paths = {}
            for direction in directions:
                if direction.from_client:
                    paths.update(paths_of(direction))
        for message in messages:
            message.path = paths.get((message.connection, message.stream))
        return messages


def paths_of(direction):
    """{(connection, stream): path} of the calls of a connection."""
    table, blocks = HeaderTable(), {}
    for stream, block in direction.headers:
        blocks[stream] = blocks.get(stream, b"") + block
    found = {}
    for stream, block in blocks.items():
        value = table.read(block).get(b":path")
        if value:
            found[direction.connection, stream] = value.decode()
    return found


class HeaderTable:
    """Reads header blocks of one connection in their order. Of the static table only `:path` matters
    (entries 4 and 5), and texts in Huffman's code stay as they are: gRPC writes plain ones."""

    STATIC_COUNT = 61

    def __init__(self):
        self.dynamic = []

    def entry(self, index):
        if index > self.STATIC_COUNT:
            return self.dynamic[index - self.STATIC_COUNT - 1]
        return (b":path" if index in (4, 5) else b"static-%d" % index, b"")

    def read(self, block):
        found, self.block, self.at = {}, block, 0
        while self.at < len(block):
            first = block[self.at]
            if first & 0x80:
                name, value = self.entry(self.integer(7))
            elif first & 0xE0 == 0x20:
                self.integer(5)
                continue
            else:
                index = self.integer(6 if first & 0x40 else 4)
                name = self.entry(index)[0] if index else self.text()
                value = self.text()
                if first & 0x40:
                    self.dynamic.insert(0, (name, value))
            found[name] = value
        return found

    def integer(self, bits):
        value = self.block[self.at] & ((1 << bits) - 1)
        self.at += 1
        if value < (1 << bits) - 1:
            return value
        shift = 0
        while True:
            byte = self.block[self.at]
            self.at += 1
            value += (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        length = self.integer(7)
        self.at += length
        return self.block[self.at - length : self.at]


def fields(body):
    """{field number: [values]} of a protobuf message: integers, or bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = body[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(body):
        tag = varint()
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, at = struct.unpack_from("<Q", body, at)[0], at + 8
        elif kind == 2:
            length = varint()
            value, at = body[at : at + length], at + length
        elif kind == 5:
            value, at = struct.unpack_from("<I", body, at)[0], at + 4
        else:
            raise ValueError(f"wire type {kind}")
        found.setdefault(number, []).append(value)
    return found


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(name, value):
    """A header field that no table remembers."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def opening(path, authority="127.0.0.1"):
    """Everything that a client says before the first message of its first call."""
    wanted = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", authority)]
    wanted += [("te", "trailers"), ("content-type", "application/grpc")]
    block = b"".join(literal(name, value) for name, value in wanted)
    return PREFACE + frame(SETTINGS, 0, 0, b"") + frame(HEADERS, END_HEADERS, 1, block)


def message(body, last=False):
    return frame(DATA, END_STREAM if last else 0, 1, b"\0" + len(body).to_bytes(4, "big") + body)


def say(address, data, seconds=3.0):
    """Sends DATA to a port, returns what came back until the other side closes or SECONDS pass."""
    host, _, port = address.rpartition(":")
    heard = b""
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(1 << 16):
                heard += part
        except OSError:
            pass
    return heard
