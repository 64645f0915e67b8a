#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole stacks, by both ways of sampling: walked by BPF, and walked in user space from copies where BPF
may not be used (a collector without CAP_BPF). Both watch the same programs at the same time.

What a C++ program without frame pointers does in callbacks, exceptions and threads is whole from main to
the leaf; the stacks that BPF finds, perf events alone find too; totals, names of threads and what status
says are as they should be.
"""

import os
import subprocess
import time

from harness import SECOND_NS, binary, check, cpu_ns, note, play, slot_floor, sleep_until, wait_until

SECONDS = 12
RUN_SECONDS = SECONDS + 6
HOSTS = ("walked", "copied")
# A leaf or the step before it, and the way to it, root first; other frames may stand between.
PATHS = {
    "compare_for_qsort": ["_start", "main", "path_of_qsort", "compare_for_qsort", "burn"],
    "compare_for_sort": ["sorter", "path_of_sort", "compare_for_sort", "burn"],
    "burn_in_catch": ["thrower", "path_of_exceptions", "burn_in_catch"],
}
WHOLE_MIN = 0.99
COMMON_MIN = 0.95
# A stack that came so often in one of two equal samplings is missed by the other once in 150 times.
SEEN_MIN = 5
PERIOD_NS = SECOND_NS // 99
# Some 1,200 of 2,400 ticks: a standard deviation of 2 %.
TOTAL_PERCENT_OFF_MAX = 8.0

PYTHON = """
import hashlib, time
end = time.time() + %d
text = bytes(200000)
def key(n):
    return hashlib.sha256(text).digest()
def descend(depth):
    return sorted(range(30), key=key) if depth == 0 else descend(depth - 1)
while time.time() < end:
    descend(10)
