#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two hosts feed one server: collectors with names of their own in two network namespaces, one of
them restarted in mid-run. Two hosts are listed, the truth program's shares are right in each, no
batch is taken for a duplicate, and what both use is uploaded and indexed once.

Both collectors sample the same kernel, so each sees all of it: hosts are compared with the truth,
never added up.
"""

import re
import subprocess
import time

from harness import SECOND_NS, build_id_of, check, note, play, slot_floor, sleep_until, truth_folder, wait_until

SECONDS = 16
RESTART_AFTER_SECONDS = 7
SHARE_POINTS_MAX = 3.0
TOTAL_PERCENT_MAX = 3.0
SERVER_ADDRESS = "10.77.0.1"
WHOLE = truth_folder("plain/whole")


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def make_host(number, name):
    """A network namespace whose only way out leads to this one. Returns what runs a program in it."""
    ip("netns", "add", name)
    ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
    ip("address", "add", f"10.77.{number}.1/24", "dev", name)
    ip("link", "set", name, "up")
    inside = ("-n", name)
    ip(*inside, "link", "set", "lo", "up")
    ip(*inside, "address", "add", f"10.77.{number}.2/24", "dev", "eth0")
    ip(*inside, "link", "set", "eth0", "up")
    ip(*inside, "route", "add", "default", "via", f"10.77.{number}.1")
    # Not `ip netns exec`: that mounts a /sys of its own.
    return ["nsenter", f"--net=/run/netns/{name}"]


def check_host(server, host, truth, from_ns, until_ns, total_is_whole):
    top = server.top(truth.selector(f'host="{host}"'), from_ns, until_ns)
    cpu_ns, parts = truth.between(from_ns, until_ns)
    off = 100 * (top["total"] - cpu_ns) / cpu_ns
    note(f"{host}: {top['sample_count']} samples, total {off:+.2f} % of the truth")
    if total_is_whole:
        check(abs(off) <= TOTAL_PERCENT_MAX, f"{host}: the total is off by {off:.2f} %")
    said = {}
    for function in top["functions"]:
        said[function["name"]] = said.get(function["name"], 0) + function["total"]
    for name, part_ns in parts.items():
        share = 100 * said.get(name, 0) / top["total"]
        truth_share = 100 * part_ns / sum(parts.values())
        note(f"  {name:16} {share:6.2f} %  truth {truth_share:6.2f} %")
        check(abs(share - truth_share) <= SHARE_POINTS_MAX, f"{host}: {name} is off by {share - truth_share:.2f}")


def check_uploads(server, collectors):
    """Each file that both hosts use came once: by the log lines of both, and by the server's counters."""
    uploaded = re.findall(r"(?<!not )uploaded .*", "\n".join(collector.log() for collector in collectors))
    libc = subprocess.run(["ldd", WHOLE + "/truth"], capture_output=True, text=True).stdout
    for path in (WHOLE + "/truth", WHOLE + "/truthlib.so", re.search(r"libc\.so\.6 => (\S+)", libc)[1]):
        lines = [line for line in uploaded if build_id_of(path) in line]
        check(len(lines) == 1, f"{path} was uploaded {len(lines)} times: {lines}")
    taken, indexed = counter(server, "symbol_uploads_taken"), counter(server, "symbol_indexed")
    note(f"{len(uploaded)} uploads logged, {taken} taken, {indexed} files indexed")
    files = re.findall(r"\(([0-9a-z-]+)\): ", "\n".join(uploaded))
    check(len(files) == len(set(files)), f"some file was uploaded twice: {sorted(uploaded)}")
    # One may have arrived whole while the collector that sent it was ending, before it could say so.
    check(len(uploaded) <= taken <= len(uploaded) + 1, "collectors and server disagree on the number of uploads")
    check(3 <= indexed <= taken, "some file was indexed twice, or none at all")


def counter(server, name):
    found = [c["value"] for c in server.json("/api/v1/status")["counters"] if c["name"] == name]
    check(len(found) == 1, f"status has {len(found)} counters named {name}")
    return found[0]


def test(stage):
    # Names of namespaces are files; these are nobody else's and vanish with this process.
    subprocess.run(["mkdir", "-p", "/run/netns"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "netns", "/run/netns"], check=True)
    ip("address", "add", f"{SERVER_ADDRESS}/32", "dev", "lo")
    red, blue = make_host(1, "red"), make_host(2, "blue")

    server = stage.server("--insecure", "--insecure-uploads", grpc=f"{SERVER_ADDRESS}:0")
    collectors = [
        stage.collector(server, "--host-name", "red", prefix=red),
        stage.collector(server, "--host-name", "blue", prefix=blue),
    ]
    truth = stage.truth(SECONDS + 6, variant="plain/whole")
    from_ns = slot_floor(time.time_ns() + 3 * SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    sleep_until(from_ns + RESTART_AFTER_SECONDS * SECOND_NS)
    collectors[1].stop()
    collectors.append(stage.collector(server, "--host-name", "blue", prefix=blue))
    sleep_until(until_ns)
    truth.wait(20)

    def named():
        top = server.top(truth.selector(), from_ns, until_ns)
        return {"truth_alpha", "truth_library_repeat"} <= {f["name"] for f in top["functions"]}

    wait_until(named, 60, "the truth program and its library have no names")
    for collector in (collectors[0], collectors[2]):
        collector.stop()
    hosts = server.hosts(from_ns, until_ns)
    check(set(hosts) == {"red", "blue"}, f"hosts listed: {sorted(hosts)}")
    check(counter(server, "duplicates") == 0, "batches were taken for duplicates")
    check_uploads(server, collectors)
    check_host(server, "red", truth, from_ns, until_ns, total_is_whole=True)
    check_host(server, "blue", truth, from_ns, until_ns, total_is_whole=False)
    server.stop()


play(test)
