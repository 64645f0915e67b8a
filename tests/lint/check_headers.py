#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_headers.py ROOT BUILD: each committed header compiles alone, under its neighbours' flags.

A header is compiled as the C file of its name is, else as one of its folder, else of the nearest
folder above; those of bpf/ with the stand-ins of tests/bpf_host.
Prints what the compiler says; exit status 1 if one does not compile, 2 if nothing could be checked.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

JOBS = 2


def flags_of(entry):
    """The compile command of ENTRY without its input, its output and its name."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    at = words.index("-o")
    return [word for word in words[:at] + words[at + 2:] if word not in ("-c", entry["file"])]


def commands_of(root, build):
    """Compile commands by file, relative to ROOT; of a file compiled twice, the first."""
    commands = {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        if path.startswith(root + "/") and not path.startswith(os.path.realpath(build) + "/"):
            commands.setdefault(os.path.relpath(path, root), entry)
    return commands


def nearest(header, commands):
    """The compile command of the file that HEADER is most at home with."""
    own = re.sub(r"\.h$", ".c", header)
    if own in commands:
        return commands[own]
    for folder in pathlib.PurePosixPath(header).parents:
        prefix = "" if str(folder) == "." else f"{folder}/"
        below = sorted(file for file in commands if file.startswith(prefix))
        if below:
            return commands[below[0]]
    return None


def compile_alone(root, header, entry):
    """What the compiler says of a file that includes HEADER and nothing else."""
    path = os.path.join(root, header)
    # A header's own functions are unused here.
    run = subprocess.run([*flags_of(entry), "-Wno-unused-function", "-fsyntax-only", "-x", "c", "-"],
                         cwd=entry["directory"], input=f'#include "{path}"\n',
                         capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stderr.replace(root + "/", "")


def main(root, build):
    root = os.path.realpath(root)
    # Root checks a clone that may belong to someone else.
    headers = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "*.h"], cwd=root,
                             capture_output=True, text=True, check=True).stdout.splitlines()
    commands = commands_of(root, build)
    if not headers or not commands:
        print(f"check_headers: {root} has no header, or {build} compiles nothing of it")
        return 2
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for said in pool.map(lambda header: compile_alone(root, header, nearest(header, commands)),
                             headers):
            bad += bool(said)
            print(said, end="")
    print(f"{len(headers)} headers, {bad} that do not compile alone")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
