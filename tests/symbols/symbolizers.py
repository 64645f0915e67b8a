# SPDX-License-Identifier: Apache-2.0
"""Chains of one file by symbol_chains and by llvm-symbolizer, and what is equal in them."""

import collections
import os
import re
import subprocess

STEP = 16
LLVM = "llvm-symbolizer-14"
# What the loader's tables and linkers add to a name that both mean.
VERSION = re.compile(r"@.*$")


def text_sections(path):
    """(start, size) of .text and of what else is code beside it (.init and .plt are a few lines each)."""
    listed = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        fields = re.sub(r"^\s*\[\s*\d+\]\s*", "", line).split()
        if len(fields) > 5 and fields[0] == ".text":
            yield int(fields[2], 16), int(fields[4], 16)


def addresses_of(path, step=STEP):
    return [at for start, size in text_sections(path) for at in range(start, start + size, step)]


def parse_chains(text):
    """One list of (name, file:line) for each address, innermost first."""
    chains = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        if len(lines) < 2:
            continue
        chains.append([(name, place) for name, place in zip(lines[0::2], lines[1::2])])
    return chains


def hexadecimal(addresses):
    return "".join(f"{address:#x}\n" for address in addresses)


def ours(tool, path, addresses, supplementary=None, package=None):
    command = [tool]
    if supplementary:
        command += ["--supplementary", supplementary]
    if package:
        command += ["--package", package]
    done = subprocess.run(command + [path], input=hexadecimal(addresses), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"symbol_chains {path}: {done.stderr}")
    return parse_chains(done.stdout)


def theirs(path, addresses):
    command = [LLVM, "--obj=" + path, "--functions=linkage", "--no-demangle", "--inlines"]
    done = subprocess.run(command, input=hexadecimal(addresses), capture_output=True, text=True, check=True)
    # file:line:column
    return [[(name, place.rsplit(":", 1)[0]) for name, place in chain] for chain in parse_chains(done.stdout)]


def aliases_of(path):
    """From each name of a symbol to all names at its address."""
    listed = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=False).stdout
    by_address = collections.defaultdict(set)
    for line in listed.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].endswith(":") and fields[6] != "UND":
            by_address[fields[1]].add(VERSION.sub("", fields[7]))
    aliases = collections.defaultdict(set)
    for names in by_address.values():
        for name in names:
            aliases[name] |= names
    return aliases


def plain(name):
    return VERSION.sub("", name)


def same_place(one, other):
    """Line and path; ./ and ../ in a path are how a compiler was called."""
    if one == other:
        return True
    (path, _, line), (other_path, _, other_line) = one.rpartition(":"), other.rpartition(":")
    return line == other_line and os.path.normpath(path) == os.path.normpath(other_path)


class Comparison:
    """Counts of addresses; a chain's lines and names are equal when all of them are."""

    def __init__(self, ours, theirs, aliases, addresses):
        self.count = len(addresses)
        self.depth = self.lines = self.names = self.strict_names = 0
        self.kinds = collections.Counter()
        self.examples = {}
        if not len(ours) == len(theirs) == len(addresses):
            raise SystemExit(f"{len(addresses)} addresses, {len(ours)} and {len(theirs)} chains")
        for address, our, their in zip(addresses, ours, theirs):
            self.judge(address, our, their, aliases)

    def note(self, kind, address, our, their):
        self.kinds[kind] += 1
        self.examples.setdefault(kind, []).append((address, our, their))

    def judge(self, address, our, their, aliases):
        # An address that llvm-symbolizer has a line but no name for is one frame without a name.
        if len(our) == len(their):
            self.depth += 1
        else:
            kind = "unknown here" if our[0][0] == "??" else "unknown there" if their[0][0] == "??" else "another depth"
            self.note(kind, address, our, their)
            return
        if all(same_place(one[1], other[1]) for one, other in zip(our, their)):
            self.lines += 1
        else:
            self.note("line", address, our, their)
        pairs = [(plain(one[0]), plain(other[0])) for one, other in zip(our, their)]
        if all(one == other for one, other in pairs):
            self.strict_names += 1
            self.names += 1
        elif all(one == other or one in aliases.get(other, ()) for one, other in pairs):
            self.names += 1
            self.kinds["alias"] += 1
        else:
            self.note("name", address, our, their)

    def percent(self, value):
        return 100.0 * value / self.count if self.count else 0.0
