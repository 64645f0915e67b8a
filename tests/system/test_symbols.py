#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles first, names later. A collector sends addresses and no files; the program is given by hand
afterwards: the same question about the same time now has names, with no restart, and the same total.
Then debuggers get their files from the server as from a debuginfod.
"""

import os
import re
import subprocess

from harness import SECOND_NS, binary, build_id_of, check, note, play, sleep_until, slot_floor, truth_folder, wait_until

SECONDS = 5
STRIPPED = truth_folder("plain")
WHOLE = truth_folder("plain/whole")


def cairn(server, *arguments, status=0):
    done = subprocess.run(
        [binary("cairn"), *arguments], capture_output=True, text=True, env={**os.environ, "CAIRN_SERVER": server.url}
    )
    note(done.stdout.rstrip() + done.stderr.rstrip())
    check(done.returncode == status, f"cairn {arguments} ended with {done.returncode}, not {status}")
    return done.stdout


def names_of(top):
    return {function["name"] for function in top["functions"] if function["module"].startswith("truth")}


def is_named(parts, top):
    return set(parts) <= names_of(top)


def debugger(stage, server, name, argv):
    cache = stage.new_folder(f"cache.{name}")
    env = {**os.environ, "HOME": stage.folder, "DEBUGINFOD_CACHE_PATH": cache, "DEBUGINFOD_URLS": server.url}
    done = subprocess.run(argv, capture_output=True, text=True, env=env, timeout=60)
    note(f"{name}: {done.stdout.strip()}")
    return done.stdout


def check_debuggers(stage, server, build_id):
    program = os.path.join(STRIPPED, "truth")
    line = debugger(
        stage, server, "gdb",
        ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled on", "-ex", "info line main", program],
    )
    check(re.search(r'Line \d+ of ".*truth\.c"', line), "gdb does not find the line of main")
    symbols = subprocess.run(["nm", os.path.join(WHOLE, "truth")], capture_output=True, text=True).stdout
    main = re.search(r"^([0-9a-f]+) T main$", symbols, re.MULTILINE)[1]
    found = debugger(stage, server, "eu-addr2line", ["eu-addr2line", "-f", "-e", program, "0x" + main])
    check(found.startswith("main\n") and "truth.c:" in found, "eu-addr2line does not find main")
    found = debugger(stage, server, "debuginfod-find", ["debuginfod-find", "executable", build_id])
    with open(found.strip(), "rb") as got, open(os.path.join(WHOLE, "truth"), "rb") as sent:
        check(got.read() == sent.read(), "debuginfod-find gets another program than was uploaded")


def test(stage):
    server = stage.server()
    collector = stage.collector(server, "--upload", "never")
    truth = stage.truth(SECONDS + 3)
    from_ns = slot_floor(truth.reports()[-1]["at_ns"] + SECOND_NS)
    until_ns = from_ns + SECONDS * SECOND_NS
    sleep_until(until_ns + SECOND_NS // 2)
    collector.stop()
    _, parts = truth.between(from_ns, until_ns)
    selector = truth.selector()
    before = server.top(selector, from_ns, until_ns)
    check(before["sample_count"] > 0, "nothing was sampled")
    check(not names_of(before) & set(parts), "there are names although no file was sent")

    build_id = build_id_of(os.path.join(STRIPPED, "truth"))
    check(server.get(f"/buildid/{build_id}/debuginfo")[0] == 404, "a file is there that nobody gave")
    said = cairn(server, "symbols", "upload", os.path.join(WHOLE, "truth"))
    check("1 uploaded, 0 there already, 0 failed" in said, "the upload was not taken")
    after = wait_until(
        lambda: (top := server.top(selector, from_ns, until_ns)) and is_named(parts, top) and top,
        20, "the old range got no names",
    )
    check(after["total"] == before["total"], f"the total changed from {before['total']} to {after['total']}")
    check(after["sample_count"] == before["sample_count"], "the number of samples changed")
    said = cairn(server, "symbols", "upload", WHOLE)
    check(re.search(r"there already .*truth\n", said), "the same file was sent twice")
    cairn(server, "symbols", "upload", __file__, status=1)
    check_debuggers(stage, server, build_id)


if __name__ == "__main__":
    play(test)
