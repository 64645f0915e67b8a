# SPDX-License-Identifier: Apache-2.0
"""The store: bytes a sample, appending, and questions to a server over folders of made-up fleets."""

import gzip
import os
import statistics
import struct
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import NamedTuple

import cost
import fleet
from bars import FLEETS, RANGES, WEEK
from session import harness, parse_lines, run_tool

WINDOWS = 200
ANSWER_SECONDS_MAX = 300
SYMBOL_SECONDS_MAX = 120
# Starts, each with one question to a page cache without the store; a whole run has so many of each.
COLD_ROUNDS = 5
SMALL_COLD_ROUNDS = 2
# The same question again, so often or for so long.
WARM_COUNT = 50
WARM_SECONDS_MAX = 4.0
MOVES = 10
MB = 1e6
SECOND, HOUR, DAY = 10**9, 3600 * 10**9, 86400 * 10**9
SERVICE = '{service_name="nginx"}'
PROCESS = '{service_name="nginx",host="host-000"}'


class Question(NamedTuple):
    key: str
    path: str
    fields: dict
    headers: dict = {}


def flame(key, selector, from_ns, until_ns):
    """As the page asks."""
    fields = {"query": harness.CPU + selector, "from": from_ns, "until": until_ns}
    return Question(key, "/api/v1/flame", fields, {"Accept": "application/x-flame", "Accept-Encoding": "gzip"})


def hour_in(until_ns):
    """As people choose one: it begins and ends at any second."""
    end = until_ns - 9 * HOUR + 7 * SECOND
    return end - HOUR, end


def day_questions(from_ns, until_ns):
    middle, hour = (from_ns + until_ns) // 2, hour_in(until_ns)
    all_day = {"query": harness.CPU + "{}", "from": from_ns, "until": until_ns}
    sides = {"left_from": from_ns, "left_until": middle, "right_from": middle, "right_until": until_ns}
    cells = {"query": harness.CPU + SERVICE, "from": hour[0], "until": hour[1], "column": "1s", "rows": 50}
    return [
        flame("fleet_24h", "{}", from_ns, until_ns),
        flame("process_1h", SERVICE, *hour),
        flame("process_24h", SERVICE, from_ns, until_ns),
        Question("top_24h", "/api/v1/top", all_day),
        Question("diff_24h", "/api/v1/diff", {"query": harness.CPU + "{}", **sides}),
        Question("heatmap_1h", "/api/v1/heatmap", cells),
        Question("series_24h", "/api/v1/series", {**all_day, "by": "service_name"}),
    ]


def week_questions(until_ns):
    ranges = [flame(f"fleet_{text}", "{}", until_ns - seconds * SECOND, until_ns) for text, seconds in RANGES]
    return [*ranges, flame("process_7d", PROCESS, until_ns - 7 * DAY, until_ns)]


def ask(server, question):
    """(seconds that it takes, the answer as it came)."""
    url = f"{server.url}{question.path}?{urllib.parse.urlencode(question.fields)}"
    request = urllib.request.Request(url, headers=question.headers)
    began = time.monotonic()
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as answer:
            body = answer.read()
    except urllib.error.HTTPError as error:
        with error:
            raise harness.Failure(f"{question.key}: {error.code} {error.read()[:200]!r}") from None
    return time.monotonic() - began, body


def node_count_of(columns):
    """From the header of the binary tree: docs/api.md."""
    magic, count = struct.unpack_from("<4s12xI", columns)
    harness.check(magic == b"CRNF" and count > 1, "that is no flame tree")
    return count


