#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_mirror.py ROOT [LIST]: the tests mirror the tree.

    FOLDER/X.c of the programs       tests/unit/FOLDER/test_X.c
    bpf/FOLDER/X.bpf.c               tests/bpf_host/test_X.c
    web/src/.../X.ts, views apart    web/src/.../X.test.ts

or a line of LIST (untested.txt): the file, a test that sees it work, and why it has none of its own.
A line whose file has its test or is gone, or whose test is gone, is a breach: the list only shrinks.
So is a test of a file that is not there.

Prints file:line of each breach; exit status 1 if there is one, 2 if nothing could be checked.
"""
import pathlib
import re
import subprocess
import sys

PROGRAMS = ("store/", "proto/", "collector/", "symbolizer-server/", "web/")


def test_of(file):
    """The test that FILE should have; nothing for a file that needs none."""
    path = pathlib.PurePosixPath(file)
    if re.fullmatch(r"bpf/.*\.bpf\.c", file):
        return f"tests/bpf_host/test_{path.name[:-len('.bpf.c')]}.c"
    if file.startswith(PROGRAMS) and file.endswith(".c"):
        return f"tests/unit/{path.parent}/test_{path.name}"
    if re.fullmatch(r"web/src/(?!view/).*\.ts", file) and not re.search(r"\.(test|d)\.ts$", file):
        return file[:-len(".ts")] + ".test.ts"
    return None


def sources_of(test, files):
    """The files that TEST may be the test of; nothing for a file that is no such test."""
    unit = re.fullmatch(r"tests/unit/(.*)/test_([^/]*)\.c", test)
    host = re.fullmatch(r"tests/bpf_host/test_([^/]*)\.c", test)
    if unit:
        return [f"{unit[1]}/{unit[2]}.c", f"{unit[1]}/{unit[2]}.h"]
    if host:
        source = re.compile(rf"bpf/.*/{re.escape(host[1])}\.bpf\.[ch]")
        return [file for file in files if source.fullmatch(file)] or [f"bpf/*/{host[1]}.bpf.c"]
    if re.fullmatch(r"web/src/.*\.test\.tsx?", test):
        return [re.sub(r"\.test\.(tsx?)$", r".\1", test)]
    return []


def list_breaches(lines, files):
    """Breaches of the lines (number, text) of the list."""
    for number, line in lines:
        file, seen, why = (line.split(None, 2) + ["", ""])[:3]
        test = test_of(file)
        if file not in files:
            yield number, f"{file} is not there: take the line out"
        elif test is None:
            yield number, f"{file} needs no test: take the line out"
        elif test in files:
            yield number, f"{file} has its test: take the line out"
        if seen not in files:
            yield number, f"{seen} is not there, so it does not see {file} work"
        if not why:
            yield number, f"why {file} has no test is missing"


def breaches_of(list_path, lines, files):
    listed = {line.split()[0] for _, line in lines}
    for file in files:
        test = test_of(file)
        if test and test not in files and file not in listed:
            yield f"{file}:1: has no test: write {test}"
        sources = sources_of(file, files)
        if sources and not any(source in files for source in sources):
            yield f"{file}:1: tests a file that is not there: {sources[0]}"
    for number, breach in list_breaches(lines, files):
        yield f"{list_path.name}:{number}: {breach}"


def main(root, list_path=pathlib.Path(__file__).with_name("untested.txt")):
    # Root checks a clone that may belong to someone else.
    shown = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=root,
                           capture_output=True, text=True, check=True).stdout
    files = dict.fromkeys(shown.splitlines())
    wanting = sum(1 for file in files if test_of(file))
    if not wanting:
        print(f"check_mirror: git lists no source in {root}")
        return 2
    list_path = pathlib.Path(list_path)
    lines = [(number, line) for number, line in enumerate(list_path.read_text().splitlines(), 1)
             if line.strip() and not line.startswith("#")]
    breaches = list(breaches_of(list_path, lines, files))
    for breach in breaches:
        print(breach)
    print(f"{wanting} files that want a test, {len(lines)} listed without, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
