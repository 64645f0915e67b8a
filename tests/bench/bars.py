# SPDX-License-Identifier: Apache-2.0
"""What is measured, and the bar that each figure is held against.

A bench is what `./dev bench NAME` runs. A figure without a bar is there to explain another.
Beside a bar that is missed stands the plan: it is printed for as long as the bar is missed.
"""

from typing import NamedTuple, Optional

RATES = (19, 97, 99)


class Figure(NamedTuple):
    key: str
    text: str
    unit: str
    bar: Optional[float] = None
    at_least: bool = False  # else at most
    plan: str = ""

    def ratio(self, value):
        """At most 1 where the bar is met, whichever way the bar goes."""
        if self.at_least:
            return self.bar / value if value else float("inf")
        return value / self.bar


class Bench(NamedTuple):
    name: str
    title: str
    how: str
    figures: list


UNWINDER = (
    "What is left is mostly code made at run time, which has no call frame information (node's and qemu's), and "
    "processes in the midst of their end: interpreters get unwinders of their own, names of made code come with "
    "perf-map files, and `unwinding.md` explains each kind of rest"
)
COSTLY_WINDOWS = (
    "What is left on an idle host is the end of each window (encoding, sending) and the kernel's records of "
    "processes; they are made cheaper with the next work on the collector"
)
FRAMES_KEPT = "What a walk finds is kept by address and the stack is read in pieces (decision 0089): to be measured again"
LATE_PROCESSES = (
    "A process is not known to walks until user space has seen its first sample; until then each sample brings "
    "24 KiB of its stack, and what is deeper ends as truncated. On a host with nothing left for user space (this one: "
    "see what else ran) that takes long; a larger piece, and telling of a process before the window's turn, come next"
)
MADE_LATE = "Node makes code of a function after it was called for a while, which takes longer where others use the CPU"
PAGE_THREAD = (
    "Layout, search and painting share the page's one thread with whatever else the machine does; a worker takes "
    "layout and search away from it when the page gets its timelines (decision 0070 says why not before)"
)
LOOK_UPS = (
    "What a random look-up costs is mostly waiting for memory: some ten places in 40 MB. Entries of ranges and lines "
    "that lie side by side would halve them"
)
BYTES_A_SAMPLE = "Columns of threads and CPUs are most of it; they may be kept for a shorter time than stacks"
COLD_QUESTIONS = (
    "One thread decodes the dictionaries of stacks, another merges them: what is left is the merge of some ten files, "
    "which could be divided among threads by service"
)
NODE_BYTES = "Two thirds of it are names: an address each in programs without symbols, and which one a node has"
WARM_QUESTIONS = "An answer that was given is kept in parts; to keep more of it costs memory"


LARGE_PROFILES = (
    "While a profile is read its stacks stand in a tree of some three million nodes, whose index, at most half full, takes "
    "three times what the nodes do. A fuller one, or reading in parts that are stored each, would take a fraction"
)
CROWDED_QUERIES = "Reading of uploads lets queries go first; what is left is the thread that receives for all connections"

# Key: name. Programs with a chain of calls that they tell themselves are judged by it, too.
UNWIND_PROGRAMS = {
    "python": "python3",
    "node": "node",
    "node_chain": "node's compiled code",
    "perl": "perl",
    "bash": "bash",
    "cc1": "gcc's cc1",
    "clang": "clang",
    "rust": "Rust",
    "java": "java",
    "throws": "C++, exceptions",
    "callbacks": "C++, callbacks",
    "go": "Go",
    "go_stripped": "Go, stripped",
}
UNWIND_CHAINS = ("node_chain", "go", "go_stripped")
# libdwfl goes by frame pointers there, and skips the callers of leaves: only their own calls are the truth.
UNWIND_CHAINS_ONLY = ("go_stripped",)


