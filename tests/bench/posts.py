# SPDX-License-Identifier: Apache-2.0
"""Uploads as clients make them, of made-up programs: always the same from the same seed.

A program has functions with names of packages and classes; a stack leaves an earlier one some frames
before its end, as stacks do.
"""

import random
import time

SECOND_NS = 1_000_000_000
DEPTH_MEAN = 30
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
    """Root first, as numbers of functions; popular functions are the low ones."""
    draw = random.Random(seed)
    stack, made = [], []
    for _ in range(count):
        length = draw.randrange(DEPTH_MEAN // 3, 2 * DEPTH_MEAN - DEPTH_MEAN // 3)
        stack = stack[: max(0, min(length, len(stack) - draw.randrange(12)))]
        stack = stack + [int(function_count * draw.random() ** 3) for _ in range(length - len(stack))]
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
