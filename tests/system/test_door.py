#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One port for all that clients know: gRPC without TLS comes in where HTTP does, and is moved with all its
bookkeeping; what is neither, or only half of either, is turned away in time and keeps nobody waiting. Uploads have limits, as they come, unpacked, and all together,
and whatever they do, queries are answered.
"""

import json
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
import zlib

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


def post(server, body, name, **headers):
    """(status, headers, body) of a POST to /ingest."""
    request = urllib.request.Request(f"{server.url}/ingest?name={name}", data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def peak_bytes(server, body):
    """By how much the server grew, at most, while it did that."""
    resident = memory(server, "VmRSS")
    with open(f"/proc/{server.pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    body()
    return memory(server, "VmHWM") - resident


def memory(server, what):
    with open(f"/proc/{server.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(what + ":"))


def bomb(packed_bytes):
    """Members of 64 MiB of nothing, of which each takes 64 kB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    member = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    return member * (packed_bytes // len(member))


def large_profile(byte_count):
    """(pprof, what its samples add up to): one stack of two frames, again and again."""
    strings = b"".join(span(6, text) for text in (b"", b"cpu", b"nanoseconds", b"main", b"leaf"))
    sample = span(2, span(1, varint(2) + varint(1)) + span(2, varint(10_000_000)))
    kind = varint(8) + varint(1) + varint(16) + varint(2)
    head = span(1, kind) + span(11, kind) + varint(12 << 3) + varint(10_000_000)
    for number in (1, 2):
        line = span(4, varint(8) + varint(number))
        head += span(4, varint(8) + varint(number) + line) + span(5, varint(8) + varint(number) + varint(16) + varint(2 + number))
    count = byte_count // len(sample)
    return head + sample * count + strings, count * 10_000_000


def check_sizes(server):
    status, _, answer = post(server, b"a 1\nb x\n", "demo")
    check((status, json.loads(answer)["code"]) == (422, "unknown"), f"a bad line: {status} {answer}")
    packed = bomb(10 << 20)
    for path, headers in (("/ingest?name=bomb&format=pprof", {}), (PUSH, {"Content-Type": "application/proto", "Content-Encoding": "gzip"})):
        refusals = []

        def send(path=path, headers=headers, refusals=refusals):
            request = urllib.request.Request(server.url + path, data=packed, headers=headers, method="POST")
            try:
                urllib.request.urlopen(request, timeout=60).close()
            except urllib.error.HTTPError as error:
                with error:
                    refusals.append(error.code)

        grown = peak_bytes(server, send)
        check(refusals == [413], f"{path}: {refusals}, expected 413")
        check(grown < 100e6, f"{path}: 10 GB in {len(packed)} bytes took {grown / 1e6:.0f} MB")
    body, expected = large_profile(32 << 20)
    status, _, answer = post(server, body, "large&format=pprof")
    check(status == 200, f"{len(body)} bytes of pprof: {status} {answer[:200]!r}")
    check(total(server, "large") == expected, f"they add up to {total(server, 'large')}, not {expected}")
    note("  10 MB that unpack to 10 GB are refused in little memory, 32 MiB of pprof are taken")


def raw_post(server, name, header):
    words = f"POST /ingest?name={name} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n"
    return connect(server, words.encode())


def check_ways(server):
    """As clients send: asking first, in chunks, slowly."""
    asking = raw_post(server, "asking", "Content-Length: 4\r\nExpect: 100-continue")
    check(asking.recv(100).startswith(b"HTTP/1.1 100 "), "who asks first is not told to go on")
    asking.sendall(b"a 1\n")
    check(asking.recv(12) == b"HTTP/1.1 200", "who asked first is refused")
    chunks = raw_post(server, "chunks", "Transfer-Encoding: chunked")
    for piece in (b"4\r\na 1\n\r\n", b"2;x=y\r\nb \r\n", b"1\r\n", b"2\r\n0\r\n\r\n"):
        time.sleep(0.05)
        chunks.sendall(piece)
    check(chunks.recv(12) == b"HTTP/1.1 200", "a body in chunks is refused")
    slow = raw_post(server, "slow3", "Content-Length: 8")
    for piece in (b"a ", b"1\nb", b" 1\n"):
        slow.sendall(piece)
        time.sleep(1)
    check(slow.recv(12) == b"HTTP/1.1 200", "a body that takes three seconds is refused")
    for connection in (asking, chunks, slow):
        connection.close()
    check(total(server, "chunks") == 30_000_000 and total(server, "slow3") == 20_000_000, "not what was sent in pieces")
    note("  Expect, chunks, and three seconds")


def check_budget(stage):
    """8 MiB for all bodies: what does not fit is told to come again, and what was begun is taken."""
    server = stage.server("--ingest-bytes", "8M", data="budget")
    body = (b"n" * 99 + b" 1\n") * (6 << 20 >> 7)
    first = raw_post(server, "first", f"Content-Length: {len(body)}")
    first.sendall(body[:-10])
    wait_until(lambda: counters(server)["client_body_bytes"] > 4 << 20, 20, "the first body is not held")
    status, headers, answer = post(server, body, "second")
    check((status, headers["Retry-After"]) == (503, "1"), f"the second: {status} {answer[:200]!r}")
    check(b"--ingest-bytes" in answer, f"the refusal does not say why: {answer!r}")
    check(counters(server)["client_uploads_crowded"] == 1, "it is not counted")
    check(server.get("/api/v1/types")[0] == 200 and post(server, b"a 1", "small")[0] == 200, "others suffer")
    first.sendall(body[-10:])
    check(first.recv(12) == b"HTTP/1.1 200", "the first is refused")
    check(post(server, body, "second")[0] == 200, "the second is refused later, too")
    check(post(server, body + body, "alone")[0] == 200, "one alone does not fit")
    first.close()
    gone = raw_post(server, "gone", f"Content-Length: {len(body)}")
    gone.sendall(body[:-10])
    gone.close()
    wait_until(lambda: counters(server)["client_body_bytes"] == 0, 20, "bodies are held for ever")
    server.stop()
    note("  bodies share what there is for them")


def check_crowd(server):
    """200 at once, some of them at the same moment, slow ones besides: queries go on."""
    now = int(time.time())
    check(post(server, b"main;a 3\n", f"quiet.cpu&from={now - 180000}&until={now - 179990}")[0] == 200, "quiet is refused")
    loris = [connect(server, b"POST /ingest?name=loris HTTP/1.1\r\nHost: l") for _ in range(50)]
    body = b"".join(b"main;part%d;leaf%d 1\n" % (i % 50, i) for i in range(2000))
    barrier, statuses = threading.Barrier(200), []

    def send():
        barrier.wait()
        statuses.append(post(server, body, "crowd")[0])

    threads = [threading.Thread(target=send) for _ in range(200)]
    for thread in threads:
        thread.start()
    times, query = [], {"from": now - 190000, "until": now - 170000, "query": CPU + '{service_name="quiet"}'}
    while any(thread.is_alive() for thread in threads) or len(times) < 20:
        before = time.monotonic()
        status, tree = server.get("/api/v1/flame", **query)
        check(status == 200 and b'"main"' in tree, f"no tree: {status} {tree[:200]!r}")
        times.append(time.monotonic() - before)
    for thread in threads:
        thread.join()
    check(statuses == [200] * 200, f"of 200 posts {statuses.count(200)} were taken")
    check(total(server, "crowd") == 200 * 2000 * 10_000_000, f"200 posts add up to {total(server, 'crowd')}")
    # The threads that post share this program's interpreter with the one that asks: the median is the server's.
    median = sorted(times)[len(times) // 2]
    check(median < 0.2, f"meanwhile a query takes {median:.3f} s")
    for connection in loris:
        connection.close()
    note(f"  200 posts at once; {len(times)} queries meanwhile, the median took {median * 1000:.0f} ms")


def test(stage):
    server = stage.server()
    check_calls(stage, server)
    check_first_words(server)
    check_many(server)
    check_sizes(server)
    check_ways(server)
    check_crowd(server)
    server.stop()
    check_budget(stage)


play(test)
