#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that is short of descriptors, and one that is crowded: what is there goes on, newcomers are
refused and counted, and as soon as there is room again it takes them in by itself.
"""

import os
import resource
import socket
import subprocess
import time

from grpc_tap import PREFACE
from harness import check, note, play, wait_until

SETTINGS = b"\0\0\0\4\0\0\0\0\0"
FILES = 300
CROWD = 400
CALLERS = 20
HTTP_CROWD = 1100
ANSWER_SECONDS_MAX = 2.0


def connect(address, words=b""):
    host, _, port = address.rpartition(":")
    link = socket.create_connection((host, int(port)), timeout=10)
    if words:
        link.sendall(words)
    return link


def is_open(link):
    link.setblocking(False)
    try:
        while True:
            if not link.recv(65536):
                return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def close_all(links):
    for link in links:
        link.close()


def counters(server):
    return {counter["name"]: counter["value"] for counter in server.json("/api/v1/status")["counters"]}


def stored(server):
    return counters(server)["ingest_batches_stored"]


def check_answers(server, what):
    began = time.monotonic()
    status, _ = server.get("/healthz")
    took = time.monotonic() - began
    note(f"{what}: /healthz answered {status} after {1000 * took:.0f} ms")
    check(status == 200 and took <= ANSWER_SECONDS_MAX, f"{what}: /healthz answered {status} after {took:.1f} s")


def check_collector_goes_on(server, what):
    before = stored(server)
    wait_until(lambda: stored(server) > before, 15, f"{what}: the collector's batches do not come through")


def check_newcomers(stage, server, what):
    collector = stage.collector(server, "--window", "2")
    collector.wait_for("connected to the server", 60)
    collector.stop()
    note(f"{what}: a new collector is let in")


def test_crowd_of_collectors(server):
    """More connections than there may be: the last ones are refused, those before are left alone."""
    crowd = [connect(server.grpc, PREFACE + SETTINGS) for _ in range(CROWD)]
    wait_until(lambda: counters(server)["grpc_connections"] > CROWD, 20, "not all were looked at")
    kept = sum(is_open(link) for link in crowd)
    now = counters(server)
    # One that had not spoken yet may have made room for the next.
    refused = now["grpc_connections_refused_full"] + now["grpc_connections_displaced"]
    note(f"of {CROWD} connections {kept} were kept, {refused} refused")
    check(0 < kept < CROWD / 2 and refused == CROWD - kept, "not all others were refused")
    check(now["grpc_connections_refused_descriptors"] == 0, "it came to descriptors although they are divided")
    check_answers(server, "crowd of collectors")
    check_collector_goes_on(server, "crowd of collectors")
    close_all(crowd)


def test_strangers(server):
    link = connect(server.grpc, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + bytes(64))
    wait_until(lambda: not is_open(link), 10, "who does not speak HTTP/2 is not closed")
    link.close()
    check(counters(server)["grpc_connections_refused_protocol"] == 1, "who does not speak HTTP/2 is not counted")


def test_crowd_of_browsers(server, count):
    """Silent connections, and ones with half a request: always room for one that asks something."""
    crowd = [connect(server.http, b"" if i % 2 else b"GET /healthz HTT") for i in range(count)]
    check_answers(server, f"{count} idle connections")
    now = counters(server)
    check(now["http_connections_displaced"] > 0, "nobody was displaced")
    check(now["http_connections_refused_full"] == 0, "somebody was refused although others were idle")
    check_collector_goes_on(server, f"{count} idle connections")
    close_all(crowd)


def test_no_descriptor_left(stage, server):
    """The limit falls to what is in use: no accept succeeds. Then it is raised again."""
    before = counters(server)
    used = {int(name) for name in os.listdir(f"/proc/{server.pid}/fd")}
    first_free = next(number for number in range(FILES) if number not in used)
    limit = resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (first_free, FILES))
    note(f"{len(used)} descriptors in use, none below {first_free} to be had")
    for address in (server.grpc, server.http):
        links = [connect(address, PREFACE + SETTINGS) for _ in range(CALLERS)]
        # What the server closes meanwhile lets one or the other in.
        wait_until(
            lambda: sum(not is_open(link) for link in links) >= CALLERS / 2, 10, f"{address}: callers are left to wait"
        )
        close_all(links)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limit)
    wait_until(lambda: server.get("/healthz")[0] == 200, 5, "HTTP does not come back")
    now = counters(server)
    for name in ("grpc_connections_refused_descriptors", "http_connections_refused_descriptors"):
        note(f"{name}: {now[name] - before[name]}")
        check(now[name] - before[name] >= CALLERS / 4, f"{name}: {now[name]}")
    check_collector_goes_on(server, "after the lack of descriptors")
    check_newcomers(stage, server, "after the lack of descriptors")


def test_foreign_host(stage):
    """One host of elsewhere gets half of the places; the others are for others, some for this machine."""
    subprocess.run(["ip", "address", "add", "10.88.0.1/32", "dev", "lo"], check=True)
    server = stage.server(
        "--insecure", data="foreign", grpc="10.88.0.1:0", prefix=["prlimit", f"--nofile={FILES}:{FILES}"]
    )
    crowd = [connect(server.grpc, PREFACE + SETTINGS) for _ in range(CROWD)]
    wait_until(lambda: counters(server)["grpc_connections"] >= CROWD, 20, "not all were looked at")
    kept = sum(is_open(link) for link in crowd)
    now = counters(server)
    refused = now["grpc_connections_refused_host"] + now["grpc_connections_displaced"]
    note(f"of {CROWD} connections of a foreign host {kept} were kept, {refused} refused")
    check(0 < kept < CROWD / 8 and refused == CROWD - kept, "the host got more than its share")
    close_all(crowd)
    server.stop()


def test(stage):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    server = stage.server(prefix=["prlimit", f"--nofile={FILES}:{FILES}"])
    check("warning: only 300 files may be open" in server.log(), "the server does not warn of few descriptors")
    collector = stage.collector(server, "--window", "2")
    wait_until(lambda: stored(server) > 0, 20, "the collector sends nothing")
    test_crowd_of_collectors(server)
    check_newcomers(stage, server, "after the crowd")
    test_strangers(server)
    test_crowd_of_browsers(server, CROWD)
    test_no_descriptor_left(stage, server)
    collector.stop()
    server.stop()

    wide = stage.server(data="wide")
    collector = stage.collector(wide, "--window", "2")
    wait_until(lambda: stored(wide) > 0, 20, "the collector sends nothing")
    test_crowd_of_browsers(wide, HTTP_CROWD)
    collector.stop()
    wide.stop()
    test_foreign_host(stage)


play(test)
