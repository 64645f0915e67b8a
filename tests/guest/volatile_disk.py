# SPDX-License-Identifier: Apache-2.0
"""A disk with a write cache that forgets: what a power cut leaves is what was flushed, and a random
part of the rest, sector by sector.

qemu reaches it as an NBD server on a unix socket (the protocol is NBD's "fixed newstyle" handshake
and its simple replies). To kill qemu shows only what the guest never wrote; with this disk a flush
that a file system left out, or sent too early, shows as well.
"""

import os
import socket
import struct
import threading

SECTOR = 512
# Of one request: qemu splits longer ones.
REQUEST_BYTES_MAX = 32 << 20

# The handshake.
HELLO = b"NBDMAGICIHAVEOPT"
FIXED_NEWSTYLE, NO_ZEROES = 1, 2
OPTION_EXPORT_NAME, OPTION_ABORT, OPTION_GO = 1, 2, 7
OPTION_REPLY = 0x3E889045565A9
REPLY_ACK, REPLY_INFO, REPLY_UNSUPPORTED = 1, 3, (1 << 31) + 1
INFO_EXPORT, INFO_BLOCK_SIZE = 0, 3
# Flags of the export: it has flags, takes flushes and writes that are durable at once.
HAS_FLAGS, SEND_FLUSH, SEND_FUA = 1, 4, 8

# The requests.
REQUEST, REPLY = 0x25609513, 0x67446698
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
FORCE_UNIT_ACCESS = 1
INVALID = 22


class Gone(Exception):
    """The other side closed the connection."""


def receive(connection, count):
    parts = bytearray()
    while len(parts) < count:
        part = connection.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise Gone
        parts += part
    return bytes(parts)


class VolatileDisk:
    """Filled from the file IMAGE. One machine at a time uses it: serve, kill the machine, cut."""

    def __init__(self, image):
        with open(image, "rb") as file:
            self.durable = bytearray(file.read())
        self.cached = bytearray(self.durable)
        self.waiting = []  # (offset, bytes) of writes since the last flush, in their order
        self.countdown = None
        self.failed = threading.Event()
        self.thread = None

    def serve(self, path):
        """Begins to answer the one machine that connects to the socket PATH."""
        if os.path.exists(path):
            os.unlink(path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        self.thread = threading.Thread(target=self.answer, args=(listener,), daemon=True)
        self.thread.start()

    def answer(self, listener):
        with listener:
            connection, _ = listener.accept()
        with connection:
            try:
                if self.shake_hands(connection):
                    while self.answer_one(connection):
                        pass
                while self.failed.is_set():
                    receive(connection, 1)
            except (Gone, ConnectionError):
                pass

    def fail_at(self, count):
        """The power fails, for the disk, at the COUNT-th write or flush from now on: a write is in
        the cache then, a flush is not done, and nothing is answered any more. `failed` tells."""
        self.countdown = count

    def cut(self, random, keep):
        """After the machine was killed. Each sector that was not flushed stays with a chance of
        KEEP. Returns how many of them stayed, and how many there were."""
        self.thread.join()
        self.countdown = None
        self.failed.clear()
        return self.forget(random, keep)

    def forget(self, random, keep):
        kept = total = 0
        for offset, data in self.waiting:
            for at in range(0, len(data), SECTOR):
                total += 1
                if random.random() < keep:
                    kept += 1
                    self.durable[offset + at : offset + at + SECTOR] = data[at : at + SECTOR]
        self.waiting = []
        self.cached = bytearray(self.durable)
        return kept, total

    def save(self, image):
        with open(image, "wb") as file:
            file.write(self.durable)

    # --- the protocol ----------------------------------------------------------------------------

    def shake_hands(self, connection):
        connection.sendall(HELLO + struct.pack(">H", FIXED_NEWSTYLE | NO_ZEROES))
        receive(connection, 4)
        flags = HAS_FLAGS | SEND_FLUSH | SEND_FUA
        while True:
            _, option, length = struct.unpack(">8sII", receive(connection, 16))
            receive(connection, length)
            if option == OPTION_EXPORT_NAME:
                connection.sendall(struct.pack(">QH", len(self.cached), flags))
                return True
            if option == OPTION_GO:
                export = struct.pack(">HQH", INFO_EXPORT, len(self.cached), flags)
                sizes = struct.pack(">HIII", INFO_BLOCK_SIZE, SECTOR, 4096, REQUEST_BYTES_MAX)
                for kind, data in ((REPLY_INFO, export), (REPLY_INFO, sizes), (REPLY_ACK, b"")):
                    self.reply_option(connection, option, kind, data)
                return True
            known = option == OPTION_ABORT
            self.reply_option(connection, option, REPLY_ACK if known else REPLY_UNSUPPORTED, b"")
            if known:
                return False

    def reply_option(self, connection, option, kind, data):
        connection.sendall(struct.pack(">QIII", OPTION_REPLY, option, kind, len(data)) + data)

    def answer_one(self, connection):
        magic, flags, kind, cookie, offset, length = struct.unpack(">IHHQQI", receive(connection, 28))
        if magic != REQUEST or kind == DISCONNECT:
            return False
        data = receive(connection, length) if kind == WRITE else b""
        error, answer = 0, b""
        if self.is_failing(kind):
            if kind == WRITE:
                self.write(offset, data, False)
            self.failed.set()
            return False
        if kind == FLUSH:
            self.flush()
        elif kind not in (READ, WRITE) or offset + length > len(self.cached):
            error = INVALID
        elif kind == READ:
            answer = self.cached[offset : offset + length]
        else:
            self.write(offset, data, flags & FORCE_UNIT_ACCESS)
        connection.sendall(struct.pack(">IIQ", REPLY, error, cookie) + answer)
        return True

    def is_failing(self, kind):
        if self.countdown is None or kind not in (WRITE, FLUSH):
            return False
        self.countdown -= 1
        return self.countdown <= 0

    def write(self, offset, data, durable):
        self.cached[offset : offset + len(data)] = data
        if durable:
            self.durable[offset : offset + len(data)] = data
        else:
            self.waiting.append((offset, data))

    def flush(self):
        for offset, data in self.waiting:
            self.durable[offset : offset + len(data)] = data
        self.waiting = []
