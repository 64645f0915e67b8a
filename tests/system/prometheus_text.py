# SPDX-License-Identifier: Apache-2.0
"""A strict reader of Prometheus' text format 0.0.4: whatever the format does not allow, or leaves to a
lenient reader, is a Failure."""

import re

from harness import Failure, check

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL},)*{LABEL})\}})? (-?[0-9]+(?:\.[0-9]+)?)")
HELP_TEXT = re.compile(r"(?:[^\\]|\\\\|\\n)+")


class Metric:
    def __init__(self, name, words):
        self.name, self.help, self.kind = name, words, None
        self.samples = {}


def _comment(line, metrics, current):
    """A HELP begins a metric and its TYPE follows at once."""
    fields = line.split(" ", 3)
    check(len(fields) == 4 and fields[0] == "#", f"a comment that is neither HELP nor TYPE: {line!r}")
    _, what, name, rest = fields
    check(re.fullmatch(NAME, name), f"a bad name: {line!r}")
    if what == "HELP":
        check(name not in metrics, f"{name} begins twice: its lines must stand together")
        check(current is None or current.samples, f"{current and current.name} has no sample")
        check(HELP_TEXT.fullmatch(rest), f"a bad HELP: {line!r}")
        metrics[name] = Metric(name, rest)
        return metrics[name]
    check(what == "TYPE" and current and current.name == name, f"a TYPE that follows no HELP of its own: {line!r}")
    check(current.kind is None and not current.samples, f"a second or late TYPE: {line!r}")
    check(rest in ("counter", "gauge"), f"an unknown type: {line!r}")
    check((rest == "counter") == name.endswith("_total"), f"a counter ends with _total, nothing else does: {line!r}")
    current.kind = rest
    return current


def read(body):
    """{name: Metric}; the samples of each by their sorted labels."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Failure(f"no UTF-8: {error}") from None
    check(text.endswith("\n"), "the last line has no end")
    metrics, current = {}, None
    for line in text[:-1].split("\n"):
        if line.startswith("#"):
            current = _comment(line, metrics, current)
            continue
        found = SAMPLE.fullmatch(line)
        check(found, f"no sample: {line!r}")
        check(current and current.kind and found[1] == current.name, f"a sample away from its metric: {line!r}")
        labels = re.findall(LABEL, found[2] or "")
        check(len({key for key, _ in labels}) == len(labels), f"a label twice: {line!r}")
        key = tuple(sorted(labels))
        check(key not in current.samples, f"twice the same sample: {line!r}")
        current.samples[key] = float(found[found.lastindex])
        check(current.kind == "gauge" or current.samples[key] >= 0, f"a counter below zero: {line!r}")
    check(current and current.samples, "the last metric has no sample")
    return metrics


def value(metrics, name, **labels):
    return metrics[name].samples[tuple(sorted(labels.items()))]
