#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real browser opens the page of a server that has profiled the truth program: it finds the
program's function, zooms, searches, and comes back from the URL; nothing on its console."""

import os
import subprocess
import time

from harness import SECOND_NS, check, note, play, wait_until


def test(stage):
    server = stage.server()
    collector = stage.collector(server, "--window", "2")
    truth = stage.truth(14, threads=2, variant="plain/whole")
    truth.wait(40)

    def named():
        now = time.time_ns()
        top = server.top('{process="truth"}', now - 60 * SECOND_NS, now)
        return "truth_alpha" in {function["name"] for function in top["functions"]}

    wait_until(named, 60, "the truth program has no names")
    story = os.path.join(os.environ["CAIRN_SOURCE"], "tests/browser/story.mjs")
    told = subprocess.run(
        ["node", story],
        env={**os.environ, "CAIRN_URL": server.url, "CAIRN_FUNCTION": "truth_alpha", "CAIRN_PROCESS": "truth", "HOME": stage.folder},
        capture_output=True,
        text=True,
        timeout=150,
    )
    note(told.stdout[-6000:])
    check(told.returncode == 0, f"the story ended with {told.returncode}: {told.stderr[-3000:]}")
    collector.stop()
    server.stop()


play(test)
