#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A build of 500 small C files by make -j, which is thousands of processes that live for some 10 ms each: of
the samples in user mode, 95 of 100 know module and build-ID of what ran, and 80 of 100 stacks are whole.

Counted in what the server stored, of all processes of a build, those of other builds on this machine
included.
"""

import collections
import os
import subprocess
import time

from harness import SECOND_NS, check, note, play
from recorded import stored

FILES = 500
SECONDS_MAX = 120
KNOWN_MIN, WHOLE_MIN = 0.95, 0.80
PROGRAMS = {"cc1", "as", "make", "sh", "dash", "ld", "collect2"}
# Names of compilers and binutils carry target and version: x86_64-linux-gnu-gcc-12, -as, -ld.bfd.
TARGET = "x86_64-linux-gnu-"

SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item_%(n)d { int key; char text[32]; struct item_%(n)d *next; };
int add_%(n)d(struct item_%(n)d **list, int key)
{
	struct item_%(n)d *item = malloc(sizeof(*item));
	if (!item)
		return -1;
	snprintf(item->text, sizeof(item->text), "item %%d of %(n)d", key);
	item->key = key;
	item->next = *list;
	*list = item;
	return (int)strlen(item->text);
}
"""
MAKEFILE = """OBJECTS := $(patsubst %.c,%.o,$(wildcard *.c))
all: $(OBJECTS)
%.o: %.c
\tgcc -O0 -c -o $@ $<
"""


def write_sources(folder):
    for n in range(FILES):
        with open(f"{folder}/file_{n}.c", "w", encoding="ascii") as file:
            file.write(SOURCE % {"n": n})
    with open(f"{folder}/Makefile", "w", encoding="ascii") as file:
        file.write(MAKEFILE)


def is_of_a_build(process):
    return process in PROGRAMS or process.startswith(TARGET)


def is_known(leaf):
    """A leaf with a build-ID before its address."""
    return not leaf.startswith("[") and not leaf.startswith("+")


def judge(profiles):
    """Samples in user mode, those whose leaf is known, all samples, those whose stack is whole; what ended the rest."""
    user = known = every = whole = 0
    ends, unknown = collections.Counter(), collections.Counter()
    kernels = {m["build_id"] for p in profiles for m in p["modules"] if m["name"] == "[kernel]"}
    for profile in profiles:
        names = {module["build_id"]: module["name"] for module in profile["modules"]}
        for row in profile["rows"]:
            if not is_of_a_build(row["process"]):
                continue
            frames = row["stack"].split(";")
            root, leaf = frames[0], frames[-1]
            every += row["count"]
            if root.startswith("["):
                ends[root] += row["count"]
            else:
                whole += row["count"]
            module = leaf.partition("+")[0]
            if module and (module in kernels or names.get(module, "").startswith("[")) and names.get(module) != "[vdso]":
                continue
            user += row["count"]
            if is_known(leaf):
                known += row["count"]
            else:
                unknown[row["process"], leaf.partition("+")[0]] += row["count"]
    return user, known, every, whole, ends, unknown


def test(stage):
    server = stage.server()
    collector = stage.collector(server, "--window", "2", "--upload", "never", hz=199)
    collector.wait_for("sampling")
    folder = stage.new_folder("sources")
    write_sources(folder)
    began_ns = time.time_ns()
    subprocess.run(["make", "-s", "-j4", "-C", folder], check=True, timeout=SECONDS_MAX)
    took_ns = time.time_ns() - began_ns
    check(sum(name.endswith(".o") for name in os.listdir(folder)) == FILES, "not everything was built")
    collector.stop()
    server.stop()
    user, known, every, whole, ends, unknown = judge(stored(stage.path("data")))
    note(f"{FILES} files in {took_ns / SECOND_NS:.1f} s")
    note(f"of {user} samples in user mode {known} know module and build-ID: {100 * known / max(user, 1):.2f} %")
    note(f"of {every} stacks {whole} are whole: {100 * whole / max(every, 1):.2f} %")
    note(f"  others: {ends.most_common(12)}")
    note(f"  leaves without: {unknown.most_common(12)}")
    check(user >= 300, "too few samples")
    check(known >= KNOWN_MIN * user, "too few know module and build-ID")
    check(whole >= WHOLE_MIN * every, "too few stacks are whole")


play(test)
