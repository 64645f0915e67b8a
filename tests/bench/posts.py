# SPDX-License-Identifier: Apache-2.0
"""Uploads as clients make them, of made-up programs: always the same from the same seed.

A program has functions with names of packages and classes; stacks are as those of the fleet that
docs/testing.md describes.
"""

import random
import time

SECOND_NS = 1_000_000_000
DEPTH_MEAN = 30
DEPTH_MIN = 8
CHANGED_MEAN = 6
SAMPLE_NS = 10_000_000


def varint(number):
    text = bytearray()
    while number > 127:
        text.append(number & 127 | 128)
        number >>= 7
    text.append(number)
    return bytes(text)


def number(field, value):
    return varint(field << 3) + varint(value)


def span(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def names(count):
    return [f"com.example.shop.part{i % 97}.Class{i % 1009}.method{i}" for i in range(count)]


def stacks(count, function_count, seed):
    """Root first, as numbers of functions, of which the low ones are popular. Each leaves the one before some
    six frames before its end and goes on for as many."""
    draw = random.Random(seed)
    stack, made = [0] * DEPTH_MEAN, []
    for _ in range(count):
        kept = stack[: max(DEPTH_MIN, len(stack) - draw.randrange(2 * CHANGED_MEAN + 1))]
        length = min(len(kept) + draw.randrange(2 * CHANGED_MEAN + 1), 2 * DEPTH_MEAN - DEPTH_MIN)
        stack = kept + [int(function_count * draw.random() ** 3) for _ in range(length - len(kept))]
        made.append(stack)
    return made


def folded(count, functions=2000, seed=1):
    words = names(functions)
    lines = (";".join(words[f] for f in stack) + f" {1 + i % 7}" for i, stack in enumerate(stacks(count, functions, seed)))
    return ("\n".join(lines) + "\n").encode()


def pprof(count, functions=2000, seed=1):
    """A CPU profile of COUNT samples, one of each stack, as Go's runtime writes it: unpacked."""
    texts = ["", "samples", "count", "cpu", "nanoseconds", "main.go", *names(functions)]
    body = [span(1, number(1, 1) + number(2, 2)), span(1, number(1, 3) + number(2, 4))]
    ids = [varint(i + 1) for i in range(functions)]
    for i, stack in enumerate(stacks(count, functions, seed)):
        hits = 1 + i % 7
        leaf_first = b"".join(ids[f] for f in reversed(stack))
        body.append(span(2, span(1, leaf_first) + span(2, varint(hits) + varint(hits * SAMPLE_NS))))
    for i in range(functions):
        body.append(span(4, number(1, i + 1) + number(3, 0x400000 + 16 * i) + span(4, number(1, i + 1) + number(2, i % 500))))
        body.append(span(5, number(1, i + 1) + number(2, 6 + i) + number(3, 6 + i) + number(4, 5)))
    body += [span(6, text.encode()) for text in texts]
    body += [number(9, time.time_ns() - 10 * SECOND_NS), number(10, 10 * SECOND_NS)]
    body += [span(11, number(1, 3) + number(2, 4)), number(12, SAMPLE_NS)]
    return b"".join(body)


def otlp(count, functions=2000, seed=1):
    """An export of COUNT samples of time on CPU, one of each stack, by OpenTelemetry's field numbers of 1.10."""
    texts = ["", "cpu", "nanoseconds", *names(functions)]
    # The first of each table stands for nothing.
    tables = [span(1, b""), span(2, b""), span(3, b""), span(4, b""), span(6, b""), span(7, b"")]
    for i in range(functions):
        tables.append(span(2, span(3, number(1, i + 1) + number(2, i % 500))))
        tables.append(span(3, number(1, 3 + i)))
    ids = [varint(i + 1) for i in range(functions)]
    samples = []
    for i, stack in enumerate(stacks(count, functions, seed)):
        tables.append(span(7, span(1, b"".join(ids[f] for f in reversed(stack)))))
        samples.append(span(2, number(1, i + 1) + span(4, varint(SAMPLE_NS))))
    tables += [span(5, text.encode()) for text in texts]
    kind = number(1, 1) + number(2, 2)
    began = varint(3 << 3 | 1) + (time.time_ns() - 10 * SECOND_NS).to_bytes(8, "little")
    profile = span(1, kind) + b"".join(samples) + began + number(4, 10 * SECOND_NS) + span(5, kind) + number(6, SAMPLE_NS)
    return span(1, span(2, span(2, profile))) + span(2, b"".join(tables))
