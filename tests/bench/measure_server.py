# SPDX-License-Identifier: Apache-2.0
"""The server and its store: ingest, bytes a sample, queries."""

import gzip
import os
import struct
import time
import urllib.parse
import urllib.request

import cost
from session import harness, parse_lines, run_tool

FULL_STREAMS = 1
PACED_STREAMS = 4
PACED_BATCHES_A_SECOND = 100
STORE_WINDOWS = 200
QUERY_HOURS = 24
QUERY_SAMPLES_A_WINDOW = 11574  # 8640 windows of a day: 10^8
FLAME_SECONDS_MAX = 300
STARTS = 2
MB = 1e6


def push(session, server, *arguments):
    """(what bench_ingest told, CPU seconds of the server)."""
    before = cost.cpu_seconds(server.pid)
    told = parse_lines(run_tool([session.tool("bench_ingest"), server.grpc, str(session.seconds), *map(str, arguments)]))
    return told, cost.cpu_seconds(server.pid) - before


def ingest(session):
    with session.stage() as stage:
        server = stage.server()
        time.sleep(1)
        session.found("server_idle", cost.memory_of(server.pid).resident / MB)
        with session.watched("one full stream"):
            for _ in range(session.rounds):
                told, seconds = push(session, server, FULL_STREAMS)
                session.found("ingest_rows", told["rows"] / seconds)
                session.found("ingest_p50", told["ack_ms_p50"])
                session.found("ingest_p99", told["ack_ms_p99"])
        session.found("ingest_rss", cost.memory_of(server.pid).peak / MB)
        with session.watched("100 batches a second"):
            for _ in range(session.rounds):
                told, _ = push(session, server, PACED_STREAMS, PACED_BATCHES_A_SECOND)
                harness.check(told["skipped"] == 0, "the server did not keep up with 100 batches a second")
                session.found("ingest_paced_p50", told["ack_ms_p50"])
                session.found("ingest_paced_p99", told["ack_ms_p99"])
        server.stop()


def store(session):
    with session.watched("all rounds"):
        for _ in range(session.rounds):
            with session.stage() as stage:
                told = parse_lines(run_tool([session.tool("bench_store"), stage.path("store"), str(STORE_WINDOWS)]))
            session.found("store_bytes", told["bytes_a_sample"] - told["slot_bytes_a_sample"])
            session.found("store_slots", told["slot_bytes_a_sample"])
            session.found("store_rows", told["append_rows_a_core"])
            session.found("store_visit", told["visit_rows_a_core"])


def ask_flame(server, from_ns, until_ns):
    """(seconds that a flame tree takes, its bytes a node), as the page asks for it."""
    query = urllib.parse.urlencode({"query": harness.CPU + "{}", "from": from_ns, "until": until_ns})
    headers = {"Accept": "application/x-flame", "Accept-Encoding": "gzip"}
    began = time.monotonic()
    request = urllib.request.Request(f"{server.url}/api/v1/flame?{query}", headers=headers)
    with urllib.request.urlopen(request, timeout=FLAME_SECONDS_MAX) as answer:
        body = answer.read()
    seconds = time.monotonic() - began
    return seconds, len(body) / node_count_of(gzip.decompress(body))


def node_count_of(columns):
    """From the header of the binary tree: docs/api.md."""
    magic, count = struct.unpack_from("<4s12xI", columns)
    harness.check(magic == b"CRNF" and count > 1, "that is no flame tree")
    return count


def drop_page_cache(folder):
    """Of the files in FOLDER, so that the first query reads the disk."""
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def query(session):
    hours = 1 if session.quick else QUERY_HOURS
    with session.stage() as stage:
        data = stage.new_folder("data")
        told = parse_lines(
            run_tool([session.tool("bench_fill"), data, str(hours * 360), str(QUERY_SAMPLES_A_WINDOW)])
        )
        from_ns, until_ns = int(told["from_s"]) * 10**9, int(told["until_s"]) * 10**9
        harness.note(f"  {told['samples']:.0f} samples, {told['stacks']:.0f} distinct stacks at most, {told['bytes'] / MB:.0f} MB")
        with session.watched("all rounds"):
            for _ in range(1 if session.quick else STARTS):
                drop_page_cache(data)
                began = time.monotonic()
                server = stage.server("--retain-time", "10000d")
                session.found("query_ready", time.monotonic() - began)
                for key in ("query_cold", "query_warm"):
                    seconds, node_bytes = ask_flame(server, from_ns, until_ns)
                    session.found(key, seconds)
                session.found("query_wire", node_bytes)
                session.found("query_rss", cost.memory_of(server.pid).resident / MB)
                server.stop()


