# SPDX-License-Identifier: Apache-2.0
"""What the made-up fleet of bench_fleet runs: functions of files that this machine has, so that a query
looks for names as it does in life; and those files for the server, by their build-IDs."""

import os
import re

from session import harness

FOLDER = "/usr/lib/x86_64-linux-gnu"
MODULE_COUNT = 40
FUNCTIONS_MIN, FUNCTIONS_MAX = 150, 1000
FUNCTION_BYTES_MIN = 16  # as in tests/support/fleet.c
FILE_BYTES_MAX = 40_000_000
NAME = re.compile(r"lib[a-zA-Z0-9_+-]+(?:[.-][0-9.]+)?\.so\.[0-9.]+")
# Those of nearly every process come first, and most samples are theirs.
FIRST = ("libc.so.6", "libstdc++.so.6", "libcrypto.so.3", "libglib-2.0.so.0")


def parse_functions(text):
    """Addresses of the functions in what `nm --dynamic --print-size` says."""
    found = set()
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "TWi" and int(fields[1], 16) >= FUNCTION_BYTES_MIN:
            found.add(int(fields[0], 16))
    return sorted(found)


def chosen(functions):
    """At most FUNCTIONS_MAX of them, from everywhere."""
    step = max(1, -(-len(functions) // FUNCTIONS_MAX))
    return functions[::step]


def output_of(*argv):
    return harness.subprocess.run(argv, capture_output=True, text=True, check=False).stdout


def candidates(folder):
    """Names of shared libraries, one of each file."""
    names = [name for name in sorted(os.listdir(folder)) if NAME.fullmatch(name)]
    seen = {}
    for name in [*FIRST, *names]:
        path = os.path.realpath(os.path.join(folder, name))
        if os.path.exists(path) and os.path.getsize(path) <= FILE_BYTES_MAX:
            seen.setdefault(path, name)
    return seen


def module_of(path, name):
    """(name, build-ID, addresses), or None for a file that is not wanted."""
    functions = parse_functions(output_of("nm", "--dynamic", "--defined-only", "--print-size", path))
    found = re.search(r"Build ID: ([0-9a-f]{40})", output_of("readelf", "--notes", path))
    return (name, found[1], chosen(functions)) if found and len(functions) >= FUNCTIONS_MIN else None


def lay(link_folder, build_id, path):
    folder = os.path.join(link_folder, ".build-id", build_id[:2])
    os.makedirs(folder, exist_ok=True)
    os.symlink(path, os.path.join(folder, build_id[2:]))


def prepare(list_path, link_folder):
    """Writes what bench_fleet reads to LIST_PATH, and lays the files into LINK_FOLDER as a server looks
    for them."""
    modules = []
    for path, name in candidates(FOLDER).items():
        module = module_of(path, name)
        if module and module[1] not in {other[1] for other in modules}:
            modules.append(module)
            lay(link_folder, module[1], path)
        if len(modules) == MODULE_COUNT:
            break
    harness.check(len(modules) == MODULE_COUNT, f"only {len(modules)} libraries with names in {FOLDER}")
    with open(list_path, "w", encoding="ascii") as file:
        for name, build_id, functions in modules:
            file.write(f"{name} {build_id} {' '.join(f'{address:x}' for address in functions)}\n")
