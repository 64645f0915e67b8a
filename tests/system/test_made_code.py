#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code that runtimes make has the names that they tell, each at its time: an address that was used
again keeps its earlier name for what was before, in a container under its inner pid; a map that is a
link is refused; node's functions show between those of its own program; and no sample is lost."""

import json
import os
import re
import subprocess
import time

from harness import SECOND_NS, check, note, play, tool, wait_until

HZ = 197
NAMES = ["first(int, long)", "second;two"]
SHOWN = {name: name.replace(";", "\\x3b") for name in NAMES}
SELECTOR = '{process="made_code"}'
# The clock of files is that of the kernel's tick; a look-up tells 200 ms apart.
UNSURE_NS = SECOND_NS * 3 // 10

MADE_BY_NODE = r"JS:.(hotLeaf|callsHot) "
SCRIPT = """
function hotLeaf(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
function callsHot(n) { let t = 0; for (let k = 0; k < 50; k++) t += hotLeaf(n + k % 3); return t; }
let x = 0;
while (process.cpuUsage().user < 2e6) x += callsHot(20000);
"""


def made_code(stage, how, *names):
    argv = ["unshare", "--pid", "--fork", "--kill-child", tool("made_code"), how, "3", *names]
    return stage.run("made-" + how, argv)


def counters(stage):
    out = subprocess.run(
        ["curl", "-sS", "--unix-socket", stage.path("collector.1.sock"), "http://localhost/status"],
        check=True, capture_output=True,
    ).stdout
    return {counter["name"]: counter["value"] for counter in json.loads(out)["counters"]}


def leaf_time(server, selector, from_ns, until_ns):
    """{name of made code: CPU time}; `none` for what the program does besides."""
    sums = {}
    for stack, value in server.folded(selector, from_ns, until_ns):
        made = [name for name in stack if name in (*SHOWN.values(), "linked", "all of the page", "[unknown]")]
        name = made[-1] if made else "none"
        sums[name] = sums.get(name, 0) + value
    return sums


def phases(program):
    lines = [re.fullmatch(r"(.*) (\d+) (\d+) (\d+) (\d+)", line) for line in program.log().splitlines()]
    return [(m[1], *(int(m[i]) for i in range(2, 6))) for m in lines if m]


def check_by_time(server, program):
    told = phases(program)
    used = told[-1][4] - told[0][3]
    for name, from_ns, until_ns, _, _ in told:
        sums = leaf_time(server, SELECTOR, from_ns + UNSURE_NS, until_ns - UNSURE_NS)
        note(f"  {name}: {sums}")
        check(sums.get(SHOWN[name], 0) > 0, f"{name}: {sums}")
        check(set(sums) <= {SHOWN[name], "none"}, f"{name}: {sums}")
    sums = leaf_time(server, SELECTOR, told[0][1], told[-1][2])
    named = sum(value for name, value in sums.items() if name in SHOWN.values())
    # Some 400 samples: five standard deviations.
    deviation = 5 * (used * SECOND_NS / HZ) ** 0.5
    note(f"  {named / 1e6:.0f} ms named of {used / 1e6:.0f} ms used, +- {deviation / 1e6:.0f}")
    check(abs(named - used) < deviation, f"{named} ns named of {used} ns used: {sums}")


def check_link(server, from_ns, until_ns):
    sums = leaf_time(server, SELECTOR, from_ns, until_ns)
    check(set(sums) <= {"[unknown]", "none"}, f"a link was followed: {sums}")


def check_node(server, from_ns, until_ns):
    stacks = server.folded('{process="node"}', from_ns, until_ns)
    total = sum(value for _, value in stacks)
    hot = [(stack, value) for stack, value in stacks if any(re.match(MADE_BY_NODE, name) for name in stack)]
    share = sum(value for _, value in hot) / max(total, 1)
    note(f"  node: {share:.0%} of {total / 1e6:.0f} ms in the hot functions")
    check(share > 0.5, f"only {share:.0%} of node's time has its functions")
    nested = [stack for stack, _ in hot if stack[0] == "_start"]
    check(nested, "no stack leads from node's own start to made code")


def check_conserved(server, from_ns, until_ns):
    answer = server.top("{}", from_ns, until_ns)
    check(sum(row["self"] for row in answer["functions"]) == answer["total"], "the parts are not the whole")


def test(stage):
    server = stage.server()
    stage.collector(server, "--window", "2", hz=HZ, prefix=["nice", "-n", "-10"])
    time.sleep(1)
    start_ns = time.time_ns()
    script = stage.path("hot.js")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    node = stage.run("node", ["node", "--perf-basic-prof", script])
    plain = made_code(stage, "file", *NAMES)
    check(plain.wait(30) == 0 and node.wait(60) == 0, plain.log() + node.log())
    linked = made_code(stage, "link", "linked")
    check(linked.wait(30) == 0, linked.log())
    os.unlink(f"/tmp/perf-{node.pid}.map")
    end_ns = time.time_ns()

    def arrived():
        answer = server.top("{}", start_ns, end_ns + 9 * SECOND_NS)
        return answer["total"] > 0 and answer["until"] >= end_ns

    wait_until(arrived, 20, "the last window did not arrive")
    check_by_time(server, plain)
    (_, from_ns, until_ns, _, _) = phases(linked)[0]
    check_link(server, from_ns, until_ns)
    check_node(server, start_ns, end_ns)
    check_conserved(server, start_ns, end_ns)
    counted = counters(stage)
    note("  " + ", ".join(f"{name} {value}" for name, value in counted.items() if "jit" in name))
    check(counted["collector_jit_maps_refused"] == 1, f"{counted['collector_jit_maps_refused']} maps refused, not 1")
    check(counted["collector_jit_frames_named"] > 0, "no frame was named")


play(test)
