#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings of other tools, imported by `cairn import` and posted without a word of what they are: totals,
units, threads, lines and stacks are found again as the files tell them.
"""

import base64
import gzip
import json
import os
import re
import subprocess
import time

from harness import SECOND_NS, binary, build_id_of, check, note, play, wait_until
from test_ingest import counters, post, refused

WALL = "wall:wall:nanoseconds:cpu:nanoseconds"
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
COUNT = "process_cpu:samples:count::"
# Of perf record -F 29; of each sample of its text.
PERIOD_NS = 34482758


def recording(name):
    """(path, bytes) of a recording."""
    path = os.path.join(os.environ["CAIRN_SOURCE"], "tests", "system", "recording", name)
    with open(path, "rb") as file:
        return path, file.read()


def run(server, *arguments, source=None):
    return subprocess.run(
        [binary("cairn"), "import", "--server", server.url, *arguments],
        input=source,
        capture_output=True,
        timeout=60,
        check=False,
    )


def imported(server, *arguments, source=None):
    """What `cairn import` says, as a text."""
    done = run(server, *arguments, source=source)
    check(done.returncode == 0, f"import {arguments}: {done.stderr.decode()}")
    return done.stdout.decode()


def folded(server, kind, service, **query):
    """{stack: value} of a service's last day; an address of a file is what perf calls it, [unknown]."""
    now = time.time_ns() // SECOND_NS
    query = {"from": now - 86400, "until": now + 60, "query": f'{kind}{{service_name="{service}"}}', **query}
    status, body = server.get("/api/v1/export", format="folded", **query)
    check(status == 200, f"{query}: {status} {body[:300]!r}")
    sums = {}
    for line in body.decode().splitlines():
        stack, _, value = line.rpartition(" ")
        stack = ";".join(re.sub(r"^\S+\+0x[0-9a-f]+$", "[unknown]", frame) for frame in stack.split(";"))
        sums[stack] = sums.get(stack, 0) + int(value)
    return sums


def below(stacks, name):
    return sum(value for stack, value in stacks.items() if name in stack.split(";"))


def close(value, expected, text):
    check(abs(value - expected) <= 1000, f"{text}: {value} ns, expected {expected}")


def check_speedscope(server):
    said = imported(server, recording("pyspy_speedscope")[0], "--name", "pyspy", "--label", "env=a b")
    check("stored as pyspy" in said and f"{WALL}                5.27 s  527 samples" in said, said)
    stacks = folded(server, WALL, "pyspy")
    check(sum(stacks.values()) == 5_270_000_000, f"{sum(stacks.values())} ns of 5.09 s and 0.18 s")
    check(below(stacks, "work_heavy") == 3_130_000_000, "work_heavy has not its 3.13 s")
    by_thread = folded(server, WALL, 'pyspy",env="a b', root="thread")
    threads = {}
    for stack, value in by_thread.items():
        name = stack.split(";")[0]
        threads[name] = threads.get(name, 0) + value
    check(len(threads) == 2 and 180_000_000 in threads.values(), f"threads: {threads}")
    lines = folded(server, WALL, "pyspy", group="line")
    spun = {stack.split(";")[-1]: 0 for stack in lines if "spin app.py:" in stack}
    check(len(spun) > 1 and sum(below(lines, line) for line in spun) == 5_070_000_000, f"lines: {spun}")
    imported(server, recording("pyinstrument_speedscope")[0], "--name", "pyinstrument")
    stacks = folded(server, WALL, "pyinstrument")
    close(sum(stacks.values()), 4_004_604_000, "events in all")
    close(below(stacks, "spin"), 2_533_977_000, "events of spin")
    close(below(stacks, "work_heavy"), 2_398_095_000, "events of work_heavy")
    note("  speedscope: two threads, events, weights of fractions of seconds")


def check_cpuprofile(server):
    imported(server, recording("node_cpuprofile")[0], "--name", "node")
    stacks = folded(server, WALL, "node")
    # endTime - startTime - the time before the first sample.
    check(sum(stacks.values()) == (760167148 - 756048360 - 8902) * 1000, f"{sum(stacks.values())} ns")
    # Self, each sample until the next; the last one until the end.
    check(below(stacks, "hrtimeBigInt") == 20_189_000, f"hrtimeBigInt has {below(stacks, 'hrtimeBigInt')}")
    check("(root)" not in ";".join(stacks), "the root is a frame")
    note("  cpuprofile: the time from the first sample to the end")


def check_folded(server):
    said = imported(server, recording("pyspy_stacks")[0], "--name", "spied.wall", "--rate", "100")
    check("551 samples" in said, said)
    check(sum(folded(server, WALL, "spied").values()) == 5_510_000_000, "551 samples at 100 Hz")
    _, text = recording("async_profiler_stacks")
    said = imported(server, "-", "--name", "jvm", "--from", "now-10s", source=text)
    check(below(folded(server, CPU, "jvm"), "Plain.workHeavy") == 930_000_000, "workHeavy of standard input")
    said = imported(server, "-", "--name", "jvm2", source=gzip.compress(text))
    check("164 samples" in said, said)
    note("  folded text, from a file, a pipe, and as gzip")


