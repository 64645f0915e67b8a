#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recursion without frame pointers, at -O1 and -O2, by both ways of sampling. 64, 127, 128 and 500 calls deep, stacks
are whole, with each call in them; 2,000 and 100,000 deep they say at the root that they are truncated, and
the leaf part is right. Nothing of the weight is lost.
"""

import os
import subprocess
import time

from harness import SECOND_NS, check, cpu_ns, note, play, slot_floor, sleep_until, wait_until

SECONDS = 8
HOSTS = {"walked": "bpf", "copied": "perf"}
WHOLE, TRUNCATED = (64, 127, 128, 500), (2000, 100000)
# The bound of a walk in the kernel, and what surely lies in 16 KiB: frames of these programs are 32 bytes.
FRAMES = {"walked": 1024, "copied": 1024}
COPIED_FRAMES_MIN = 300
# Of each program's some 100 samples, and of all together: on a busy host a walk may find neither what it
# needs nor room for a copy of its stack.
RIGHT_MIN, RIGHT_OF_ALL_MIN = 0.95, 0.99
PERIOD_NS = SECOND_NS // 99
# Some 1,500 samples: a standard deviation below 2 %.
TOTAL_PERCENT_OFF_MAX = 8.0


def build(stage):
    source = os.path.join(os.environ["CAIRN_SOURCE"], "tests/system/program/recursion.c")
    programs = {}
    for level in ("-O1", "-O2"):
        programs[level] = stage.path("recursion" + level)
        subprocess.run(["gcc", level, "-fomit-frame-pointer", "-o", programs[level], source], check=True)
    return programs


def depth_of(stack):
    """Calls of descend in one piece right above burn, and what lies before them."""
    end = stack.index("burn")
    start = end
    while start > 0 and stack[start - 1] == "descend":
        start -= 1
    return end - start, stack[:start]


def is_whole(stack, depth):
    calls, before = depth_of(stack)
    return calls == depth and before[0] == "_start" and before[-2:] == ["main", "begin"]


def is_cut(host, stack):
    calls, before = depth_of(stack)
    least = FRAMES[host] - 4 if host == "walked" else COPIED_FRAMES_MIN
    return before == ["[truncated]"] and least <= calls <= FRAMES[host]


def check_stacks(server, host, level, depth, pid, from_ns, until_ns):
    stacks = server.folded(f'{{host="{host}",pid="{pid}"}}', from_ns, until_ns)
    # On the way down and up there are fewer calls.
    stacks = [(stack, value) for stack, value in stacks if "burn" in stack]
    seen = sum(value for _, value in stacks)
    whole = sum(value for stack, value in stacks if is_whole(stack, depth))
    cut = sum(value for stack, value in stacks if is_cut(host, stack))
    note(
        f"{host}: {level}, {depth} deep: of {seen // PERIOD_NS} samples {whole // PERIOD_NS} whole, "
        f"{cut // PERIOD_NS} truncated with their leaf part right"
    )
    for stack, value in stacks:
        if not is_whole(stack, depth) and not is_cut(host, stack):
            calls, before = depth_of(stack)
            note(f"  else: {value // PERIOD_NS} samples of {';'.join(before)} + {calls} calls + {';'.join(stack[-2:])}")
    check(seen >= 20 * PERIOD_NS, f"{host}: {level}, {depth} deep: only {seen / 1e9:.2f} s")
    right = cut if depth in TRUNCATED else whole
    if depth in TRUNCATED:
        check(cut >= RIGHT_MIN * seen, f"{host}: {level}, {depth} deep is not truncated as it should be")
    elif host == "copied" and depth == max(WHOLE):
        right = whole + cut
        check(right >= RIGHT_MIN * seen, f"{host}: {level}, {depth} deep is neither whole nor truncated")
    else:
        check(whole >= RIGHT_MIN * seen, f"{host}: {level}, {depth} deep is not whole")
    return right, seen


def lost_ns(server, host):
    """What its counters say that a full ring lost, of all programs of this machine, since the start."""
    found = next(entry for entry in server.json("/api/v1/status")["hosts"] if entry["host"] == host)
    return next(row["value"] for row in found["counters"] if row["name"] == "kernel_ring_full") * PERIOD_NS


def check_total(server, host, pids, first, last):
    listed = "|".join(str(pid) for pid in pids)
    used_ns = last[1] - first[1]
    total = server.top(f'{{host="{host}",pid=~"{listed}"}}', slot_floor(first[0]), slot_floor(last[0]))["total"]
    off, lost = 100 * (total - used_ns) / used_ns, 100 * lost_ns(server, host) / used_ns
    note(f"{host}: {total / 1e9:.2f} s sampled of {used_ns / 1e9:.2f} s used: {off:+.2f} %; said to be lost: {lost:.2f} %")
    check(-TOTAL_PERCENT_OFF_MAX - lost <= off <= TOTAL_PERCENT_OFF_MAX, f"{host}: the total is off by {off:.1f} %")


def test(stage):
    programs = build(stage)
    server = stage.server()
    # Names of these programs are all that is wanted.
    flags = [word for folder in ("/usr/*", "/lib*", "/opt/*") for word in ("--upload-deny", folder)]
    collectors = [stage.collector(server, "--sampler", way, "--host-name", host, *flags) for host, way in HOSTS.items()]
    for collector in collectors:
        collector.wait_for("sampling")
    running = {
        (level, depth): stage.run("recursion", [program, str(depth), str(SECONDS + 8)], niceness=-2)
        for level, program in programs.items()
        for depth in (*WHOLE, *TRUNCATED)
    }
    pids = [program.pid for program in running.values()]
    from_ns = slot_floor(time.time_ns() + 3 * SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    sleep_until(from_ns)
    first = cpu_ns(pids)
    sleep_until(until_ns)
    last = cpu_ns(pids)

    def named():
        listed = "|".join(str(pid) for pid in pids)
        names = {f["name"] for f in server.top(f'{{pid=~"{listed}"}}', from_ns, until_ns)["functions"]}
        return {"burn", "descend"} <= names and not any(name.startswith("recursion-O") for name in names)

    wait_until(named, 60, "the programs have no names")
    for collector in collectors:
        collector.stop()
    for host in HOSTS:
        counts = [
            check_stacks(server, host, level, depth, program.pid, from_ns, until_ns)
            for (level, depth), program in running.items()
        ]
        right, seen = (sum(column) for column in zip(*counts))
        check(right >= RIGHT_OF_ALL_MIN * seen, f"{host}: {right / 1e9:.2f} s of {seen / 1e9:.2f} s are right")
        check_total(server, host, pids, first, last)


play(test)
