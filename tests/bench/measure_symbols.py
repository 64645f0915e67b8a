# SPDX-License-Identifier: Apache-2.0
"""The index of symbols of one large program, and look-ups in it, beside other symbolizers."""

import glob
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from typing import NamedTuple

from session import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "symbols"))
import symbolizers  # noqa: E402: the path above leads to it

PACKAGE = "ceph-osd-dbg"
ADDRESSES = 1_000_000
ADDRESSES_QUICK = 200_000
# Others are told how long the same start takes without them: few addresses, then many.
LLVM_FEW, LLVM_MANY = 20_000, 220_000
ADDR2LINE_FEW, ADDR2LINE_MANY = 100, 600
GSYM_FEW, GSYM_MANY = 20_000, 220_000
MB = 1e6


class Spent(NamedTuple):
    cpu_seconds: float
    peak_bytes: int
    output: str


def spend(command, text=""):
    """Runs COMMAND with TEXT as its input; what it cost alone."""
    with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as sink:
        source.write(text)
        source.seek(0)
        child = subprocess.Popen(command, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        harness.check(child.returncode == 0, f"{command[0]} ended with {child.returncode}")
        sink.seek(0)
        return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, sink.read())


def debug_file(folder):
    """The largest debug file of the package, as Debian ships it."""
    done = subprocess.run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    archives = glob.glob(os.path.join(folder, f"{PACKAGE}_*.deb"))
    harness.check(done.returncode == 0 and archives, f"{PACKAGE} cannot be had: {done.stdout}{done.stderr}")
    subprocess.run(["dpkg-deb", "-x", archives[0], folder], check=True)
    os.remove(archives[0])
    return max(glob.glob(os.path.join(folder, "usr/lib/debug/.build-id/*/*.debug")), key=os.path.getsize)


def lines_of(addresses, after=""):
    return "".join(f"{address:#x}{after}\n" for address in addresses)


def rate(command, addresses, few, many, after=""):
    """(look-ups a CPU second once it has started, CPU seconds of the start, peak bytes)"""
    short = spend(command, lines_of(addresses[:few], after))
    long = spend(command, lines_of(addresses[:many], after))
    each = (long.cpu_seconds - short.cpu_seconds) / (many - few)
    return 1 / each, short.cpu_seconds - each * few, long.peak_bytes


def ours(session, path, addresses):
    told = json.loads(spend([os.path.join(session.build, "tests", "symbol_chains"), "--measure", path], lines_of(addresses)).output)
    session.found("symbols_cpu", told["cpu_s"])
    session.found("symbols_wall", told["wall_s"])
    session.found("symbols_peak", told["peak_kb"] * 1024 / MB)
    session.found("symbols_size", told["index_bytes"] / MB)
    session.found("symbols_depth", told["depth"])
    for kind in ("uniform", "rising", "zipf"):
        session.found(f"symbols_{kind}", told[kind])
    return told


def gsymutil(session, path, folder, addresses):
    made = os.path.join(folder, "made.gsym")
    convert = spend(["llvm-gsymutil-14", "--quiet", "--num-threads=1", f"--convert={path}", f"--out-file={made}"])
    session.found("symbols_gsym_cpu", convert.cpu_seconds)
    session.found("symbols_gsym_peak", convert.peak_bytes / MB)
    session.found("symbols_gsym_size", os.path.getsize(made) / MB)
    each, _, _ = rate(["llvm-gsymutil-14", "--addresses-from-stdin"], addresses, GSYM_FEW, GSYM_MANY, " " + made)
    session.found("symbols_gsym_rate", each)


def symbols(session):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(dir=session.folder) as folder, session.watched("all rounds"):
        path = debug_file(folder)
        start, size = max(symbolizers.text_sections(path), key=lambda section: section[1])
        drawn = random.Random(1)
        addresses = [start + drawn.randrange(size) for _ in range(ADDRESSES_QUICK if session.quick else ADDRESSES)]
        llvm = ["llvm-symbolizer-14", "--obj=" + path, "--inlines", "--functions=linkage", "--no-demangle"]
        for _ in range(session.rounds):
            told = ours(session, path, addresses)
            each, begin, peak = rate(llvm, addresses, LLVM_FEW, min(LLVM_MANY, len(addresses)))
            session.found("symbols_llvm", each)
            session.found("symbols_llvm_start", begin)
            session.found("symbols_llvm_peak", peak / MB)
            session.found("symbols_uniform_ratio", told["uniform"] / each)
            session.found("symbols_zipf_ratio", told["zipf"] / each)
        gsymutil(session, path, folder, addresses)
        each, begin, peak = rate(["addr2line", "-i", "-f", "-e", path], addresses, ADDR2LINE_FEW, ADDR2LINE_MANY)
        session.found("symbols_addr2line", each)
        session.found("symbols_addr2line_start", begin)
        session.found("symbols_addr2line_peak", peak / MB)
