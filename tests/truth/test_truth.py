#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The truth program tells the truth: what it reports is what the kernel charged it, its shares are
the intended ones at any moment, and its names are in its debug files and nowhere else."""

import json
import os
import resource
import subprocess
import sys
import tempfile

INTENDED = {"truth_alpha": 40, "truth_beta": 25, "truth_callback": 15, "truth_kernel": 20}
SECONDS = 3
THREADS = 3
# The longest slice of a thread: so much may a part be ahead or behind.
SLICE_NS = 20e6


def check(condition, text):
    if not condition:
        sys.exit(f"failed: {text}")


def children_cpu_ns():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e9


def names_in(path, *options):
    out = subprocess.run(["nm", *options, path], capture_output=True, text=True).stdout
    return {line.split()[-1] for line in out.splitlines() if line}


def check_shares(used, where):
    total = sum(used.values())
    for name, percent in INTENDED.items():
        share = 100 * used[name] / total
        check(abs(share - percent) <= 0.5 + 100 * THREADS * SLICE_NS / total, f"{where}: {name} has {share:.2f} %, not {percent}")


def check_run(program):
    with tempfile.NamedTemporaryFile() as report:
        before = children_cpu_ns()
        subprocess.run(
            [program, "--seconds", str(SECONDS), "--threads", str(THREADS), "--report", report.name], check=True
        )
        charged = children_cpu_ns() - before
        lines = [json.loads(line) for line in open(report.name)]
    last, middle = lines[-1], lines[len(lines) // 2]
    used = sum(last["cpu_ns"].values())
    check(len(lines) > SECONDS * 5, f"{len(lines)} reports in {SECONDS} s")
    check(used > 0.1e9 * SECONDS, f"only {used / 1e9:.2f} s of CPU time used")
    check(abs(last["process_cpu_ns"] - charged) < 0.02 * charged, f"reports {last}, was charged {charged}")
    check(0.97 * charged < used < 1.01 * charged, f"parts add up to {used} of {charged}")
    check_shares(last["cpu_ns"], "whole run")
    check_shares({n: last["cpu_ns"][n] - middle["cpu_ns"][n] for n in INTENDED}, "second half")


def check_names(folder):
    check(not names_in(f"{folder}/truth"), "the program has a symbol table")
    debug = names_in(f"{folder}/debug/truth.debug")
    for name in [*INTENDED, "truth_through_library"]:
        check(name in debug, f"{name} is not in the debug file")
    check("truth_library_repeat" in names_in(f"{folder}/truthlib.so", "-D"), "the library exports nothing")
    inlined = not any(name.startswith("truth_inner_") for name in debug)
    check(inlined == (os.path.basename(folder) == "inlined"), "inlining is not as the folder's name says")


def main():
    for variant in ("inlined", "plain"):
        folder = os.path.join(sys.argv[1], variant)
        check_names(folder)
        check_run(os.path.join(folder, "truth"))
    refused = subprocess.run([f"{folder}/truth", "--seconds", "0"], capture_output=True, text=True)
    check(refused.returncode == 2 and refused.stderr.count("\n") == 1, f"--seconds 0: {refused}")


main()
