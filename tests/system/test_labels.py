#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A million values of one label: memory stays bounded, nobody else notices, no sample is lost.

The values come over gRPC, a thousand a window. Above the cap they are one value more, `[other]`, whose
weight is theirs; status names the label and its service. The list of values comes in pages that cover it.
"""

import subprocess
import time

from harness import CPU, check, note, play, tool

VALUES = 1_000_000
CAP = 10_000
SAMPLE_NS = 10_000_000
# Less than the values alone would take (16 bytes of text, 16 of a fingerprint, 32 of a place in a list).
GROWTH_KIB_MAX = 64 * 1024


def memory_kib(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field + ":"))


def push(server, *words):
    port = server.grpc.rpartition(":")[2]
    done = subprocess.run([tool("push_windows"), port, *map(str, words)], capture_output=True, text=True, timeout=200)
    check(done.returncode == 0, f"push_windows {words}: {done.stdout} {done.stderr}")
    return done.stdout.strip()


def counter(server, name):
    found = [c["value"] for c in server.json("/api/v1/status")["counters"] if c["name"] == name]
    check(len(found) == 1, f"no counter {name}")
    return found[0]


def pages(server, **query):
    """All values of label req, page by page."""
    values, after = [], {}
    while True:
        answer = server.json("/api/v1/labels", name="req", limit=1000, **after, **query)
        values += [row["label"] for row in answer["values"]]
        check(len(answer["values"]) <= 1000, "a page is longer than was asked for")
        if "next" not in answer:
            return values
        after = {"after": answer["next"]}


def sums_by_service(server):
    rows = server.json("/api/v1/labels", name="service_name", counts="yes", **{"from": "now-1h", "until": "now+1m"})
    return {row["label"]: (row["samples"], row["value"]) for row in rows["values"]}


def check_lists(server):
    values = pages(server)
    check(len(values) == CAP + 1 and values == sorted(set(values)), f"{len(values)} values in pages")
    check("[other]" in values, "no value has the others")
    some = server.json("/api/v1/labels", name="req", limit=100, prefix="0000")["values"]
    check(len(some) == 100 and all(row["label"].startswith("0000") for row in some), "prefix and limit")
    began = time.monotonic()
    server.json("/api/v1/labels", name="req", limit=100)
    note(f"a page of 100 of {len(values)} values: {(time.monotonic() - began) * 1000:.1f} ms")
    check(pages(server, query='{service_name="quiet"}') == [], "another service has the values, too")
    check(counter(server, "catalog_not_ready") == 0, "lists were read from profiles")


def check_sums(server, quiet):
    sums = sums_by_service(server)
    check(sums.get("app") == (VALUES, VALUES * SAMPLE_NS), f"app has {sums.get('app')} of {VALUES} samples")
    check(sums.get("quiet") == (quiet, quiet * SAMPLE_NS), f"quiet has {sums.get('quiet')}")
    top = server.top('{service_name="quiet"}', "now-1h", "now+1m")
    check(top["total"] == quiet * SAMPLE_NS, f"a query of another service says {top['total']}")


def check_status(server):
    folded = counter(server, "labels_folded_values")
    check(folded == VALUES - CAP, f"{folded} label sets were folded")
    texts = [warning["text"] for warning in server.json("/api/v1/status")["warnings"]]
    said = [text for text in texts if "label req of service app" in text and str(CAP) in text]
    check(len(said) == 1, f"status says {texts}")
    note(said[0])


def test(stage):
    server = stage.server()
    for _ in range(3):
        check(push(server, "window", "calm", "quiet", 0) == "stored 1", "a window of another service is not stored")
    check_before = sums_by_service(server)
    check(check_before == {"quiet": (3, 3 * SAMPLE_NS)}, f"before: {check_before}")
    before = memory_kib(server.pid, "VmRSS")
    began = time.monotonic()
    said = push(server, "flood", "app", "req", VALUES)
    check(said == f"stored {VALUES}", said)
    after, peak = memory_kib(server.pid, "VmRSS"), memory_kib(server.pid, "VmHWM")
    note(f"{VALUES} values in {time.monotonic() - began:.1f} s: {before >> 10} MiB before, {after >> 10} after, peak {peak >> 10}")
    check(peak - before < GROWTH_KIB_MAX, f"the server grew by {(peak - before) >> 10} MiB")
    check(push(server, "window", "calm", "quiet", 0) == "stored 1", "a window behind the flood is not stored")
    check_lists(server)
    check_sums(server, 4)
    check_status(server)
    stop_and_look_again(stage, server)


def stop_and_look_again(stage, server):
    server.stop()
    server = stage.server()
    check_lists(server)
    check(counter(server, "catalog_made_anew") == 0, "the catalogue was not taken up")
    check_sums(server, 4)
    check(CPU in str(server.json("/pyroscope/label-values", label="__name__")), "no types")
    server.stop()


play(test)
