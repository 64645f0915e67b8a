#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Short-lived processes are named: what ran, started by whom, how often and at what cost, without a look
at each. A loop of ps and awk, which no sampler can name, is counted to the last process; its CPU time is
what the kernel told their parent. Adjacent ranges add up; neither a killed server, with batches sent
again, nor a restart changes anything.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from harness import SECOND_NS, binary, check, note, play, wait_until

WINDOW = 2
LOOPS = 40
# As people write it; only the end of the loop is ours.
LOOP = "i=0; while [ $i -lt %d ]; do ps aux | awk '{print $1}' >/dev/null; i=$((i+1)); done" % LOOPS
# Starts no program; the exits of its subshells are ends all the same.
SUBSHELLS = "i=0; while [ $i -lt %d ]; do ( : ); i=$((i+1)); done" % LOOPS


def rows_of(answer):
    return {(row["command"], row["parent"]): row for row in answer["commands"]}


def execs(server, from_ns, until_ns, **query):
    return server.json("/api/v1/execs", **{"from": from_ns, "until": until_ns, "limit": 60000, **query})


def run_loop(shell, text):
    """Runs TEXT in SHELL; the CPU time in ns of the shell's own and all its children's."""
    pid = os.posix_spawn(shell, [os.path.basename(shell), "-c", text], os.environ)
    _, status, usage = os.wait4(pid, 0)
    check(status == 0, f"{shell} ended with {status}")
    return (usage.ru_utime + usage.ru_stime) * 1e9


def check_counts(server, shell, cpu_ns, from_ns):
    """The loop that ran in a shell whose name no other process has."""

    def counted():
        rows = rows_of(execs(server, from_ns, time.time_ns()))
        return rows if rows.get(("awk", shell), {}).get("exits", 0) >= LOOPS else None

    rows = wait_until(counted, 20, f"{LOOPS} runs of awk are not counted")
    # The last ones may just have been freed: their time stands in the window that follows.
    time.sleep(WINDOW + 1)
    rows = rows_of(execs(server, from_ns, time.time_ns()))
    for command in ("ps", "awk"):
        row = rows[command, shell]
        note(f"{command}: {row}")
        check(row["execs"] == LOOPS and row["exits"] == LOOPS, f"{command} ran {LOOPS} times, counted is {row}")
        check(row["bare_exits"] == 0 and row["forks"] == 0, f"{command} never forks: {row}")
        check(row["cpu_ns"] <= row["lifetime_ns"] * 1.01, f"{command} was longer on CPU than there: {row}")
    own = rows[shell, shell]
    note(f"{shell}: {own}")
    check(own["forks"] == 3 * LOOPS, f"the shell made {3 * LOOPS} processes, counted is {own}")
    check(own["bare_exits"] == own["exits"] == LOOPS, f"{LOOPS} subshells ended, counted is {own}")
    said = sum(row["cpu_ns"] for names, row in rows.items() if shell in names)
    note(f"CPU time {said / 1e9:.3f} s, the kernel told the parent {cpu_ns / 1e9:.3f} s")
    check(abs(said - cpu_ns) <= 0.05 * cpu_ns, "the CPU time is off")


def check_named(server, from_ns):
    """The same loop as anybody runs it, among whatever else runs on this host."""
    started = time.time_ns()
    run_loop("/bin/sh", LOOP)
    seconds = (time.time_ns() - started) / SECOND_NS
    time.sleep(WINDOW + 1)
    answer = execs(server, from_ns, time.time_ns(), query='{parent="sh"}')
    check(all(row["parent"] == "sh" for row in answer["commands"]), "a selector of the parent lets others through")
    rows = rows_of(answer)
    for command in ("ps", "awk"):
        row = rows[command, "sh"]
        check(row["exits"] >= LOOPS, f"{command} ran {LOOPS} times under sh, counted is {row}")
        rate = (row["execs"] + row["bare_exits"]) / answer["seconds"]
        check(abs(row["per_second"] - rate) < 1e-3, f"{row} in {answer['seconds']} s is no {rate} a second")
        note(f"{command} under sh: {row['per_second']:.1f} a second; it ran {LOOPS / seconds:.1f} a second for a while")


SUMS = ("execs", "forks", "exits", "bare_exits", "cpu_ns", "lifetime_ns")


def sums_of(answer):
    return {names: [row[name] for name in SUMS] for names, row in rows_of(answer).items()}


def check_ranges(server, from_ns, until_ns):
    whole = sums_of(execs(server, from_ns, until_ns))
    check(whole, "nothing was counted")
    for part in (0.1, 0.33, 0.5, 0.77):
        middle = from_ns + int((until_ns - from_ns) * part)
        both = {}
        for answer in (execs(server, from_ns, middle), execs(server, middle, until_ns)):
            for names, sums in sums_of(answer).items():
                both[names] = [a + b for a, b in zip(both.get(names, [0] * len(SUMS)), sums)]
        check(both == whole, f"two ranges with an edge at {part} of the whole do not add up to it")
    few = execs(server, from_ns, until_ns, limit=3)
    check(len(few["commands"]) == 3 and few["command_count"] == len(whole), "a limit of 3 gives other than 3 rows")
    check(few["rest"]["command_count"] == len(whole) - 3, f"the rest is {few['rest']}")
    for number, name in enumerate(SUMS):
        shown = sum(row[name] for row in few["commands"]) + few["rest"][name]
        check(shown == few["total"][name] == sum(sums[number] for sums in whole.values()), f"{name} does not add up")
    runs = [row["execs"] + row["bare_exits"] for row in few["commands"]]
    check(runs == sorted(runs, reverse=True), f"rows are not sorted: {runs}")


def check_command_line(server):
    said = subprocess.run(
        [binary("cairn"), "top", "--server", server.url, "--execs", "--last", "1m", "--limit", "100"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    check(said.returncode == 0, f"cairn top --execs: {said.returncode} {said.stderr}")
    note(said.stdout[:1500])
    number, time_text = r"\s+[\d.]+", r"\s+[\d.]+ \S+"
    for command in ("ps", "awk"):
        line = rf"^{number}{time_text}{time_text}{time_text}\s+{command}\s+sh$"
        check(re.search(line, said.stdout, re.MULTILINE), f"no line names {command} under sh")


def test(stage):
    server = stage.server()
    http, grpc = server.http, server.grpc
    # A window belongs to the range in which it begins.
    from_ns = time.time_ns() - SECOND_NS
    collector = stage.collector(server, "--window", str(WINDOW))
    collector.wait_for("connected to the server")
    shell = stage.path("stone-sh")
    shutil.copy("/bin/sh", shell)
    cpu_ns = run_loop(shell, LOOP + "; " + SUBSHELLS)
    # What was not acknowledged is sent again.
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    time.sleep(WINDOW)
    server = stage.server(http=http, grpc=grpc)
    check_counts(server, "stone-sh", cpu_ns, from_ns)
    check_named(server, from_ns)
    check_command_line(server)
    collector.stop()
    until_ns = time.time_ns()
    check_ranges(server, from_ns, until_ns)
    before = execs(server, from_ns, until_ns)
    server.stop()
    server = stage.server()
    check(execs(server, from_ns, until_ns) == before, "a restart of the server changed the answer")
    for wrong in ("process_cpu:cpu:nanoseconds:cpu:nanoseconds{}", '{pid="1"}'):
        check(server.get("/api/v1/execs", query=wrong)[0] == 400, f"{wrong} is taken")
    server.stop()


play(test)
