#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server is killed by SIGKILL in mid-run, three times: everything that it had acknowledged is
there, nothing counts twice, and the collector carries on by itself."""

import time

from grpc_tap import Tap
from harness import check, note, play, wait_until
from recorded import ACK_DUPLICATE, ACK_REFUSED, ACK_STORED, acknowledged, check_same_rows, pushed, rows_of, samples_of, stored

KILLS = 3


def taken(tap):
    return [sequence for _, _, sequence, result in acknowledged(tap) if result in (ACK_STORED, ACK_DUPLICATE)]


def test(stage):
    server = stage.server()
    addresses = {"http": server.http, "grpc": server.grpc}
    tap = Tap(server.grpc)
    collector = stage.collector(tap.address, "--window", "1")
    truth = stage.truth(60, threads=1)
    for _ in range(KILLS):
        before = len(taken(tap))
        wait_until(lambda: len(taken(tap)) >= before + 2, 40, "the collector does not carry on")
        server.kill()
        time.sleep(2.5)
        server = stage.server(**addresses)
    before = len(taken(tap))
    wait_until(lambda: len(taken(tap)) >= before + 3, 40, "the collector does not carry on after the last restart")
    truth.kill()
    check(collector.runs(), "the collector ended")
    collector.stop()

    batches = pushed(stage, tap)
    acks = acknowledged(tap)
    check(not [a for a in acks if a[3] == ACK_REFUSED], f"batches were refused: {acks}")
    sequences = sorted(sequence for _, sequence in batches)
    check(sequences == list(range(len(sequences))), f"the batches' sequence has gaps: {sequences}")
    acknowledged_ones = {key: batch for key, batch in batches.items() if key[1] in set(taken(tap))}
    check(len(acknowledged_ones) == len(batches), f"{len(batches) - len(acknowledged_ones)} batches have no answer")
    server.stop()
    kept = stored(stage.path("data"))
    check_same_rows(rows_of(acknowledged_ones.values()), rows_of(kept), "kept against acknowledged")
    note(f"{KILLS} kills, {len(batches)} batches, {samples_of(kept)} samples: each kept once")


play(test)
