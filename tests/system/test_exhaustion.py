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
FILES = 556
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


def rises(server, before, *names):
    """By how much the named counters rose together."""
    now = counters(server)
    return sum(now[name] - before[name] for name in names)


def changes(server, before):
    """What to tell when something is wrong with connections."""
    now = counters(server)
    return {name: now[name] - before[name] for name in now if "connections" in name and now[name] != before[name]}


def check_collector_goes_on(server, what):
    before = stored(server)
    wait_until(
        lambda: stored(server) > before, 15, f"{what}: the collector's batches do not come through after {before}"
    )


def check_crowd(server, crowd, before, reason, kept_max):
    """All of CROWD were looked at; some were kept, every other one was refused for REASON or made room."""
    wait_until(
        lambda: rises(server, before, "grpc_connections") >= len(crowd), 20, f"not all were looked at: {len(crowd)} called"
    )
    others = rises(server, before, "grpc_connections") - len(crowd)
    # One that had not spoken yet may have made room for the next.
    refused = rises(server, before, reason, "grpc_connections_displaced")
    kept = sum(is_open(link) for link in crowd)
    told = f"of {len(crowd)} connections {kept} were kept, {refused} refused; {others} others came; {changes(server, before)}"
    note(told)
    check(0 < kept < kept_max, f"not between 1 and {kept_max} were kept: {told}")
    # A collector that had to come again may be among the refused.
    check(0 <= refused - (len(crowd) - kept) <= others, f"not all others were refused: {told}")


def check_newcomers(stage, server, what):
    collector = stage.collector(server, "--window", "2")
    collector.wait_for("connected to the server", 60)
    collector.stop()
    note(f"{what}: a new collector is let in")


def test_crowd_of_collectors(server):
    """More connections than there may be: the last ones are refused, those before are left alone."""
    before = counters(server)
    crowd = [connect(server.grpc, PREFACE + SETTINGS) for _ in range(CROWD)]
    check_crowd(server, crowd, before, "grpc_connections_refused_full", CROWD / 2)
    without = rises(server, before, "grpc_connections_refused_descriptors")
    check(without == 0, f"it came to descriptors although they are divided: {changes(server, before)}")
    check_answers(server, "crowd of collectors")
    check_collector_goes_on(server, "crowd of collectors")
    close_all(crowd)


def test_strangers(server):
    link = connect(server.grpc, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + bytes(64))
    wait_until(lambda: not is_open(link), 10, "who does not speak HTTP/2 is not closed")
    link.close()
    # It is counted once the connection is closed.
    name = "grpc_connections_refused_protocol"
    wait_until(lambda: counters(server)[name] > 0, 10, "who does not speak HTTP/2 is not counted")
    check(counters(server)[name] == 1, f"who does not speak HTTP/2 is counted {counters(server)[name]} times")


def test_crowd_of_browsers(server, count):
    """Silent connections, and ones with half a request: always room for one that asks something."""
    before = counters(server)
    crowd = [connect(server.http, b"" if i % 2 else b"GET /healthz HTT") for i in range(count)]
    check_answers(server, f"{count} idle connections")
    displaced = rises(server, before, "http_connections_displaced")
    check(displaced > 0, f"nobody was displaced: {changes(server, before)}")
    full = rises(server, before, "http_connections_refused_full")
    check(full == 0, f"{full} were refused although others were idle: {changes(server, before)}")
    check_collector_goes_on(server, f"{count} idle connections")
    close_all(crowd)


def turned_away(address, words, links):
    """How many of LINKS are. What the server closes meanwhile lets one or the other in, so one more calls."""
    links.append(connect(address, words))
    return sum(not is_open(link) for link in links)


def test_no_descriptor_left(stage, server):
    """The limit falls to what is in use: no accept succeeds. Then it is raised again."""
    before = counters(server)
    used = {int(name) for name in os.listdir(f"/proc/{server.pid}/fd")}
    first_free = next(number for number in range(FILES) if number not in used)
    limit = resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (first_free, FILES))
    note(f"{len(used)} descriptors in use, none below {first_free} to be had")
    # Each by its own words: what speaks gRPC at HTTP's port is gRPC's.
    for address, words in ((server.grpc, PREFACE + SETTINGS), (server.http, b"GET /healthz HTT")):
        links = [connect(address, words) for _ in range(CALLERS)]
        wait_until(lambda: turned_away(address, words, links) >= CALLERS / 2, 10, f"{address}: callers are left to wait")
        note(f"{address}: {len(links)} called")
        close_all(links)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limit)
    wait_until(lambda: server.get("/healthz")[0] == 200, 5, "HTTP does not come back")
    now = counters(server)
    for name in ("grpc_connections_refused_descriptors", "http_connections_refused_descriptors"):
        note(f"{name}: {now[name] - before[name]}")
        check(now[name] - before[name] >= CALLERS / 4, f"{name}: {now[name] - before[name]} of {CALLERS} callers")
    check_collector_goes_on(server, "after the lack of descriptors")
    check_newcomers(stage, server, "after the lack of descriptors")


def test_foreign_host(stage):
    """One host of elsewhere gets half of the places; the others are for others, some for this machine."""
    subprocess.run(["ip", "address", "add", "10.88.0.1/32", "dev", "lo"], check=True)
    server = stage.server(
        "--insecure", data="foreign", grpc="10.88.0.1:0", prefix=["prlimit", f"--nofile={FILES}:{FILES}"]
    )
    before = counters(server)
    crowd = [connect(server.grpc, PREFACE + SETTINGS) for _ in range(CROWD)]
    check_crowd(server, crowd, before, "grpc_connections_refused_host", CROWD / 8)
    close_all(crowd)
    server.stop()


def test(stage):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    server = stage.server(prefix=["prlimit", f"--nofile={FILES}:{FILES}"])
    check(f"warning: only {FILES} files may be open" in server.log(), "the server does not warn of few descriptors")
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
