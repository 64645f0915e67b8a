# SPDX-License-Identifier: Apache-2.0
"""Runs for ever, some thirty Python calls deep."""


def leaf(count):
    total = 0
    for i in range(count):
        total = (total * 31 + i) & 0xFFFFFFFF
    return total


def level(depth, count):
    return leaf(count) if depth == 0 else level(depth - 1, count) + depth


while True:
    level(30, 2000)
