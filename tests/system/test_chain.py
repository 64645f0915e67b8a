#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The chain from kernel to disk adds up, stage by stage and from end to end, through faults: the server
is killed, its disk is full, rings run full, batches come that nobody can read. What the kernel side
passed is what an export holds, to the last sample."""

import errno
import math
import os
import signal
import socket
import subprocess
import time

import prometheus_text
from grpc_tap import message, opening
from harness import binary, check, note, play, wait_until

HOST_STAGES = ["kernel", "rings", "translate", "window", "encode", "queue", "wire"]
SERVER_STAGES = ["receive", "store", "log", "retention", "want", "upload", "debuginfod", "sandbox", "cache", "query", "http"]
# Every way on which a sample can get lost between the kernel side and the server's disk.
LOSSES = [
    "kernel_malformed",
    "collector_samples_dropped",
    "collector_samples_window_dropped",
    "sink_samples_dropped_unencoded",
    "sink_samples_dropped_queue_full",
    "sink_samples_dropped_refused",
]
HOSTILE_NAME = 'a "host" \\ with marks'


def by_name(things, key="name"):
    return {thing[key]: thing for thing in things}


def counters_of(host):
    return {counter["name"]: counter["value"] for counter in host["counters"]}


def check_stage(stage, where):
    parts = [stage[name] for name in ("out", "waiting", "set_aside", "lost", "unaccounted")]
    check(stage["unaccounted"] == 0, f"{where}: {stage['unaccounted']} unaccounted for at {stage['stage']}: {stage}")
    check(stage["in"] == sum(parts), f"{where}: {stage['stage']} does not add up: {stage}")
    lost = sum(reason["value"] for reason in stage["lost_reasons"])
    check(lost == stage["lost"], f"{where}: the reasons of {stage['stage']} do not add up: {stage}")


def check_chain(server):
    """Every stage of the fleet and of each host adds up, and is linked to the next."""
    status = server.json("/api/v1/status")
    chain = by_name(status["chain"], "stage")
    expected = (HOST_STAGES if status["hosts"] else []) + SERVER_STAGES
    check(list(chain) == expected, f"the stages are {list(chain)}")
    for stage in chain.values():
        check_stage(stage, "fleet")
    for host in status["hosts"]:
        stages = by_name(host["chain"], "stage")
        check(list(stages) == HOST_STAGES, f"the stages of a host are {list(stages)}")
        for stage in stages.values():
            check_stage(stage, host["host"])
        for before, after in zip(HOST_STAGES[:5], HOST_STAGES[1:6]):
            check(stages[before]["out"] == stages[after]["in"], f"{before} and {after} do not meet: {stages}")
    check(not [w for w in status["warnings"] if "unaccounted" in w["text"]], f"warnings: {status['warnings']}")
    return status, chain


def samples_exported(server):
    """Every value is a multiple of the period, and some stacks have one sample."""
    values = [value for _, value in server.folded("{}", "now-1h", "now")]
    period = math.gcd(*values)
    return sum(values) // period


def samples_expected(host):
    counters = counters_of(host)
    for name in ("collector_samples_held", "sink_samples_unencoded"):
        check(counters[name] == 0, f"the last window was closed with {name} {counters[name]}")
    return counters["kernel_passed"] - sum(counters[name] for name in LOSSES)


def check_killed_server(stage):
    note("the server is killed and comes back:")
    server = stage.server(data="killed")
    addresses = {"http": server.http, "grpc": server.grpc}
    collector = stage.collector(server, "--window", "1", "--host-name", "steady")
    truth = stage.truth(60, threads=2)
    wait_until(lambda: server.hosts("now-5m", "now"), 30, "nothing comes")
    time.sleep(3)
    check_chain(server)
    server.kill()
    time.sleep(4)
    server = stage.server(data="killed", **addresses)
    wait_until(lambda: check_chain(server)[1]["queue"]["waiting"] == 0 and len(server.json("/api/v1/status")["hosts"]) == 1, 30, "the collector does not carry on")
    time.sleep(2)
    truth.kill()
    collector.stop()
    status, _ = check_chain(server)
    (host,) = status["hosts"]
    counters = counters_of(host)
    check(counters["sink_streams_broken"] >= 1, "the broken stream is not counted")
    check(counters["collector_log_warnings"] >= 1, "the warning about the lost server is not counted")
    check(counters["collector_windows_sent"] >= 5, "windows are not counted")
    check(counters["collector_samples_due"] == counters["kernel_passed"], "what is due is not all that passed")
    check(counters["collector_samples_in_window"] > 1, "the last window's samples are not counted")
    expected, found = samples_expected(host), samples_exported(server)
    check(expected == found, f"the kernel side passed {expected} samples that were not lost, the export has {found}")
    check(counters["kernel_passed"] == counters["collector_samples_received"], "rings were not emptied at the end")
    note(f"  {found} samples from the kernel to the export, none missing, none twice")
    server.stop()


def fill(path):
    """Takes what room there is. Whoever fails for the lack of it may give some back (an upload does), so
    a disk that is to stay full is filled again and again."""
    with open(path, "ab", buffering=0) as filler:
        try:
            while filler.write(bytes(4096)):
                pass
        except OSError as error:
            check(error.errno == errno.ENOSPC, f"filling the disk: {error}")
    return True


def check_full_disk(stage):
    note("the disk runs full and gets room again:")
    folder = stage.new_folder("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "small", folder], check=True)
    server = stage.server(data="small")
    collector = stage.collector(server, "--window", "1", "--host-name", HOSTILE_NAME)
    truth = stage.truth(60, threads=2)
    wait_until(lambda: check_chain(server)[1]["store"]["out"] > 0, 30, "nothing is stored")
    filler = os.path.join(folder, "filler")
    wait_until(lambda: fill(filler) and check_chain(server)[1]["log"]["set_aside"] > 0, 30, "a full disk is not counted")
    status, _ = check_chain(server)
    wait_until(lambda: fill(filler) and [w for w in server.json("/api/v1/status")["warnings"] if "is full" in w["text"]], 10, "nothing warns of the full disk")
    reasons = by_name(by_name(status["chain"], "stage")["log"]["aside_reasons"], "counter")
    check(reasons["records_failed"]["value"] + reasons["refused_full"]["value"] > 0, f"the reasons are {reasons}")
    os.unlink(filler)
    stored = by_name(status["chain"], "stage")["store"]["out"]
    wait_until(lambda: check_chain(server)[1]["store"]["out"] > stored, 40, "nothing is stored again")
    wait_until(lambda: by_name(server.json("/api/v1/status")["hosts"][0]["chain"], "stage")["wire"]["set_aside"] > 0, 30, "`not now` is not counted by the collector")
    truth.kill()
    collector.stop()
    status, chain = check_chain(server)
    (host,) = status["hosts"]
    expected, found = samples_expected(host), samples_exported(server)
    check(expected == found, f"the kernel side passed {expected} samples that were not lost, the export has {found}")
    check(chain["store"]["out"] == found == host["samples_stored"], f"{chain['store']} and {host['samples_stored']}")
    note(f"  {found} samples from the kernel to the export")
    check_metrics(server, host)
    server.stop()
    subprocess.run(["umount", folder], check=True)


def check_metrics(server, host):
    note("metrics:")
    status, body = server.get("/metrics")
    check(status == 200, f"/metrics: {status}")
    metrics = prometheus_text.read(body)
    shown = {"host": HOSTILE_NAME.replace("\\", "\\\\").replace('"', '\\"')}
    for name, number in counters_of(host).items():
        found = [m for m in (f"cairn_host_{name}", f"cairn_host_{name}_total") if m in metrics]
        check(len(found) == 1, f"{name} is not in /metrics, or twice")
        check(prometheus_text.value(metrics, found[0], **shown) == number, f"{name} differs from status")
    for labels, number in metrics["cairn_unaccounted"].samples.items():
        check(number == 0, f"unaccounted: {labels} {number}")
    stages = {dict(labels)["stage"] for labels in metrics["cairn_unaccounted"].samples}
    check(stages == set(HOST_STAGES + SERVER_STAGES), f"cairn_unaccounted has {stages}")
    documented = documented_metrics()
    for name in metrics:
        if not name.startswith("cairn_host_"):
            check(name in documented, f"{name} is not in docs/counters.md")
    note(f"  {len(metrics)} metrics")


def documented_metrics():
    with open(os.path.join(os.environ["CAIRN_SOURCE"], "docs", "counters.md"), encoding="utf-8") as file:
        return {word.strip("`") for line in file for word in line.replace("|", " ").split() if word.startswith("`cairn_")}


def check_full_rings(stage):
    note("rings run full:")
    server = stage.server(data="rings")
    collector = stage.collector(server, "--window", "1", "--host-name", "hurried", hz=4999)
    wait_until(lambda: server.hosts("now-5m", "now"), 30, "nothing comes")
    truth = stage.truth(60, threads=2)
    os.kill(collector.pid, signal.SIGSTOP)
    subprocess.run(["sh", "-c", "for i in $(seq 2500); do /bin/true; done"], check=True)
    time.sleep(5)
    os.kill(collector.pid, signal.SIGCONT)

    def rings_full():
        stages = by_name(check_chain(server)[0]["hosts"][0]["chain"], "stage")
        return stages["kernel"]["lost"]

    wait_until(rings_full, 30, "full rings are not counted")
    truth.kill()
    collector.stop()
    status, _ = check_chain(server)
    check([w for w in status["warnings"] if "ring full" in w["text"] and w["host"] == "hurried"], f"warnings: {status['warnings']}")
    expected, found = samples_expected(status["hosts"][0]), samples_exported(server)
    check(expected == found, f"the kernel side passed {expected} samples that were not lost, the export has {found}")
    counters = counters_of(status["hosts"][0])
    check(counters["collector_task_records_lost"] >= 1, "lost records about programs are not counted")
    check(counters["collector_rescans"] >= 1, "/proc was not read again after a loss, or that is not counted")
    lost = counters["kernel_ring_full"]
    note(f"  {lost} ticks lost and told, {found} samples kept")
    server.stop()


def field(number, wire_type, body):
    return bytes([number << 3 | wire_type]) + body


def text_field(number, body):
    return field(number, 2, bytes([len(body)]) + body)


def check_malformed(stage):
    note("batches that nobody can read:")
    server = stage.server(data="malformed")
    hello = text_field(1, field(1, 0, b"\x01") + text_field(3, b"i" * 16) + text_field(5, b"liar"))
    bad = text_field(2, text_field(1, b"i" * 16) + field(2, 0, b"\x00") + field(3, 0, b"\x01") + field(4, 0, b"\x08") + text_field(5, b"no zstd!"))
    host, _, port = server.grpc.rpartition(":")
    with socket.create_connection((host, int(port))) as liar:
        liar.sendall(opening("/cairn.v1.Ingest/Push") + message(hello) + message(bad))
        wait_until(lambda: check_chain(server)[1]["receive"]["lost"] == 1, 10, "a malformed batch is not counted")
    status, _ = check_chain(server)
    check([w for w in status["warnings"] if "malformed" in w["text"]], f"warnings: {status['warnings']}")
    shown = subprocess.run([binary("cairn"), "status", "--server", server.url], capture_output=True, text=True, check=True)
    check("1 malformed" in shown.stdout and "warning " in shown.stdout, shown.stdout)
    server.stop()


def test(stage):
    check_malformed(stage)
    check_killed_server(stage)
    check_full_disk(stage)
    check_full_rings(stage)


play(test)
