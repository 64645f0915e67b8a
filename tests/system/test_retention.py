#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Retention that is made shorter: data that were laid over two days, then a start with ten minutes. The
disk gets its room back, what is past has an empty answer and no error, and what is young enough is all
there. From then on what comes too late is refused and counted, by its sender as well."""

import os
import time

from harness import CPU, SECOND_NS, check, note, play, tool, wait_until

HOURS_BACK = 48
RUN_SECONDS = 10_000  # of power_push: what one run of batches lies over
BATCHES_A_RUN = 60
SAMPLES_MIN, SAMPLES_SPREAD, SAMPLE_NS = 200, 50, 10_000_000
WINDOW_SECONDS, BATCHES_PER_RUN = 10, 1000
OLD = HOURS_BACK * 3600 // RUN_SECONDS  # runs that are all old
# So much of the room that the old data took must be free again.
FREED_MIN = 0.9


def value_of(number):
    return (SAMPLES_MIN + number % SAMPLES_SPREAD) * SAMPLE_NS


def disk_bytes(folder):
    """What profiles take there, as the disk counts it."""
    total = 0
    for root, _, names in os.walk(os.path.join(folder, "profiles")):
        total += sum(512 * os.stat(os.path.join(root, name)).st_blocks for name in names)
    return total


def push(stage, server, run, epoch, count, first=0):
    port = server.grpc.rpartition(":")[2]
    pushed = stage.run("push", [tool("../guest/power_push"), port, str(run), str(first), str(count), str(epoch)])
    check(pushed.wait(60) == 0, f"run {run}: {pushed.log()[-300:]}")
    return pushed.log()


def counter(server, name):
    found = [c["value"] for c in server.json("/api/v1/status")["counters"] if c["name"] == name]
    check(len(found) == 1, f"there is no counter {name}")
    return found[0]


def total_of(server, from_ns, until_ns):
    return server.json("/api/v1/flame", query=CPU + "{}", **{"from": from_ns, "until": until_ns})["total"]


def check_past_is_empty(server, old):
    timed = {"from": old[0], "until": old[1]}
    for path in ("hosts", "processes", "types", "labels"):
        answer = server.json("/api/v1/" + path, **timed)
        check(not answer[path], f"/api/v1/{path} still tells of the past: {answer}")
    check(total_of(server, *old) == 0, f"{total_of(server, *old)} ns of the past are still there")
    check(server.folded("{}", *old) == [], "the past is still exported")


def test(stage):
    server = stage.server()
    now = int(time.time())
    epoch = now - HOURS_BACK * 3600
    for run in range(OLD):
        check(push(stage, server, run, epoch, BATCHES_A_RUN).count("stored ") == BATCHES_A_RUN, f"run {run} was not all stored")
    old = (epoch * SECOND_NS, (epoch + OLD * RUN_SECONDS) * SECOND_NS)
    expected = OLD * sum(map(value_of, range(BATCHES_A_RUN)))
    check(total_of(server, *old) == expected, f"{total_of(server, *old)} ns are there before, not {expected}")
    old_bytes = disk_bytes(stage.path("data"))
    server.stop()

    # Another file than that of the old data: a file goes as a whole, when all in it is too old.
    server = stage.server()
    young_epoch = now - BATCHES_PER_RUN * OLD * WINDOW_SECONDS - 120
    check(push(stage, server, OLD, young_epoch, 9).count("stored ") == 9, "the young ones were not stored")
    young = ((now - 120) * SECOND_NS, (now + 120) * SECOND_NS)
    check(total_of(server, *young) == sum(map(value_of, range(9))), "the young ones are not all there")
    server.stop()

    server = stage.server("--retain-time", "10m")
    wait_until(lambda: disk_bytes(stage.path("data")) < (1 - FREED_MIN) * old_bytes, 20, f"{disk_bytes(stage.path('data'))} of {old_bytes} bytes are still taken")
    note(f"the disk has {disk_bytes(stage.path('data'))} bytes where {old_bytes} were")
    check(counter(server, "files_expired") >= 1, "no file is counted as expired")
    check_past_is_empty(server, old)
    check(total_of(server, *young) == sum(map(value_of, range(9))), "young ones are gone")
    said = push(stage, server, 0, epoch, 3, BATCHES_A_RUN)
    check(said.count("not-taken ") == 3, f"what is too old was not refused: {said}")
    check(counter(server, "refused_old") == 3, f"{counter(server, 'refused_old')} refused, not 3")
    note(f"refused: {said.splitlines()[0]}")
    server.kill()
    server = stage.server("--retain-time", "10m")
    check_past_is_empty(server, old)
    check(total_of(server, *young) == sum(map(value_of, range(9))), "young ones are gone after a kill")
    server.stop()


play(test)
