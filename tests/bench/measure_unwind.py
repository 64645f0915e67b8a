# SPDX-License-Identifier: Apache-2.0
"""Stacks: ours against libdwfl's of the same registers and memory, program by program."""

import os
import shutil
import subprocess
from typing import NamedTuple

import load
from bars import UNWIND_PROGRAMS
from session import harness, parse_lines, run_tool

HZ = 997
SECONDS, QUICK_SECONDS = 8, 3
SHALLOW, DEEP = 16, 112
COLD_TURNS = 20000  # some 10 us of work between two chains
GO_LEVELS, NODE_LEVELS = 6, 30


class Program(NamedTuple):
    argv: list
    depth: int = 0  # of the chain of calls that is known; 0: none is
    names: str = "none"  # where the chain's functions are


def source(name):
    return os.path.join(load.SOURCES, name)


def again(command):
    return ["sh", "-c", f"while :; do {command}; done"]


def build_cpp(folder, name, *options):
    path = os.path.join(folder, name)
    subprocess.run(["g++", "-O2", "-fomit-frame-pointer", *options, source(name + ".cc"), "-o", path], check=True)
    return path


def build_rust(folder):
    path = os.path.join(folder, "levels-rust")
    subprocess.run(["rustc", "-O", "-o", path, source("levels.rs")], check=True)
    return path


def build_java(folder):
    subprocess.run(["javac", "-d", folder, source("Levels.java")], check=True)


def build_go(folder, name, *options):
    path = os.path.join(folder, name)
    environment = dict(os.environ, GOCACHE=os.path.join(folder, "go-cache"), GO111MODULE="off", CGO_ENABLED="0")
    subprocess.run(["go", "build", *options, "-o", path, source("levels.go")], check=True, env=environment)
    return path


def go_names(folder, program):
    """The functions of a Go program, as lines of start, size and name."""
    symbols = subprocess.run(["nm", "-S", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    path = os.path.join(folder, "go-names")
    with open(path, "w", encoding="utf-8") as names:
        for line in symbols.splitlines():
            fields = line.split()
            if len(fields) == 4 and fields[3].startswith("main."):
                names.write(f"{fields[0]} {fields[1]} {fields[3]}\n")
    return path


def programs(folder):
    """{name: how to build it and what to run}, in the order of UNWIND_PROGRAMS."""
    load.prepare(folder)
    compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    many = os.path.join(folder, "many.c")

    def go_without_symbols():
        names = go_names(folder, build_go(folder, "levels-go"))
        return Program([build_go(folder, "levels-go-stripped", "-ldflags=-s -w")], GO_LEVELS, names)

    def go():
        program = build_go(folder, "levels-go")
        return Program([program], GO_LEVELS, go_names(folder, program))

    def java():
        build_java(folder)
        return Program(["java", "-cp", folder, "Levels"])

    return {
        "python3": lambda: Program([load.python_binary(), source("levels.py")]),
        "node": lambda: Program(["node", source("levels.js")]),
        "node's compiled code": lambda: Program(
            ["node", "--perf-basic-prof", "--no-turbo-inlining", source("levels.js")], NODE_LEVELS, "perf"
        ),
        "perl": lambda: Program(["perl", source("levels.pl")]),
        "bash": lambda: Program(["bash", source("levels.sh")]),
        "gcc's cc1": lambda: Program(again(f"{compiler} -quiet -O2 {many} -o {folder}/many.s")),
        "clang": lambda: Program(again(f"{load.COMPILER} -O2 -c {many} -o {folder}/many.o")),
        "Rust": lambda: Program([build_rust(folder)]),
        "java": java,
        "C++, exceptions": lambda: Program([build_cpp(folder, "throws")]),
        "C++, callbacks": lambda: Program([build_cpp(folder, "callbacks", "-pthread")]),
        "Go": go,
        "Go, stripped": go_without_symbols,
    }


def note(session, key, found):
    session.found(f"unwind_{key}_agree", found["equal"] + found["ours_longer"])
    for name in ("samples", "equal", "ours_longer", "theirs_longer", "different", "kernel_whole", "ours_us", "theirs_us"):
        session.found(f"unwind_{key}_{name}", found[name])
    if "chains_right" in found:
        harness.check(found["chains"] > 0, "no known chain was sampled")
        session.found(f"unwind_{key}_chain", found["chains_right"])


def unwind(session):
    seconds = QUICK_SECONDS if session.quick else SECONDS
    with session.stage() as stage:
        made = programs(stage.folder)
        with session.watched("all programs"):
            for key, name in UNWIND_PROGRAMS.items():
                program = made[name]()
                argv = [session.tool("bench_unwind"), str(HZ), str(seconds), str(program.depth), program.names]
                note(session, key, parse_lines(run_tool(argv + program.argv)))
        with session.watched("cold frames and tables"):
            cold_frames(session)
            tables(session, stage.folder)
        with session.watched("tables evicted"):
            evict(session)


def kernel_tool(session, name):
    return os.path.join(session.build, "tests", "kernel", name)


def cold_frames(session):
    """Chains begin at any of 4,096 functions: most addresses were met long ago."""
    for _ in range(session.rounds):
        few, many = (
            parse_lines(
                run_tool(
                    [session.tool("bench_unwind"), str(HZ), str(QUICK_SECONDS), "0", "none"]
                    + [kernel_tool(session, "program_chain"), str(depth), str(COLD_TURNS)]
                )
            )
            for depth in (SHALLOW, DEEP)
        )
        frames = many["tick_frames"] - few["tick_frames"]
        session.found("unwind_cold", 1000 * (many["tick_us"] - few["tick_us"]) / frames)


def tables(session, folder):
    library = subprocess.run(
        ["ldd", shutil.which(load.COMPILER)], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.partition("libLLVM-14.so.1 => ")[2].split()[0]
    big = os.path.join(folder, "big.so")
    shutil.copy(library, big)
    os.truncate(big, 1 << 30)
    for path, key in ((library, "unwind_table"), (big, "unwind_table_big")):
        for _ in range(session.rounds):
            found = parse_lines(run_tool([session.tool("bench_table"), path]))
            session.found(f"{key}_cpu", found["cpu_ms"])
            session.found(f"{key}_peak", found["peak_mb"])


def evict(session):
    stacks = session.eviction_stacks
    argv = [kernel_tool(session, name) for name in ("test_eviction", "program_chain")]
    said = run_tool([*argv, str(stacks)]).splitlines()
    # Its last line is that of a test that passed.
    found = parse_lines("\n".join(line for line in said if not line.startswith("ok ")))
    session.found("unwind_evict_right", 100 * (1 - found["wrong"] / found["stacks"]))
    session.found("unwind_evict_stacks", found["stacks"])
    session.found("unwind_evict_count", found["evicted"])
    session.found("unwind_evict_replaced", found["met_replaced"])
    session.found("unwind_evict_absent", found["met_absent"])
