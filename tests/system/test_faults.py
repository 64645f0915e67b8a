#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong outside the programs ends in one clear line and a documented exit status (1: while
running, 2: wrong usage), and no client's bytes bring the server down."""

import os
import random
import re
import socket
import subprocess
import time

from grpc_tap import PREFACE, message, opening, say
from harness import binary, check, note, play, refusal, wait_until

RANDOM_TRIES = 200


def server_argv(stage, data="data", http="127.0.0.1:0", grpc="127.0.0.1:0"):
    return [binary("cairn-server"), "--data", stage.path(data), "--http", http, "--grpc", grpc]


def collector_argv(*flags):
    return [binary("cairn-collector"), "--server", "127.0.0.1:1", *flags]


def check_usage(stage):
    note("wrong usage:")
    for argv in (
        [*server_argv(stage), "--no-such-flag"],
        [*server_argv(stage), "--http", "nonsense"],
        [*collector_argv(), "--no-such-flag"],
        [*collector_argv(), "--hz", "0"],
        [*collector_argv(), "--hz", "many"],
        [*collector_argv(), "--upload", "perhaps"],
        [binary("cairn"), "no-such-command"],
        [binary("cairn"), "top", "--no-such-flag"],
    ):
        line = refusal(argv, 2)
        wrong = next(word for word in reversed(argv) if not word.startswith("/"))
        check(wrong.lstrip("-") in line or argv[-2].lstrip("-") in line, f"{line!r} does not name what is wrong in {argv}")


def check_ports(stage):
    note("a port in use:")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        check(address in refusal(server_argv(stage, http=address), 1), "the line does not name the address")
        check(address in refusal(server_argv(stage, grpc=address), 1), "the line does not name the address")
    note("wider than loopback:")
    line = refusal(server_argv(stage, http="0.0.0.0:0"), 2)
    check("--insecure" in line, "the line does not name --insecure")


def check_data(stage):
    note("a data folder that cannot be used:")
    with open(stage.path("file"), "w", encoding="ascii") as file:
        file.write("not a folder\n")
    check("file" in refusal(server_argv(stage, data="file"), 1), "the line does not name the folder")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "sealed", stage.new_folder("sealed")], check=True)
    refusal(server_argv(stage, data="sealed/data"), 1)
    subprocess.run(["umount", stage.path("sealed")], check=True)
    os.chmod(stage.folder, 0o755)
    os.chmod(stage.new_folder("private"), 0o700)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    refusal(as_nobody + server_argv(stage, data="private"), 1)
    note("a data folder in use:")
    server = stage.server(data="shared")
    refusal(server_argv(stage, data="shared"), 1)
    server.stop()


def check_collector(stage):
    note("not root:")
    line = refusal(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *collector_argv()], 1)
    check("root" in line or "CAP_" in line, "the line does not say what privilege is missing")
    note("no BTF:")
    hide = 'mount -t tmpfs nothing /sys/kernel/btf && exec "$@"'
    without = ["unshare", "--mount", "sh", "-c", hide, "sh"]
    line = refusal([*without, *collector_argv(), "--sampler", "bpf"], 1)
    check("BTF" in line, "the line does not name BTF")
    # Left to choose, it goes on without BPF, and says what that costs.
    collector = stage.collector("127.0.0.1:1", prefix=without)
    collector.wait_for(r"stacks are walked in user space: this kernel has no BTF")
    collector.wait_for(r"sampling \d+ CPUs")
    collector.stop()


def check_no_server(stage):
    note("no server there:")
    line = refusal([binary("cairn"), "status", "--server", "http://127.0.0.1:1"], 1)
    check("127.0.0.1:1" in line, "the line does not name the server")
    with socket.create_server(("127.0.0.1", 0)) as place:
        address = "127.0.0.1:%d" % place.getsockname()[1]
    collector = stage.collector(address, "--window", "1")
    time.sleep(4)
    check(collector.runs(), "a collector without a server ended")
    lines = [line for line in collector.log().splitlines() if "no server at " + address in line]
    check(len(lines) == 1, f"a collector without a server said so {len(lines)} times")
    note(f"  {lines[0]}")
    server = stage.server(data="late", grpc=address)
    wait_until(lambda: server.hosts("now-5m", "now"), 60, "the collector that was there first never reached the server")
    collector.stop()
    server.stop()


def check_bytes(stage):
    note("bytes of all kinds:")
    server = stage.server(data="bytes")
    random.seed(20)
    for address in (server.http, server.grpc):
        for _ in range(RANDOM_TRIES):
            say(address, random.randbytes(random.randrange(1, 400)), 0.5)
            check(server.runs(), f"random bytes at {address} ended the server")
    malformed = [
        b"\0" * 10,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /%00%ff?query=%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"POST /api/v1/top HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    ]
    for request in malformed:
        answer = say(server.http, request)
        check(not answer or re.match(rb"HTTP/1\.[01] (4\d\d|501|505) ", answer), f"{request[:60]!r}: {answer[:80]!r}")
    pushes = [
        message(b"\xff" * 50),
        message(b""),
        message(random.randbytes(5000)),
        message(b"\x12\x10" + random.randbytes(16)),
        b"\0" * 9,
        PREFACE,
        message(b"x" * 100)[:40],
    ]
    for path in ("/cairn.v1.Ingest/Push", "/cairn.v1.Symbols/Upload", "/cairn.v1.Symbols/Want", "/no.such/Call"):
        for push in pushes:
            say(server.grpc, opening(path) + push, 1.0)
            check(server.runs(), f"{push[:40]!r} to {path} ended the server")
    check(server.get("/healthz")[0] == 200, "the server is not healthy any more")
    status, body = server.get("/api/v1/top", query="{nonsense", **{"from": "never", "until": "now"})
    check(status == 400 and b'"message"' in body, f"a malformed query: {status} {body[:200]!r}")
    status, body = server.get("/api/v1/no-such-path")
    check(status == 404 and b'"message"' in body, f"an unknown path: {status} {body[:200]!r}")
    server.stop()


def check_host_header(stage):
    note("foreign Host and Origin:")
    server = stage.server(data="host")
    for headers, allowed in (
        (b"Host: " + server.http.encode(), True),
        (b"Host: localhost", True),
        (b"Host: evil.example", False),
        (b"Host: 127.0.0.1.evil.example", False),
    ):
        answer = say(server.http, b"GET /api/v1/status HTTP/1.1\r\nConnection: close\r\n" + headers + b"\r\n\r\n")
        status = int(answer.split()[1])
        check((status == 200) == allowed and (allowed or 400 <= status < 500), f"{headers.decode()}: {status}")
    server.stop()


def test(stage):
    check_usage(stage)
    check_ports(stage)
    check_data(stage)
    check_collector(stage)
    check_no_server(stage)
    check_bytes(stage)
    check_host_header(stage)


play(test)