"""


def build(stage):
    out = stage.path("callbacks")
    source = os.path.join(os.environ["CAIRN_SOURCE"], "tests/system/program/callbacks.cc")
    subprocess.run(["g++", "-O2", "-fomit-frame-pointer", "-pthread", "-o", out, source], check=True)
    return out


def start_collectors(stage, server):
    """The second has no right to load BPF."""
    walked = stage.collector(server, "--sampler", "bpf", "--host-name", HOSTS[0])
    without = ["setpriv", "--bounding-set", "-bpf,-sys_admin"]
    copied = stage.collector(server, "--host-name", HOSTS[1], prefix=without)
    for collector in (walked, copied):
        collector.wait_for("sampling")
    return walked, copied


def plain_name(name):
    """Without what a compiler adds to a part of a function."""
    return name.split(".")[0] if not name.startswith("lib") else name


def is_way(stack, way):
    at = iter(stack)
    return all(any(frame == step for frame in at) for step in way)


def check_paths(host, stacks):
    for mark, way in PATHS.items():
        through = [(stack, value) for stack, value in stacks if mark in stack]
        seen = sum(value for _, value in through)
        whole = sum(value for stack, value in through if is_way(stack, way) and stack[0][0] != "[")
        check(seen >= 50 * PERIOD_NS, f"{host}: only {seen / 1e9:.2f} s go through {mark}")
        note(f"{host}: {mark}: {whole // PERIOD_NS} of {seen // PERIOD_NS} samples whole from {way[0]}")
        check(whole >= WHOLE_MIN * seen, f"{host}: the way to {mark} is not whole")


def check_whole(host, name, stacks):
    seen = sum(value for _, value in stacks)
    whole = sum(value for stack, value in stacks if stack[0][0] != "[")
    note(f"{host}: {name}: {whole // PERIOD_NS} of {seen // PERIOD_NS} samples whole")
    check(whole >= WHOLE_MIN * seen, f"{host}: stacks of {name} are not whole")


def counted(stacks):
    counts = {}
    for stack, value in stacks:
        counts[tuple(stack)] = counts.get(tuple(stack), 0) + value // PERIOD_NS
    return counts


def check_common(name, walked, copied):
    walked, copied = counted(walked), counted(copied)
    often = {stack: count for stack, count in walked.items() if count >= SEEN_MIN}
    found = sum(count for stack, count in often.items() if stack in copied)
    total = sum(often.values())
    note(
        f"{name}: of {total} samples in {len(often)} stacks that BPF saw at least {SEEN_MIN} times "
        f"(of {sum(walked.values())} in {len(walked)}), {found} are in stacks that perf events saw, too"
    )
    check(total >= 50, f"{name}: too few samples to compare")
    check(found >= COMMON_MIN * total, f"{name}: perf events alone do not find the stacks that BPF finds")
    for stack, count in sorted(often.items(), key=lambda item: -item[1]):
        if stack not in copied:
            note(f"  missed, {count} samples: {';'.join(stack)}")


def lost_ns(server, host):
    """What its counters say that a full ring lost, of all programs of this machine, since the start."""
    found = next(entry for entry in server.json("/api/v1/status")["hosts"] if entry["host"] == host)
    return next(row["value"] for row in found["counters"] if row["name"] == "kernel_ring_full") * PERIOD_NS


def check_total(server, host, programs, first, last):
    pids = "|".join(str(program.pid) for program in programs)
    used_ns = last[1] - first[1]
    total = server.top(f'{{host="{host}",pid=~"{pids}"}}', slot_floor(first[0]), slot_floor(last[0]))["total"]
    off, lost = 100 * (total - used_ns) / used_ns, 100 * lost_ns(server, host) / used_ns
    note(f"{host}: {total / 1e9:.2f} s sampled of {used_ns / 1e9:.2f} s used: {off:+.2f} %; said to be lost: {lost:.2f} %")
    check(-TOTAL_PERCENT_OFF_MAX - lost <= off <= TOTAL_PERCENT_OFF_MAX, f"{host}: the total is off by {off:.1f} %")


def check_threads(server, host, program, from_ns, until_ns):
    """Threads that named themselves go by that name, and their stacks are theirs."""
    for name in ("sorter", "thrower"):
        stacks = server.folded(f'{{host="{host}",pid="{program.pid}",thread="{name}"}}', from_ns, until_ns)
        seen = sum(value for _, value in stacks)
        theirs = sum(value for stack, value in stacks if name in stack)
        note(f"{host}: thread {name}: {theirs // PERIOD_NS} of {seen // PERIOD_NS} samples are its own")
        check(seen >= 50 * PERIOD_NS and theirs >= WHOLE_MIN * seen, f"{host}: thread {name} is not told apart")


def check_status(stage, server):
    hosts = {host["host"]: host for host in server.json("/api/v1/status")["hosts"]}
    off = {name: {f["name"]: f for f in hosts[name]["features"] if f["state"] == "off"} for name in HOSTS}
    check("kernel_walks" not in off[HOSTS[0]], f"off with all rights: {off[HOSTS[0]]}")
    # Some of the other features hang on CAP_SYS_ADMIN, which contains CAP_BPF.
    fault = off[HOSTS[1]].get("kernel_walks")
    check(fault and fault["reason"].startswith("CAP_BPF missing: "), f"off without CAP_BPF: {off[HOSTS[1]]}")
    note(f"{HOSTS[1]}: kernel_walks is off: {fault['reason']}; to have it, {fault['remedy']}")
    for name in HOSTS:
        coverage = hosts[name]["coverage"]
        note(f"{name}: coverage {coverage}")
        check(0.9 <= coverage <= 1.1, f"{name}: coverage is {coverage}")
    shown = subprocess.run(
        [binary("cairn"), "status", "--server", server.url, "--host", HOSTS[1]], capture_output=True, text=True, check=True
    ).stdout
    check(f"off: kernel_walks: {fault['reason']}" in shown, "cairn status does not say that kernel_walks is off")


def test(stage):
    program = build(stage)
    server = stage.server()
    collectors = start_collectors(stage, server)
    running = {
        "callbacks": stage.run("callbacks", [program, str(RUN_SECONDS)], niceness=-5),
        "python3": stage.run("python3", ["python3", "-c", PYTHON % RUN_SECONDS], niceness=-5),
    }
    pids = [program.pid for program in running.values()]
    from_ns = slot_floor(time.time_ns() + 3 * SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    sleep_until(from_ns)
    first = cpu_ns(pids)
    sleep_until(until_ns)
    last = cpu_ns(pids)
    sleep_until(until_ns + SECOND_NS)
    check_status(stage, server)
    for collector in collectors:
        collector.stop()

    def named():
        names = {f["name"] for f in server.top(f'{{pid="{running["callbacks"].pid}"}}', from_ns, until_ns)["functions"]}
        return "compare_for_sort" in names

    wait_until(named, 60, "the program has no names")
    for name, program in running.items():
        stacks = {}
        for host in HOSTS:
            folded = server.folded(f'{{host="{host}",pid="{program.pid}"}}', from_ns, until_ns)
            stacks[host] = [([plain_name(frame) for frame in stack], value) for stack, value in folded]
            check_whole(host, name, stacks[host])
            if name == "callbacks":
                check_paths(host, stacks[host])
                check_threads(server, host, program, from_ns, until_ns)
        check_common(name, *stacks.values())
    for host in HOSTS:
        check_total(server, host, running.values(), first, last)


play(test)
