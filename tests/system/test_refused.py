#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel that refuses the BPF programs, by EPERM as lockdown does and by EINVAL as a verifier does, switches
off what they do: log, control socket, server and `cairn status` say which, why and what to do, and a known
program is sampled all the same. Whoever insists on BPF is told in one line. A collector that is killed at
any time, while it starts and builds tables included, leaves no program, map or process behind.
"""

import errno
import json
import os
import random
import re
import signal
import socket
import subprocess
import time

from harness import SECOND_NS, binary, check, note, play, refusal, slot_floor, tool, wait_until

CASES = {"locked": errno.EPERM, "verified": errno.EINVAL}
WORDS = {"locked": "refused to load BPF programs (Operation not permitted)", "verified": "Invalid argument"}
# What BPF programs do, and nothing else.
BY_BPF = {"kernel_walks", "process_lives"}
TRUTH_SECONDS = 12
# After so long, seconds, a collector is killed: before it has loaded anything, while it loads, while it
# reads all of /proc and builds tables, while it samples.
KILL_AFTER = (0.01, 0.03, 0.06, 0.1, 0.15, 0.25, 0.4, 0.8, 1.5)
GONE_SECONDS_MAX = 20


def off_of(features):
    return {f["name"]: f for f in features if f["state"] == "off"}


def control_features(path):
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(path)
        link.sendall(b"GET /status HTTP/1.0\r\nHost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: link.recv(65536), b""))
    return off_of(json.loads(answer.partition(b"\r\n\r\n")[2])["features"])


def server_features(server, host):
    found = [entry for entry in server.json("/api/v1/status")["hosts"] if entry["host"] == host]
    return off_of(found[0]["features"]) if found else None


def check_case(server, host, collector):
    off = wait_until(lambda: server_features(server, host), 30, f"{host} sends nothing")
    check(set(off) == BY_BPF, f"{host}: off is {sorted(off)}")
    fault = off["kernel_walks"]
    check(WORDS[host] in fault["reason"] and fault["remedy"], f"{host}: {fault}")
    own = control_features(collector.argv[collector.argv.index("--control-socket") + 1])
    check(own["kernel_walks"]["reason"] == fault["reason"], f"{host}: its own status says {own}")
    shown = subprocess.run(
        [binary("cairn"), "status", "--server", server.url, "--host", host], capture_output=True, text=True, check=True
    ).stdout
    check(f"off: kernel_walks: {fault['reason']}" in shown, f"{host}: cairn status does not say it")
    lines = [line for line in collector.log().splitlines() if "warning: kernel_walks is off: " in line]
    check(len(lines) == 1 and fault["reason"] in lines[0], f"{host}: {collector.log()}")
    note(f"{host}: kernel_walks is off: {fault['reason']}; to have it, {fault['remedy']}")


def check_refused_programs(stage, server):
    collectors = {
        host: stage.collector(server, "--host-name", host, "--window", "2", prefix=[tool("no_bpf"), str(error)])
        for host, error in CASES.items()
    }
    for collector in collectors.values():
        collector.wait_for("sampling")
    truth = stage.truth(TRUTH_SECONDS, threads=1, variant="plain/whole")
    from_ns = slot_floor(time.time_ns() + SECOND_NS)
    until_ns = from_ns + 6 * SECOND_NS
    for host, collector in collectors.items():
        check_case(server, host, collector)
    check(truth.wait(30) == 0, "the truth program failed")
    for collector in collectors.values():
        collector.stop()
    for host in CASES:
        stacks = server.folded(truth.selector(f'host="{host}"'), from_ns, until_ns)
        seen = sum(value for _, value in stacks)
        # truth_kernel has a buffer in its frame that is larger than what is copied.
        small = [(stack, value) for stack, value in stacks if "truth_kernel" not in stack]
        all_small = sum(value for _, value in small)
        whole = sum(value for stack, value in small if not stack[0].startswith("["))
        note(f"{host}: {whole / 1e9:.2f} s of {all_small / 1e9:.2f} s whole; {(seen - all_small) / 1e9:.2f} s more in truth_kernel")
        check(all_small > SECOND_NS // 4 and whole >= 0.99 * all_small, f"{host}: stacks are not whole")
    insisting = [tool("no_bpf"), str(errno.EPERM), binary("cairn-collector"), "--sampler", "bpf", "--server", server.grpc]
    line = refusal([*insisting, "--control-socket", stage.path("none.sock")], 1)
    check("refused to load BPF programs" in line, "the line does not say what was refused")


def bpf_ids():
    """Programs and maps of the whole machine; numbers are given out upwards."""
    ids = set()
    for kind in ("prog", "map"):
        listed = json.loads(subprocess.run(["bpftool", "-j", kind, "list"], capture_output=True, text=True, check=True).stdout)
        ids |= {(kind, entry["id"]) for entry in listed}
    return ids


def descendants(pid):
    """Processes that stand in the session of PID."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # A zombie holds nothing any more.
        if int(fields[3]) == pid and fields[0] != "Z":
            found.append(int(name))
    return found


def held_by(pid):
    """Ids of the programs and maps that PID holds."""
    ids = set()
    try:
        for number in os.listdir(f"/proc/{pid}/fdinfo"):
            with open(f"/proc/{pid}/fdinfo/{number}", encoding="ascii") as info:
                for kind, found in re.findall(r"^(prog|map)_id:\s*(\d+)", info.read(), re.M):
                    ids.add((kind, int(found)))
    except (FileNotFoundError, ProcessLookupError):
        pass
    return ids


def check_kills(stage, server):
    for way in ("bpf", "perf"):
        held_most = 0
        for after in KILL_AFTER:
            argv = [binary("cairn-collector"), "--sampler", way, "--server", server.grpc, "--upload", "never"]
            argv += ["--control-socket", stage.path("killed.sock")]
            with open(stage.path("killed.log"), "ab") as log:
                process = subprocess.Popen(argv, stdout=log, stderr=log, start_new_session=True)
            time.sleep(after * random.uniform(0.8, 1.2))
            held = held_by(process.pid)
            held_most = max(held_most, len(held))
            process.send_signal(signal.SIGKILL)
            process.wait()
            wait_until(lambda: not descendants(process.pid), GONE_SECONDS_MAX, f"{way}, {after} s: a process stays")
            wait_until(lambda: not held & bpf_ids(), GONE_SECONDS_MAX, f"{way}, {after} s: a program or map stays")
        note(f"{way}: killed {len(KILL_AFTER)} times, up to {held_most} programs and maps held: all gone")
        check(held_most > 0 or way == "perf", f"{way}: it held {held_most} programs and maps")


def test(stage):
    server = stage.server()
    check_refused_programs(stage, server)
    check_kills(stage, server)


play(test)
