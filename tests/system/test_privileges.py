#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Least privilege: what six capabilities are for. A collector that has them and is not root sees and
names everything; without one of them it names the capability in its log and in status, loses what
docs/operating.md says, and nothing else. Without CAP_PERFMON, or without CAP_BPF where BPF is insisted on, it ends, in
one line.

Each case is a collector with a host name of its own; all of them sample the same programs, which
belong to a third user, at the same time.
"""

import json
import os
import shutil
import socket
import subprocess
import time

from harness import SECOND_NS, binary, check, note, play, refusal, slot_floor, sleep_until, truth_folder, wait_until

SIX = ("bpf", "perfmon", "sys_ptrace", "syslog", "dac_read_search", "checkpoint_restore")
# What root has besides and what would do instead.
WIDER = {"dac_read_search": ("dac_override",), "checkpoint_restore": ("sys_admin",)}
NOBODY, OTHER, OWNER = 65534, 65533, 1234
SECONDS = 10
TRUTH_SECONDS = 120
TOTAL_PERCENT_MAX = 12.0
NAMED_MIN, UNNAMED_MIN = 0.9, 0.9

# Features that must be off without the capability, and those that may be: newer kernels let
# CAP_PERFMON read mappings.
OFF = {
    "sys_ptrace": ({"other_roots"}, {"other_processes"}),
    "syslog": ({"kernel_symbols"}, set()),
    "dac_read_search": ({"private_files"}, set()),
    "checkpoint_restore": ({"mapped_files"}, set()),
}
# Programs whose functions have no names while a feature is off.
UNNAMED_WITHOUT = {
    "other_processes": {"before", "private", "boxed", "deleted"},
    "other_roots": {"boxed", "deleted"},
    "private_files": {"private", "deleted"},
    "mapped_files": {"deleted"},
}


def as_nobody(capabilities, *wrap, uid=NOBODY):
    listed = ",".join("+" + name for name in capabilities)
    return [
        *wrap, "setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups",
        "--inh-caps", "-all," + listed, "--ambient-caps", "-all," + listed, "--bounding-set", "-all," + listed,
    ]  # fmt: skip


def as_root_without(capability):
    lost = ",".join("-" + name for name in (capability, *WIDER.get(capability, ())))
    return ["setpriv", "--bounding-set", lost]


class Programs:
    """Truth programs of a third user, each with something that a privilege is needed for."""

    def __init__(self, stage):
        self.stage, self.running = stage, {}
        self.reports = stage.new_folder("reports")
        os.chown(self.reports, OWNER, OWNER)

    def _copy(self, name, mode):
        folder = self.stage.path(name)
        shutil.copytree(truth_folder("plain/whole"), folder)
        for entry in [folder, *(os.path.join(folder, file) for file in os.listdir(folder))]:
            os.chown(entry, OWNER, OWNER)
            os.chmod(entry, mode)
        return folder

    def start(self, name, mode=0o755, boxed=False):
        folder = self._copy(name, mode)
        report = os.path.join(self.reports, name)
        # Boxed, only that process sees the files, at a path where others find none.
        box = self.stage.new_folder(name + "-box") if boxed else folder
        argv = ["setpriv", "--reuid", str(OWNER), "--regid", str(OWNER), "--clear-groups"]
        argv += [f"{box}/truth", "--seconds", str(TRUTH_SECONDS), "--threads", "1", "--report", report]
        if boxed:
            script = 'mount -t tmpfs -o mode=755 none "$1" && cp -p "$2"/* "$1" && rm -r "$2" && shift 2 && exec "$@"'
            argv = ["unshare", "--mount", "sh", "-ec", script, "sh", box, folder, *argv]
        self.running[name] = self.stage.run(name, argv, niceness=-10)
        wait_until(lambda: os.path.exists(report) and os.path.getsize(report), 10, f"{name} reports nothing")
        return folder

    def cpu_ns(self, name, from_ns, until_ns):
        with open(os.path.join(self.reports, name), encoding="utf-8") as lines:
            reports = [json.loads(line) for line in lines if line.endswith("\n")]

        def at(when_ns):
            late = next(i for i, report in enumerate(reports) if report["at_ns"] >= when_ns)
            one, other = reports[max(late - 1, 0)], reports[late]
            span = max(other["at_ns"] - one["at_ns"], 1)
            passed = other["process_cpu_ns"] - one["process_cpu_ns"]
            return one["process_cpu_ns"] + passed * (when_ns - one["at_ns"]) / span

        return at(until_ns) - at(from_ns)


def start_collector(stage, server, host, prefix):
    """A copy that others may run, wherever this tree lies."""
    copy = stage.path("cairn-collector")
    if not os.path.exists(copy):
        shutil.copy(binary("cairn-collector"), copy)
        os.chmod(copy, 0o755)
    own = stage.new_folder("own-" + host)
    if "--reuid" in prefix:
        os.chown(own, int(prefix[prefix.index("--reuid") + 1]), 0)
    argv = [*prefix, copy, "--server", server.grpc, "--host-name", host, "--hz", "49", "--window", "5"]
    return stage.run(host, [*argv, "--control-socket", own + "/control.sock"])


def features_of(server, host):
    """{name: reason} of what is off, from status; None before its first window."""
    found = [entry for entry in server.json("/api/v1/status")["hosts"] if entry["host"] == host]
    if not found:
        return None
    for feature in found[0]["features"]:
        check(feature["state"] in ("on", "off"), f"{host}: a state {feature['state']!r}")
        check((feature["state"] == "off") == bool(feature["remedy"]), f"{host}: {feature}")
    return {f["name"]: f["reason"] for f in found[0]["features"] if f["state"] == "off"}


def shares(server, host, pid, from_ns, until_ns):
    """(total, share of functions of the program that are named, of kernel time that is)."""
    top = server.top(f'{{host="{host}",pid="{pid}"}}', from_ns, until_ns)
    check(top["total"] == sum(f["self"] for f in top["functions"]), f"{host}: self times do not add up")
    own = [f for f in top["functions"] if f["module"] in ("truth", "truthlib.so", "") and f["kind"] != "marker"]
    kernel = [f for f in top["functions"] if f["module"] == "[kernel]"]

    def named(functions):
        whole = sum(f["self"] for f in functions)
        return sum(f["self"] for f in functions if f["kind"] != "unknown") / whole if whole else None

    return top["total"], named(own), named(kernel)


def check_case(server, programs, host, off, from_ns, until_ns):
    said = truth = 0
    for name, program in programs.running.items():
        total, user, kernel = shares(server, host, program.pid, from_ns, until_ns)
        said += total
        truth += programs.cpu_ns(name, from_ns, until_ns)
        note(f"{host:28} {name:8} {total / 1e9:6.2f} s  user named {user:.3f}  kernel named {kernel:.3f}")
        lost = any(name in UNNAMED_WITHOUT.get(feature, ()) for feature in off)
        if lost:
            check(user <= 1 - UNNAMED_MIN, f"{host}: {name} is named although {sorted(off)} is off")
        else:
            check(user >= NAMED_MIN, f"{host}: {name} is not named, and only {sorted(off)} is off")
        if "kernel_symbols" in off:
            check(kernel <= 1 - UNNAMED_MIN, f"{host}: kernel frames are named although {sorted(off)} is off")
        else:
            check(kernel >= NAMED_MIN, f"{host}: kernel frames are not named, and only {sorted(off)} is off")
    # Some 900 samples: a standard deviation of 3 %. Nothing may be lost for lack of a name.
    percent = 100 * (said - truth) / truth
    note(f"{host:28} all      {said / 1e9:6.2f} s, truth {truth / 1e9:6.2f} s: {percent:+.2f} %")
    check(abs(percent) <= TOTAL_PERCENT_MAX, f"{host}: the total is off by {percent:.1f} %")


def control_status(stage, host):
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(stage.path(f"own-{host}/control.sock"))
        link.sendall(b"GET /status HTTP/1.0\r\nHost: localhost\r\n\r\n")
        answer = b"".join(iter(lambda: link.recv(65536), b""))
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def check_report(stage, server, host, collector, capability, must, may):
    """The same word in the log, in the collector's own status, in the server's and in `cairn status`."""
    off = features_of(server, host)
    check(must <= set(off) <= must | may, f"{host}: off is {sorted(off)}, expected {sorted(must)}")
    own = {f["name"]: f.get("reason", "") for f in control_status(stage, host)["features"] if f["state"] == "off"}
    check(own == off, f"{host}: its own status says {own}, the server's {off}")
    shown = subprocess.run(
        [binary("cairn"), "status", "--server", server.url, "--host", host], capture_output=True, text=True, check=True
    ).stdout
    for feature, reason in off.items():
        check(f"CAP_{capability.upper()} is missing" in reason, f"{host}: {feature}: {reason}")
        check(f"off: {feature}: {reason}" in shown, f"{host}: cairn status does not say that {feature} is off")
        lines = [line for line in collector.log().splitlines() if f"warning: {feature} is off: {reason}" in line]
        check(len(lines) == 1 and f"CAP_{capability.upper()}" in lines[0].rpartition("to have it")[2], collector.log())
    return off


def test_all_six(stage, server, programs):
    six = start_collector(stage, server, "six", as_nobody(SIX))

    def everything_is_named():
        now = time.time_ns()
        for program in programs.running.values():
            total, user, kernel = shares(server, "six", program.pid, now - 30 * SECOND_NS, now)
            if not total or not user or user < NAMED_MIN or not kernel or kernel < NAMED_MIN:
                return False
        return True

    # No other collector is there to upload, and no debuginfod.
    wait_until(everything_is_named, 60, "six capabilities do not name everything")
    check(features_of(server, "six") == {}, f"with all six there is off {features_of(server, 'six')}")
    check("warning" not in six.log(), "with all six there is a warning")
    check("uploaded truth " in six.log() and "uploaded [kernel]" in six.log(), "nothing was uploaded")
    return six


def test_without_each(stage, server, programs, six):
    cases = {}
    for capability in OFF:
        rest = [name for name in SIX if name != capability]
        cases[f"nobody-no-{capability}"] = (capability, as_nobody(rest))
        cases[f"root-no-{capability}"] = (capability, as_root_without(capability))
    # That no memory may be locked, and the limit not be raised, must not matter. What the kernel grants
    # in spite of it is counted for each user: this one has a user of its own.
    cases["six-no-memlock"] = (None, as_nobody(SIX, "prlimit", "--memlock=0:0", uid=OTHER))
    running = {host: start_collector(stage, server, host, prefix) for host, (_, prefix) in cases.items()}
    for collector in running.values():
        collector.wait_for("sampling")
    programs.start("after")
    from_ns = slot_floor(time.time_ns() + 2 * SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    # A report later, so that the last one lies behind the range.
    sleep_until(until_ns + SECOND_NS // 2)
    for program in programs.running.values():
        program.kill()
    for host, (capability, _) in cases.items():
        wait_until(lambda: features_of(server, host) is not None, 20, f"{host} sends nothing")
    off = {
        host: check_report(stage, server, host, running[host], capability or "", *OFF.get(capability, (set(), set())))
        for host, (capability, _) in cases.items()
    }
    # What ends sends its last window, in which the range ends.
    for collector in [*running.values(), six]:
        collector.stop()
    for host in cases:
        check_case(server, programs, host, set(off[host]), from_ns, until_ns)
    check_case(server, programs, "six", set(), from_ns, until_ns)


def test_what_sampling_needs(stage, server):
    copy = [stage.path("cairn-collector"), "--server", server.grpc, "--control-socket", stage.path("none.sock")]
    for capability, flags in (("bpf", ["--sampler", "bpf"]), ("perfmon", [])):
        rest = [name for name in SIX if name != capability]
        line = refusal([*as_nobody(rest), *copy, *flags], 1)
        check(f"CAP_{capability.upper()} missing: " in line, f"the line does not name CAP_{capability.upper()}")
        line = refusal(["setpriv", "--bounding-set", f"-{capability},-sys_admin", *copy, *flags], 1)
        check(f"CAP_{capability.upper()} missing: " in line, f"the line does not name CAP_{capability.upper()}")


def test(stage):
    os.chmod(stage.folder, 0o755)
    server = stage.server()
    programs = Programs(stage)
    programs.start("before")
    programs.start("private", mode=0o700)
    programs.start("boxed", boxed=True)
    shutil.rmtree(programs.start("deleted"))
    six = test_all_six(stage, server, programs)
    test_without_each(stage, server, programs, six)
    test_what_sampling_needs(stage, server)


play(test)
