#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run that parses foreign files can reach, seen from outside while the real server parses what a
collector uploads: four descriptors, no environment, no capability, no system call that reaches out.
The server has many connections, its store and its log files open meanwhile; none of it is in there.
"""

import os
import re
import resource
import signal
import socket
import stat
import time

from grpc_tap import PREFACE
from harness import check, note, play, wait_until

SETTINGS = b"\0\0\0\4\0\0\0\0\0"
CONNECTIONS = 60
RUNS = 5
SECONDS_MAX = 90
# The file; the index, a report, and what was unpacked.
FDS = {"0", "1", "2", "3"}


def read(pid, name):
    with open(f"/proc/{pid}/{name}", "rb") as file:
        return file.read()


def status_of(pid):
    return dict(re.findall(r"^(\w+):\s*(.*)$", read(pid, "status").decode(), re.MULTILINE))


def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            found += [int(child) for child in read(pid, f"task/{task}/children").split()]
        except OSError:
            continue
    return found


def look_into(pid):
    """Everything that there is to see of a run that is held; None if it is not confined yet."""
    status = status_of(pid)
    if status.get("Seccomp") != "2":
        return None
    descriptors = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        descriptors[name] = (os.readlink(f"/proc/{pid}/fd/{name}"), os.stat(f"/proc/{pid}/fd/{name}").st_mode)
    return {
        "status": status,
        "descriptors": descriptors,
        "environ": read(pid, "environ"),
        "cmdline": read(pid, "cmdline").split(b"\0"),
        "exe": os.readlink(f"/proc/{pid}/exe"),
        "limits": read(pid, "limits").decode(),
    }


def hold(pid):
    """Stops a run, looks into it, lets it go on. None: it was too early or too late."""
    try:
        os.kill(pid, signal.SIGSTOP)
        try:
            return look_into(pid)
        finally:
            os.kill(pid, signal.SIGCONT)
    except OSError:
        return None


def limit(seen, name):
    return re.search(rf"^{name}\s+(\S+)", seen["limits"], re.MULTILINE)[1]


def check_run(seen):
    status = seen["status"]
    note(f"  {seen['cmdline'][2].decode()}: {({name: link for name, (link, _) in seen['descriptors'].items()})}")
    check(set(seen["descriptors"]) == FDS, f"its descriptors are {sorted(seen['descriptors'])}")
    for name, (link, mode) in seen["descriptors"].items():
        check(stat.S_ISREG(mode), f"descriptor {name} is no regular file: {link}")
    # As it was when the run was executed.
    check(seen["environ"].strip(b"\0") == b"", f"its environment is {seen['environ'][:200]!r}")
    check(status["NoNewPrivs"] == "1", "it could gain privileges")
    for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        check(int(status[name], 16) == 0, f"it has capabilities: {name} {status[name]}")
    check(int(status["Threads"]) == 1, "it has threads")
    check(limit(seen, "Max data size") != "unlimited", "its memory has no limit")
    check(limit(seen, "Max cpu time") != "unlimited", "its time has no limit")
    check(limit(seen, "Max file size") != "unlimited", "its result has no limit")
    check(limit(seen, "Max core file size") == "0", "it could leave a core file")


def connect(address, words):
    host, _, port = address.rpartition(":")
    link = socket.create_connection((host, int(port)), timeout=10)
    link.sendall(words)
    return link


def test(stage):
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    server = stage.server(env={"CAIRN_TEST_SECRET": "must not be seen"})
    links = [connect(server.grpc, PREFACE + SETTINGS) for _ in range(CONNECTIONS)]
    links += [connect(server.http, b"GET /healthz HTT") for _ in range(CONNECTIONS)]
    wait_until(lambda: len(os.listdir(f"/proc/{server.pid}/fd")) > 2 * CONNECTIONS, 10, "no connections")
    stage.collector(server)
    stage.truth(SECONDS_MAX)
    seen, deadline = {}, time.monotonic() + SECONDS_MAX
    while len(seen) < RUNS:
        check(time.monotonic() < deadline, f"only {len(seen)} runs were seen")
        for pid in children(server.pid):
            if pid not in seen and (found := hold(pid)):
                seen[pid] = found
    note(f"the server has {len(os.listdir(f'/proc/{server.pid}/fd'))} descriptors; {len(seen)} runs:")
    for found in seen.values():
        check_run(found)
    for link in links:
        link.close()


play(test)