def unwind_figures():
    figures = []
    for program, name in UNWIND_PROGRAMS.items():
        key = f"unwind_{program}"
        agree = None if program in UNWIND_CHAINS_ONLY else 99.5
        figures += [
            Figure(f"{key}_agree", f"{name}: equal, or ours goes on where theirs ends", "%", agree, at_least=True, plan=LATE_PROCESSES),
            Figure(f"{key}_samples", f"{name}: stacks compared", ""),
            Figure(f"{key}_equal", f"{name}: strictly equal", "%"),
            Figure(f"{key}_ours_longer", f"{name}: ours longer, theirs its leaf part", "%"),
            Figure(f"{key}_theirs_longer", f"{name}: theirs longer", "%"),
            Figure(f"{key}_different", f"{name}: different", "%"),
            Figure(f"{key}_kernel_whole", f"{name}: whole without user space", "%"),
            Figure(f"{key}_ours_us", f"{name}: a frame of ours, all of a tick divided by its frames", "us"),
            Figure(f"{key}_theirs_us", f"{name}: a frame of libdwfl's", "us"),
        ]
        if program in UNWIND_CHAINS:
            figures.append(Figure(f"{key}_chain", f"{name}: leaf and all its levels, by its own names", "%", 99.5, at_least=True, plan=MADE_LATE))
    return figures + [
        Figure("unwind_cold", "a frame at an address that was not met lately", "ns", 1000),
        Figure("unwind_table_cpu", "CPU time of building libLLVM's table", "ms", 150),
        Figure("unwind_table_peak", "memory that this takes at most", "MB", 32),
        Figure("unwind_table_big_cpu", "CPU time of the same, in a file of 1 GB", "ms"),
        Figure("unwind_table_big_peak", "memory that this takes at most, in a file of 1 GB", "MB", 32),
        Figure("unwind_evict_right", "stacks that are right while all tables are replaced in a loop", "%", 100, at_least=True),
        Figure("unwind_evict_stacks", "these stacks", ""),
        Figure("unwind_evict_count", "tables evicted and built anew meanwhile", ""),
        Figure("unwind_evict_replaced", "walks that met *table replaced*", ""),
        Figure("unwind_evict_absent", "walks that met *no unwind table yet*", ""),
    ]


def collector_figures(load, whole_bars):
    """For each rate the same figures."""
    figures = []
    for hz in RATES:
        at = f"at {hz} Hz"
        figures += [
            Figure(f"{load}_{hz}_whole", f"CPU {at}: process and BPF", "% of the host", whole_bars[hz], plan=COSTLY_WINDOWS),
            Figure(f"{load}_{hz}_process", f"the process alone, by schedstat {at}", "% of the host"),
            Figure(f"{load}_{hz}_ticks", f"the process alone, by utime + stime {at}", "% of the host"),
            Figure(f"{load}_{hz}_bpf", f"BPF programs alone {at}", "% of the host"),
            Figure(f"{load}_{hz}_tick", f"BPF run time of a timer tick {at}", "ns"),
            Figure(f"{load}_{hz}_own", f"RssAnon + RssShmem {at}", "MB", 12),
            Figure(f"{load}_{hz}_rss", f"VmRSS {at}", "MB", 32),
            Figure(f"{load}_{hz}_peak", f"VmHWM {at}", "MB", 64),
            Figure(f"{load}_{hz}_maps", f"BPF maps {at}", "MB", 24),
        ]
    return figures


def busy_figures():
    figures = collector_figures("busy", {19: 0.2, 97: 0.4, 99: 0.4})
    for hz, wire in ((19, 40), (97, 28), (99, 28)):
        at = f"at {hz} Hz"
        figures += [
            Figure(f"busy_{hz}_wire", f"bytes on the wire a sample {at}", "bytes", wire),
            Figure(f"busy_{hz}_frame", f"BPF run time a frame, all of a tick divided by its frames {at}", "ns"),
            Figure(f"busy_{hz}_cut", f"samples whose stack has no root {at}", "%", 0.1, plan=UNWINDER),
            Figure(f"busy_{hz}_coverage", f"samples x period over busy time {at}", ""),
        ]
    return figures


class Fleet(NamedTuple):
    """What bench_fleet makes."""

    key: str
    text: str
    hosts: int
    services: int  # of each host
    hours: int
    window_seconds: int
    samples_a_window: int
    whole: bool = False  # every question is asked


# 43,200 windows of a day; 50 processes.
FLEETS = [
    Fleet("fleet6", "10^6 samples, 24 h", 5, 10, 24, 10, 23),
    Fleet("fleet7", "10^7 samples, 24 h", 5, 10, 24, 10, 231),
    Fleet("fleet8", "10^8 samples, 24 h", 5, 10, 24, 10, 2315, True),
    Fleet("week", "2 x 10^7 samples, 7 d, 100 hosts", 100, 10, 7 * 24, 60, 20),
]
LARGE, WEEK = FLEETS[2], FLEETS[3]
# Of the week.
RANGES = [("1h", 3600), ("24h", 86400), ("7d", 7 * 86400)]
# (key, text, bar for a cold question, bar for the same again), in seconds.
DAY_QUESTIONS = [
    ("fleet_24h", "flame tree of the whole fleet, 24 h", 0.5, 0.1),
    ("process_1h", "flame tree of one process, 1 h", 0.5, 0.1),
    ("process_24h", "flame tree of one process, 24 h", 0.5, 0.1),
    ("top_24h", "function table of the whole fleet, 24 h", 0.5, 0.1),
    ("diff_24h", "comparison of the whole fleet, 12 h with 12 h", 1, 0.2),
    ("heatmap_1h", "heat map of one process, 1 h in cells of 20 ms", 0.5, 0.1),
    ("series_24h", "values of 50 services over 24 h", 0.5, 0.1),
]


