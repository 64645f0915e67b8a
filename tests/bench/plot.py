# SPDX-License-Identifier: Apache-2.0
"""How something grows, as an SVG: lines over two logarithmic axes. Pure text."""

import html
import math
from typing import NamedTuple

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 50
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b"]
GREY = "#666"


class Line(NamedTuple):
    name: str
    points: list  # [(x, y)], all above 0


class Plot(NamedTuple):
    title: str
    x_text: str
    y_text: str
    ticks: list  # [(x, text)]
    lines: list
    bar: float = 0  # drawn as a dashed line, with its value; 0: none


def decades(values):
    """The powers of ten that enclose VALUES, one above the other at least."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def decade_text(exponent):
    return f"{10.0 ** exponent:g}"


class Frame:
    """Where values lie on the paper."""

    def __init__(self, plot):
        points = [point for line in plot.lines for point in line.points]
        xs = [x for x, _ in points] + [x for x, _ in plot.ticks]
        self.y_low, self.y_high = decades([y for _, y in points] + ([plot.bar] if plot.bar else []))
        self.x_low, self.x_high = math.log10(min(xs)), math.log10(max(xs))
        if self.x_high == self.x_low:
            self.x_high += 1

    def x(self, value):
        share = (math.log10(value) - self.x_low) / (self.x_high - self.x_low)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value):
        share = (math.log10(value) - self.y_low) / (self.y_high - self.y_low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def text(x, y, words, anchor="middle", colour=GREY, more=""):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}"{more}>{html.escape(words)}</text>'


def grid(plot, frame):
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for exponent in range(frame.y_low, frame.y_high + 1):
        y = frame.y(10.0**exponent)
        parts.append(f'<path d="M{LEFT} {y}H{right}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, decade_text(exponent), "end"))
    for value, words in plot.ticks:
        x = frame.x(value)
        parts.append(f'<path d="M{x} {TOP}V{bottom}" stroke="#ddd"/>')
        parts.append(text(x, bottom + 18, words))
    if plot.bar:
        y = frame.y(plot.bar)
        parts.append(f'<path d="M{LEFT} {y}H{right}" stroke="{GREY}" stroke-dasharray="6 4"/>')
        parts.append(text(right - 4, y - 5, f"bar {plot.bar:g}", "end"))
    return parts


def curve(frame, line, colour, place):
    points = sorted(line.points)
    path = "L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in points)
    parts = [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>']
    parts += [f'<circle cx="{frame.x(x)}" cy="{frame.y(y)}" r="3.5" fill="{colour}"/>' for x, y in points]
    y = TOP + 12 + 20 * place
    parts.append(f'<path d="M{WIDTH - RIGHT + 12} {y - 4}h18" stroke="{colour}" stroke-width="2"/>')
    parts.append(text(WIDTH - RIGHT + 36, y, line.name, "start", colour))
    return parts


def svg(plot):
    """The whole file. Light paper of its own, so that it can be read on a dark page."""
    frame = Frame(plot)
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 22, plot.title, "start", "#222", ' font-size="14" font-weight="bold"'),
        *grid(plot, frame),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, plot.x_text),
        text(18, middle, plot.y_text, more=f' transform="rotate(-90 18 {middle})"'),
    ]
    for place, line in enumerate(plot.lines):
        parts += curve(frame, line, COLOURS[place % len(COLOURS)], place)
    return "\n".join([*parts, "</svg>", ""])
