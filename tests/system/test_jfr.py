#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flight recordings: what Java agents and recorders wrote is found again with its weight, names and labels; a
recording that is sent again counts once; what is damaged is refused with a sentence; and one made now by the
JDK that is here tells the shares of a known program.
"""

import base64
import collections
import gzip
import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import check, note, play, wait_until

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
WALL = "wall:wall:nanoseconds:wall:nanoseconds"
IN_TLAB = "memory:alloc_in_new_tlab_{}:space:bytes"
ALLOCATED = "memory:alloc_sample_{}:space:bytes"
MUTEX = "mutex:{}:mutex:count"
PERIOD_NS = 10_000_000
SHARE_POINTS = 3
RECORDED_SECONDS = 10
SOURCE = os.environ["CAIRN_SOURCE"]

# Of each recording, by the JDK's own tool: totals of each type, and how many samples are in some functions.
EXPECTED = {
    "agent_2_9": {
        "service": "demo.java.app",
        "totals": {
            CPU: 217 * PERIOD_NS,
            IN_TLAB.format("objects:count"): 226,
            IN_TLAB.format("bytes:bytes"): 118_489_088,
            MUTEX.format("contentions:count"): 102,
            MUTEX.format("delay:nanoseconds"): 3_215_793_873,
        },
        "self": {"Demo.spin": 196, "libc.so.6.__memset_avx512_unaligned_erms": 7, "Demo.waitMonitor": 2},
        "within": {"Demo.workHeavy": 113, "Demo.workMedium": 62, "Demo.workLight": 21, "Demo.allocGarbage": 7},
        "labels": {'endpoint="/heavy"': 113, 'endpoint="/medium",vehicle="car"': 62, 'endpoint=""': 42},
        "threads": {"main": 205, "waiter": 6, "GC Thread#0": 2},
    },
    "agent_2_9_tenant": {
        "service": "demo.java.app",
        "totals": {CPU: 297 * PERIOD_NS, IN_TLAB.format("objects:count"): 253, MUTEX.format("contentions:count"): 121},
        "self": {"Demo.spin": 277, "libc.so.6.__memset_avx512_unaligned_erms": 5},
        "within": {},
        "labels": {},
        "threads": {},
    },
    "agent_0_18": {
        "service": "demo.java.app",
        "totals": {
            CPU: 168 * PERIOD_NS,
            IN_TLAB.format("objects:count"): 245,
            IN_TLAB.format("bytes:bytes"): 128_450_560,
            MUTEX.format("contentions:count"): 91,
            MUTEX.format("delay:nanoseconds"): 3_461_116_595,
        },
        "self": {"Demo.spin": 147, "java.net.URLStreamHandler.setURL": 1, "libc.so.6.__memset_avx512_unaligned_erms": 8},
        "within": {"Demo.workHeavy": 80, "Demo.workMedium": 50, "Demo.workLight": 18, "Demo.allocGarbage": 9},
        "labels": {'endpoint="/heavy"': 80, 'endpoint="/medium",vehicle="car"': 50, 'endpoint=""': 38},
        "threads": {"main": 157, "Thread-0": 9},
    },
    # Wall samples every 50 ms: 1685 of some 21 threads in 4.05 s.
    "async_profiler": {
        "service": "plain.java",
        "totals": {
            CPU: 268 * PERIOD_NS,
            WALL: 1685 * 50_000_000,
            IN_TLAB.format("objects:count"): 215,
            IN_TLAB.format("bytes:bytes"): 112_721_920,
        },
        "self": {"Plain.spin": 249, "libasyncProfiler-linux-x64.so.WallClock::signalHandler": 10},
        "within": {"Plain.main": 256, "Plain.workHeavy": 156, "Plain.workMedium": 70, "Plain.workLight": 24},
        "labels": {},
        "threads": {"DestroyJavaVM": 266},
    },
    # 33 checkpoints; an allocation without a stack keeps its weight.
    "flight_recorder": {
        "service": "plain.java",
        "totals": {
            CPU: 300 * PERIOD_NS,
            ALLOCATED.format("objects:count"): 237,
            ALLOCATED.format("bytes:bytes"): 159_166_632,
        },
        "self": {"Plain.spin": 299, "Plain.allocGarbage": 1},
        "within": {"Plain.main": 300, "Plain.workHeavy": 177, "Plain.workMedium": 91, "Plain.workLight": 31},
        "labels": {},
        "threads": {"main": 300},
    },
}


def recording(name):
    """(path and query, content type, body) of a recorded upload."""
    with open(os.path.join(SOURCE, "tests", "system", "recording", name), encoding="ascii") as file:
        head, _, body = file.read().partition("\n\n")
    path, _, content_type = head.partition("\nContent-Type: ")
    return path, content_type, gzip.decompress(base64.b64decode(body))


def post(server, path, content_type, body):
    request = urllib.request.Request(server.url + path, data=body, headers={"Content-Type": content_type}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def stored(server, path, content_type, body):
    status, answer = post(server, path, content_type, body)
    check((status, answer) == (200, b""), f"{path[:60]}: {status} {answer[:300]!r}")


def folded(server, selector, **options):
    """{stack: value} of all times."""
    times = {"from": "20260101", "until": "now+1d"}
    status, body = server.get("/api/v1/export", format="folded", query=selector, **times, **options)
    check(status == 200, f"{selector}: {status} {body[:300]!r}")
    pairs = [line.rpartition(" ") for line in body.decode().splitlines()]
    return {stack: int(value) for stack, _, value in pairs}


def counters(server):
    return {c["name"]: c["value"] for c in server.json("/api/v1/status")["counters"]}


def self_of(stacks):
    values = collections.Counter()
    for stack, value in stacks.items():
        values[stack.rpartition(";")[2]] += value
    return values


def within(stacks):
    values = collections.Counter()
    for stack, value in stacks.items():
        for name in set(stack.split(";")):
            values[name] += value
    return values


def rendered(server, selector):
    """The total that Pyroscope's API tells."""
    status, body = server.get("/pyroscope/render", query=selector, format="json", **{"from": "20260101", "until": "now+1d"})
    check(status == 200, f"{selector}: {status} {body[:300]!r}")
    return json.loads(body)["flamebearer"]["numTicks"]