def check_pprof(server, folder):
    path = os.path.join(folder, "go-heap.pprof")
    with open(path, "wb") as file:
        file.write(base64.b64decode(recording("go_heap_pprof")[1]))
    said = imported(server, path, "--from", "now-1m")
    check("stored as go-heap" in said and "not kept as it came: numbers_dropped 290" in said, said)
    for kind, total in (("alloc_objects:count", 1787), ("alloc_space:bytes", 4616784), ("inuse_space:bytes", 1895520)):
        stacks = folded(server, f"memory:{kind}:space:bytes", "go-heap")
        check(sum(stacks.values()) == total, f"{kind}: {sum(stacks.values())}")
    # The path that it says to take leads to what was stored.
    words = [line.split("cairn query ")[1] for line in said.splitlines() if "cairn query" in line]
    shown = subprocess.run(f"{binary('cairn')} query {words[0]}", shell=True, capture_output=True, text=True, check=False)
    check("1.81 MiB" in shown.stdout, f"cairn query {words[0]}: {shown.stdout[:200]} {shown.stderr}")
    note("  pprof: four types of one file")


def expected_stacks(name, unit):
    return {
        line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) * unit
        for line in recording(name)[1].decode().splitlines()
        if line
    }


def check_perf(server):
    for name, unit in (("fp", PERIOD_NS), ("fp_kernel_dd", 10101010), ("dwarf_inline", 50000000)):
        imported(server, recording("perf_" + name)[0], "--name", name)
        stacks = folded(server, CPU, name, root="thread")
        stacks = {stack.removeprefix("thread="): value for stack, value in stacks.items()}
        expected = expected_stacks(f"perf_{name}_stacks", unit)
        check(stacks == expected, f"{name}: {sorted(set(stacks.items()) ^ set(expected.items()))[:4]}")
    for name, kind, total in (
        ("fp_header", COUNT, 13),
        ("fp_mmap_task", COUNT, 24),
        ("fp_pid_cpu", CPU, 33 * PERIOD_NS),
        ("fp_srcline", COUNT, 11),
        ("fp_stripped", CPU, 14 * PERIOD_NS),
        ("nostack", CPU, 20 * 20408163),
        ("two_events", CPU, 15 * 20408163),
        ("two_events", "perf:page-faults:count::", 3 + 16 + 2814),
    ):
        # What it is is seen from the text.
        status, answer = post(server, recording("perf_" + name)[1], name=name, report="yes")
        check(status == 200, f"{name}: {status} {answer[:200]!r}")
        types = {row["type"]: row["value"] for row in json.loads(answer)["types"]}
        check(types.get(kind) == total, f"{name}: {types}, expected {kind} {total}")
    stacks = folded(server, COUNT, "fp_srcline", group="line")
    check(below(stacks, "hash_loop burn.c:9") > 0, f"lines of the source: {sorted(stacks)[:3]}")
    stacks = folded(server, CPU, "fp_pid_cpu", root="pid,cpu")
    check({stack.split(";")[0] for stack in stacks} == {"pid=24226"}, f"processes: {sorted(stacks)[:3]}")
    note("  perf script: stacks, inlined calls, lines, kernel, events and threads as the text has them")


