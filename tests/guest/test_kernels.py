#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One of Debian's kernels, emulated, with what ships: every kernel test passes there; collector and server
say of the truth program what it did, each share within 5 points; the features that the collector does
without are those of docs/kernel.md.

    test_kernels.py RELEASE        with CAIRN_BUILD, CAIRN_SOURCE in the environment
"""

import concurrent.futures
import contextlib
import glob
import json
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.parse

from guest import ANSWERING, BOOT_SECONDS_MAX, Guest, GuestFailure, Root
from kernels import NoKernel, kernel

BUILD, SOURCE = os.environ["CAIRN_BUILD"], os.environ["CAIRN_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "system"))
from harness import CPU, SECOND_NS, Failure, at, check, note, wait_until  # noqa: E402

SHARE_POINTS_MAX = 5.0
# No tick is late on a steady machine, so that of a thousand samples few are missing.
TOTAL_PERCENT_MAX = 5.0
# Of the guest. Of 1800 samples, a share of two fifths has a standard deviation of 1.2 points.
SECONDS = 20
HZ = 99
# An emulated CPU is ten times slower, and it shares ours with whatever else runs.
TEST_SECONDS_MAX = 120
READY_SECONDS_MAX = 60
NAMED_SECONDS_MAX = 90
API = "http://127.0.0.1:4040/api/v1"
# The one that needs a second CPU, to switch it off; a machine with two keeps no exact time.
TWO_CPU_TEST = "test_cpus"
# Programs that some tests sample.
PROGRAMS = ("program_calls", "program_chain", "program_signals")
ARGUMENTS = {
    "test_budget": "budget.txt",
    TWO_CPU_TEST: "switch-cpus",
    "test_sampling": "397",
    "test_libdwfl": "./program_calls",
    "test_signals": "./program_signals",
    "test_eviction": "./program_chain 300 397",
}


def kernel_tests():
    paths = glob.glob(os.path.join(SOURCE, "tests", "kernel", "test_*.c"))
    names = sorted(os.path.basename(path).removesuffix(".c") for path in paths)
    check(TWO_CPU_TEST in names and "test_budget" in names, f"the kernel tests are {names}")
    return names


def make_root():
    root = Root(ANSWERING)
    for name in ("cairn-server", "cairn-collector", "cairn"):
        root.program(os.path.join(BUILD, "bin", name))
    # With its symbols, as somebody's own build has them: the collector uploads them.
    root.program(os.path.join(BUILD, "tests", "truth", "plain", "whole", "truth"), "/truth/truth")
    # busybox has none; truth gets nearly all of its CPU by it, so that little is left to chance.
    root.program(shutil.which("nice"))
    for name in kernel_tests():
        root.program(os.path.join(BUILD, "tests", "kernel", name), "/tests/" + name)
    for name in PROGRAMS:
        root.program(os.path.join(BUILD, "tests", "kernel", name), "/tests/" + name)
    root.file(os.path.join(SOURCE, "tests", "kernel", "budget.txt"), "/tests/budget.txt")
    return root


@contextlib.contextmanager
def machine(found, folder, name, **options):
    """A machine that answers; what it had to say is shown if the test fails."""
    own = os.path.join(folder, name)
    os.mkdir(own)
    started = time.monotonic()
    with Guest(found, os.path.join(folder, "initramfs"), own, **options) as guest:
        guest.wait_for("answering", BOOT_SECONDS_MAX)
        version = guest.ask("uname -r").strip()
        note(f"  {name}: Linux {version} answers after {time.monotonic() - started:.1f} s")
        check(version.startswith(found.release + "."), f"that is no {found.release}")
        try:
            yield guest
        except Failure:
            for log in guest.try_ask("ls /tmp/*.log 2>/dev/null")[1].split():
                said = guest.try_ask(f"tail -n 15 {log}")[1].strip()
                note(f"  {log} in {name}:\n    " + said.replace("\n", "\n    "))
            raise


def run_kernel_tests(guest, names):
    for name in names:
        started = time.monotonic()
        status, said = guest.try_ask(f"cd /tests && ./{name} {ARGUMENTS.get(name, '')}", TEST_SECONDS_MAX)
        note(f"  {name}: {'passed' if status == 0 else 'FAILED'} in {time.monotonic() - started:.1f} s")
        if status or name == "test_budget":
            note("    " + said.strip().replace("\n", "\n    "))
        check(status == 0, f"{name} ended with {status}")


# --- the profile -----------------------------------------------------------------------------------


def start_programs(guest):
    guest.ask("cairn-server --data /tmp/data >/tmp/server.log 2>&1 &")
    ready = "wget -qO- http://127.0.0.1:4040/readyz"
    wait_until(lambda: guest.try_ask(ready)[0] == 0, READY_SECONDS_MAX, "the server is not ready")
    guest.ask(f"cairn-collector --hz {HZ} >/tmp/collector.log 2>&1 &")
    samples = "grep -q 'connected to the server' /tmp/collector.log"
    wait_until(lambda: guest.try_ask(samples)[0] == 0, READY_SECONDS_MAX, "the collector does not connect")


def run_truth(guest):
    """Runs the truth program to its end; returns its pid and its reports."""
    truth = f"/truth/truth --seconds {SECONDS} --threads 2 --report /tmp/report"
    guest.ask(f"nice -n -10 {truth} & echo $! >/tmp/pid; wait $!", SECONDS + TEST_SECONDS_MAX)
    reports = [json.loads(line) for line in guest.ask("cat /tmp/report").splitlines()]
    return int(guest.ask("cat /tmp/pid")), reports


def get(guest, path, **query):
    """What the server in there answers."""
    return json.loads(guest.ask(f"wget -qO- '{API}/{path}?{urllib.parse.urlencode(query)}'"))


def top_of_truth(guest, pid, from_ns, until_ns):
    """The table of the truth program, once its last window has come and the names are there."""
    query = {"query": f'{CPU}{{process="truth",pid="{pid}"}}', "from": from_ns, "until": until_ns, "limit": 10000}

    def named():
        hosts = get(guest, "status")["hosts"]
        if not hosts or hosts[0]["last_seen"] < until_ns:
            return None
        top = get(guest, "top", **query)
        return "truth_alpha" in {function["name"] for function in top["functions"]} and top

    return wait_until(named, NAMED_SECONDS_MAX, "the profile of the truth program, with its names, is not there")


def check_shares(top, parts):
    said = {}
    for function in top["functions"]:
        said[function["name"]] = said.get(function["name"], 0) + function["total"]
    worst = 0.0
    for name, part_ns in parts.items():
        truth, share = 100 * part_ns / sum(parts.values()), 100 * said.get(name, 0) / top["total"]
        note(f"  {name:16} {share:6.2f} %  truth {truth:6.2f} %  {share - truth:+.2f}")
        worst = max(worst, abs(share - truth))
    check(worst <= SHARE_POINTS_MAX, f"a share is off by {worst:.2f} points")


def check_profile(guest):
    pid, reports = run_truth(guest)
    from_ns, until_ns = reports[0]["at_ns"] + SECOND_NS, reports[-1]["at_ns"] - SECOND_NS // 2
    top = top_of_truth(guest, pid, from_ns, until_ns)
    start, end = at(reports, from_ns), at(reports, until_ns)
    off = 100 * (top["total"] / (end[0] - start[0]) - 1)
    note(f"  {top['sample_count']} samples stand for {top['total'] / 1e9:.2f} s, {off:+.2f} % of what the program used")
    check_shares(top, {name: end[1][name] - start[1][name] for name in end[1]})
    check(abs(off) <= TOTAL_PERCENT_MAX, f"the total is off by {off:.2f} %")


# --- features --------------------------------------------------------------------------------------


def documented(release):
    """{feature: why it is off, or "" where it is on} of the table in docs/kernel.md for RELEASE."""
    with open(os.path.join(SOURCE, "docs", "kernel.md"), encoding="utf-8") as file:
        section = re.search(r"^## Features by kernel\n(.*?)(?=^## |\Z)", file.read(), re.MULTILINE | re.DOTALL)
    check(section, "docs/kernel.md has no section Features by kernel")
    lines = [line for line in section[1].splitlines() if line.startswith("|")]
    head, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    check(release in head and head[-1] == "why off", f"the table of features has the columns {head}")
    column = head.index(release)
    return {row[0].strip("`"): row[-1] if row[column] == "off" else "" for row in rows[1:]}


def check_features(guest, release):
    said = {f["name"]: f["reason"] if f["state"] != "on" else "" for f in get(guest, "status")["hosts"][0]["features"]}
    check(said, "the status lists no features")
    off = {name: reason for name, reason in said.items() if reason}
    for name, reason in off.items():
        note(f"  off: {name}: {reason}")
    note(f"  features: {len(said) - len(off)} on, {len(off)} off")
    for name, reason in documented(release).items():
        check(name in said, f"docs/kernel.md names the feature {name}, which the status does not know")
        check(
            said.pop(name) == reason,
            f"on {release} the feature {name} is {off.get(name) or 'on'!r}, docs/kernel.md says {reason or 'on'!r}",
        )
    check(not said, f"features that docs/kernel.md does not list: {', '.join(said)}")


# --- the test --------------------------------------------------------------------------------------


def on_one_cpu(found, folder):
    with machine(found, folder, "one CPU", cpus=1, steady=True) as guest:
        run_kernel_tests(guest, [name for name in kernel_tests() if name != TWO_CPU_TEST])
        start_programs(guest)
        check_profile(guest)
        check_features(guest, found.release)


def on_two_cpus(found, folder):
    with machine(found, folder, "two CPUs") as guest:
        run_kernel_tests(guest, [TWO_CPU_TEST])


def test(release, folder):
    started = time.monotonic()
    found = kernel(release)
    note(f"{found.package}")
    make_root().pack(found, os.path.join(folder, "initramfs"))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        machines = [pool.submit(run, found, folder) for run in (on_one_cpu, on_two_cpus)]
        for running in machines:
            running.result()
    note(f"passed in {time.monotonic() - started:.1f} s")


def main():
    folder = tempfile.mkdtemp(prefix="cairn-kernels-")
    try:
        test(sys.argv[1], folder)
    except (Failure, GuestFailure, NoKernel) as failure:
        sys.exit(f"failed: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