def check_recorded(stage, name):
    """What one upload became, in a server of its own."""
    server = stage.server("--retain-time", "forever", data=name)
    expected = EXPECTED[name]
    stored(server, *recording(name))
    service = f'service_name="{expected["service"]}"'
    kinds = server.json("/api/v1/types", query=f"{{{service}}}", **{"from": "20260101", "until": "now+1d"})["types"]
    for kind, total in expected["totals"].items():
        selector = f"{kind}{{{service}}}"
        found = sum(folded(server, selector).values())
        check(found == total, f"{name}: {kind} is {found}, not {total}")
        check(rendered(server, selector) == total, f"{name}: /pyroscope/render tells {rendered(server, selector)}, not {total}")
    check({k["id"] for k in kinds} >= set(expected["totals"]), f"{name}: types are {[k['id'] for k in kinds]}")
    stacks = folded(server, f"{CPU}{{{service}}}")
    for which, found in (("self", self_of(stacks)), ("within", within(stacks))):
        for function, count in expected[which].items():
            check(found[function] == count * PERIOD_NS, f"{name}: {which} of {function} is {found[function] / PERIOD_NS}, not {count}")
    for matcher, count in expected["labels"].items():
        found = sum(folded(server, f"{CPU}{{{service},{matcher}}}").values())
        check(found == count * PERIOD_NS, f"{name}: {matcher} has {found / PERIOD_NS} samples, not {count}")
    for thread, count in expected["threads"].items():
        found = sum(folded(server, f'{CPU}{{{service},thread="{thread}"}}').values())
        check(found == count * PERIOD_NS, f"{name}: thread {thread} has {found / PERIOD_NS} samples, not {count}")
    check(counters(server)["client_broken"] == 0, f"{name}: something was not found")
    server.stop()
    note(f"  {name}: {len(expected['totals'])} types, {len(stacks)} stacks of CPU time")


def check_repeated(server):
    """An agent that got no answer sends the same again: it counts once, other queries and formats each time."""
    path, content_type, body = recording("agent_0_18")
    selector = f'{CPU}{{service_name="demo.java.app"}}'
    total = EXPECTED["agent_0_18"]["totals"][CPU]
    for _ in range(3):
        stored(server, path, content_type, body)
    check(sum(folded(server, selector).values()) == total, "a repeated upload counts again")
    check(counters(server)["client_uploads_repeated"] == 2, "repeated uploads are not counted")
    other = path.replace("region%3Deu-north-1", "region%3Dus")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(post(server, other, content_type, body)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(200 in answers and set(answers) <= {200, 503}, f"eight at once were answered {answers}")
    check(sum(folded(server, selector).values()) == 2 * total, "eight at once count more than once")
    text = "/ingest?name=folded&from=20261201&until=20261201"
    for _ in range(2):
        stored(server, text, "text/plain", b"main;a 3\n")
    check(sum(folded(server, f'{CPU}{{service_name="folded"}}').values()) == 6 * PERIOD_NS, "folded text was called a repetition")
    note("  sent again: once")


def check_full_disk(stage):
    """What was not stored may come again: it counts then, and once."""
    folder = stage.new_folder("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "small", folder], check=True)
    server = stage.server("--retain-time", "forever", data="small")
    path, content_type, body = recording("agent_0_18")
    filler = os.path.join(folder, "filler")

    def is_refused():
        subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], check=False, capture_output=True)
        return post(server, path.replace("region%3Deu-north-1", f"region%3D{time.time_ns()}"), content_type, body)[0] == 503

    wait_until(is_refused, 30, "a full disk refuses nothing")
    status, answer = post(server, path, content_type, body)
    check(status == 503, f"a full disk: {status} {answer[:200]!r}")
    os.unlink(filler)
    wait_until(lambda: post(server, path, content_type, body)[0] == 200, 30, "nothing is stored again")
    stored(server, path, content_type, body)
    found = sum(folded(server, f'{CPU}{{service_name="demo.java.app",region="eu-north-1"}}').values())
    check(found == EXPECTED["agent_0_18"]["totals"][CPU], f"{found} ns after two attempts and a repetition")
    server.stop()
    subprocess.run(["umount", folder], check=True)
    note("  a full disk: 503, then stored, once")


