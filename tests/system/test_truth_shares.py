#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Cairn says about the truth program is what the truth program did: shares within 3 points over
20 s at 99 Hz, the total within 3 % of its CPU time, names right, kernel frames named.

The program is stripped and its debug file is served by a real debuginfod alone. The server runs in a
root that holds its binary and the libraries it loads: no name can come from this host's files.
"""

import re
import sys

from harness import SECOND_NS, build_id_of, check, note, play, slot_floor, sleep_until, symbols_of, truth_folder, wait_until

import time

SECONDS = 20
SHARE_POINTS_MAX = 3.0
TOTAL_PERCENT_MAX = 3.0
VARIANT = sys.argv[1]


def kernel_functions():
    with open("/proc/kallsyms", encoding="ascii") as symbols:
        return {line.split()[2] for line in symbols}


def check_coverage(server):
    status = server.json("/api/v1/status")
    coverage = [host["coverage"] for host in status["hosts"]]
    note(f"coverage {coverage}")
    check(len(coverage) == 1 and 0.9 <= coverage[0] <= 1.1, f"coverage in status is {coverage}")


def record(stage, server):
    """Runs collector and truth program; returns the range that was profiled in full."""
    collector = stage.collector(server)
    truth = stage.truth(SECONDS + 6, variant=VARIANT)
    from_ns = slot_floor(time.time_ns() + 3 * SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    sleep_until(until_ns)
    check(truth.wait(20) == 0, "the truth program failed")
    check_coverage(server)
    collector.stop()
    return truth, from_ns, until_ns


def check_total(top, cpu_ns):
    off = 100 * (top["total"] - cpu_ns) / cpu_ns
    note(f"total {top['total'] / 1e9:.3f} s in {top['sample_count']} samples, truth {cpu_ns / 1e9:.3f} s: {off:+.2f} %")
    check(abs(off) <= TOTAL_PERCENT_MAX, f"the total is off by {off:.2f} %")
    selves = sum(function["self"] for function in top["functions"])
    check(selves == top["total"], f"self times add up to {selves}, the total is {top['total']}")


def check_shares(top, parts):
    said = {}
    for function in top["functions"]:
        said[function["name"]] = said.get(function["name"], 0) + function["total"]
    worst = 0.0
    for name, part_ns in parts.items():
        truth = 100 * part_ns / sum(parts.values())
        share = 100 * said.get(name, 0) / top["total"]
        note(f"{name:16} {share:6.2f} %  truth {truth:6.2f} %  {share - truth:+.2f}")
        worst = max(worst, abs(share - truth))
    check(worst <= SHARE_POINTS_MAX, f"a share is off by {worst:.2f} points")
    for name in ("truth_through_library", "truth_library_repeat"):
        share = 100 * said.get(name, 0) / top["total"]
        check(abs(share - 15) <= SHARE_POINTS_MAX + 1, f"{name}, on the way to truth_callback, has {share:.2f} %")


def check_names(top):
    folder = truth_folder(VARIANT)
    known = {
        "truth": symbols_of(f"{folder}/debug/truth.debug"),
        "truthlib.so": symbols_of(f"{folder}/debug/truthlib.so.debug"),
        "[kernel]": kernel_functions(),
    }
    unnamed = 0
    for function in top["functions"]:
        name, module = function["name"], function["module"]
        if module not in known:
            continue
        if re.search(r"\+0x[0-9a-f]+$", name):
            unnamed += function["self"]
            continue
        # Local suffixes such as .isra.0 may be left away.
        check(
            name in known[module] or any(full.startswith(name + ".") for full in known[module]) or function["inlined"],
            f"{module} has no function {name!r}",
        )
    check(unnamed <= 0.01 * top["total"], f"{100 * unnamed / top['total']:.2f} % of the time has no name")


def check_kernel(stacks):
    kernel = kernel_functions()
    whole = named = 0
    for stack, value in stacks:
        if "truth_kernel" not in stack:
            continue
        whole += value
        below = stack[stack.index("truth_kernel") + 1 :]
        if below and below[-1] in kernel:
            named += value
    check(whole, "no stack goes through truth_kernel")
    note(f"of truth_kernel, {100 * named / whole:.1f} % ends in a named function of the kernel")
    check(named >= 0.8 * whole, "too little of truth_kernel ends in a named function of the kernel")


def test(stage):
    debug = truth_folder(VARIANT) + "/debug"
    url = stage.debuginfod(debug, build_id_of(debug + "/truth.debug"))
    server = stage.server("--debuginfod-urls", url, jailed=True)
    truth, from_ns, until_ns = record(stage, server)

    def named():
        top = server.top(truth.selector(), from_ns, until_ns)
        names = {function["name"] for function in top["functions"]}
        return {"truth_alpha", "truth_library_repeat"} <= names and any(
            f["kind"] == "kernel" and "+0x" not in f["name"] for f in top["functions"]
        )

    wait_until(named, 60, "the names of the truth program, its library and the kernel are not there")
    top = server.top(truth.selector(), from_ns, until_ns)
    cpu_ns, parts = truth.between(from_ns, until_ns)
    for function in top["functions"][:12]:
        note(f"  {function['self'] / 1e9:8.3f} s self {function['total'] / 1e9:8.3f} s total  {function['name']} ({function['module']})")
    check_total(top, cpu_ns)
    check_shares(top, parts)
    check_names(top)
    check_kernel(server.folded(truth.selector(), from_ns, until_ns))
    server.stop()


play(test)
