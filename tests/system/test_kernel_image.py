#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An image of the kernel names what was sampled, inlined calls and lines and all: asked of a debuginfod
server by one server, and laid into a folder of another one, where the kernel's own list had named it
before. Then a program whose debug information dwz moved into two files, both of which debuginfod has.

No image of the kernel that runs here is to be had. One is made that has its build-ID and is as long, and
says of all its code that it is one function with a call inlined.
"""

import os
import re
import subprocess
import time

from harness import CPU, SECOND_NS, build_id_of, check, note, play, wait_until

SECONDS = 4
LINE = 3

IMAGE = """static inline __attribute__((always_inline)) void inlined_part(void)
{
	__asm__ volatile(".skip %d, 0x90");
}
void whole_kernel(void)
{
	inlined_part();
}
/* What every kernel has, and nothing else. */
__attribute__((section("__ksymtab"))) const char mark[8] = "";
"""

# Time in the kernel, and some of our own.
PROGRAM = """
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline __attribute__((always_inline)) unsigned shared_inline(unsigned x)
{
	for (unsigned i = 0; i < 100000; i++)
		__asm__ volatile("imul $3, %%0" : "+r"(x));
	return x;
}

__attribute__((noinline)) unsigned outer_%(name)s(unsigned x)
{
	return shared_inline(x) + 1;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + atoi(argv[1]);
	unsigned x = (unsigned)argc;

	while (time(NULL) < end) {
		x += outer_%(name)s(x);
		for (int i = 0; i < 500; i++)
			x += (unsigned)lseek(i %% 3, 0, 1) + (unsigned)access("/nowhere/at/all", 0);
	}
	return x == 0;
}
"""


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}")


def kernel_build_id():
    with open("/sys/kernel/notes", "rb") as file:
        notes = file.read()
    found = re.search(rb"\x04\0\0\0(.)\0\0\0\x03\0\0\0GNU\0", notes)
    check(found, "the kernel has no build-ID")
    return notes[found.end() : found.end() + found[1][0]].hex()


def kernel_bounds():
    with open("/proc/kallsyms", encoding="ascii") as lines:
        names = {fields[2]: int(fields[0], 16) for fields in map(str.split, lines) if fields[2] in ("_text", "_etext")}
    return names["_text"], names["_etext"]


def make_image(stage):
    text, end = kernel_bounds()
    folder = stage.new_folder("image")
    with open(os.path.join(folder, "image.c"), "w", encoding="ascii") as out:
        out.write(IMAGE % (end - text + 4096))
    run("gcc", "-g", "-O2", "-mcmodel=kernel", "-ffreestanding", "-fno-pic", "-fno-asynchronous-unwind-tables",
        "-c", "image.c", cwd=folder)
    run("ld", f"--build-id=0x{kernel_build_id()}", f"-Ttext={text:#x}", "-e", "whole_kernel", "-o", "vmlinux", "image.o",
        cwd=folder)
    return os.path.join(folder, "vmlinux")


def make_programs(stage):
    """Two stripped programs, and a folder of their debug files with what both have in a third one."""
    folder, served = stage.new_folder("programs"), stage.new_folder("served")
    for name in ("one", "two"):
        with open(os.path.join(folder, name + ".c"), "w", encoding="ascii") as out:
            out.write(PROGRAM % {"name": name})
        run("gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-Wl,--build-id", "-o", name, name + ".c", cwd=folder)
    # What both files name alike goes to the third: the inlined function, its file.
    for name in ("one", "two"):
        run("objcopy", "--only-keep-debug", name, os.path.join(served, name + ".debug"), cwd=folder)
        run("strip", name, cwd=folder)
    run("dwz", "-m", "shared.debug", "-M", "shared.debug", "one.debug", "two.debug", cwd=served)
    return os.path.join(folder, "one"), served


def stacks_of(server, selector, from_ns):
    query = {"format": "folded", "query": CPU + selector, "from": from_ns}
    status, body = server.get("/api/v1/export", **query)
    check(status == 200, f"export: {status} {body[:300]!r}")
    lines = [line.rpartition(" ") for line in body.decode().splitlines() if line]
    return {tuple(stack.split(";")): int(value) for stack, _, value in lines}


def share_of(stacks, names):
    """Of all time, the part of stacks that go through NAMES, one below the other."""
    part = sum(
        value for stack, value in stacks.items()
        if any(list(stack[i : i + len(names)]) == names for i in range(len(stack)))
    )
    return part / max(1, sum(stacks.values()))


def kernel_share(server, from_ns):
    return share_of(stacks_of(server, '{process="one"}', from_ns), ["whole_kernel", "inlined_part"])


def check_kernel(server, from_ns, said):
    share = wait_until(lambda: kernel_share(server, from_ns), 30, f"{said}: the image names nothing")
    top = server.json("/api/v1/top", query=CPU + '{process="one"}', group="line", **{"from": from_ns})
    lines = [row for row in top["functions"] if row["function"] == "inlined_part"]
    note(f"{said}: {100 * share:.1f} % of the time is named by the kernel's image")
    check(share > 0.2, f"{said}: only {share:.2f} of the time is in the kernel")
    check(lines and all(row["line"] == LINE and row["file"].endswith("/image.c") for row in lines), f"{said}: {lines}")


def test(stage):
    image = make_image(stage)
    program, served = make_programs(stage)
    build_id = kernel_build_id()
    os.rename(image, os.path.join(served, "vmlinux"))
    url = stage.debuginfod(served, build_id_of(program))
    plain = stage.server(data="plain")
    asking = stage.server("--debuginfod-urls", url, data="asking")
    for server in (plain, asking):
        stage.collector(server, "--upload", "stripped", "--window", "1", hz=299)
    from_ns = time.time_ns() - SECOND_NS
    for _ in range(2):
        check(stage.run("one", [program, str(SECONDS)]).wait(SECONDS + 20) == 0, "the program failed")

    check_kernel(asking, from_ns, "debuginfod")
    wanted = ["main", "outer_one", "shared_inline"]
    share = wait_until(
        lambda: share_of(stacks_of(asking, '{process="one"}', from_ns), wanted), 20, f"{wanted} is not there"
    )
    note(f"dwz: {100 * share:.1f} % of the time is in a call whose name stands in the supplementary file")

    top = plain.json("/api/v1/top", query=CPU + '{process="one"}', **{"from": from_ns})
    names = {row["name"] for row in top["functions"] if row["module"] == "[kernel]"}
    check(len(names) > 5 and "whole_kernel" not in names, f"the kernel's list names {names}")
    before = sum(stacks_of(plain, '{process="one"}', from_ns).values())
    plain.stop()
    folder = stage.new_folder("symbols/boot")
    os.link(os.path.join(served, "vmlinux"), os.path.join(folder, "vmlinux-of-this-test"))
    port = plain.grpc
    plain = stage.server("--symbols-folder", os.path.dirname(folder), data="plain", grpc=port)
    check(stage.run("one", [program, "2"]).wait(20) == 0, "the program failed")
    check_kernel(plain, from_ns, "a folder, over the kernel's list")
    state = plain.json(f"/api/v1/symbols/{build_id}")["text"]
    check("named by DWARF" in state, f"the kernel's state is {state!r}")
    after = sum(stacks_of(plain, '{process="one"}', from_ns).values())
    check(after >= before > 0, f"{before} ns before, {after} ns with the image")


if __name__ == "__main__":
    play(test)
