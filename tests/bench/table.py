# SPDX-License-Identifier: Apache-2.0
"""The report: figures against bars, as one Markdown page. Pure text."""

import statistics
import textwrap

import growth
from bars import BENCHES, NOT_BUILT

# Beside more than this of other work a figure is for trying only.
OTHERS_PERCENT_MAX = 5.0
COLUMNS = 115
DISTURBED = "**Disturbed**"
NO_PLAN = "No plan yet"
QUICK = "--quick"


def wrapped(text, indent=""):
    return textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def number(value):
    """Three digits that count, more where they stand before the point."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    digits, size = 2, abs(value)
    while size < 1 and digits < 6:
        size, digits = size * 10, digits + 1
    text = f"{value:.{digits - (1 if abs(value) >= 10 else 0)}f}"
    return text.rstrip("0").rstrip(".")


def with_unit(value, unit):
    text = number(value)
    return f"{text} {unit}" if unit and not unit.startswith("%") else text + (f" {unit}" if unit else "")


def spread(values):
    if len(values) < 2:
        return ""
    return f"{number(min(values))} – {number(max(values))}"


def bar_text(figure):
    if figure.bar is None:
        return ""
    return ("≥ " if figure.at_least else "≤ ") + number(figure.bar)


def is_met(figure, values):
    return figure.ratio(statistics.median(values)) <= 1


def row(figure, values):
    if not values:
        return f"| {figure.text} | not measured | | {bar_text(figure)} | |"
    median = statistics.median(values)
    ratio = ""
    if figure.bar is not None:
        ratio = f"{figure.ratio(median):.2f}"
        if not is_met(figure, values):
            ratio = f"**{ratio}**"
    return f"| {figure.text} | {with_unit(median, figure.unit)} | {spread(values)} | {bar_text(figure)} | {ratio} |"


def section(bench, results, accounts, apart="", only_found=False):
    """ONLY_FOUND: leaves out what was not to be measured."""
    figures = [figure for figure in bench.figures if results.get(figure.key) or not only_found]
    lines = [f"## {bench.title}", "", f"`./dev bench {bench.name}`", "", *wrapped(bench.how), ""]
    if apart:
        lines += [f"Measured apart: {apart}", ""]
    lines += ["| figure | median | smallest – largest | bar | ratio |", "|---|---|---|---|---|"]
    lines += [row(figure, results.get(figure.key, [])) for figure in figures]
    lines += growth.lines_of_section(bench.name, results)
    if accounts:
        lines += ["", "What else ran:", ""]
        for account in accounts:
            lines += wrapped(f"- {account.text()}", "  ")
    return lines + [""]


def barred(benches, results):
    return [
        (figure, results[figure.key])
        for bench in benches
        for figure in bench.figures
        if figure.bar is not None and results.get(figure.key)
    ]


def missed_lines(benches, results):
    """What is missed, by plan: one plan often mends several."""
    by_plan = {}
    for bench in benches:
        for figure, values in barred([bench], results):
            if not is_met(figure, values):
                median = with_unit(statistics.median(values), figure.unit)
                told = f"{bench.name}, {figure.text}: **{median}** ({bar_text(figure)})"
                by_plan.setdefault(figure.plan or NO_PLAN, []).append(told)
    lines = []
    for plan, told in by_plan.items():
        lines += wrapped(f"- {'; '.join(told)}. {plan}.", "  ")
    return lines


def summary(benches, results, accounts):
    bars = barred(benches, results)
    met = sum(is_met(figure, values) for figure, values in bars)
    disturbed = [a for group in accounts.values() for a in group if a.others_percent > OTHERS_PERCENT_MAX]
    lines = [f"{met} of {len(bars)} bars are met.", ""]
    if disturbed:
        worst = max(account.others_percent for account in disturbed)
        lines += wrapped(
            f"{DISTURBED}: during {len(disturbed)} of the stretches measured, programs that are not of the bench "
            f"used more than {OTHERS_PERCENT_MAX:.0f} % of the host, up to {worst:.0f} %. These figures are for "
            "trying only; each section lists what ran."
        )
        lines.append("")
    missed = missed_lines(benches, results)
    if missed:
        lines += ["Missed, and what will be done:", "", *missed, ""]
    return lines


INTRODUCTION = """# Benchmarks

Written by `./dev bench`; edit nothing here. A bar is what a figure is held against: where it says at most (≤), the
ratio is figure / bar, where it says at least (≥), bar / figure; up to 1.00 it is met. A figure is the median of its
rounds, beside it the smallest and the largest. MB are millions of bytes. What else ran on the machine meanwhile is
told in each section.
"""


def report(findings):
    """The page of a run; of a run of some benches, their sections."""
    benches = [bench for bench in BENCHES if bench.name in findings.names]
    results, accounts, is_quick = findings.results, findings.accounts, QUICK in findings.command.split()
    lines = [INTRODUCTION, *(f"- {what}: {value}" for what, value in findings.machine), f"- Command: `{findings.command}`", ""]
    lines += summary(benches, results, accounts)
    for bench in benches:
        lines += section(bench, results, accounts.get(bench.name, []), findings.apart.get(bench.name, ""), is_quick)
    lines += ["## Not built yet", "", "| bar | comes with |", "|---|---|"]
    lines += [f"| {bar} | {source} |" for bar, source in NOT_BUILT]
    return "\n".join(lines) + "\n"
