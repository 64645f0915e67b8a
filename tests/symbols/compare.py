#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py TOOL [--whole] [--show N] [GROUP...]: chains, lines and names against llvm-symbolizer's.

For each sampled address of .text of each file: are as many calls inlined, are all lines the same, all
names? Without --whole some files that need nothing but compilers, with it all. Exit status 1 if one
misses a bar."""

import argparse
import shutil
import sys
import tempfile
import time

import subjects
import symbolizers

DEPTH_MIN, LINES_MIN, NAMES_MIN = 99.0, 98.0, 98.0


def all_subjects(folder, whole, groups):
    shapes = subjects.whole_shapes if whole else subjects.short_shapes
    made = {
        "libc": subjects.libc,
        "gcc": lambda: shapes(folder, "gcc"),
        "clang": lambda: shapes(folder, "clang"),
    }
    if whole:
        made["rust"] = lambda: subjects.rust(folder)
        made["go"] = lambda: subjects.go(folder)
        made["packages"] = lambda: subjects.packages(folder)
    for group in groups or made:
        yield from made[group]()


def show(comparison, limit):
    for kind, found in comparison.kinds.most_common():
        print(f"    {kind}: {found}")
        for address, our, their in comparison.examples.get(kind, [])[:: max(1, found // limit) if limit else 1][:limit]:
            print(f"      {address:#x}\n        ours   {our}\n        theirs {their}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--step", type=int, default=symbolizers.STEP)
    parser.add_argument("groups", nargs="*", help="libc gcc clang rust go packages; default: all")
    options = parser.parse_intermixed_args()
    folder = tempfile.mkdtemp(prefix="cairn-symbols-")
    judged, missed = {}, 0
    print(f"{'file':42} {'addresses':>9} {'depth %':>8} {'lines %':>8} {'names %':>8} {'strictly':>8} {'s':>5}")
    try:
        for subject in all_subjects(folder, options.whole, options.groups):
            start = time.monotonic()
            addresses = symbolizers.addresses_of(subject.judged_by, subject.step or options.step)
            if subject.judged_by not in judged:
                judged[subject.judged_by] = symbolizers.theirs(subject.judged_by, addresses)
            our = symbolizers.ours(options.tool, subject.path, addresses, subject.supplementary, subject.package)
            found = symbolizers.Comparison(our, judged[subject.judged_by], symbolizers.Tables(subject.judged_by), addresses)
            shares = found.shares()
            met = shares[0] >= DEPTH_MIN and shares[1] >= LINES_MIN and shares[2] >= NAMES_MIN
            missed += not met
            print(
                f"{subject.name:42} {found.count:9} " + " ".join(f"{share:8.3f}" for share in shares)
                + f" {time.monotonic() - start:5.1f}" + ("" if met else "  misses a bar"), flush=True,
            )
            if options.show or not met:
                show(found, options.show or 2)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
