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


# Beside it stand .init and .plt, a few lines each; a module of the kernel has the other two.
CODE = {".text", ".text.unlikely", ".exit.text"}


def text_sections(path):
    """(start, size) of .text and of what else is code beside it."""
    listed = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        fields = re.sub(r"^\s*\[\s*\d+\]\s*", "", line).split()
        if len(fields) > 5 and fields[0] in CODE:
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


class Tables:
    """What the symbol tables of a file say of names."""

    def __init__(self, path):
        self.aliases = collections.defaultdict(set)  # from each name to all names at its address
        self.outside = set()  # names of symbols that lie in no code
        code = self.code_sections(path)
        by_address, inside = collections.defaultdict(set), set()
        listed = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=False).stdout
        for line in listed.splitlines():
            fields = line.split()
            if len(fields) < 8 or not fields[0].endswith(":") or not fields[6].isdigit():
                continue
            name = plain(fields[7])
            if fields[6] in code:
                by_address[fields[1]].add(name)
                inside.add(name)
            else:
                self.outside.add(name)
        self.outside -= inside
        for names in by_address.values():
            for name in names:
                self.aliases[name] |= names

    @staticmethod
    def code_sections(path):
        listed = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^\s*\[\s*(\d+)\]\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+(\w*)\s", listed, re.MULTILINE)
        return {number for number, flags in found if "X" in flags}


def plain(name):
    return VERSION.sub("", name)


def same_place(one, other):
    """Line and path; ./ and ../ in a path are how a compiler was called."""
    if one == other:
        return True
    (path, _, line), (other_path, _, other_line) = one.rpartition(":"), other.rpartition(":")
    return line == other_line and os.path.normpath(path) == os.path.normpath(other_path)


def no_line(one, other):
    """Neither knows a line; llvm-symbolizer takes a file from the symbol table, without its folder."""
    return one == "??:0" and other.endswith(":0") and "/" not in other


class Comparison:
    """Counts of addresses; a chain's lines and names are equal when all of them are. Left out of what
    names are judged by: addresses that llvm-symbolizer names by a symbol that lies in no code, or has
    no name for because it reads no supplementary files."""

    def __init__(self, ours, theirs, tables, addresses):
        self.count = self.name_count = len(addresses)
        self.depth = self.lines = self.names = self.strict_names = 0
        self.kinds = collections.Counter()
        self.examples = {}
        if not len(ours) == len(theirs) == len(addresses):
            raise SystemExit(f"{len(addresses)} addresses, {len(ours)} and {len(theirs)} chains")
        for address, our, their in zip(addresses, ours, theirs):
            self.judge(address, our, their, tables)

    def note(self, kind, address, our, their):
        self.kinds[kind] += 1
        self.examples.setdefault(kind, []).append((address, our, their))

    def judge(self, address, our, their, tables):
        # An address that llvm-symbolizer has a line but no name for is one frame without a name.
        if len(our) == len(their):
            self.depth += 1
        else:
            kind = "unknown here" if our[0][0] == "??" else "unknown there" if their[0][0] == "??" else "another depth"
            self.note(kind, address, our, their)
            return
        if all(same_place(one[1], other[1]) for one, other in zip(our, their)):
            self.lines += 1
        elif all(same_place(one[1], other[1]) or no_line(one[1], other[1]) for one, other in zip(our, their)):
            self.lines += 1
            self.note("no line, file by a symbol", address, our, their)
        else:
            self.note("line", address, our, their)
        pairs = [(plain(one[0]), plain(other[0])) for one, other in zip(our, their)]
        if all(one == other for one, other in pairs):
            self.strict_names += 1
            self.names += 1
        elif all(one == other or one in tables.aliases.get(other, ()) for one, other in pairs):
            self.names += 1
            self.note("alias", address, our, their)
        elif all(other in (one, "??") for one, other in pairs):
            self.name_count -= 1
            self.note("name unknown there", address, our, their)
        elif pairs[-1][1] in tables.outside and pairs[:-1] == [(name, name) for name, _ in pairs[:-1]]:
            self.name_count -= 1
            self.note("symbol of no code", address, our, their)
        else:
            self.note("name", address, our, their)

    def shares(self):
        """Percent of depth, lines, names, and names without regard to aliases."""
        whole, named = self.count or 1, self.name_count or 1
        return [100.0 * self.depth / whole, 100.0 * self.lines / whole, 100.0 * self.names / named, 100.0 * self.strict_names / named]
