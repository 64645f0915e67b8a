# SPDX-License-Identifier: Apache-2.0
"""How the cost of questions to the store grows: the plots beside the report. Pure."""

import statistics

from bars import FLEETS, RANGES, WEEK
from plot import Line, Plot, svg

BENCH = "store"
SAMPLES_FILE, RANGES_FILE = "bench-store-samples.svg", "bench-store-ranges.svg"
SAMPLES_TITLE = "24 h of 50 processes: seconds a question takes"
RANGES_TITLE = "100 hosts for a week: seconds a flame tree takes"
BAR_SECONDS, WEEK_BAR_SECONDS = 0.5, 3


def sample_count(fleet):
    return fleet.hosts * fleet.hours * 3600 // fleet.window_seconds * fleet.samples_a_window


def line(results, name, keys):
    """Of KEYS, [(x, key of a figure)], those that were measured."""
    return Line(name, [(x, statistics.median(results[key])) for x, key in keys if results.get(key)])


def samples_plot(results):
    days = [fleet for fleet in FLEETS if fleet.key != WEEK.key]
    lines = [
        line(results, f"{words}, {how}", [(sample_count(fleet), f"{fleet.key}_{key}_{mark}") for fleet in days])
        for key, words in (("fleet_24h", "whole fleet, 24 h"), ("process_1h", "one process, 1 h"))
        for mark, how in (("cold", "cold"), ("warm", "again"))
    ]
    ticks = [(sample_count(fleet), fleet.text.split()[0]) for fleet in days]
    return Plot(SAMPLES_TITLE, "samples", "seconds", ticks, lines, BAR_SECONDS)


def ranges_plot(results):
    lines = [
        line(results, f"whole fleet, {how}", [(seconds, f"{WEEK.key}_fleet_{text}_{mark}") for text, seconds in RANGES])
        for mark, how in (("cold", "cold"), ("warm", "again"))
    ]
    return Plot(RANGES_TITLE, "range", "seconds", [(seconds, text) for text, seconds in RANGES], lines, WEEK_BAR_SECONDS)


def plots(results):
    """{name of a file: its text}; nothing of a run that measured only some fleets."""
    drawn = {SAMPLES_FILE: samples_plot(results), RANGES_FILE: ranges_plot(results)}
    if not all(len(each.points) > 1 for plot in drawn.values() for each in plot.lines):
        return {}
    return {name: svg(plot) for name, plot in drawn.items()}


def lines_of_section(bench_name, results):
    if bench_name != BENCH or not plots(results):
        return []
    return ["", f"![{SAMPLES_TITLE}]({SAMPLES_FILE})", "", f"![{RANGES_TITLE}]({RANGES_FILE})"]
