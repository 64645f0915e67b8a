#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""In a cgroup that allows it 40 MiB, the collector makes its tables and caches smaller, says so, and
stays below the limit with node and clang at work; when memory ends it is the first to go."""

import json
import os
import subprocess
import time

from harness import Failure, check, note, play, wait_until

LIMIT = 40 << 20

SCRIPT = """
let x = 0;
const objects = [];
while (process.cpuUsage().user < 2e6) {
	for (let i = 0; i < 20000; i++) x += Math.sqrt(i) % 7;
	objects[x % 1000 | 0] = { text: JSON.stringify({ x }) };
}
"""


def memory_hierarchy():
    """(is v2, where it is mounted)."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for line in mounts:
            words, _, kind = line.partition(" - ")
            place, fields = words.split()[4], kind.split()
            if fields[0] == "cgroup" and "memory" in fields[2].split(","):
                return False, place
            if fields[0] == "cgroup2" and "memory" in read(place, "cgroup.controllers").split():
                return True, place
    raise Failure("no cgroup hierarchy has the memory controller")


def read(folder, name):
    with open(os.path.join(folder, name), encoding="ascii") as file:
        return file.read()


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
        file.write(str(text))


class Group:
    """A cgroup of the test's own, with a limit."""

    def __init__(self, limit):
        self.is_v2, place = memory_hierarchy()
        self.folder = os.path.join(place, f"cairn-test-{os.getpid()}")
        if self.is_v2 and "memory" not in read(place, "cgroup.subtree_control").split():
            write(place, "cgroup.subtree_control", "+memory")
        os.mkdir(self.folder)
        write(self.folder, "memory.max" if self.is_v2 else "memory.limit_in_bytes", limit)

    def enter(self):
        """What runs a program in it."""
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh"]

    def kills(self):
        text = read(self.folder, "memory.events" if self.is_v2 else "memory.oom_control")
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("oom_kill "))

    def used(self):
        return int(read(self.folder, "memory.current" if self.is_v2 else "memory.usage_in_bytes"))

    def remove(self):
        def removed():
            try:
                os.rmdir(self.folder)
                return True
            except OSError:
                return False

        wait_until(removed, 10, f"{self.folder} can't be removed")


def status(stage):
    out = subprocess.run(
        ["curl", "-sS", "--unix-socket", stage.path("collector.1.sock"), "http://localhost/status"],
        check=True, capture_output=True,
    ).stdout
    return json.loads(out)


def run(stage, group):
    server = stage.server()
    collector = stage.collector(server, "--window", "2", hz=197, prefix=group.enter())
    collector.wait_for("connected to the server")
    script, source = stage.path("load.js"), stage.path("load.c")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <stdlib.h>\n" + "".join(f"int f{i}(int x) {{ return x * {i} + f{i - 1}(x); }}\n" if i
                                                     else "int f0(int x) { return x; }\n" for i in range(3000)))
    started = time.time_ns()
    loads = [stage.run("node", ["node", "--perf-basic-prof", script]),
             stage.run("clang", ["clang-14", "-O2", "-c", source, "-o", "/dev/null"])]
    most = 0
    while any(load.runs() for load in loads):
        most = max(most, group.used())
        time.sleep(0.1)
    os.unlink(f"/tmp/perf-{loads[0].pid}.map")
    told = status(stage)
    memory = told["memory"]
    note(f"  {memory}; used {most >> 10} KiB at most, anonymous {told['own']['rss_anonymous_bytes'] >> 10} KiB")
    check(all(load.wait(1) == 0 for load in loads), "a load failed")
    check(collector.runs() and group.kills() == 0, "the collector was ended for lack of memory")
    check(memory["limit_bytes"] == LIMIT, f"it knows of a limit of {memory['limit_bytes']}")
    check(memory["unwind_bytes_max"] < 12 << 20 and memory["queue_bytes_max"] < 8 << 20, f"not smaller: {memory}")
    check(memory["oom_score_adj"] == 900, f"oom_score_adj is {memory['oom_score_adj']}")
    check(read(f"/proc/{collector.pid}", "oom_score_adj").strip() == "900", "the kernel was told otherwise")
    wait_until(lambda: server.top('{process=~"node|clang.*"}', started, time.time_ns())["total"] > 0, 20, "no samples")
    collector.stop()


def test(stage):
    group = Group(LIMIT)
    try:
        run(stage, group)
    finally:
        for program in stage.programs:
            program.kill()
        group.remove()


play(test)
