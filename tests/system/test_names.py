#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of optimised programs: inlined calls stand below the function that they were inlined into, lines
of one function have the shares of its time, what has no name says so and what would help,
and a file given afterwards names it.

One source is built by gcc and clang, with all, with some and without any debug information, and stripped;
all of them run at once, each under a name of its own.
"""

import os
import subprocess
import time

from harness import SECOND_NS, binary, build_id_of, check, note, play, wait_until

SECONDS = 8
LINE_POINTS_MAX = 5.0

SOURCE = """
#include <stdlib.h>
#include <time.h>

#define STEP(x) __asm__ volatile("imul $3, %0" : "+r"(x))

static inline __attribute__((always_inline)) unsigned a(unsigned x)
{
	for (unsigned i = 0; i < 2000000; i++)
		STEP(x);
	return x;
}

static inline __attribute__((always_inline)) unsigned b(unsigned x)
{
	return a(x + 1) + 1;
}

__attribute__((noinline)) unsigned c(unsigned x)
{
	return b(x) * 2;
}

__attribute__((noinline)) unsigned lines(unsigned x)
{
	for (unsigned i = 0; i < 1400000; i++) STEP(x);
	for (unsigned i = 0; i < 600000; i++) STEP(x);
	return x;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + atoi(argv[1]);
	volatile unsigned x = (unsigned)argc;

	while (time(NULL) < end) {
		x += c(x);
		x += lines(x);
	}
	return 0;
}
"""

CHAIN = ["main", "c", "b", "a"]
# name of the program: (compiler and flags, the stack on which half of its time is spent). gcc tells of inlined
# calls at -g1, too; without any debug information there is the symbol table.
BUILDS = {
    "n-gcc": (["gcc", "-O2", "-g"], CHAIN),
    "n-clang": (["clang-14", "-O2", "-g"], CHAIN),
    "n-gcc1": (["gcc", "-O2", "-g1"], CHAIN),
    "n-gcc0": (["gcc", "-O2"], CHAIN[:2]),
    "n-bare": (["gcc", "-O3", "-g"], None),
}


def build(stage):
    with open(stage.path("names.c"), "w", encoding="ascii") as out:
        out.write(SOURCE)
    for name, (compiler, _) in BUILDS.items():
        flags = ["-fno-omit-frame-pointer", "-Wl,--build-id", "-o", stage.path(name), stage.path("names.c")]
        subprocess.run([*compiler, *flags], check=True)
    whole = stage.path("n-bare.whole")
    os.rename(stage.path("n-bare"), whole)
    subprocess.run(["strip", "-s", "-o", stage.path("n-bare"), whole], check=True)


def stacks_of(server, name, from_ns, **grouping):
    query = f'process_cpu:cpu:nanoseconds:cpu:nanoseconds{{process="{name}"}}'
    status, body = server.get("/api/v1/export", format="folded", query=query, **{"from": from_ns}, **grouping)
    check(status == 200, f"export: {status} {body[:300]!r}")
    lines = [line.rpartition(" ") for line in body.decode().splitlines() if line]
    return {tuple(stack.split(";")): int(value) for stack, _, value in lines}


def share_below(stacks, path):
    """Of the time below main, the part whose stack has PATH and nothing of the program after it."""
    whole = part = 0
    for stack, value in stacks.items():
        if "main" not in stack:
            continue
        own = stack[stack.index("main"):]
        if own[1:2] in (("c",), ("lines",)):
            whole += value
        part += value if list(own[: len(path)]) == path and not set(own[len(path):]) & {"a", "b"} else 0
    return part / whole if whole else 0.0


def check_chains(server, from_ns):
    for name, (_, path) in BUILDS.items():
        if not path:
            continue
        share = wait_until(
            lambda name=name, path=path: share_below(stacks_of(server, name, from_ns), path) > 0.35
            and share_below(stacks_of(server, name, from_ns), path),
            60,
            f"{name}: {';'.join(path)} is not there: {stacks_of(server, name, from_ns)}",
        )
        note(f"{name}: {';'.join(path)} has {100 * share:.1f} % of the program's time")
        check(0.35 < share < 0.65, f"{name}: half of the time is in {path}, not {share:.2f}")


def check_hidden(server, from_ns):
    """Without inlined calls, the same time stands at the function that they were inlined into."""
    shown, hidden = (stacks_of(server, "n-gcc", from_ns, inlined=word) for word in ("show", "hide"))
    check(sum(shown.values()) == sum(hidden.values()), "hiding inlined calls changes the total")
    check(not any("a" in stack or "b" in stack for stack in hidden), f"inlined calls are not hidden: {hidden}")
    check(share_below(hidden, CHAIN[:2]) > 0.35, "what was inlined is not counted as its function")


def check_lines(server, from_ns):
    # All that tell their lines together: this machine may be busy, and one alone have few samples.
    query = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{process=~"n-gcc1?|n-clang"}'
    top = server.json("/api/v1/top", query=query, group="line", function="lines", builds="apart", **{"from": from_ns})
    check(len({row["build_id"] for row in top["functions"]}) == 3, f"three builds are told apart: {top['functions']}")
    rows = {row["line"]: row for row in top["functions"]}
    first = 1 + next(i for i, line in enumerate(SOURCE.splitlines()) if "1400000" in line)
    check({first, first + 1} <= set(rows), f"lines of the function: {sorted(rows)}, its loops are at {first}")
    selves = [sum(row["self"] for row in top["functions"] if row["line"] == line) for line in (first, first + 1)]
    share = 100 * selves[0] / sum(selves)
    note(f"two loops of one function: {share:.1f} % and {100 - share:.1f} %")
    check(abs(share - 70) <= LINE_POINTS_MAX, f"the first loop has {share:.1f} %, not 70")
    row = rows[first]
    check(row["function"] == row["raw"] == "lines" and row["file"].endswith("/names.c"), f"a line is told as {row}")
    check(row["name"] == f"lines names.c:{first}", f"a line is shown as {row['name']}")
    files = stacks_of(server, "n-gcc", from_ns, group="file")
    check(any(part.endswith("/names.c") for stack in files for part in stack), f"no file among {files}")


def check_coverage(stage, server, from_ns):
    id_bare = build_id_of(stage.path("n-bare"))
    query = "process_cpu:cpu:nanoseconds:cpu:nanoseconds{}"
    answer = server.json("/api/v1/symbols", query=query, **{"from": from_ns})
    rows = {row["module"]: row for row in answer["modules"]}
    bare, whole = rows["n-bare"], rows["n-gcc"]
    check(bare["build_id"] == id_bare and bare["upload"], f"the stripped program: {bare}")
    check(bare["unnamed_total"] > 0.9 * bare["total"], f"the stripped program has names: {bare}")
    check(whole["unnamed_self"] == 0 and whole["quality"] == "DWARF", f"the whole program: {whole}")
    said = subprocess.run(
        [binary("cairn"), "symbols", "--last", "1h", "--server", server.url], capture_output=True, text=True, check=True
    ).stdout
    lines = [line for line in said.splitlines() if "n-bare" in line]
    check(len(lines) == 1 and id_bare[:11] in lines[0], f"cairn symbols says: {said}")
    check("cairn symbols upload FILE" in said, f"cairn symbols does not say what helps: {said}")
    note(said)


def check_given(stage, server, from_ns):
    """A file given afterwards names what was sampled before, inlined calls and all, and nothing is added."""
    before = stacks_of(server, "n-bare", from_ns)
    check(not any("main" in stack for stack in before), f"the stripped program has names already: {before}")
    upload = [binary("cairn"), "symbols", "upload", stage.path("n-bare.whole"), "--server", server.url]
    subprocess.run(upload, check=True, timeout=60)
    wait_until(
        lambda: share_below(stacks_of(server, "n-bare", from_ns), CHAIN) > 0.35, 30, "what was given gives no names"
    )
    after = stacks_of(server, "n-bare", from_ns)
    check(sum(before.values()) == sum(after.values()), "names change the total")


def test(stage):
    build(stage)
    server = stage.server()
    collector = stage.collector(server, "--window", "3", hz=997)
    time.sleep(1)
    from_ns = time.time_ns() - SECOND_NS
    runs = [stage.run(name, [stage.path(name), str(SECONDS)]) for name in BUILDS]
    for run in runs:
        check(run.wait(SECONDS + 30) == 0, f"{run.name} failed")
    time.sleep(4)
    check_chains(server, from_ns)
    check_hidden(server, from_ns)
    check_lines(server, from_ns)
    check_coverage(stage, server, from_ns)
    check_given(stage, server, from_ns)
    collector.stop()
    server.stop()


play(test)
