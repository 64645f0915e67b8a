#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_tidy.py ROOT BUILD [FILE...]: clang-tidy over every C file of ours that BUILD compiles.

Prints each finding as clang-tidy does; exit status 1 if there is one, 2 if nothing could be checked.

A file that was clean is not looked at again while nothing that could change the answer changes: what
clang-tidy is, the .clang-tidy files above the file, how it is compiled, and the bytes of the file and
of all that it includes. BUILD/tidy/<digest of name, tool, settings and command> holds a line for each of these files:
its digest and its path. A file with a finding leaves nothing there, and so is looked at each time.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

TIDY = "clang-tidy-14"
COMPILER = "clang-14"
# ./dev test has two cores; clang-tidy takes some 300 MB.
JOBS = 2
# What gcc knows and clang does not: noclone; and what bpf/CMakeLists.txt allows its own sources.
DIALECT = ["-Wno-unknown-attributes", "-Wno-gnu-variable-sized-type-not-at-end"]
GCC_ONLY = {"-fno-ipa-icf", "-fno-ipa-cp", "-fno-ipa-sra"}


@functools.lru_cache(maxsize=None)
def digest_of(path):
    """The digest of a file's bytes, empty if it cannot be read: then no entry fits."""
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


@functools.lru_cache(maxsize=None)
def version():
    return subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout


class Source:
    """One file and how it is compiled."""

    def __init__(self, root, entry):
        words = entry.get("arguments") or shlex.split(entry["command"])
        self.root = root
        self.folder = entry["directory"]
        self.path = os.path.realpath(os.path.join(self.folder, entry["file"]))
        self.name = os.path.relpath(self.path, root)
        self.flags = [word for word in words[1:] if word not in GCC_ONLY] + DIALECT

    def settings(self):
        """The .clang-tidy files that hold for this file: those of its folder and above."""
        folder = pathlib.Path(self.path).parent
        folders = [folder, *folder.parents]
        return [above / ".clang-tidy" for above in folders if (above / ".clang-tidy").exists()]

    def entry_name(self):
        settings = [digest_of(str(path)) for path in self.settings()]
        text = "\0".join([self.name, version(), *settings, self.folder, *self.flags])
        return hashlib.sha256(text.encode()).hexdigest()

    def included(self):
        """The file and all that it includes, as a rule for make lists them."""
        flags = list(self.flags)
        del flags[flags.index("-o"):flags.index("-o") + 2]
        rule = subprocess.run([COMPILER, *flags, "-w", "-M"], cwd=self.folder,
                              capture_output=True, text=True)
        if rule.returncode != 0:
            return []
        names = rule.stdout.replace("\\\n", " ").split(":", 1)[1].split()
        return [os.path.realpath(os.path.join(self.folder, name)) for name in names]

    def look(self):
        """What clang-tidy finds."""
        # The compile command stands behind "--", so that what is looked at is what is remembered.
        run = subprocess.run([TIDY, "--quiet", self.path, "--", *self.flags], cwd=self.folder,
                             capture_output=True, text=True)
        if run.returncode == 0 and not run.stdout.strip():
            return ""
        return run.stdout.replace(self.root + "/", "") or run.stderr


def is_known_clean(entry):
    if not entry.exists():
        return False
    lines = (line.split(" ", 1) for line in entry.read_text().splitlines())
    return all(digest_of(path) == digest for digest, path in lines)


def remember(entry, paths):
    text = "".join(f"{digest_of(path)} {path}\n" for path in paths)
    fresh = entry.with_suffix(".new")
    fresh.write_text(text)
    fresh.rename(entry)


def check(cache, source):
    """Returns whether it was looked at, and what was found."""
    entry = cache / source.entry_name()
    if is_known_clean(entry):
        return False, ""
    found = source.look()
    paths = [] if found else source.included()
    if paths:
        remember(entry, paths)
    return True, found


def sources_of(root, build):
    """Ours: below ROOT, outside BUILD. A file compiled twice counts once, as first compiled."""
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    sources = {}
    for entry in entries:
        source = Source(root, entry)
        inside_build = source.path.startswith(os.path.realpath(build) + "/")
        if source.path.startswith(root + "/") and not inside_build:
            sources.setdefault(source.name, source)
    return sources


def main(root, build, *names):
    root = os.path.realpath(root)
    sources = sources_of(root, build)
    wanted = [sources[name] for name in sorted(names or sources)]
    if not wanted:
        print(f"check_tidy: {build} compiles no file of {root}")
        return 2
    cache = pathlib.Path(build) / "tidy"
    cache.mkdir(exist_ok=True)
    looked = bad = 0
    said = set()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for was_looked_at, found in pool.map(functools.partial(check, cache), wanted):
            looked += was_looked_at
            bad += bool(found)
            # A finding in a header comes up in each file that includes it.
            if found and found not in said:
                said.add(found)
                print(found.rstrip(), flush=True)
    print(f"{len(wanted)} files, {looked} looked at, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
