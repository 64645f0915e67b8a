# SPDX-License-Identifier: Apache-2.0
"""The server takes uploads of other systems' clients, and answers meanwhile."""

import base64
import gzip
import http.client
import multiprocessing
import os
import socket
import threading
import time

import cost
import posts
from session import harness

MB = 1e6
CROWD = 200  # posts at a time
SLOW = 50  # connections that never get to the end of their headers
USUAL_SAMPLES = 1000  # of a profile that is sent every ten seconds
LARGE_BYTES = 30 << 20
RECORDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system", "recording", "async_profiler")
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"


class Client:
    """One connection."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection(server.http, timeout=120)

    def post(self, path, body, content_type):
        self.connection.request("POST", path, body, {"Content-Type": content_type})
        answer = self.connection.getresponse()
        told = answer.read()
        harness.check(answer.status == 200, f"{path}: {answer.status} {told[:200]!r}")

    def get(self, path):
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        harness.check(answer.status == 200, f"{path}: {answer.status} {answer.read()[:200]!r}")
        answer.read()


def posts_a_core(session, server, name, body, content_type="application/octet-stream"):
    """Posts a second of the server's CPU time, each answered once it is durable; NAME(i) is the path."""
    client = Client(server)
    client.post(name(0), body, content_type)
    before, count, until = cost.cpu_seconds(server.pid), 0, time.monotonic() + session.seconds
    while time.monotonic() < until:
        count += 1
        client.post(name(count), body, content_type)
    return count / (cost.cpu_seconds(server.pid) - before)


def recording():
    with open(RECORDING, encoding="ascii") as file:
        return gzip.decompress(base64.b64decode(file.read().partition("\n\n")[2]))


def formats(session):
    """Each format in a server of its own: what it reads has no others before it."""
    text, usual = posts.folded(10_000), gzip.compress(posts.pprof(USUAL_SAMPLES), 1)
    export, jfr = posts.otlp(10_000), recording()
    for key, scale, name, body, content_type in (
        ("uploads_folded", len(text) / MB, lambda _: "/ingest?name=folded.cpu", text, "text/plain"),
        ("uploads_pprof", 1, lambda _: "/ingest?name=pprof&format=pprof", usual, "application/octet-stream"),
        ("uploads_otlp", 10_000, lambda _: "/v1development/profiles", export, "application/x-protobuf"),
        # The same again would count once.
        ("uploads_jfr", len(jfr) / MB, lambda i: f"/ingest?name=jfr{i}&format=jfr", jfr, "application/octet-stream"),
    ):
        with session.stage() as stage:
            server = stage.server()
            with session.watched(key):
                rate = posts_a_core(session, server, name, body, content_type)
            session.found(key, rate * scale)
            if key == "uploads_pprof":
                session.found("uploads_pprof_rows", rate * USUAL_SAMPLES)
            server.stop()


def large(session):
    """What one large profile takes, by itself."""
    some = len(posts.pprof(10_000))
    body = posts.pprof(10_000 * LARGE_BYTES // some)
    for key, sent in (("uploads_peak", gzip.compress(body, 1)), ("uploads_peak_bare", body)):
        with session.stage() as stage:
            server = stage.server()
            Client(server).post("/ingest?name=large&format=pprof", sent, "application/octet-stream")
            session.found(key, cost.memory_of(server.pid).peak / MB)
            server.stop()


def crowd(server, seconds):
    """In a process of its own, that the one who asks shares nothing with it."""
    body, until = gzip.compress(posts.pprof(USUAL_SAMPLES), 1), time.monotonic() + seconds
    host, _, port = server.http.rpartition(":")
    slow = [socket.create_connection((host, int(port))) for _ in range(SLOW)]
    for connection in slow:
        connection.sendall(b"POST /ingest?name=slow HTTP/1.1\r\nHost: local")

    def send():
        client = Client(server)
        while time.monotonic() < until:
            client.post("/ingest?name=crowd&format=pprof", body, "application/octet-stream")

    threads = [threading.Thread(target=send) for _ in range(CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def queries(session):
    """A flame graph of what was there before, while others come."""
    now = int(time.time())
    with session.stage() as stage:
        server = stage.server()
        client = Client(server)
        client.post(f"/ingest?name=quiet.cpu&from={now - 180000}&until={now - 179990}", posts.folded(1000), "text/plain")
        path = f'/api/v1/flame?from={now - 190000}&until={now - 170000}&query={CPU}{{service_name="quiet"}}'
        client.get(path)
        others = multiprocessing.get_context("fork").Process(target=crowd, args=(server, session.seconds))
        times = []
        with session.watched(f"{CROWD} posts at a time"):
            others.start()
            time.sleep(1)
            while others.is_alive():
                before = time.monotonic()
                client.get(path)
                times.append(1000 * (time.monotonic() - before))
                time.sleep(0.02)
            others.join()
        harness.check(others.exitcode == 0, "those who posted failed")
        times.sort()
        session.found("uploads_query_p50", times[len(times) // 2])
        session.found("uploads_query_p99", times[len(times) * 99 // 100])
        session.found("uploads_rss", cost.memory_of(server.pid).peak / MB)
        server.stop()


def uploads(session):
    for _ in range(session.rounds):
        formats(session)
        large(session)
        queries(session)