def drop_page_cache(folder):
    """Of the files in FOLDER, so that the first query reads the disk."""
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Folder:
    """A data folder with the fleet of SHAPE, and servers over it, one after the other."""

    def __init__(self, session, stage, shape, modules, links):
        self.session, self.stage, self.shape, self.links = session, stage, shape, links
        self.data = stage.new_folder(f"data-{shape.key}")
        words = [shape.hosts, shape.services, shape.hours, shape.window_seconds, shape.samples_a_window]
        self.told = parse_lines(run_tool([session.tool("bench_fleet"), self.data, *map(str, words), modules]))
        self.from_ns, self.until_ns = int(self.told["from_s"]) * SECOND, int(self.told["until_s"]) * SECOND
        megabytes = self.told["bytes"] / MB
        harness.note(f"  {shape.key}: {self.told['samples']:.0f} samples, {self.told['stacks']:.0f} stacks, {megabytes:.0f} MB")

    def found(self, name, *values):
        self.session.found(f"{self.shape.key}_{name}", *values)

    def tell_made(self):
        """What filling it took, and what it takes."""
        told = self.told
        self.found("stacks", told["stacks"])
        self.found("rows_a_stack", told["rows_a_stack"])
        self.found("append_core", told["append_rows_a_core"])
        self.found("append_wall", told["append_rows_a_second"])
        self.found("compact", told["compact_cpu_s"])
        self.found("slots", told["slot_bytes"] / told["samples"])
        self.found("bytes", (told["bytes"] - told["slot_bytes"]) / told["samples"])

    def start(self):
        """(server, seconds from its start until it is ready)."""
        drop_page_cache(self.data)
        began = time.monotonic()
        server = self.stage.server(
            *("--retain-time", "10000d", "--retain-bytes", "1000G", "--symbols-folder", self.links),
            data=f"data-{self.shape.key}",
        )
        return server, time.monotonic() - began

    def look_for_names(self):
        """Asks for everything until nothing is looked for any more, as it is after some minutes of use."""
        server, _ = self.start()
        ranges = {"from": self.from_ns, "until": self.until_ns, "limit": 1000}

        def named():
            answer = server.json("/api/v1/symbols", query=harness.CPU + "{}", **ranges)
            unnamed = sum(module["unnamed_self"] for module in answer["modules"]) / answer["total"]
            pending = sum(module["pending"] for module in answer["modules"])
            return not pending and f"  {100 * (1 - unnamed):.0f} % of the time is in functions with names"

        harness.note(harness.wait_until(named, SYMBOL_SECONDS_MAX, "names are still looked for"))
        server.stop()

    def ask_cold(self, questions, rounds):
        """Each question as the first that a server gets."""
        for question in questions:
            values, ready = [], []
            for _ in range(rounds):
                server, seconds = self.start()
                ready.append(seconds)
                values.append(ask(server, question)[0])
                server.stop()
            self.found(f"{question.key}_cold", *values)
            self.found("ready", *ready)

    def ask_warm(self, questions, with_p99):
        """Each question again and again, all of one server; returns it."""
        server, _ = self.start()
        for question in questions:
            ask(server, question)
            values, began = [], time.monotonic()
            while len(values) < WARM_COUNT and (len(values) < 3 or time.monotonic() - began < WARM_SECONDS_MAX):
                values.append(ask(server, question)[0])
            self.found(f"{question.key}_warm", statistics.median(values))
            if with_p99:
                self.found(f"{question.key}_p99", sorted(values)[-1 - len(values) // 100])
        return server

    def ask_moved(self, server):
        """The whole fleet for a day that ends a little later each time, as a page does that is left open."""
        values = [
            ask(server, flame("moved", "{}", self.from_ns + i * 10 * SECOND, self.until_ns - (MOVES - i) * 10 * SECOND))[0]
            for i in range(MOVES)
        ]
        self.found("fleet_24h_moved", *values)

    def tell_size(self, server):
        body = ask(server, day_questions(self.from_ns, self.until_ns)[0])[1]
        self.found("node_bytes", len(body) / node_count_of(gzip.decompress(body)))


def measure_day(folder, rounds):
    questions = day_questions(folder.from_ns, folder.until_ns)
    if not folder.shape.whole:
        questions = questions[:2]
    folder.tell_made()
    folder.look_for_names()
    folder.ask_cold(questions, rounds if folder.shape.whole else min(rounds, SMALL_COLD_ROUNDS))
    server = folder.ask_warm(questions, folder.shape.whole)
    if folder.shape.whole:
        folder.ask_moved(server)
        folder.tell_size(server)
    folder.found("rss", cost.memory_of(server.pid).resident / MB)
    server.stop()


def measure_week(folder, rounds):
    questions = week_questions(folder.until_ns)
    folder.tell_made()
    folder.ask_cold(questions, min(rounds, SMALL_COLD_ROUNDS))
    server = folder.ask_warm(questions, False)
    folder.found("rss", cost.memory_of(server.pid).resident / MB)
    server.stop()


def measure_blocks(session):
    """Of one host, without a server."""
    for _ in range(session.rounds):
        with session.stage() as stage:
            told = parse_lines(run_tool([session.tool("bench_store"), stage.path("store"), str(WINDOWS)]))
        session.found("store_bytes", told["bytes_a_sample"] - told["slot_bytes_a_sample"])
        session.found("store_slots", told["slot_bytes_a_sample"])
        session.found("store_rows", told["append_rows_a_core"])
        session.found("store_visit", told["visit_rows_a_core"])


def measure_fleet(session, shape, modules, links):
    rounds = 1 if session.quick else COLD_ROUNDS
    with session.stage() as stage, session.watched(shape.text):
        folder = Folder(session, stage, shape, modules, links)
        if shape.key == WEEK.key:
            measure_week(folder, rounds)
        else:
            measure_day(folder, rounds)


def store(session):
    with session.watched("one host, all rounds"):
        measure_blocks(session)
    with session.stage() as stage:
        modules, links = stage.path("modules"), stage.new_folder("links")
        fleet.prepare(modules, links)
        for shape in FLEETS[:1] if session.quick else FLEETS:
            measure_fleet(session, shape, modules, links)
