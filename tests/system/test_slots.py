#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sample that was sent is kept, with its 20 ms slot: row by row, what a restarted server's
folder holds is what went by on the wire, and each row has as many slots as samples."""

import time

from grpc_tap import Tap
from harness import CPU, SLOT_NS, check, note, play
from recorded import check_same_rows, pushed, rows_of, samples_of, stored


def check_slots(profiles):
    for profile in profiles:
        width = -(-(profile["window_end_ns"] - profile["window_start_ns"]) // SLOT_NS)
        for row in profile["rows"]:
            slots = row["slots"]
            check(len(slots) == row["count"], f"a row of {row['count']} samples has {len(slots)} slots")
            check(slots == sorted(slots) and slots[-1] < width, f"slots {slots} in a window of {width}")


def check_api(server, profiles):
    """What the server adds up is what the rows add up to, as a whole and in two halves."""
    from_ns = min(profile["window_start_ns"] for profile in profiles)
    until_ns = max(profile["window_end_ns"] for profile in profiles)
    value = sum(row["value"] for p in profiles for row in p["rows"] if row["type"] == CPU)
    whole = server.top("{}", from_ns, until_ns)
    check(whole["total"] == value, f"the server's total is {whole['total']}, the rows' is {value}")
    check(whole["sample_count"] == samples_of(profiles), f"the server counts {whole['sample_count']} samples")
    cut = from_ns + (until_ns - from_ns) // 3 // SLOT_NS * SLOT_NS
    parts = [server.top("{}", from_ns, cut), server.top("{}", cut, until_ns)]
    counts = [part["sample_count"] for part in parts]
    check(sum(counts) == whole["sample_count"], f"two adjacent ranges have {counts}, their union {whole['sample_count']}")


def test(stage):
    server = stage.server()
    tap = Tap(server.grpc)
    collector = stage.collector(tap.address, "--window", "3")
    stage.truth(8, threads=2).wait(30)
    time.sleep(1)
    collector.stop()
    server.stop()
    again = stage.server()

    sent = pushed(stage, tap).values()
    kept = stored(stage.path("data"))
    check(samples_of(sent) > 500, f"only {samples_of(sent)} samples were sent")
    check_slots(kept)
    check_same_rows(rows_of(sent), rows_of(kept), "kept against sent")
    slots = sum(len(row["slots"]) for profile in kept for row in profile["rows"])
    check(slots == samples_of(sent), f"{slots} slots kept of {samples_of(sent)} samples sent")
    check_api(again, kept)
    note(f"{len(sent)} batches, {samples_of(sent)} samples sent, {slots} slots kept")
    again.stop()


play(test)
