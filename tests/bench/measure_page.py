# SPDX-License-Identifier: Apache-2.0
"""The page, in the browser of tests/browser."""

import json
import os
import re

from session import harness, run_tool

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FIGURES = {
    "100k": {"painted": "page_100k_painted", "refetch": "page_100k_refetch", "shell": "page_shell"},
    "500k": {
        "painted": "page_500k_painted",
        "refetch": "page_500k_refetch",
        "zoom": "page_500k_zoom",
        "search": "page_500k_search",
        "p95": "page_500k_p95",
        "heap": "page_500k_heap",
    },
    "combs": {"p95": "page_combs_p95"},
}


def page(session):
    dist = os.path.join(session.build, "web", "dist")
    sizes = run_tool(["node", os.path.join(SOURCE, "web", "size.mjs"), dist])
    session.found("page_bytes", int(re.search(r"^(\d+) bytes of scripts", sizes, re.MULTILINE)[1]) / 1000)
    profiles = ["100k"] if session.quick else list(FIGURES)
    with session.watched("all rounds"):
        told = run_tool(["node", os.path.join(SOURCE, "tests", "browser", "bench.mjs"), "--rounds", str(session.rounds), dist, *profiles])
    for line in told.splitlines():
        answer = json.loads(line)
        harness.check(len(answer["rounds"]) == session.rounds, "a round is missing")
        for name, key in FIGURES[answer["profile"]].items():
            session.found(key, *(each[name] for each in answer["rounds"]))
