#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""counters.py ROOT [--write]: no counter rots.

Every counter of every list (see LISTS) stands with its meaning in docs/counters.md, which this script
writes, and is named by a test that expects something of it, or stands in untested_counters.txt, with
the reason. Prints each breach; exit status 1 if there is one."""

import os
import re
import subprocess
import sys

# List, its file, the prefix of an enum item in the sources, what stands before a name for people
# (without one, the list gives that name itself), and before the name in /metrics.
LISTS = [
    ("COUNTER_LIST", "bpf/abi/counter.h", "COUNTER_", "kernel_", "cairn_host_"),
    ("STOP_LIST", "bpf/abi/stop.h", "COUNTER_user_stop_", "kernel_user_stop_", "cairn_host_"),
    ("TALLY_LIST", "proto/wire/collector_counter.h", "TALLY_", "collector_", "cairn_host_"),
    ("SINK_COUNTERS", "proto/wire/collector_counter.h", "SINK_COUNTER_", None, "cairn_host_"),
    ("ACCEPTOR_COUNTERS", "store/base/acceptor.h", "ACCEPTOR_COUNTER_", "grpc_", "cairn_ingest_"),
    ("ACCEPTOR_COUNTERS", "store/base/acceptor.h", "ACCEPTOR_COUNTER_", "http_", "cairn_http_"),
    ("RPC_SERVER_COUNTERS", "proto/rpc/rpc_server.h", "", "grpc_", "cairn_ingest_"),
    ("SERVICE_COUNTERS", "symbolizer-server/service/service_counter.h", "SERVICE_COUNTER_", None, "cairn_ingest_"),
    ("INGEST_COUNTERS", "symbolizer-server/ingest/ingest_desk.h", "INGEST_", None, "cairn_client_"),
    ("INGEST_DROPS", "symbolizer-server/ingest/ingest_batch.h", "drops.", "client_", "cairn_client_"),
    ("LABEL_GUARD_COUNTERS", "symbolizer-server/guard/label_guard_counter.h", "LABEL_GUARD_COUNTER_", None, "cairn_ingest_"),
    ("PROFILE_STORE_COUNTERS", "store/disk/profile_store.h", "PROFILE_STORE_", "", "cairn_store_"),
    ("STORE_LEVELS", "symbolizer-server/http/counter_list.c", None, None, "cairn_store_"),
    ("SYMBOL_COUNTERS", "symbolizer-server/symbol/symbol_counter.h", "SYMBOL_COUNTER_", None, "cairn_symbols_"),
    ("LOG_COUNTERS", "store/log/log.h", "", "log_", "cairn_log_"),
    ("HTTP_COUNTERS", "symbolizer-server/http/http_counter.h", "HTTP_COUNTER_", None, "cairn_http_"),
]
TITLES = {
    "COUNTER_LIST": ("Collector: kernel side", "since the collector started"),
    "STOP_LIST": ("Collector: how walks of user stacks end", "since the collector started"),
    "TALLY_LIST": ("Collector: from the rings to windows", "since the collector started"),
    "SINK_COUNTERS": ("Collector: batches on their way to the server", "since the collector started"),
    "ACCEPTOR_COUNTERS": ("Server: connections of its two ports", "since the server started"),
    "RPC_SERVER_COUNTERS": ("Server: gRPC", "since the server started"),
    "SERVICE_COUNTERS": ("Server: batches and uploads that come in", "since the server started"),
    "INGEST_COUNTERS": ("Server: uploads of other systems' clients", "since the server started"),
    "INGEST_DROPS": ("Server: what of these uploads is not kept as it came", "since the server started"),
    "LABEL_GUARD_COUNTERS": ("Server: labels with ever new values", "since the server started"),
    "PROFILE_STORE_COUNTERS": ("Server: the store", "since the server started"),
    "STORE_LEVELS": ("Server: what is stored", "now"),
    "SYMBOL_COUNTERS": ("Server: names", "since the server started"),
    "HTTP_COUNTERS": ("Server: answers", "since the server started"),
    "LOG_COUNTERS": ("Server: log", "since the server started"),
}
# What /metrics has besides.
OTHER_METRICS = [
    ("cairn_build_info", "1; its label `version` is the server's"),
    ("cairn_start_time_seconds", "when the server started, seconds since 1970"),
    ("cairn_hosts", "hosts that sent something since the server started, now"),
    ("cairn_hosts_left_out", "of these, without metrics of their own: the first 1,000 by name have some"),
    ("cairn_host_last_seen_seconds", "per host: end of the newest window, seconds since 1970 by its own clock"),
    ("cairn_host_last_received_seconds", "per host: when its last batch came, seconds since 1970 by the server's clock"),
    ("cairn_host_clock_skew_seconds", "per host: its clock less the server's, over its last windows"),
    ("cairn_host_coverage_ratio", "per host: samples x period over busy time of the last minutes; -1: no busy time"),
    ("cairn_unaccounted", "per `stage` (`unit`), and per host: 0, or a fault of Cairn's own"),
]
HEAD = """# Counters

Written by `tests/lint/counters.py --write` from the lists in the sources; a test holds it to them.

