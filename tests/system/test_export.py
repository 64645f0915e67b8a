#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is seen leaves as a file of another tool and comes back as one: every format that can be read here keeps totals,
units, lines and labels, through one more round, too.
"""

import gzip
import json
import subprocess
import time

from harness import SECOND_NS, binary, check, note, play
from test_ingest import post

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
WALL = "wall:wall:nanoseconds:cpu:nanoseconds"
STACKS = {"main;work": 300, "main;work;deep": 50, "main;rest": 100, "other": 1}
PERIOD_NS = SECOND_NS // 100


def export(server, name, kind=CPU, form="folded", **query):
    """A file covers the range that it was asked for, and what is read back is looked for beyond it."""
    now, margin = time.time_ns() // SECOND_NS, 0 if form in ("pprof", "otlp") else 1200
    around = {"from": now - 600 - margin, "until": now + 60 + margin}
    status, body = server.get("/api/v1/export", format=form, query=f'{kind}{{service_name="{name}"}}', **around, **query)
    check(status == 200, f"{form} of {name}: {status} {body[:300]!r}")
    return body


def folded(server, name, kind=CPU, **query):
    lines = export(server, name, kind, **query).decode().splitlines()
    return {stack: int(value) for stack, _, value in (line.rpartition(" ") for line in lines)}


def send(server, name, body, **query):
    now = time.time_ns() // SECOND_NS
    status, answer = post(server, body, name=name, **{"from": now - 60}, until=now - 50, **query)
    check(status == 200, f"{name}: {status} {answer[:300]!r}")


def make(server):
    text = "".join(f"{stack} {count}\n" for stack, count in STACKS.items())
    send(server, "first{zone=x-y,otel.scope=a}", text.encode(), sampleRate=100)
    return {stack: count * PERIOD_NS for stack, count in STACKS.items()}


def pprof_comes_back(server, stacks):
    file = export(server, "first", form="pprof", root="zone")
    check(gzip.decompress(file), "a pprof is packed")
    send(server, "second", file)
    check(folded(server, "second") == stacks, f"pprof: {folded(server, 'second')}")
    labelled = folded(server, "second", root="zone")
    check(labelled == {f"zone=x-y;{stack}": value for stack, value in stacks.items()}, f"labels of a pprof: {labelled}")
    send(server, "third", export(server, "second", form="pprof", root="zone"))
    check(folded(server, "third", root="zone") == labelled, "pprof, once more")


def otlp_comes_back(server, stacks):
    file = export(server, "first", form="otlp", root="zone")
    status, body = post(server, file, "application/x-protobuf", "/v1development/profiles")
    check(status == 200 and body == b"", f"otlp: {status} {body[:300]!r}")
    labelled = folded(server, "unknown_service", root="zone")
    check(labelled == {f"zone=x-y;{stack}": value for stack, value in stacks.items()}, f"otlp: {labelled}")


def speedscope_comes_back(server, stacks):
    file = export(server, "first", form="speedscope")
    document = json.loads(file)
    profile = document["profiles"][0]
    check(sum(profile["weights"]) == sum(stacks.values()) == profile["endValue"], "weights of a speedscope file")
    send(server, "fourth", file, format="speedscope")
    check(folded(server, "fourth", WALL) == stacks, f"speedscope: {folded(server, 'fourth', WALL)}")


def folded_text_comes_back(server, stacks):
    text = "".join(f"{stack} {value // PERIOD_NS}\n" for stack, value in folded(server, "first").items())
    send(server, "fifth", text.encode(), sampleRate=100)
    check(folded(server, "fifth") == stacks, "folded")


def lines_and_units_come_back(server):
    """A file of speedscope tells lines and bytes; pprof carries them on."""
    frames = [{"name": "main", "file": "a.c", "line": 3}, {"name": "work", "file": "b.c", "line": 7}]
    profile = {"type": "sampled", "name": "space", "unit": "bytes", "startValue": 0, "endValue": 30, "samples": [[0], [0, 1]], "weights": [10, 20]}
    schema = "https://www.speedscope.app/file-format-schema.json"
    document = {"$schema": schema, "shared": {"frames": frames}, "profiles": [profile]}
    send(server, "heap", json.dumps(document).encode(), format="speedscope")
    status, body = server.get("/api/v1/types", query='{service_name="heap"}')
    kind = json.loads(body)["types"][0]["id"]
    check(status == 200 and ":bytes:" in kind, f"{kind}")
    by_line = folded(server, "heap", kind, group="line")
    check(len(by_line) == 2 and sum(by_line.values()) == 30, f"{by_line}")
    check(all(":3" in stack for stack in by_line) and any("b.c:7" in stack for stack in by_line), f"lines: {by_line}")
    send(server, "heap2", export(server, "heap", kind, form="pprof"))
    status, body = server.get("/api/v1/types", query='{service_name="heap2"}')
    again = json.loads(body)["types"][0]
    check(again["unit"] == "bytes" and again["value"] == 30, f"{again}")
    check(folded(server, "heap2", again["id"], group="line") == by_line, "lines of a pprof")


def pictures_are_whole(server, stacks):
    svg = export(server, "first", form="svg").decode()
    check(svg.count("<rect") == 1 + 1 + len({"main", "main;work", "main;work;deep", "main;rest", "other"}), "bars of a picture")
    dot = export(server, "first", form="dot").decode()
    check(dot.startswith("digraph") and str(sum(stacks.values())) in dot, dot[:200])


def pyroscope_renders(server, stacks):
    now = time.time_ns() // SECOND_NS
    query = f'{CPU}{{service_name="first"}}'
    around = {"from": now - 600, "until": now + 60}
    status, body = server.get("/pyroscope/render", query=query, format="collapsed", **around)
    lines = sorted(body.decode().splitlines())
    check(status == 200 and lines == sorted(f"{stack} {value}" for stack, value in stacks.items()), f"{lines}")
    sides = {"leftFrom": now - 600, "leftUntil": now + 60, "rightFrom": now - 600, "rightUntil": now + 60}
    status, body = server.get("/pyroscope/render-diff", leftQuery=query, rightQuery=f'{CPU}{{service_name="none"}}', **sides)
    answer = json.loads(body)
    check(status == 200 and answer["leftTicks"] == sum(stacks.values()) and answer["rightTicks"] == 0, f"{status} {body[:300]}")


def the_command_writes_files(server):
    done = subprocess.run(
        [binary("cairn"), "export", "--server", server.url, "--format", "pprof", "--query", '{service_name="first"}', "--last", "10m"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    check(done.returncode == 0 and gzip.decompress(done.stdout), f"{done.returncode} {done.stderr}")


def test(stage):
    server = stage.server()
    stacks = make(server)
    check(folded(server, "first") == stacks, f"{folded(server, 'first')}")
    pprof_comes_back(server, stacks)
    otlp_comes_back(server, stacks)
    speedscope_comes_back(server, stacks)
    folded_text_comes_back(server, stacks)
    note("formats come back")
    lines_and_units_come_back(server)
    pictures_are_whole(server, stacks)
    pyroscope_renders(server, stacks)
    the_command_writes_files(server)


if __name__ == "__main__":
    play(test)
