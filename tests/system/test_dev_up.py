#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev up` as a person runs it: it says where the page is, shows a table with functions of kernel
and user, and Ctrl-C ends everything that it started. Wrong usage is one line."""

import contextlib
import os
import re
import signal
import subprocess

from harness import CPU, check, note, play, refusal, wait_until

SOURCE = os.environ["CAIRN_SOURCE"]
DEV = os.path.join(SOURCE, "dev")
# It may have to build first.
TABLE_SECONDS_MAX = 600
# All is built then: it takes about three seconds on an idle machine.
SECOND_START_SECONDS_MAX = 30


def children_of(pid):
    """Every process below PID, by number."""
    below, seen = [pid], set()
    while below:
        parent = below.pop()
        for task in os.listdir(f"/proc/{parent}/task"):
            with open(f"/proc/{parent}/task/{task}/children", encoding="ascii") as children:
                new = {int(child) for child in children.read().split()} - seen
            seen |= new
            below += new
    return seen


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def check_usage(stage):
    for argv in ([DEV, "no-such-verb"], [DEV, "up", "--no-such-flag", "x"], [DEV, "up", "--hz"]):
        refusal(argv, 2)
    refusal(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", DEV, "up"], 1)
    server = stage.server(data="other")
    check(server.http in refusal([DEV, "up", "--http", server.http], 1), "the line does not name the port in use")
    server.stop()


def check_export(url):
    """The stacks as text, asked for as the README does."""
    query = ["format=folded", f"query={CPU}{{}}", "from=now-1m", "until=now"]
    argv = ["curl", "-sSfG", url + "api/v1/export"]
    for part in query:
        argv += ["--data-urlencode", part]
    folded = subprocess.run(argv, capture_output=True, text=True)
    lines = folded.stdout.splitlines()
    check(folded.returncode == 0 and len(lines) > 10, f"export: {folded.stderr} {len(lines)} lines")
    wrong = [line for line in lines if not re.fullmatch(r".+ [1-9]\d*", line)]
    check(not wrong, f"export has lines that are no folded stacks: {wrong[:3]}")
    check(any(re.search(";truth_alpha;(.*;)?truth_inner_mix ", line) for line in lines), "export has no inlined call")
    # A name that only libc6-dbg tells.
    check(any(";__libc_start_call_main;" in line for line in lines), "debug files that are installed give no names")


def check_up(stage):
    ports = ["--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]
    dev = stage.run("dev", [DEV, "up", *ports, "--data", stage.path("up-data")])
    url = dev.wait_for(r"the page: (http://\S+)", TABLE_SECONDS_MAX)[1]
    stage.truth(25, threads=1, variant="inlined/whole")
    # What is inlined into truth_alpha and the like takes most of their time.
    dev.wait_for(r"truth_inner_mix", 60)
    table = dev.log()[dev.log().index("a first table") :]
    note(table)
    kernel = re.search(r"\[kernel\]", table)
    check(kernel, "the table has no function of the kernel")
    page = subprocess.run(["curl", "-sSf", url], capture_output=True, text=True)
    check(page.returncode == 0 and "<html" in page.stdout.lower(), f"the page: {page.stderr} {page.stdout[:200]}")

    check_export(url)

    started = children_of(dev.pid)
    check(len(started) >= 2, f"dev started {started}")
    dev.process.send_signal(signal.SIGINT)
    check(dev.wait(60) == 0, "Ctrl-C is not the normal way to end")
    wait_until(lambda: not any(is_running(pid) for pid in started), 10, f"of {started} some still run")


def child_that_runs(pid, program):
    for child in children_of(pid):
        with contextlib.suppress(OSError):
            if os.path.basename(os.readlink(f"/proc/{child}/exe")) == program:
                return child
    return None


def check_death(stage):
    """If a program dies, dev says so with the program's last words, and ends the other."""
    dev = stage.run("dev", [DEV, "up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--data", stage.path("up-data")])
    dev.wait_for(r"the page: (http://\S+)", SECOND_START_SECONDS_MAX)
    # A child is what it is to be only once it has passed setsid and setpriv.
    victim = wait_until(lambda: child_that_runs(dev.pid, "cairn-collector"), 10, "dev started no collector")
    started = children_of(dev.pid)
    os.kill(victim, signal.SIGKILL)
    check(dev.wait(60) == 1, "dev ended well although the collector died")
    check("cairn-collector ended by itself" in dev.log(), "dev does not say what died")
    wait_until(lambda: not any(is_running(pid) for pid in started), 10, f"of {started} some still run")


def test(stage):
    check_usage(stage)
    check_up(stage)
    check_death(stage)


play(test)
