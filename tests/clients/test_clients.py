#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of Pyroscope as people install them, against the server that ships: a program that spends 60, 30 and 10 ms in turn is
seen with those shares (by what it measured itself, within 3 points), its label, its unit, and no word of an error in its log.

They come from their registries, so that this needs the network: `./dev test clients`. CAIRN_CLIENTS names some of them.
"""

import json
import os
import shutil
import subprocess
import time

from harness import SECOND_NS, Failure, check, note, play

HERE = os.path.dirname(os.path.abspath(__file__))
POINTS_MAX = 3
# What a log may not say.
BAD_WORDS = ("error", "fail", "refused", "warn")


def run(folder, *command, seconds=300):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
    check(done.returncode == 0, f"{' '.join(command)}: {done.returncode} {done.stdout[-2000:]} {done.stderr[-2000:]}")
    return done


def node(folder):
    run(folder, "npm", "install", "--no-audit", "--no-fund", "--prefix", folder, "@pyroscope/nodejs@0.6.4")
    return ["node", os.path.join(HERE, "client.js")]


def python(folder):
    run(folder, "python3", "-m", "venv", "venv")
    run(folder, "venv/bin/pip", "install", "--quiet", "pyroscope-io==1.4.0")
    return ["venv/bin/python", os.path.join(HERE, "client.py")]


def go(folder):
    shutil.copy(os.path.join(HERE, "client.go.txt"), os.path.join(folder, "main.go"))
    run(folder, "go", "mod", "init", "client")
    run(folder, "go", "get", "github.com/grafana/pyroscope-go@v1.5.0")
    run(folder, "go", "build", "-o", "client", ".")
    return ["./client"]


# How it is installed; the type of its time; its functions.
CLIENTS = {
    "node": (node, "wall:wall:nanoseconds:wall:nanoseconds", ("workHeavy", "workMedium", "workLight")),
    "python": (python, "process_cpu:cpu:nanoseconds:cpu:nanoseconds", ("work_heavy", "work_medium", "work_light")),
    "go": (go, "process_cpu:cpu:nanoseconds:cpu:nanoseconds", ("main.workHeavy", "main.workMedium", "main.workLight")),
}


def stacks(server, name, kind):
    """[(frames, value)] of a client, which says its label too."""
    now = time.time_ns() // SECOND_NS
    query = f'{kind}{{service_name="client.{name}",zone="x-y"}}'
    status, body = server.get("/api/v1/export", format="folded", query=query, **{"from": now - 600}, until=now + 60)
    check(status == 200, f"{query}: {status} {body[:300]!r}")
    lines = (line.rpartition(" ") for line in body.decode().splitlines())
    return [(stack.split(";"), int(value)) for stack, _, value in lines]


def seen(server, name, kind, functions):
    """What is in each function, whatever file or line stands around its name."""
    sums = [0] * len(functions)
    for frames, value in stacks(server, name, kind):
        for i, function in enumerate(functions):
            if any(function in (frame, *frame.split(":")) for frame in frames):
                sums[i] += value
    return sums


def shares(sums):
    check(sum(sums) > 0, f"nothing was seen: {sums}")
    return [100 * value / sum(sums) for value in sums]


def unit_is_right(server, name, kind):
    status, body = server.get("/api/v1/types", query=f'{{service_name="client.{name}"}}')
    units = {row["id"]: row["unit"] for row in json.loads(body)["types"]} if status == 200 else {}
    check(units.get(kind) == "nanoseconds", f"{name}: {units}")


def try_client(stage, server, name):
    install, kind, functions = CLIENTS[name]
    folder = stage.new_folder(f"client-{name}")
    done = run(folder, *install(folder), server.url, seconds=120)
    log = (done.stdout + done.stderr).lower()
    said = [line for line in log.splitlines() if any(word in line for word in BAD_WORDS)]
    check(not said, f"{name} says: {said}")
    truth = shares([int(value) for value in done.stdout.split()[-3:]])
    found = shares(seen(server, name, kind, functions))
    note(f"{name}: {', '.join(f'{share:.1f} %' for share in found)}, really {', '.join(f'{share:.1f} %' for share in truth)}")
    check(all(abs(a - b) <= POINTS_MAX for a, b in zip(found, truth)), f"{name}: more than {POINTS_MAX} points apart")
    unit_is_right(server, name, kind)


def test(stage):
    server = stage.server()
    names = os.environ.get("CAIRN_CLIENTS", " ".join(CLIENTS)).split()
    for name in names:
        if name not in CLIENTS:
            raise Failure(f"CAIRN_CLIENTS: {name} is none of {', '.join(CLIENTS)}")
        try_client(stage, server, name)


if __name__ == "__main__":
    play(test)