All counters only rise, from 0 at the start of the program that counts, and no restart hides: a metric that
fell back is a program that started again (`cairn_start_time_seconds` tells when the server did). Those that
say `now` are levels. A collector's counters travel with each window and are those of the moment when that
window was closed; in `/metrics` they have the label `host`. Names are part of the contract: one may be added,
none changes its meaning. Which of them add up to what is the chain that `cairn status` prints
(`operating.md`).
"""


# Tests that show or pass on numbers which nothing counted.
MADE_UP = (
    "tests/lint/",
    "tests/unit/collector/test_status.c",
    "tests/unit/collector/test_tally.c",
    "tests/unit/proto/wire/test_collector_counter.c",
    "tests/unit/symbolizer-server/cli/",
    "tests/unit/symbolizer-server/status/",
)


class Counter:
    def __init__(self, row, identifier, name, meaning):
        self.list, self.identifier, self.name, self.meaning = row[0], identifier, name, meaning
        self.is_level = meaning.endswith(", now")
        part = row[4][len("cairn_") :].rstrip("_")
        stem = part[:-1] if part.endswith("s") else part
        prefixed = row[4] != "cairn_host_" and name.startswith(stem + "_")
        self.metric = ("cairn_" if prefixed else row[4]) + name + ("" if self.is_level else "_total")


def literals(text):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def read_list(root, row):
    name, path, enum_prefix, prefix, _ = row
    with open(os.path.join(root, path), encoding="utf-8") as file:
        source = file.read().replace("\\\n", "\n")
    body = re.search(rf"#define {name}\(X\)((?:\s*X\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*\))+)", source)
    if not body:
        sys.exit(f"counters: {path} has no list {name}")
    for item in re.findall(r"X\(((?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*)\)", body[1]):
        fields = re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", item)
        if name == "STORE_LEVELS":
            yield Counter(row, fields[2].strip(), literals(fields[0]), literals(fields[1]))
        elif prefix is None:
            yield Counter(row, enum_prefix + fields[0].strip(), literals(fields[1]), literals(fields[2]))
        else:
            own = fields[0].strip()
            yield Counter(row, enum_prefix + own, prefix + own, literals(fields[-1]))


def document(counters):
    text = HEAD
    for name, (title, since) in TITLES.items():
        text += f"\n## {title}\n\nCounted {since}.\n\n" if since != "now" else f"\n## {title}\n\n"
        text += "| counter | meaning | in /metrics |\n|---|---|---|\n"
        for counter in counters:
            if counter.list == name:
                text += f"| `{counter.name}` | {counter.meaning} | `{counter.metric}` |\n"
    text += "\n## Besides, in /metrics\n\n| metric | meaning |\n|---|---|\n"
    return text + "".join(f"| `{name}` | {meaning} |\n" for name, meaning in OTHER_METRICS)


def lines_of_tests(root, folder="tests"):
    """What tests expect: comparisons with nothing (`..., 0)`, `== 0`) make no counter rise."""
    names = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, "ls-files", folder], capture_output=True, text=True, check=True).stdout
    for name in names.split():
        if not name.endswith((".c", ".py")) or name.startswith(MADE_UP):
            continue
        with open(os.path.join(root, name), encoding="utf-8") as file:
            # A name alone on its line is listed, not expected.
            text = re.sub(r'^\s*"\w+",\n', "", file.read(), flags=re.M)
            joined = re.sub(r"([(,=><+&|?:-])\n\s*", r"\1 ", text)
        for line in joined.split("\n"):
            if not re.search(r"(, |== )0\)", line):
                yield line


def exceptions(root):
    found = {}
    with open(os.path.join(root, "tests/lint/untested_counters.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition(" ")
                found[name] = reason.strip()
    return found


def check_tests(root, counters):
    words = set(re.findall(r"\w+", "\n".join(lines_of_tests(root))))
    # There every expected end of a walk is expected of its counter, too.
    ends = re.findall(r"STOP_(\w+)", "\n".join(lines_of_tests(root, "tests/bpf_host")))
    words |= {"COUNTER_user_stop_" + end for end in ends}
    excused = exceptions(root)
    for counter in counters:
        tested = counter.identifier in words or counter.name in words or counter.metric in words
        if not tested and counter.name not in excused:
            yield f"{counter.name}: no test expects it to rise"
        if tested and counter.name in excused:
            yield f"{counter.name}: a test names it, so untested_counters.txt must not"
    known = {counter.name for counter in counters}
    for name, reason in excused.items():
        if name not in known:
            yield f"untested_counters.txt: {name} is no counter"
        if not reason:
            yield f"untested_counters.txt: {name} has no reason"


def main():
    root = sys.argv[1]
    counters = [counter for row in LISTS for counter in read_list(root, row)]
    path = os.path.join(root, "docs/counters.md")
    if sys.argv[2:] == ["--write"]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(document(counters))
        return 0
    breaches = []
    names = [counter.name for counter in counters]
    breaches += [f"{name}: twice a counter" for name in sorted({n for n in names if names.count(n) > 1})]
    breaches += [f"{counter.name}: no meaning" for counter in counters if not counter.meaning]
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != document(counters):
        breaches.append("docs/counters.md: not what the lists say; run tests/lint/counters.py . --write")
    breaches += check_tests(root, counters)
    print("\n".join(breaches))
    print(f"counters: {len(counters)} counters, {len(breaches)} breaches")
    return 1 if breaches else 0


sys.exit(main())
