#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Cairn against its bars and writes docs/benchmarks.md: see bars.py for what and how.

./dev bench builds what this needs and calls it. The machine should do nothing else meanwhile; what
it did is written beside the figures.
"""

import argparse
import os
import signal
import sys
import time

import cost
import growth
import host
import kept_report
import measure_collector
import measure_page
import measure_server
import measure_store
import measure_symbols
import measure_unwind
import measure_uploads
import table
from bars import BENCHES
from session import Findings, Session, harness

RUN = {
    "idle": measure_collector.idle,
    "busy": measure_collector.busy,
    "start": measure_collector.start,
    "frames": measure_collector.frames,
    "unwind": measure_unwind.unwind,
    "ingest": measure_server.ingest,
    "uploads": measure_uploads.uploads,
    "store": measure_store.store,
    "symbols": measure_symbols.symbols,
    "page": measure_page.page,
}
REPORT = "docs/benchmarks.md"
WINDOW_SECONDS = 10


def options_of(arguments):
    names = [bench.name for bench in BENCHES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="where the programs were built")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of " + ", ".join(names) + "; printed, not written; default: all, written")
    parser.add_argument("--seconds", type=int, default=WINDOW_SECONDS, help="of one round: a multiple of the window")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--evictions", type=int, default=1_000_000, metavar="STACKS", help="checked while tables are taken back in a loop: a million takes a quarter of an hour")
    parser.add_argument("--quick", action="store_true", help="one round, one rate, less data, to try things; printed, not written")
    parser.add_argument("--again", action="store_true", help="measure nothing: write the report of the last whole run again")
    parser.add_argument("--into-report", action="store_true", help=f"put what these benches find into {REPORT}, beside what an earlier run found")
    parser.add_argument("--out", default="", help=f"where to write; {REPORT} for a whole run")
    options = parser.parse_args(arguments)
    options.partial = bool(options.names)
    # What comes in, comes by either way.
    if "ingest" in options.names and "uploads" not in options.names:
        options.names.append("uploads")
    options.names = options.names or names
    unknown = set(options.names) - set(names)
    if unknown:
        parser.error(f"there is no bench {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if options.rounds < 1 or options.seconds < WINDOW_SECONDS or options.seconds % WINDOW_SECONDS:
        parser.error(f"--rounds is at least 1, --seconds a multiple of {WINDOW_SECONDS}")
    if options.quick and options.into_report:
        parser.error("what --quick finds is for no report")
    if options.quick:
        options.rounds = 1
    elif options.into_report:
        options.out = REPORT
    elif not options.partial:
        options.out = options.out or REPORT
    return options


def measure(session, names):
    """Runs the benches of NAMES; returns those that failed. What the others found still counts."""
    failed = []
    with cost.bpf_run_times():
        for session.name in names:
            harness.note(f"{session.name}:")
            try:
                RUN[session.name](session)
            except (harness.Failure, OSError, KeyError, RuntimeError) as failure:
                harness.note(f"  {session.name} failed: {failure!r}")
                failed.append(session.name)
    return failed


def command_of(arguments):
    """As a person types it."""
    return " ".join(["./dev bench", *(word for word in arguments if word != "--build" and not word.startswith("build/"))])


def kept_path(options):
    """Where the findings of a whole run are kept, for a report with other words."""
    return os.path.join(options.build, "bench", "findings.json")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(options):
    """Measures; returns the findings and the benches that failed."""
    session = Session(options.build, options.rounds, options.seconds, options.quick)
    session.eviction_stacks = min(options.evictions, 50_000) if options.quick else options.evictions
    session.clean()
    machine = host.machine(session.folder)
    failed = measure(session, options.names)
    return Findings(machine, command_of(sys.argv[1:]), options.names, session.results, session.accounts), failed


def main():
    options = options_of(sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # by way of what ends the programs
    began, failed = time.monotonic(), []
    if options.again:
        with open(kept_path(options), encoding="utf-8") as kept:
            findings = Findings.read(kept.read())
    else:
        findings, failed = run(options)
    if options.into_report and not failed:
        with open(REPORT, encoding="utf-8") as report:
            findings = kept_report.put(kept_report.read(report.read()), findings)
    text = table.report(findings)
    if options.out and not failed:
        if not options.partial:
            write(kept_path(options), findings.text())
        write(options.out, text)
        if options.out == REPORT:
            for name, plot in growth.plots(findings.results).items():
                write(os.path.join(os.path.dirname(REPORT), name), plot)
    else:
        print(text)
    harness.note(f"{time.monotonic() - began:.0f} s" + (f", written to {options.out}" if options.out and not failed else ""))
    if failed:
        sys.exit(f"bench: not measured: {', '.join(failed)}")


if __name__ == "__main__":
    main()