def question_figures(fleet, key, text, cold, warm, with_p99):
    at = f"{fleet.text}: {text}"
    figures = [
        Figure(f"{fleet.key}_{key}_cold", f"{at}, cold", "s", cold, plan=COLD_QUESTIONS),
        Figure(f"{fleet.key}_{key}_warm", f"{at}, again", "s", warm, plan=WARM_QUESTIONS),
    ]
    if with_p99:
        figures.append(Figure(f"{fleet.key}_{key}_p99", f"{at}, again, p99", "s"))
    return figures


def fleet_figures(fleet):
    key, at = fleet.key, fleet.text
    figures = [
        Figure(f"{key}_stacks", f"{at}: distinct stacks of services", ""),
        Figure(f"{key}_rows_a_stack", f"{at}: rows of a window a distinct stack", ""),
        Figure(f"{key}_append_core", f"{at}: rows a second and core, appended and durable", "rows/s", 1_000_000 if fleet.whole else None, at_least=True),
        Figure(f"{key}_append_wall", f"{at}: rows a second, appended and durable", "rows/s"),
        Figure(f"{key}_compact", f"{at}: CPU of compaction", "s"),
        Figure(f"{key}_bytes", f"{at}: bytes a sample, slots apart", "bytes", 2 if fleet.whole else None, plan=BYTES_A_SAMPLE),
        Figure(f"{key}_slots", f"{at}: bytes of slots a sample", "bytes"),
        Figure(f"{key}_ready", f"{at}: start to ready", "s", 1),
    ]
    if fleet.key == WEEK.key:
        for text, _ in RANGES:
            figures += question_figures(fleet, f"fleet_{text}", f"flame tree of the whole fleet, {text}", 3, None, False)
        figures += question_figures(fleet, "process_7d", "flame tree of one process, 7 d", 0.5, 0.1, False)
    else:
        for question in DAY_QUESTIONS if fleet.whole else DAY_QUESTIONS[:2]:
            figures += question_figures(fleet, *question, fleet.whole)
    if fleet.whole:
        figures += [
            Figure(f"{key}_fleet_24h_moved", f"{at}: the same 24 h, moved by 10 s each time", "s", 0.5, plan=COLD_QUESTIONS),
            Figure(f"{key}_node_bytes", f"{at}: bytes of a node on the way to the page, compressed", "bytes", 5),
        ]
    return figures + [Figure(f"{key}_rss", f"{at}: RSS of the server after all questions", "MB", 512)]


def store_figures():
    figures = [
        Figure("store_bytes", "one host: bytes a sample, slots apart", "bytes", 2, plan=BYTES_A_SAMPLE),
        Figure("store_slots", "one host: bytes of slots a sample", "bytes"),
        Figure("store_rows", "one host: rows a second and core, appended and durable", "rows/s"),
        Figure("store_visit", "one host: rows a second and core, read back", "rows/s"),
    ]
    for fleet in FLEETS:
        figures += fleet_figures(fleet)
    return figures