def check_perf_data(server, folder):
    """A file of perf record is read by perf, whose text is taken; here a script stands for it."""
    path = os.path.join(folder, "web.data")
    with open(path, "wb") as file:
        file.write(b"PERFILE2" + bytes(100))
    done = subprocess.run(
        [binary("cairn"), "import", "--server", server.url, path],
        env={"PATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    check(done.returncode == 1 and "linux-perf" in done.stderr, f"without perf: {done.stderr}")
    script = os.path.join(folder, "perf")
    with open(script, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\nexec /bin/cat {recording('perf_fp')[0]}\n")
    os.chmod(script, 0o755)
    done = subprocess.run(
        [binary("cairn"), "import", "--server", server.url, path],
        env={"PATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    check(done.returncode == 0 and "stored as web" in done.stdout, f"{done.stdout} {done.stderr}")
    check(sum(folded(server, CPU, "web").values()) == 37 * PERIOD_NS, "the samples of perf")
    note("  perf.data: by perf, or what to install")


def number(value):
    """A varint of protobuf."""
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes(parts + [value])


def message(field, body):
    return number(field << 3 | 2) + number(len(body)) + body


def fields_of(**values):
    """Fields f1=..., f2=... that are numbers."""
    return b"".join(number(int(name[1:]) << 3) + number(value) for name, value in values.items())


def pprof_of(address, mapping, path, build_id):
    """One sample at an address of a running process, without a name."""
    start, limit, offset = mapping
    texts = ["", "cpu", "nanoseconds", path, build_id]
    return b"".join(
        [
            message(1, fields_of(f1=1, f2=2)),
            message(2, message(1, number(1)) + message(2, number(7))),
            message(3, fields_of(f1=1, f2=start, f3=limit, f4=offset, f5=3, f6=4)),
            message(4, fields_of(f1=1, f2=1, f3=address)),
        ]
        + [message(6, text.encode()) for text in texts]
    )


def code_of(process, address):
    """(start, limit, offset in the file) of what a process has mapped at an address."""
    with open(f"/proc/{process.pid}/maps", encoding="ascii") as maps:
        for line in maps:
            fields = line.split()
            start, limit = (int(end, 16) for end in fields[0].split("-"))
            if start <= address < limit:
                return start, limit, int(fields[2], 16)
    return check(False, f"nothing is mapped at {address:#x}")


def check_place(server, folder, name, flags):
    """An unnamed address of a stripped program gets its name once its debug file is there, whatever the
    distance between file and memory."""
    path = os.path.join(folder, name)
    source = os.path.join(os.environ["CAIRN_SOURCE"], "tests", "system", "program", "offset.c")
    subprocess.run(["gcc", "-g", "-O1", "-Wl,--build-id", *flags, source, "-o", path], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", path, path + ".debug"], check=True)
    subprocess.run(["strip", path], check=True)
    with subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        address = int(process.stdout.readline(), 16)
        mapping = code_of(process, address)
        process.communicate(b"\n")
    body = pprof_of(address + 1, mapping, path, build_id_of(path))
    imported(server, "-", "--name", name, "--from", "now-10s", source=body)
    kind = "process_cpu:cpu:nanoseconds::"
    place = address + 1 - mapping[0] + mapping[2]
    now = {"from": "now-10m", "until": "now", "query": f'{kind}{{service_name="{name}"}}', "format": "folded"}
    unnamed = server.get("/api/v1/export", **now)[1]
    check(unnamed == b"%s+%#x 7\n" % (name.encode(), place), f"an unnamed place is {unnamed}, expected {place:#x}")
    for file in (path + ".debug", path):
        done = subprocess.run(
            [binary("cairn"), "symbols", "upload", "--server", server.url, file], capture_output=True, check=False
        )
        check(done.returncode == 0, f"{file}: {done.stderr.decode()}")
        wait_until(lambda: server.get("/api/v1/export", **now)[1] == b"the_function 7\n", 20, f"{name}: no name after {file}")
    return place - address - 1


def check_places(server, folder):
    text = "-Wl,-z,noseparate-code"
    fixed = check_place(server, folder, "fixed", ["-no-pie", text])
    check(fixed == -0x400000, f"a fixed program is {-fixed:#x} from its file")
    check_place(server, folder, "moved", ["-pie", "-fPIE"])
    # What lld does by default, GNU's linker does where it is told an address.
    check_place(server, folder, "apart", ["-pie", "-fPIE", "-Wl,-Ttext=0x41240"])
    headers = subprocess.run(["readelf", "-lW", os.path.join(folder, "apart")], capture_output=True, text=True, check=True)
    code = [line.split() for line in headers.stdout.splitlines() if " R E " in line]
    check(any(int(row[1], 16) != int(row[2], 16) for row in code), f"code stands where it is loaded: {code}")
    note("  unnamed addresses of programs, fixed and moved, by their debug files")


def check_refusals(server):
    refused(server, 422, "neither sampled", b'{"profiles":[{"unit":"none"}],"shared":{"frames":[]}}', name="x")
    refused(server, 422, "no JSON", b'{"profiles":[', name="x", format="speedscope")
    refused(server, 422, "startTime", b"{}", name="x", format="cpuprofile")
    refused(server, 422, "perf script", b"main;a 1\n", name="x", format="perf_script")
    before = counters(server)["client_lines_skipped"]
    status, answer = post(server, b"?\nb 1  1.000000:  7 cpu-clock: \n\t 1 f (/b)\n", name="odd", format="perf_script", report="yes")
    check(status == 200 and json.loads(answer)["drops"] == {"lines_skipped": 1}, f"{status} {answer!r}")
    check(counters(server)["client_lines_skipped"] == before + 1, "a line that was left out is not counted")
    done = run(server, "/nowhere/x.folded")
    check(done.returncode == 1 and b"No such file" in done.stderr, f"{done.stderr}")
    done = run(server, "-", "--label", "x", source=b"a 1\n")
    check(done.returncode == 2 and b"KEY=VALUE" in done.stderr, f"{done.stderr}")
    done = run(server, "-", source=b"a b\n")
    check(done.returncode == 1 and b"whole number" in done.stderr, f"{done.stderr}")
    note("  what is wrong is said")


def test(stage):
    server = stage.server()
    folder = stage.new_folder("files")
    check_speedscope(server)
    check_cpuprofile(server)
    check_folded(server)
    check_pprof(server, folder)
    check_perf(server)
    check_perf_data(server, folder)
    check_places(server, folder)
    check_refusals(server)
    server.stop()


if __name__ == "__main__":
    play(test)
