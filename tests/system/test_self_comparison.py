#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program compared with itself over 50 pairs of minutes: of what has more than 1 % of the time, at most
5 % is called a change.

A hundred minutes are not waited for. Two programs are sampled for some seconds, beside whatever else this
machine does, in windows of a second; tool/replay.c draws minutes from these windows. So a minute's noise
is real from window to window; what changes more slowly than that is not in it. The minutes that were
recorded one after the other are compared as well, as many as there are: CAIRN_RECORD_SECONDS (40) can
be an hour.
"""

import os
import time

from harness import CPU, SECOND_NS, check, note, play, tool, wait_until

RECORD_SECONDS = 40
PAIRS = 50
MINUTE_NS = 60 * SECOND_NS
SHARE_MIN = 0.01
FLAGGED_MAX = 0.05
P_MAX = 0.01  # docs/api.md: what is called changed
PROGRAMS = ("truth", "two_builds")


def record(stage, seconds):
    """A data folder with SECONDS of both programs, and where they lie in time."""
    server = stage.server(data="recorded")
    collector = stage.collector(server, "--window", "1", hz=199)
    wait_until(lambda: server.json("/api/v1/status")["hosts"], 20, "nothing arrives")
    programs = [stage.truth(seconds + 6, threads=2), stage.run("two_builds", [tool("build_1/two_builds"), str(seconds + 6)])]
    time.sleep(2)
    from_ns = time.time_ns()
    time.sleep(seconds)
    until_ns = time.time_ns()
    collector.stop()
    for program in programs:
        program.kill()
    return server, from_ns, until_ns


def compare(server, program, left, right):
    """(nodes above SHARE_MIN, those of them that are called changed) of both views."""
    sides = {"left_from": left[0], "left_until": left[1], "right_from": right[0], "right_until": right[1]}
    query = CPU + f'{{process="{program}"}}'
    tree = server.json("/api/v1/diff", query=query, **sides)
    totals = tree["left"]["total"], tree["right"]["total"]
    check(min(totals) > 0, f"{program}: a side is empty: {totals}")
    shares = [max(a / totals[0], b / totals[1]) for a, b in zip(tree["left_totals"], tree["right_totals"])]
    nodes = [p for share, p in zip(shares, tree["p"]) if share > SHARE_MIN]
    rows = server.json("/api/v1/diff", query=query, view="functions", **sides)["functions"]
    functions = [row["changed"] for row in rows if max(row["left_share"], row["right_share"]) > SHARE_MIN]
    return len(nodes), sum(p < P_MAX for p in nodes), len(functions), sum(functions)


def compare_pairs(server, program, pairs, what):
    found = [compare(server, program, *pair) for pair in pairs]
    nodes, flagged, functions, changed = map(sum, zip(*found))
    text = f"{program}, {len(pairs)} pairs of {what}: {flagged} of {nodes} nodes and {changed} of {functions} functions are called changed"
    note(text)
    return text, flagged, nodes, changed, functions


def adjacent(from_ns, count, length_ns):
    """COUNT pairs of stretches of time that follow each other."""
    edges = [from_ns + i * length_ns for i in range(2 * count + 1)]
    return [((edges[i], edges[i + 1]), (edges[i + 1], edges[i + 2])) for i in range(0, 2 * count, 2)]


def check_drawn(stage, seed):
    from_s = int(time.time()) - 2 * PAIRS * 60 - 60
    until_s = from_s + 2 * PAIRS * 60
    target = stage.new_folder("drawn")
    argv = [tool("replay"), stage.path("recorded"), target, str(from_s), str(until_s), str(seed)]
    replay = stage.run("replay", argv)
    check(replay.wait(120) == 0, f"replay failed: {replay.log()[-300:]}")
    note(replay.log().strip())
    server = stage.server(data="drawn")
    for program in PROGRAMS:
        pairs = adjacent(from_s * SECOND_NS, PAIRS, MINUTE_NS)
        text, flagged, nodes, changed, functions = compare_pairs(server, program, pairs, "minutes that were drawn")
        check(nodes >= 4 * PAIRS and functions >= 4 * PAIRS, f"too little to judge: {text}")
        check(flagged <= FLAGGED_MAX * nodes and changed <= FLAGGED_MAX * functions, text)
    server.stop()


def test(stage):
    seconds = int(os.environ.get("CAIRN_RECORD_SECONDS") or RECORD_SECONDS)
    seed = int(os.environ.get("CAIRN_SEED") or time.time_ns() % 1_000_000)
    note(f"{seconds} s recorded, CAIRN_SEED={seed}")
    server, from_ns, until_ns = record(stage, seconds)
    length_ns = MINUTE_NS if until_ns - from_ns >= 2 * MINUTE_NS else 10 * SECOND_NS
    pairs = adjacent(from_ns, (until_ns - from_ns) // length_ns // 2, length_ns)
    for program in PROGRAMS:
        text, flagged, nodes, changed, functions = compare_pairs(server, program, pairs, f"{length_ns // SECOND_NS} s as recorded")
        # Of few pairs, one that is unlucky is more than the share that is allowed.
        if len(pairs) >= PAIRS:
            check(flagged <= FLAGGED_MAX * nodes and changed <= FLAGGED_MAX * functions, text)
    server.stop()
    check_drawn(stage, seed)


play(test)