BENCHES = [
    Bench(
        "idle",
        "The collector on an idle host",
        "Server and collector on a host that does nothing else, windows of 10 s, after the server has all the "
        "executables that it asked for. Percentages are of all CPUs; the kernel counts the run time of BPF programs "
        "meanwhile, which adds two readings of a clock to each run.",
        collector_figures("idle", {19: 0.05, 97: 0.05, 99: 0.05}),
    ),
    Bench(
        "busy",
        "The collector on a busy host",
        "The same while every CPU is taken by clang in a loop, python3, node and a C++ program without frame "
        "pointers. Bytes on the wire are those of the batches' messages. Stacks are "
        "whole but for the share given. The shards of unwind tables (up to 18 MiB) count as BPF maps; those that "
        "were touched lately stand in VmRSS, too.",
        busy_figures(),
    ),
    Bench(
        "start",
        "From the start to the first table",
        "On the busy host at 97 Hz, with an empty data folder: the server is started, then at once the collector. "
        "A table counts once it names functions of the C++ program, whose symbols came by upload.",
        [
            Figure("start_attached", "collector attached, after its start", "s", 1),
            Figure("start_samples", "first samples durable at the server, after the collector's start", "s", 5),
            Figure("start_table", "first table with names, after the start of both programs", "s", 15),
        ],
    ),
    Bench(
        "frames",
        "What a frame costs in the kernel",
        "The difference between stacks of 16 and of 112 frames on all CPUs, followed by tables, at 499 Hz: what "
        "each tick costs beside its frames is the same in both.",
        [
            Figure("frames_hot", "BPF run time of a frame, hot", "ns", 100, plan=FRAMES_KEPT),
            Figure("frames_tick", "BPF run time of a tick without its frames", "ns"),
        ],
    ),
    Bench(
        "unwind",
        "Stacks against libdwfl's",
        "Each program is sampled at 997 Hz by the shipped BPF program; in the same interrupt the kernel's own event "
        "takes the user registers and up to 64 kB of the stack, from which libdwfl unwinds. Stacks are compared "
        "address by address. Programs whose code has no call frame information are judged by the calls that they "
        "are known to make. A frame that was not met lately is one of 4,096 functions that call each other in turn: the "
        "difference between stacks of 16 and 112. Then a program is sampled 10,000 times a second whose stacks tell whether they are right, while "
        "every table is evicted and built anew.",
        unwind_figures(),
    ),
    Bench(
        "ingest",
        "Ingest",
        "One collector's stream over gRPC on loopback with as many batches under way as the server allows, mean "
        "depth 30, one distinct stack in three rows, each acknowledged after fdatasync. A core is a CPU second of "
        "the server. Then 100 batches a second, evenly, as a thousand collectors send.",
        [
            Figure(
                "ingest_rows",
                "rows a second and core, durable",
                "rows/s",
                1_000_000,
                at_least=True,
                plan="A third of the time is the order and the writing of each block's dictionary, which goes away "
                "with the segment files of the store",
            ),
            Figure(
                "ingest_p50",
                "acknowledgement with the stream full, p50",
                "ms",
                60,
                plan="It is the 16 batches under way times what one takes: it falls with the row above",
            ),
            Figure("ingest_p99", "acknowledgement with the stream full, p99", "ms"),
            Figure("ingest_paced_p50", "acknowledgement at 100 batches a second, p50", "ms", 60),
            Figure("ingest_paced_p99", "acknowledgement at 100 batches a second, p99", "ms"),
            Figure("server_idle", "RSS of the server, idle with an empty store", "MB"),
            Figure("ingest_rss", "peak RSS of the server under this load", "MB", 256),
        ],
    ),
    Bench(
        "uploads",
        "Uploads of other systems' clients",
        "Posts by one connection, one after the other, each answered once it is durable: folded text of 10,000 stacks, "
        "CPU profiles of 1000 samples as Go's runtime writes them (gzip), OpenTelemetry's of 10,000, and a recording of "
        "async-profiler; mean depth 30, each stack once, the same body again and again. A core is a CPU second of the "
        "server. Then one profile of 30 MiB of distinct stacks, packed and bare; then 200 posts at a time with 50 "
        "connections that never say what they want, and a flame graph of older data asked for meanwhile.",
        [
            Figure("uploads_folded", "folded text a second and core", "MB/s"),
            Figure("uploads_pprof", "pprof profiles a second and core", "/s"),
            Figure("uploads_pprof_rows", "samples of these a second and core", "/s"),
            Figure("uploads_otlp", "samples of OpenTelemetry a second and core", "/s"),
            Figure("uploads_jfr", "flight recordings a second and core", "MB/s"),
            Figure("uploads_peak", "peak RSS with one pprof of 30 MiB, packed", "MB", 200, plan=LARGE_PROFILES),
            Figure("uploads_peak_bare", "peak RSS with one pprof of 30 MiB, bare", "MB", 200, plan=LARGE_PROFILES),
            Figure("uploads_query_p50", "flame graph while 200 post, p50", "ms"),
            Figure("uploads_query_p99", "flame graph while 200 post, p99", "ms", 200, plan=CROWDED_QUERIES),
            Figure("uploads_rss", "peak RSS while 200 post", "MB", 256, plan=LARGE_PROFILES),
        ],
    ),
    Bench(
        "store",
        "The store",
        "First one host without the server: 200 windows of 7920 samples at 30 frames, 50 processes, some 90 samples "
        "a distinct stack, appended by one thread. Then the fleets of `testing.md`, \"The fleet of the bench\", each "
        "appended and compacted, and asked through the server over HTTP, names included: functions of libraries that "
        "this machine has, and of programs without symbols. Cold: the first question after a start, with nothing of "
        "the folder in the page cache. Again: the median, and the 99th of a hundred, of the same question asked over "
        "and over. Flame trees have up to 200,000 nodes and come as the page asks for them; hours begin and end at any "
        "second.",
        store_figures(),
    ),
    Bench(
        "symbols",
        "Symbols",
        "The largest debug file of Debian's ceph-osd-dbg, compressed as it is shipped (630 MB of DWARF 5), read by the "
        "run of the sandbox on one core. Look-ups give the chain of inlined calls with files and lines, by one thread, in "
        "an index that was read before: a million random addresses of .text that were not asked for before; the same, "
        "rising, as a query asks; and drawn by Zipf's frequencies (exponent 1). A look-up of the others is what more of "
        "them cost in one run, text read and printed; ours is neither. Ratios are of the same round.",
        [
            Figure("symbols_cpu", "index, CPU", "s", 8),
            Figure("symbols_wall", "index, from start to end", "s"),
            Figure("symbols_peak", "index, peak RSS of the sandbox", "MB", 450),
            Figure("symbols_size", "index, size", "MB"),
            Figure("symbols_depth", "functions of a chain, mean", ""),
            Figure("symbols_uniform", "look-ups a second and core, random", "/s"),
            Figure("symbols_rising", "look-ups a second and core, rising", "/s"),
            Figure("symbols_zipf", "look-ups a second and core, Zipf", "/s"),
            Figure("symbols_uniform_ratio", "random look-ups, times llvm-symbolizer's", "", 20, at_least=True, plan=LOOK_UPS),
            Figure("symbols_zipf_ratio", "Zipf's look-ups, times llvm-symbolizer's", "", 100, at_least=True, plan=LOOK_UPS),
            Figure("symbols_llvm", "llvm-symbolizer-14: look-ups a second and core", "/s"),
            Figure("symbols_llvm_start", "llvm-symbolizer-14: start, CPU", "s"),
            Figure("symbols_llvm_peak", "llvm-symbolizer-14: peak RSS", "MB"),
            Figure("symbols_gsym_cpu", "llvm-gsymutil-14: index, CPU", "s"),
            Figure("symbols_gsym_peak", "llvm-gsymutil-14: index, peak RSS", "MB"),
            Figure("symbols_gsym_size", "llvm-gsymutil-14: index, size", "MB"),
            Figure("symbols_gsym_rate", "llvm-gsymutil-14: look-ups a second and core", "/s"),
            Figure("symbols_addr2line", "addr2line: look-ups a second and core", "/s"),
            Figure("symbols_addr2line_start", "addr2line: start, CPU", "s"),
            Figure("symbols_addr2line_peak", "addr2line: peak RSS", "MB"),
        ],
    ),
    Bench(
        "page",
        "The page",
        "The built page in Chromium without a GPU, against canned answers on loopback: trees of 100,000 and "
        "500,000 nodes, and one of 75,000 cells side by side (combs).",
        [
            Figure("page_shell", "shell painted, cold", "ms", 400, plan=PAGE_THREAD),
            Figure("page_100k_painted", "100,000 nodes painted, from navigation", "ms", 1000),
            Figure("page_100k_refetch", "100,000 nodes painted again, by Refresh", "ms", 300),
            Figure("page_500k_painted", "500,000 nodes painted, from navigation", "ms", 1500),
            Figure("page_500k_refetch", "500,000 nodes painted again, by Refresh", "ms", 700),
            Figure("page_500k_zoom", "slowest of six keys to the next frame, 500,000 nodes", "ms", 50, plan=PAGE_THREAD),
            Figure("page_500k_search", "slowest of four keystrokes in search, 500,000 nodes", "ms", 80, plan=PAGE_THREAD),
            Figure("page_500k_p95", "pan, time between frames, p95, 500,000 nodes", "ms", 20, plan=PAGE_THREAD),
            Figure("page_combs_p95", "pan, time between frames, p95, combs", "ms", 20, plan=PAGE_THREAD),
            Figure("page_500k_heap", "heap, 500,000 nodes", "MB", 150),
            Figure("page_bytes", "scripts and styles, compressed", "kB", 60),
        ],
    ),
]

# Bars of what does not exist yet: (bar, where it will come from).
NOT_BUILT = [
    ("pprof on /ingest: >= 10 x Pyroscope's samples a CPU second", "ingest of other formats"),
    ("untrimmed tree of a million nodes <= 1 s", "a measurement of its own"),
    ("off-CPU: <= 250 ns a switch; system calls: filter <= 60 ns, aggregation <= 200 ns", "the probes of timelines"),
    ("page: function table with sandwich <= 150 ms, timeline of a million events <= 300 ms", "these views"),
]

ALL_FIGURES = {figure.key: figure for bench in BENCHES for figure in bench.figures}
