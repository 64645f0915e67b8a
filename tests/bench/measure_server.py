# SPDX-License-Identifier: Apache-2.0
"""The server takes batches."""

import time

import cost
from session import harness, parse_lines, run_tool

FULL_STREAMS = 1
PACED_STREAMS = 4
PACED_BATCHES_A_SECOND = 100
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