def refused(server, expected, words, body, path="/ingest?name=bad&format=jfr", content_type="application/octet-stream"):
    status, answer = post(server, path, content_type, body)
    message = json.loads(answer)["message"]
    check(status == expected and words in message, f"{status} {message}, expected {expected} with '{words}'")


def part(name, body):
    return b'--xyz\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n' % (name, name, body)


def check_refused(server):
    _, _, whole = recording("async_profiler")
    before = counters(server)
    refused(server, 422, "this looks like HTML or XML", b"<html></html>")
    refused(server, 422, "gzip within gzip", gzip.compress(gzip.compress(whole)))
    refused(server, 422, "chunk 1: it is cut off", whole[: len(whole) // 2])
    # The first chunk is whole, yet nothing of the upload is stored.
    refused(server, 422, "chunk 2: it does not begin with FLR", whole + b"junk" * 20)
    refused(server, 422, "chunk 2: it is cut off", whole + whole[:-1])
    refused(server, 422, "version 1.0", whole[:4] + b"\0\1\0\0" + whole[8:])
    refused(server, 422, "gzip, but damaged", gzip.compress(whole)[:-9])
    form = {"content_type": "multipart/form-data; boundary=xyz"}
    refused(server, 422, "part labels", part(b"jfr", whole) + part(b"labels", b"\x0a\x7f") + b"--xyz--\r\n", **form)
    refused(server, 422, "part jfr: ", part(b"jfr", gzip.compress(whole)[:-9]) + b"--xyz--\r\n", **form)
    check(folded(server, f'{CPU}{{service_name="bad"}}') == {}, "a refused recording was stored in part")
    refusals = counters(server)["client_uploads_refused"] - before["client_uploads_refused"]
    check(refusals == 9, f"{refusals} of 9 refusals were counted")
    # Two chunks are two recordings one after the other, packed or not, called by their name or not.
    for times, (body, path) in enumerate(
        ((whole + whole, "/ingest?name=twice&format=jfr"), (gzip.compress(whole), "/ingest?name=twice&format=jfr"), (whole, "/ingest?name=twice"))
    ):
        stored(server, path, "application/octet-stream", body)
        found = sum(folded(server, f'{CPU}{{service_name="twice"}}').values())
        check(found == (times + 2) * 268 * PERIOD_NS, f"{found / PERIOD_NS} samples")
    stored(server, "/ingest?name=slow&format=jfr&sampleRate=50", "application/octet-stream", whole)
    found = sum(folded(server, f'{CPU}{{service_name="slow"}}').values())
    check(found == 268 * 20_000_000, f"at 50 Hz the samples are {found} ns")
    note("  refused with a sentence, and nothing of it stored")


def check_made_now(stage, server):
    """The recorder of the JDK that is here, and its own tool to count by."""
    path = stage.path("now.jfr")
    source = os.path.join(SOURCE, "tests", "system", "program", "Shares.java")
    flags = f"-XX:StartFlightRecording=filename={path},settings=profile"
    done = subprocess.run(["java", flags, source, str(RECORDED_SECONDS)], capture_output=True, text=True, timeout=120)
    check(done.returncode == 0, f"java: {done.stderr.strip()}")
    summary = subprocess.run(["jfr", "summary", path], capture_output=True, text=True, timeout=60)
    counted = int(re.search(r"jdk.ExecutionSample +(\d+)", summary.stdout)[1])
    with open(path, "rb") as file:
        body = file.read()
    stored(server, "/ingest?name=shares&format=jfr", "application/octet-stream", body)
    stacks = folded(server, f'{CPU}{{service_name="shares"}}')
    total = sum(stacks.values())
    check(counted > 0 and total % counted == 0, f"{total} ns of {counted} samples")
    found = within(stacks)
    spun = sum(found[f"Shares.{name}"] for name in ("heavy", "medium", "light"))
    for name, share in (("heavy", 60), ("medium", 30), ("light", 10)):
        points = 100 * found[f"Shares.{name}"] / spun
        check(abs(points - share) <= SHARE_POINTS, f"{name} has {points:.1f} % of {spun} ns, expected {share}")
    note(f"  recorded now: {counted} samples of {total // counted / 1e6:g} ms, {len(body)} bytes")


def test(stage):
    for name in EXPECTED:
        check_recorded(stage, name)
    server = stage.server("--retain-time", "forever")
    check_repeated(server)
    check_refused(server)
    check_made_now(stage, server)
    server.stop()
    check_full_disk(stage)


play(test)
