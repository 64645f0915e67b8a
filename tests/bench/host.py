# SPDX-License-Identifier: Apache-2.0
"""The machine, and what else it did while something was measured.

A figure that was taken beside other work says little. So every stretch of time that is measured
has an account: how much of all CPUs went to processes that the bench did not start, which, and how
much the hypervisor took.
"""

import os
import platform
import subprocess
import time
from typing import NamedTuple

CPU_COUNT = os.cpu_count() or 1
TOP_COUNT = 4


class Process(NamedTuple):
    pid: int
    name: str
    parent: int
    ticks: int  # its own
    tree_ticks: int  # with those of children that have ended


class Account(NamedTuple):
    label: str
    seconds: float
    others_percent: float  # of all CPUs: processes that are not of the bench
    steal_percent: float
    load_average: float
    top: list  # [(name, percent)], the busiest of the others

    def text(self):
        busiest = ", ".join(f"{name} {percent:.1f} %" for name, percent in self.top)
        return (
            f"{self.label}: others {self.others_percent:.1f} %, steal {self.steal_percent:.1f} %, "
            f"load average {self.load_average:.1f}" + (f"; {busiest}" if busiest else "")
        )


def read(path, default=""):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return default


def parse_cpu_line(text):
    """(busy, all, stolen) ticks of the first line of /proc/stat."""
    fields = [int(field) for field in text.split("\n", 1)[0].split()[1:9]]
    user, nice, system, idle, waiting, interrupt, soft, steal = fields
    return user + nice + system + interrupt + soft, sum(fields), steal


def parse_process(text):
    """A line of /proc/PID/stat; the name may hold blanks and parentheses."""
    open_at, close_at = text.index("("), text.rindex(")")
    rest = text[close_at + 2 :].split()
    user, system, children_user, children_system = (int(rest[i]) for i in (11, 12, 13, 14))
    return Process(
        pid=int(text[:open_at]),
        name=text[open_at + 1 : close_at],
        parent=int(rest[1]),
        ticks=user + system,
        tree_ticks=user + system + children_user + children_system,
    )


def processes():
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        text = read(f"/proc/{name}/stat")
        if text:
            process = parse_process(text)
            found[process.pid] = process
    return found


def tree_of(root, found):
    """ROOT and all that descend from it."""
    children = {}
    for process in found.values():
        children.setdefault(process.parent, []).append(process.pid)
    tree, todo = set(), [root]
    while todo:
        pid = todo.pop()
        if pid not in tree:
            tree.add(pid)
            todo += children.get(pid, [])
    return tree


def busiest(before, after, ours, total_ticks):
    """[(name, percent)] of what is not OURS, by name."""
    sums = {}
    for pid, process in after.items():
        if pid in ours:
            continue
        old = before.get(pid)
        ticks = process.ticks - (old.ticks if old else 0)
        sums[process.name] = sums.get(process.name, 0) + ticks
    ranked = sorted(sums.items(), key=lambda item: -item[1])[:TOP_COUNT]
    return [(name, 100 * ticks / total_ticks) for name, ticks in ranked if ticks]


class Watch:
    """From its making to account(): who had the CPUs."""

    def __init__(self, label):
        self.label = label
        self.began = time.monotonic()
        self.cpu = parse_cpu_line(read("/proc/stat"))
        self.processes = processes()

    def account(self):
        cpu, now = parse_cpu_line(read("/proc/stat")), processes()
        busy, total, steal = (late - early for late, early in zip(cpu, self.cpu))
        total = max(total, 1)
        old_tree, tree = tree_of(os.getpid(), self.processes), tree_of(os.getpid(), now)
        ours = sum(now[pid].tree_ticks for pid in tree)
        ours -= sum(self.processes[pid].tree_ticks for pid in old_tree)
        return Account(
            label=self.label,
            seconds=time.monotonic() - self.began,
            others_percent=max(0.0, 100 * (busy - ours) / total),
            steal_percent=100 * steal / total,
            load_average=os.getloadavg()[0],
            top=busiest(self.processes, now, tree | old_tree, total),
        )


def field_of(text, key):
    """The value of the first `key : value` line."""
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon and name.strip() == key:
            return value.strip()
    return "?"


def git(*arguments):
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """The commit that was built; says so if the tree differed from it."""
    name = git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = [line for line in git("status", "--porcelain").splitlines() if "docs/benchmarks.md" not in line]
    return name + (" and changes that are not committed" if changed else "")


def file_system_of(path):
    done = subprocess.run(["df", "--output=fstype", path], capture_output=True, text=True, check=False)
    return done.stdout.split()[-1] if done.returncode == 0 else "unknown"


def distribution():
    return field_of(read("/etc/os-release").replace("=", ":", 1), "PRETTY_NAME").strip('"')


def machine(folder):
    """[(what, value)] for the head of the report; the store's files lie in FOLDER."""
    memory_kib = int(field_of(read("/proc/meminfo"), "MemTotal").split()[0])
    return [
        ("CPU", f"{field_of(read('/proc/cpuinfo'), 'model name')}, {CPU_COUNT} online"),
        ("Memory", f"{memory_kib * 1024 / 1e9:.1f} GB"),
        ("Kernel", f"{platform.release()}, {distribution()}"),
        ("Disk", f"{file_system_of(folder)} under the data folders"),
        ("Date", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())),
        ("Commit", commit()),
    ]
