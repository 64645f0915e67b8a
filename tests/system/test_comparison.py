#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of one program, one after the other: the comparison says by how much `slow` grew, what is
new and what is gone, and calls everything else noise; `cairn diff --fail-if` fails a build by it."""

import json
import os
import subprocess
import time

from harness import CPU, SECOND_NS, binary, check, note, play, sleep_until, slot_floor, tool, wait_until

SECONDS = 12
POINTS_MAX = 3.0
QUERY = CPU + '{process="two_builds"}'
# What each build spends where, in percent.
TRUTH = {"steady": (35, 35), "even": (25, 25), "slow": (10, 30), "before": (30, 0), "after": (0, 10)}


def record(stage, build):
    program = stage.run("two_builds", [tool(f"build_{build}/two_builds"), str(SECONDS + 3)], niceness=-10)
    from_ns = slot_floor(time.time_ns() + SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    sleep_until(until_ns)
    check(program.wait(20) == 0, f"build {build} failed")
    return from_ns, until_ns


def sides_of(left, right):
    return {"left_from": left[0], "left_until": left[1], "right_from": right[0], "right_until": right[1]}


def check_functions(answer):
    rows = {row["name"]: row for row in answer["functions"]}
    for name, (before, after) in TRUTH.items():
        row = rows[name]
        shares = 100 * row["left_share"], 100 * row["right_share"]
        note(f"{name:8} {shares[0]:6.2f} % -> {shares[1]:6.2f} %, truth {before} -> {after}, p {row['p']:.4f}")
        check(abs(shares[0] - before) <= POINTS_MAX and abs(shares[1] - after) <= POINTS_MAX, f"{name}: {shares}")
        check(row["changed"] == (before != after), f"{name}: changed is {row['changed']}")
    # Interrupts that the host served meanwhile are no part of the program.
    flagged = {name for name, row in rows.items() if row["changed"] and row["module"] != "[kernel]"}
    check(flagged == {"slow", "before", "after"}, f"changed: {flagged}")
    check(answer["functions"][0]["name"] in ("slow", "before"), "what changed most does not stand first")


def check_tree(tree):
    names = [tree["names"][name] for name in tree["name"]]
    sides = tree["left"], tree["right"]
    for key, side in zip(("left_totals", "right_totals"), sides):
        check(tree[key][0] == side["total"], f"{key} of the root is not the total")
        # Parents hold what their children have, on each side.
        child = 1
        for node, count in enumerate(tree["child_count"]):
            check(sum(tree[key][child : child + count]) <= tree[key][node], f"{key}: children outgrow {names[node]}")
            child += count
    check(names.count("slow") == 1 and names.count("steady") == 1, "two builds of a function are two nodes")
    gone, new = names.index("before"), names.index("after")
    check(tree["right_totals"][gone] == 0 and tree["left_totals"][gone] > 0, "what is gone has no place")
    check(tree["left_totals"][new] == 0 and tree["right_totals"][new] > 0, "what is new has no place")


def diff(server, sides, *flags):
    def span(side):
        return f"{sides[side + '_from']}..{sides[side + '_until']}"

    argv = [binary("cairn"), "diff", "--server", server.url, "--query", QUERY]
    argv += ["--left", span("left"), "--right", span("right"), *flags]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def check_command(server, sides):
    for rule, status in (("^slow$>+5%", 1), ("^slow$>+25%", 0), ("slow>x2", 1), ("steady>x1.2", 0), ("nothing>+1%", 0)):
        ran = diff(server, sides, "--fail-if", rule)
        check(ran.returncode == status, f"--fail-if {rule} ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
    ran = diff(server, sides)
    note(ran.stdout)
    check(ran.returncode == 0 and "gone   before" in ran.stdout and "new    after" in ran.stdout, "the table says less")
    empty = {**sides, "left_from": 1, "left_until": 2}
    ran = diff(server, empty, "--fail-if", "slow>+5%")
    check(ran.returncode == 1 and "left side has no samples" in ran.stderr, f"an empty side: {ran.stderr}")


def check_page(stage, server, left, right):
    """The page says the same of both builds, and selects on its charts."""

    def milliseconds(span):
        return f"{span[0] // 1_000_000}..{span[1] // 1_000_000}"

    environment = {
        **os.environ,
        "CAIRN_URL": server.url,
        "CAIRN_PROCESS": "two_builds",
        "CAIRN_LEFT": milliseconds(left),
        "CAIRN_RIGHT": milliseconds(right),
        "HOME": stage.folder,
    }
    story = os.path.join(os.environ["CAIRN_SOURCE"], "tests/browser/compare_story.mjs")
    words = json.dumps({"slow": "sure", "before": "gone", "after": "new"})
    told = subprocess.run(["node", story, words], env=environment, capture_output=True, text=True, timeout=150, check=False)
    note(told.stdout[-6000:])
    check(told.returncode == 0, f"the story ended with {told.returncode}: {told.stderr[-3000:]}")


def check_halves(server, left):
    """A build against itself: nothing that has more than 1 % of the time is called a change."""
    middle = left[0] + (left[1] - left[0]) // 2
    halves = sides_of((left[0], middle), (middle, left[1]))
    answer = server.json("/api/v1/diff", query=QUERY, view="functions", **halves)
    large = [row for row in answer["functions"] if row["left_share"] > 0.01]
    flagged = [row["name"] for row in large if row["changed"]]
    check(len(large) >= 4 and len(flagged) <= 1, f"of {len(large)} functions of one build changed: {flagged}")


def test(stage):
    server = stage.server()
    collector = stage.collector(server, "--window", "2", hz=399)
    wait_until(lambda: server.json("/api/v1/status")["hosts"], 20, "nothing arrives")
    left, right = record(stage, 1), record(stage, 2)
    sides = sides_of(left, right)

    def named():
        functions = {row["name"] for row in server.top('{process="two_builds"}', left[0], right[1])["functions"]}
        return {"before", "after"} <= functions

    wait_until(named, 20, "the program has no names")
    collector.stop()
    answer = server.json("/api/v1/diff", query=QUERY, view="functions", **sides)
    check_functions(answer)
    check_tree(server.json("/api/v1/diff", query=QUERY, **sides))
    check_command(server, sides)
    check_halves(server, left)
    check_page(stage, server, left, right)
    server.stop()


play(test)
