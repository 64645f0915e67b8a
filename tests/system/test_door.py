#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One port for all that clients know: gRPC without TLS comes in where HTTP does, and is moved with all its
bookkeeping; what is neither, or only half of either, is turned away in time and keeps nobody waiting.
"""

import os
import socket
import subprocess
import time

from grpc_tap import PREFACE
from harness import check, note, play, wait_until

PUSH = "/push.v1.PusherService/Push"
EXPORT = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
UNIMPLEMENTED = 12
SETTINGS = b"\0\0\0\4\0\0\0\0\0"
SILENCE_SECONDS = 10  # of HTTP's port
YEAR = {"from": "20260101", "until": "20270101"}
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"


def corpus(target, name):
    path = os.path.join(os.environ["CAIRN_SOURCE"], "tests", "fuzz", "corpus", target, name)
    with open(path, encoding="ascii") as file:
        return bytes.fromhex(file.read().removeprefix("hex"))


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def span(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def push_request(profile, **labels):
    pairs = b"".join(span(1, span(1, k.encode()) + span(2, v.encode())) for k, v in labels.items())
    return span(1, pairs + span(2, span(1, profile)))


def counters(server):
    return {c["name"]: c["value"] for c in server.json("/api/v1/status")["counters"]}


def address(server):
    host, _, port = server.http.rpartition(":")
    return host, int(port)


def call(stage, url, path, message):
    """(status of gRPC, its message) of a unary call that curl makes by HTTP/2."""
    folder = stage.new_folder("call")
    request, head = os.path.join(folder, "request"), os.path.join(folder, "head")
    with open(request, "wb") as file:
        file.write(b"\0" + len(message).to_bytes(4, "big") + message)
    argv = ["curl", "-s", "--max-time", "30", "--http2-prior-knowledge", "-D", head, "-o", os.devnull]
    argv += ["-H", "content-type: application/grpc", "-H", "te: trailers", "--data-binary", f"@{request}", url + path]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    # Where gRPC answers before the message is there, it resets the stream behind its answer: curl's 92.
    check(done.returncode in (0, 92), f"{path}: curl ended with {done.returncode}")
    with open(head, encoding="utf-8") as file:
        fields = dict(line.rstrip().split(": ", 1) for line in file if ": " in line)
    return int(fields["grpc-status"]), fields.get("grpc-message", "")


def total(server, service, kind=CPU):
    rows = server.json("/api/v1/processes", query=f'{kind}{{service_name="{service}"}}', **YEAR)["processes"]
    return sum(row["value"] for row in rows)


def check_calls(stage, server):
    """What HTTP has by its own protocol is there by gRPC, with the same sums; what it has not is not."""
    labels = {"__name__": "process_cpu", "service_name": "by-http-port"}
    profile = corpus("pprof_read", "go_cpu")
    check(call(stage, server.url, PUSH, push_request(profile, **labels)) == (0, ""), "push was refused")
    labels["service_name"] = "by-grpc-port"
    grpc_url = "http://" + server.grpc
    check(call(stage, grpc_url, PUSH, push_request(profile, **labels)) == (0, ""), "push was refused at its own port")
    pushed = total(server, "by-http-port")
    check(0 < pushed == total(server, "by-grpc-port"), f"pushed {pushed}, by the other port {total(server, 'by-grpc-port')}")
    check(call(stage, server.url, EXPORT, corpus("otlp_read", "java")) == (0, ""), "OTLP was refused")
    check(total(server, "unknown_service") == 1_550_000_000, f"OTLP's sum is {total(server, 'unknown_service')}")
    status, words = call(stage, server.url, PUSH, push_request(b"junk", **labels))
    check(status == 3 and words, f"junk: {status} {words}")
    for path in ("/cairn.v1.Ingest/Push", "/cairn.v1.Symbols/Want", "/cairn.v1.Symbols/Upload"):
        status, words = call(stage, server.url, path, b"")
        check(status == UNIMPLEMENTED and "gRPC port only" in words, f"{path}: {status} {words}")
    now = counters(server)
    check(now["grpc_foreign_methods"] == 3, f"grpc_foreign_methods is {now['grpc_foreign_methods']}")
    check(now["http_connections_moved"] == now["grpc_connections_moved"] == 6, "six connections were not moved")
    check(now["grpc_connections"] == 1, f"{now['grpc_connections']} connections came in at gRPC's own port")
    note("  push and OTLP by gRPC at the port of HTTP; the collectors' services are not there")


def connect(server, words=b""):
    connection = socket.create_connection(address(server), timeout=30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall(words)
    return connection


def is_closed(connection, seconds):
    """Whether the other side hangs up, saying nothing."""
    connection.settimeout(seconds)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False


def open_now(server):
    now = counters(server)
    # The one that asks is HTTP's.
    return now["http_connections_open"] - 1, now["grpc_connections_open"]


def check_first_words(server):
    """In pieces, in part, and of others."""
    wait_until(lambda: open_now(server) == (0, 0), 10, f"connections are left: {open_now(server)}")
    before = counters(server)
    slow = connect(server)
    for byte in PREFACE:
        slow.sendall(bytes([byte]))
        time.sleep(0.02)
    slow.sendall(SETTINGS)
    check(slow.recv(9)[3] == 4, "a preface in 24 pieces is not answered by settings")
    check(open_now(server) == (0, 1), f"open are {open_now(server)}, not one of gRPC's")
    halves = [connect(server, PREFACE[:length]) for length in (1, 2, 14, 23)]
    check(open_now(server) == (4, 1), f"open are {open_now(server)}, not four and one")
    post = connect(server, b"P")
    time.sleep(0.1)
    post.sendall(b"OST /ingest?name=slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na 1")
    check(post.recv(12) == b"HTTP/1.1 200", "a POST in two pieces is not taken")
    hello = connect(server, bytes.fromhex("16030100c8010000c40303") + bytes(200))
    check(is_closed(hello, 5), "TLS is not turned away")
    other = connect(server, b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")
    check(other.recv(9) in (b"", b"HTTP/1.1 "), "words that are no preface are not HTTP's")
    for half in halves:
        check(is_closed(half, SILENCE_SECONDS + 5), "half a preface is waited for for ever")
    now = counters(server)
    silent = now["http_connections_silent"] - before["http_connections_silent"]
    check(silent == len(halves), f"{silent} connections were counted as silent")
    check(now["http_connections_moved"] == before["http_connections_moved"] + 1, "more than one was moved")
    check(now["http_connections_refused_protocol"] == 1, "TLS is not counted")
    for connection in (slow, post, hello, other, *halves):
        connection.close()
    wait_until(lambda: open_now(server) == (0, 0), 10, f"connections are left: {open_now(server)}")
    note("  the preface in pieces, in part, and what looks like it")


def check_many(server):
    """Those that were moved count on the other side, and once."""
    count = 200
    connections = [connect(server, PREFACE + SETTINGS) for _ in range(count)]
    for connection in connections:
        check(connection.recv(9)[3] == 4, "no settings")
    check(open_now(server) == (0, count), f"open are {open_now(server)}, not {count} of gRPC's")
    for connection in connections:
        connection.close()
    wait_until(lambda: open_now(server) == (0, 0), 10, f"connections are left: {open_now(server)}")
    note(f"  {count} at once leave nothing")


def test(stage):
    server = stage.server()
    check_calls(stage, server)
    check_first_words(server)
    check_many(server)
    server.stop()


play(test)
