# SPDX-License-Identifier: Apache-2.0
"""The collector: what it costs an idle and a busy host, what a frame costs, how soon it is there."""

import contextlib
import time

import cost
import load
from bars import RATES
from session import ask, counters_of, differences, harness

# A server asks for what is new in a window once it has the window.
QUIET_WINDOW_SECONDS = 12
QUIET_SECONDS = 2
SETTLE_SECONDS_MAX = 60
FIRST_WINDOW_SECONDS = 5
FRAMES_HZ = 499
SHALLOW, DEEP = 16, 112
FRAMES_WINDOW_SECONDS = 4
START_HZ = 97
START_SECONDS_MAX = 60
MB = 1e6


def status_of(collector):
    return ask(collector.log_path.removesuffix(".log") + ".sock")


def settle(collector, quiet_seconds):
    """Waits for the first window to be over, and then for QUIET_SECONDS in which the server asks for
    no executable; not for ever, since a host may always run something new."""
    time.sleep(FIRST_WINDOW_SECONDS)
    deadline = time.monotonic() + SETTLE_SECONDS_MAX
    before, since = None, time.monotonic()
    while time.monotonic() < min(deadline, since + quiet_seconds):
        counters = counters_of(status_of(collector))
        uploads = [counters[name] for name in ("sink_upload_bytes", "collector_wants_received")]
        if uploads != before:
            before, since = uploads, time.monotonic()
        time.sleep(0.25)


def take(collector, seconds):
    """(cost, what the counters rose by) in so many seconds."""
    early, status = cost.take_reading(collector.pid), status_of(collector)
    time.sleep(seconds)
    late, status_after = cost.take_reading(collector.pid), status_of(collector)
    rose = differences(counters_of(status), counters_of(status_after))
    for name in ("busy_ns", "sampled_ns"):
        rose[name] = status_after[name] - status[name]
    return cost.cost_between(early, late), rose


def note_cost(session, at, spent, collector):
    memory = cost.memory_of(collector.pid)
    session.found(f"{at}_whole", spent.whole_percent)
    session.found(f"{at}_process", spent.process_percent)
    session.found(f"{at}_ticks", spent.ticks_percent)
    session.found(f"{at}_bpf", spent.bpf_percent)
    session.found(f"{at}_tick", spent.bpf_ns / spent.bpf_runs)
    session.found(f"{at}_own", memory.own / MB)
    session.found(f"{at}_rss", memory.resident / MB)
    session.found(f"{at}_maps", memory.bpf_maps / MB)
    session.found(f"{at}_peak", memory.peak / MB)


def cost_of_sample(spent, rose):
    """(BPF ns, frames). The kernel counts at once, the collector what it has read from the rings."""
    harness.check(rose["kernel_passed"] and rose["collector_samples_received"], "nothing was sampled")
    frames = rose["collector_user_frames"] + rose["collector_kernel_frames"]
    return spent.bpf_ns / rose["kernel_passed"], frames / rose["collector_samples_received"]


def note_samples(session, at, spent, rose):
    sample_ns, frames = cost_of_sample(spent, rose)
    harness.check(rose["sink_samples_received"], "no window was sent in the time that was measured")
    session.found(f"{at}_wire", rose["sink_bytes_sent"] / rose["sink_samples_received"])
    session.found(f"{at}_frame", sample_ns / frames)
    session.found(f"{at}_cut", 100 * rose["collector_stacks_incomplete"] / rose["collector_samples_counted"])
    session.found(f"{at}_coverage", rose["sampled_ns"] / rose["busy_ns"])


def measure_rates(session, work):
    """One server for all rates: what it has asked for once it does not ask for again."""
    with session.stage() as stage, work(stage.folder):
        server = stage.server()
        quiet_seconds = QUIET_WINDOW_SECONDS
        for hz in session.rates or RATES:
            at = f"{session.name}_{hz}"
            collector = stage.collector(server, hz=hz)
            settle(collector, quiet_seconds)
            quiet_seconds = QUIET_SECONDS
            with session.watched(f"at {hz} Hz"):
                for _ in range(session.rounds):
                    spent, rose = take(collector, session.seconds)
                    note_cost(session, at, spent, collector)
                    if session.name == "busy":
                        note_samples(session, at, spent, rose)
            collector.stop()
        server.stop()


def idle(session):
    measure_rates(session, lambda folder: contextlib.nullcontext())


def busy(session):
    measure_rates(session, load.busy)


def cost_of_depth(session, stage, server, depth):
    """[(BPF ns a sample, frames a sample)] with all CPUs in stacks of DEPTH frames."""
    found = []
    with load.deep(stage.folder, depth):
        collector = stage.collector(server, hz=FRAMES_HZ)
        settle(collector, QUIET_SECONDS)
        with session.watched(f"{depth} frames"):
            for _ in range(session.rounds):
                found.append(cost_of_sample(*take(collector, FRAMES_WINDOW_SECONDS)))
        collector.stop()
    return found


def frames(session):
    with session.stage() as stage:
        server = stage.server()
        shallow = cost_of_depth(session, stage, server, SHALLOW)
        deep = cost_of_depth(session, stage, server, DEEP)
        server.stop()
    for (few_ns, few), (many_ns, many) in zip(shallow, deep):
        frame_ns = (many_ns - few_ns) / (many - few)
        session.found("frames_hot", frame_ns)
        session.found("frames_tick", few_ns - few * frame_ns)


def stored_samples(server):
    counters = server.json("/api/v1/status")["counters"]
    return sum(counter["value"] for counter in counters if counter["name"] == "ingest_samples_stored")


def names_program(server):
    """Whether a table of the C++ program has names of its functions."""
    query = harness.CPU + '{process="bench-levels"}'
    status, body = server.get("/api/v1/top", query=query, **{"from": "now-5m", "until": "now", "limit": 10})
    return status == 200 and b"load::level" in body


def wait_for(question, began):
    """Seconds from BEGAN to the first yes."""
    while not question():
        harness.check(time.monotonic() - began < START_SECONDS_MAX, "it does not come up")
        time.sleep(0.02)
    return time.monotonic() - began


def measure_start(session, stage):
    began = time.monotonic()
    server = stage.server(data=f"data-{began}")
    collector_began = time.monotonic()
    collector = stage.collector(server, hz=START_HZ)
    session.found("start_attached", wait_for(lambda: "sampling " in collector.log(), collector_began))
    session.found("start_samples", wait_for(lambda: stored_samples(server) > 0, collector_began))
    session.found("start_table", wait_for(lambda: names_program(server), began))
    collector.stop()
    server.stop()


def start(session):
    with session.stage() as stage, load.busy(stage.folder):
        time.sleep(1)
        with session.watched("all rounds"):
            for _ in range(session.rounds):
                measure_start(session, stage)
