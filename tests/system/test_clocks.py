#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts whose clocks are wrong are found and told, and a collector whose data are too old is answered so.

A window a day ahead and one two hours behind are stored and counted; the hosts are in the list of the last
minutes, with how far off their clocks are, and `cairn status` warns. Then a real collector sends to a
server that keeps a second: each batch is refused with a reason, which the collector logs and counts.
"""

import json
import socket
import subprocess
import time

from harness import binary, check, note, play, tool, wait_until

AHEAD = {"right": 0, "ahead": 86400, "behind": -7200}
TOO_OLD = -2 * 86400


def push(server, *words):
    port = server.grpc.rpartition(":")[2]
    done = subprocess.run([tool("push_windows"), port, *map(str, words)], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"push_windows {words}: {done.stdout} {done.stderr}")
    return done.stdout.strip()


def counters(server):
    return {c["name"]: c["value"] for c in server.json("/api/v1/status")["counters"]}


def check_hosts(server):
    hosts = server.hosts("now-5m", "now+5m")
    check(set(hosts) == set(AHEAD), f"the list of hosts has {sorted(hosts)}")
    for name, ahead in AHEAD.items():
        skew = hosts[name]["clock_skew_ns"] / 1e9
        check(abs(skew - ahead) < 2, f"{name} is said to be {skew} s ahead, not {ahead}")
        seen = (hosts[name]["last_seen"] - hosts[name]["last_received"]) / 1e9
        check(abs(seen - ahead) < 2, f"{name}: last seen {seen} s from when it was heard")
        # Its samples lie where its clock put them.
        check(hosts[name]["samples"] == (1 if ahead == 0 else 0), f"{name} has {hosts[name]['samples']} samples now")
        own = time.time() + ahead
        there = server.hosts(int((own - 120) * 1e9), int((own + 120) * 1e9))
        check(there[name]["samples"] == 1, f"{name} has no samples at its own time")


def check_warnings(server):
    status = server.json("/api/v1/status")
    said = {w["host"]: w for w in status["warnings"] if "clock" in w["text"]}
    check(set(said) == {"ahead", "behind"}, f"warnings: {status['warnings']}")
    check("ahead of the server's" in said["ahead"]["text"] and said["ahead"]["remedy"], f"{said['ahead']}")
    check("behind the server's" in said["behind"]["text"], f"{said['behind']}")
    shown = subprocess.run([binary("cairn"), "status", "--server", server.url], capture_output=True, text=True, check=True).stdout
    for name in AHEAD:
        line = next((line for line in shown.splitlines() if line.startswith(name)), "")
        check(" s ago" in line, f"cairn status has no recent {name}: {line!r}")
    metrics = server.get("/metrics")[1].decode()
    check('cairn_host_clock_skew_seconds{host="ahead"} 8639' in metrics or
          'cairn_host_clock_skew_seconds{host="ahead"} 8640' in metrics, "no clock in the metrics")
    check('cairn_host_last_received_seconds{host="ahead"}' in metrics, "no time of receiving in the metrics")
    for host in said.values():
        note(host["text"])


def wrong_clocks(stage):
    server = stage.server("--retain-time", "1d")
    for name, ahead in AHEAD.items():
        check(push(server, "window", name, "app", ahead) == "stored 1", f"the window of {name} is not stored")
    said = push(server, "window", "old", "app", TOO_OLD)
    check(said == "refused all of it is older than what this server keeps", f"too old: {said}")
    found = counters(server)
    expected = {"ingest_batches_backdated": 1, "ingest_batches_ahead": 1, "ingest_batches_stale": 1, "refused_old": 1}
    check({name: found[name] for name in expected} == expected, f"counters: { {n: found[n] for n in expected} }")
    check_hosts(server)
    check_warnings(server)
    server.stop()


def collector_counters(path):
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(path)
        link.sendall(b"GET /status HTTP/1.0\r\nHost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: link.recv(65536), b""))
    return {c["name"]: c["value"] for c in json.loads(answer.partition(b"\r\n\r\n")[2])["counters"]}


def too_old(stage):
    server = stage.server("--retain-time", "1ms", data="short")
    collector = stage.collector(server, "--window", "1", "--host-name", "late")
    path = collector.argv[collector.argv.index("--control-socket") + 1]
    wait_until(lambda: counters(server)["ingest_batches_stale"] >= 2, 30, "the server refused nothing")
    refused = wait_until(lambda: collector_counters(path)["sink_batches_refused"], 10, "the collector counted nothing")
    dropped = collector_counters(path)["sink_samples_dropped_refused"]
    check(dropped > 0, f"{refused} batches refused, {dropped} samples dropped")
    collector.wait_for("refused a batch of .*older than what this server keeps")
    collector.stop()
    server.stop()


def test(stage):
    wrong_clocks(stage)
    too_old(stage)


play(test)
