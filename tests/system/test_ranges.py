#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges of time, asked for over HTTP: what adjacent ranges hold adds up to what the whole one holds, for
cuts at any second; an empty range has an empty answer; and neither a restart nor a kill in the middle
changes an answer.

The data are a real collector's, and days of made-up ones from power_push. CAIRN_SEED repeats the cuts.
"""

import json
import os
import random
import time

from harness import CPU, SECOND_NS, check, note, play, sleep_until, tool, wait_until

SECONDS = 12
CUTTINGS = 25
QUERY = CPU + "{}"
HOURS_BACK = 47
RUN_SECONDS = 10_000  # of power_push: what one run of batches lies over
BATCHES_A_RUN = 40


def empty(answer):
    """Whether an answer tells of no sample at all."""
    numbers = ("total", "sample_count", "count", "function_count", "value_count", "group_count", "command_count")
    lists = ("functions", "hosts", "processes", "types", "labels", "series", "modules", "commands", "values")
    found = [answer[name] for name in numbers if name in answer]
    return not any(any(number.values()) if isinstance(number, dict) else number for number in found) and not any(
        any(answer[name]) if name == "values" else answer[name] for name in lists if name in answer
    )


def questions(server, from_ns, until_ns):
    """(path, fields) of everything that is asked with a range."""
    timed = {"from": from_ns, "until": until_ns}
    typed = {"query": QUERY, **timed}
    sides = {"query": QUERY, "left_from": from_ns, "left_until": until_ns, "right_from": from_ns, "right_until": until_ns}
    return [
        ("flame", typed),
        ("top", typed),
        ("diff", sides),
        ("diff", {**sides, "view": "functions"}),
        ("series", typed),
        ("series", {**typed, "by": "host"}),
        ("heatmap", typed),
        ("symbols", typed),
        ("export", {**typed, "format": "folded"}),
        ("hosts", timed),
        ("processes", timed),
        ("types", timed),
        ("labels", timed),
        ("labels", {**timed, "name": "process"}),
        ("execs", timed),
    ]


def lasting(answer):
    """Without what a server tells of hosts since it started (docs/api.md)."""
    for host in answer.get("hosts", []):
        host.pop("clock_skew_ns")
    return answer


def answers(server, from_ns, until_ns):
    found = {}
    for path, fields in questions(server, from_ns, until_ns):
        status, body = server.get("/api/v1/" + path, **fields)
        check(status == 200, f"/api/v1/{path} {fields}: {status} {body[:300]!r}")
        found[f"{path} {json.dumps(fields)}"] = body if path == "export" else lasting(json.loads(body))
    return found


def stacks_of(server, from_ns, until_ns):
    return {";".join(stack): value for stack, value in server.folded("{}", from_ns, until_ns)}


def added(parts):
    total = {}
    for part in parts:
        for stack, value in part.items():
            total[stack] = total.get(stack, 0) + value
    return total


def check_cut(server, edges):
    """All adjacent ranges between EDGES hold together what the whole does, stack by stack."""
    whole = stacks_of(server, edges[0], edges[-1])
    parts = added(stacks_of(server, *pair) for pair in zip(edges, edges[1:]))
    wrong = {stack for stack in whole.keys() | parts.keys() if whole.get(stack) != parts.get(stack)}
    shown = [(stack[-80:], whole.get(stack), parts.get(stack)) for stack in sorted(wrong)[:3]]
    check(not wrong, f"cut at {edges}: {len(wrong)} of {len(whole)} stacks differ: {shown}")
    return sum(whole.values())


def check_adjacent(server, chance, from_ns, until_ns, step_ns):
    total = 0
    for _ in range(CUTTINGS):
        count = (until_ns - from_ns) // step_ns
        inner = chance.sample(range(1, count), min(count - 1, chance.randint(1, 6)))
        total = check_cut(server, [from_ns, *(from_ns + cut * step_ns for cut in sorted(inner)), until_ns])
    check(total > 0, "nothing was there to be cut")
    note(f"{CUTTINGS} times cut at multiples of {step_ns / SECOND_NS:g} s: {total / SECOND_NS:.2f} s of CPU, all there")


def check_series_adds_up(server, from_ns, until_ns):
    """Each step of values over time holds what a question for that step holds."""
    answer = server.json("/api/v1/series", query=QUERY, step="1s", **{"from": from_ns, "until": until_ns})
    whole = sum(stacks_of(server, from_ns, until_ns).values())
    check(sum(answer["values"]) == answer["total"] == whole, f"series: {sum(answer['values'])}, {answer['total']}, {whole}")
    for i in range(0, answer["step_count"], 3):
        start = answer["start"] + i * answer["step"]
        asked = sum(stacks_of(server, start, start + answer["step"]).values())
        check(asked == answer["values"][i], f"step {i} of the series has {answer['values'][i]}, asked for alone {asked}")
    cells = server.json("/api/v1/heatmap", query=QUERY, **{"from": from_ns, "until": until_ns})
    check(sum(cells["values"]) == cells["total"] == whole, f"heat map: {sum(cells['values'])}, {cells['total']}, {whole}")
    note(f"{answer['step_count']} steps and {len(cells['values'])} cells add up")


def check_empty(server, at_ns):
    for name, answer in answers(server, at_ns, at_ns).items():
        is_empty = not answer if isinstance(answer, bytes) else empty(answer)
        check(is_empty, f"an empty range is not empty: {name}: {str(answer)[:300]}")
    status, body = server.get("/pyroscope/render", query=QUERY, **{"from": at_ns // 10**6, "until": at_ns // 10**6})
    check(status == 400 and json.loads(body)["code"] == "invalid_argument", f"/pyroscope/render: {status} {body[:200]!r}")
    note("an empty range is answered, and is empty")


def check_same(before, server, what):
    for range, expected in before.items():
        after = answers(server, *range)
        for name, answer in expected.items():
            found = after[name]
            # What was looked for, and when, is not remembered.
            if name.startswith("symbols"):
                continue
            check(found == answer, f"after {what} {name} is another: {str(answer)[:400]} ... {str(found)[:400]}")
    note(f"after {what}: {sum(map(len, before.values())) - len(before)} answers are the same")


def push_days(stage, server, from_s):
    """Batches of a made-up host over two days."""
    port = server.grpc.rpartition(":")[2]
    for run in range(HOURS_BACK * 3600 // RUN_SECONDS):
        argv = [tool("../guest/power_push"), port, str(run), "0", str(BATCHES_A_RUN), str(from_s)]
        pushed = stage.run("power_push", argv)
        check(pushed.wait(60) == 0, f"power_push failed: {pushed.log()[-300:]}")
        check(pushed.log().count("stored ") == BATCHES_A_RUN, f"not all were stored: {pushed.log()[-300:]}")


def record(stage, server):
    """Real samples: [from, until) on the second."""
    # Nothing is to get a name between two questions: the kernel's are there first, others never come.
    collector = stage.collector(server, "--window", "2", "--upload", "never", hz=199)
    server.wait_for(r"symbols of \[kernel\]")
    truth = stage.truth(SECONDS + 10, threads=2)
    from_ns = (time.time_ns() // SECOND_NS + 2) * SECOND_NS
    live = from_ns, from_ns + SECONDS * SECOND_NS
    sleep_until(live[1] + SECOND_NS)
    truth.kill()
    collector.stop()
    return live


def test(stage):
    seed = int(os.environ.get("CAIRN_SEED") or time.time_ns() % 1_000_000)
    note(f"CAIRN_SEED={seed}")
    chance = random.Random(seed)
    server = stage.server()
    days_from = int(time.time()) - HOURS_BACK * 3600
    push_days(stage, server, days_from)
    live = record(stage, server)
    days = (days_from * SECOND_NS, (days_from + HOURS_BACK * 3600) * SECOND_NS)
    check_adjacent(server, chance, *live, SECOND_NS)
    check_adjacent(server, chance, *days, SECOND_NS)
    check_series_adds_up(server, *live)
    check_empty(server, live[0] + 5 * SECOND_NS)
    odd = (days[0] + 12_345 * SECOND_NS, days[0] + 98_765 * SECOND_NS)
    before = {range: answers(server, *range) for range in (live, days, odd)}
    server.stop()
    server = stage.server()
    check_same(before, server, "a restart")
    server.kill()
    server = stage.server()
    check_same(before, server, "a kill")
    check_adjacent(server, chance, *live, SECOND_NS)
    server.stop()


play(test)
