# SPDX-License-Identifier: Apache-2.0
"""What one process costs the host: its own CPU time, the time of its BPF programs, its memory.

CPU time is read twice: utime + stime in ticks of 10 ms, and schedstat in nanoseconds. The latter is
what figures are made of, since an idle collector uses a tick or two a second; the former is printed
beside it. BPF programs run in interrupts, on the time of whoever runs then: their run time is
added. The kernel counts it only while asked to, which costs each run two readings of the clock.
"""

import contextlib
import ctypes
import os
import time
from typing import NamedTuple

from host import CPU_COUNT, parse_process, read

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
SYS_BPF = {"x86_64": 321, "aarch64": 280}
BPF_ENABLE_STATS = 32

libc = ctypes.CDLL(None, use_errno=True)


class Reading(NamedTuple):
    at_ns: int
    ticks_ns: int
    thread_ns: dict  # thread: ns on a CPU
    bpf_ns: int
    bpf_runs: int


class Cost(NamedTuple):
    """Of a stretch of time; percentages are of all CPUs."""

    seconds: float
    process_percent: float
    ticks_percent: float
    bpf_percent: float
    bpf_ns: int
    bpf_runs: int

    @property
    def whole_percent(self):
        return self.process_percent + self.bpf_percent


class Memory(NamedTuple):
    resident: int  # bytes, all of them
    own: int  # RssAnon + RssShmem
    peak: int
    bpf_maps: int


@contextlib.contextmanager
def bpf_run_times():
    """The kernel counts the run times of BPF programs until the end, however the end comes: the
    descriptor is what keeps it counting."""
    attributes = ctypes.create_string_buffer(128)  # type 0: run time
    fd = libc.syscall(SYS_BPF[os.uname().machine], BPF_ENABLE_STATS, attributes, len(attributes))
    if fd < 0:
        raise OSError(ctypes.get_errno(), "the kernel does not count the run time of BPF programs")
    try:
        yield
    finally:
        os.close(fd)


def fields(text):
    """`key: value` lines as a dictionary."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def descriptors(pid):
    """The fdinfo of every descriptor of PID."""
    folder = f"/proc/{pid}/fdinfo"
    return [fields(read(f"{folder}/{fd}")) for fd in os.listdir(folder)]


def programs_of(infos):
    """{id: (run time in ns, runs)} of the BPF programs among descriptors."""
    return {
        int(info["prog_id"]): (int(info["run_time_ns"]), int(info["run_cnt"]))
        for info in infos
        if "prog_id" in info and "run_time_ns" in info
    }


def map_bytes_of(infos):
    """Bytes of kernel memory of the BPF maps among descriptors, each once."""
    return sum({int(info["map_id"]): int(info["memlock"]) for info in infos if "map_id" in info}.values())


def thread_times(pid):
    times = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        text = read(f"/proc/{pid}/task/{tid}/schedstat")
        if text:
            times[tid] = int(text.split()[0])
    return times


def take_reading(pid):
    programs = programs_of(descriptors(pid))
    return Reading(
        at_ns=time.monotonic_ns(),
        ticks_ns=parse_process(read(f"/proc/{pid}/stat")).ticks * TICK_NS,
        thread_ns=thread_times(pid),
        bpf_ns=sum(ns for ns, _ in programs.values()),
        bpf_runs=sum(runs for _, runs in programs.values()),
    )


def cost_between(early, late, cpu_count=CPU_COUNT):
    wall_ns = (late.at_ns - early.at_ns) * cpu_count
    own_ns = sum(ns - early.thread_ns.get(tid, 0) for tid, ns in late.thread_ns.items())
    return Cost(
        seconds=(late.at_ns - early.at_ns) / 1e9,
        process_percent=100 * own_ns / wall_ns,
        ticks_percent=100 * (late.ticks_ns - early.ticks_ns) / wall_ns,
        bpf_percent=100 * (late.bpf_ns - early.bpf_ns) / wall_ns,
        bpf_ns=late.bpf_ns - early.bpf_ns,
        bpf_runs=late.bpf_runs - early.bpf_runs,
    )


def kib(status, *names):
    return sum(int(status[name].split()[0]) for name in names) * 1024


def memory_of(pid):
    status = fields(read(f"/proc/{pid}/status"))
    return Memory(
        resident=kib(status, "VmRSS"),
        own=kib(status, "RssAnon", "RssShmem"),
        peak=kib(status, "VmHWM"),
        bpf_maps=map_bytes_of(descriptors(pid)),
    )


def cpu_seconds(pid):
    """CPU time of a process so far, ended threads included."""
    return parse_process(read(f"/proc/{pid}/stat")).ticks * TICK_NS / 1e9
