# SPDX-License-Identifier: Apache-2.0
"""The load of a busy host: a compiler, python3, node, and a C++ program without frame pointers.

All run until they are ended, as many of each as saturate the CPUs. Each is a process group of its
own that is ended by its id; should the bench be killed, the kernel ends them.
"""

import contextlib
import os
import signal
import subprocess
import sys

from host import CPU_COUNT

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
COMPILER = "clang-14"
FUNCTION_COUNT = 1000  # of the file that is compiled: seconds of work


def source_of_many_functions(count):
    """C for a compiler to chew on: every function differs a little from the others."""
    lines = ["struct cell { int counts[16]; double weight; };"]
    for i in range(count):
        lines += [
            f"int visit_{i}(struct cell *cell, int step)",
            "{",
            f"\tint sum = step * {i % 31 + 2};",
            f"\tfor (int at = 0; at < {i % 13 + 3}; at++)",
            f"\t\tsum += cell->counts[(at + sum) & 15] > {i} ? at : -sum;",
            f"\tcell->weight = cell->weight * 0.{i % 89 + 10} + sum;",
            f"\tcell->counts[sum & 15] ^= {i * 17};",
            "\treturn sum;",
            "}",
        ]
    return "\n".join(lines) + "\n"


def compile_source(source, target, *options):
    """Any C++ here does without a library, so that a C compiler is enough to link it."""
    subprocess.run([COMPILER, *options, os.path.join(SOURCES, source), "-o", target], check=True)


def start(argv, folder):
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *argv],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def stop(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def python_binary():
    """The program itself, not a script that finds it."""
    return os.path.realpath(sys.executable)


def prepare(folder):
    with open(os.path.join(folder, "many.c"), "w", encoding="ascii") as many:
        many.write(source_of_many_functions(FUNCTION_COUNT))
    compile_source(
        "levels.cc",
        os.path.join(folder, "bench-levels"),
        *("-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-exceptions", "-fno-rtti"),
    )


def commands(folder):
    compile_again = f"while {COMPILER} -O2 -c many.c -o many.$$.o; do :; done"
    return {
        "compiler": ["sh", "-c", compile_again],
        "python": [python_binary(), os.path.join(SOURCES, "levels.py")],
        "node": ["node", os.path.join(SOURCES, "levels.js")],
        "cpp": [os.path.join(folder, "bench-levels")],
    }


@contextlib.contextmanager
def busy(folder):
    """Saturates the host until the end; yields {name: [process]}."""
    prepare(folder)
    copies = max(1, CPU_COUNT // 2)
    running = {}
    try:
        for name, argv in commands(folder).items():
            running[name] = [start(argv, folder) for _ in range(copies)]
        yield running
        for name, group in running.items():
            if any(process.poll() is not None for process in group):
                raise RuntimeError(f"the load's {name} ended by itself: the host was not busy")
    finally:
        for group in running.values():
            for process in group:
                stop(process)


@contextlib.contextmanager
def deep(folder, depth):
    """Keeps every CPU in stacks of DEPTH frames with frame pointers."""
    program = os.path.join(folder, "bench-deep")
    if not os.path.exists(program):
        compile_source("deep.c", program, "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
    running = [start([program, str(depth)], folder) for _ in range(CPU_COUNT)]
    try:
        yield
        if any(process.poll() is not None for process in running):
            raise RuntimeError("bench-deep ended by itself")
    finally:
        for process in running:
            stop(process)
