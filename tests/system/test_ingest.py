#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uploads of other systems' clients: what is posted is found again with its weight, equal ones add up,
what is wrong is refused with a sentence and counted, and a full disk is the server's fault, not theirs.
"""

import base64
import gzip
import json
import os
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import SECOND_NS, check, note, play, wait_until

DEEP = 4096
BODY_BYTES_MAX = 64 << 20


def post(server, body, content_type="application/x-www-form-urlencoded", path="/ingest", **query):
    """(status, body) of a POST."""
    url = server.url + path + "?" + urllib.parse.urlencode(query)
    request = urllib.request.Request(url, data=body, headers={"Content-Type": content_type}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def stored(server, body, **query):
    status, answer = post(server, body, **query)
    check((status, answer) == (200, b""), f"{query}: {status} {answer[:300]!r}")


def refused(server, expected, words, body, **query):
    status, answer = post(server, body, **query)
    message = json.loads(answer)["message"]
    check(status == expected and words in message, f"{query}: {status} {message}, expected {expected} with '{words}'")


def folded(server, selector, now):
    status, body = server.get(
        "/api/v1/export", format="folded", query=selector, **{"from": now - 3600, "until": now + 3600}
    )
    check(status == 200, f"{selector}: {status} {body[:300]!r}")
    return {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in body.decode().splitlines()}


def counters(server):
    return {c["name"]: c["value"] for c in server.json("/api/v1/status")["counters"]}


def seed(name):
    path = os.path.join(os.environ["CAIRN_SOURCE"], "tests", "fuzz", "corpus", "pprof_read", name)
    with open(path, encoding="ascii") as file:
        return bytes.fromhex(file.read().removeprefix("hex"))


def form(profile, config):
    parts = [("profile", profile), ("sample_type_config", json.dumps(config).encode())]
    body = b"".join(
        b'--xyz\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n' % (name.encode(), name.encode(), data)
        for name, data in parts
    )
    return body + b"--xyz--\r\n"


def check_text(server, now):
    times = {"from": now - 10, "until": now}
    stored(server, b"main;a 30\nmain;b 10\n", name="demo.cpu{env=x-y}", sampleRate=100, **times)
    selector = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="demo",env="x-y"}'
    check(folded(server, selector, now) == {"main;a": 300_000_000, "main;b": 100_000_000}, "not what was posted")
    # Two replicas of one service say the same: both count.
    stored(server, b"main;a 30\nmain;b 10\n", name="demo.cpu{env=x-y}", sampleRate=50, **times)
    check(folded(server, selector, now) == {"main;a": 900_000_000, "main;b": 300_000_000}, "rates were not told apart")
    stored(server, b"main;x\nmain;x\n", name="demo.cpu{env=lines}", format="lines", **times)
    stored(server, b"novalue\nleaf 7\nless -3\nnothing 0\n", name="odd.alloc_space", **times)
    check(folded(server, 'memory:alloc_space:bytes::{service_name="odd"}', now) == {"leaf": 7}, "bytes differ")
    stored(server, b";".join([b"f"] * DEEP) + b";g;leaf 1", name="deep", **times)
    (stack,) = folded(server, 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="deep"}', now)
    check(stack.startswith("[truncated];f;") and stack.endswith(";g;leaf"), "a deep stack lost its leaf")
    long_label = "v" * 2100
    stored(server, b"a 1", name=f"labels{{__session_id__=1,long={long_label}}}", **times)
    stored(server, b"n" * 70000 + b" 1", name="names", **times)
    note("  folded text and lines")


def check_pprof(server, now):
    profile = seed("go_cpu")
    times = {"from": now - 10, "until": now}
    stored(server, profile, name="go.app", format="pprof", **times)
    selector = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="go.app"}'
    once = folded(server, selector, now)
    check(sum(once.values()) > 0 and all("runtime" in s or "main" in s for s in once), f"stacks are {list(once)[:3]}")
    # Bare, packed and in a form: six times the same is six times as much.
    for path, body, content_type, options in (
        ("/pyroscope/ingest", gzip.compress(profile), "binary/octet-stream", {"format": "pprof"}),
        ("/ingest", form(profile, {}), "multipart/form-data; boundary=xyz", {}),
        ("/ingest", form(gzip.compress(profile), {}), 'multipart/form-data; boundary="xyz"', {"format": "pprof"}),
        ("/ingest", profile, "application/octet-stream", {"format": "pprof", "sampleRate": 0}),
        ("/ingest", gzip.compress(profile), "text/plain", {"format": "pprof", "units": ""}),
    ):
        status, answer = post(server, body, content_type, path, name="go.app", **options, **times)
        check((status, answer) == (200, b""), f"{path} {content_type}: {status} {answer[:200]!r}")
    check(folded(server, selector, now) == {stack: 6 * value for stack, value in once.items()}, "six ways differ")
    mutex = {"contentions": {"display-name": "block_count"}, "delay": {"display-name": "block_duration"}}
    status, _ = post(
        server, form(seed("go_mutex"), mutex), "multipart/form-data; boundary=xyz", name="go.block", **times
    )
    check(status == 200, f"block: {status}")
    kinds = [t["id"] for t in server.json("/api/v1/types", query='{service_name="go.block"}', **{"from": now - 60, "until": now + 60})["types"]]
    check(kinds and all(kind.startswith("block:") for kind in kinds), f"types are {kinds}")
    stored(server, seed("small"), name="small", format="pprof", **times)
    note(f"  pprof, {len(once)} stacks, six ways")


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def span(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def push_request(profile, **labels):
    pairs = b"".join(span(1, span(1, k.encode()) + span(2, v.encode())) for k, v in labels.items())
    return span(1, pairs + span(2, span(1, profile)))


def check_push(server, now):
    """The time is the profile's own, of November; a window around it is asked for."""
    path, profile = "/push.v1.PusherService/Push", seed("go_cpu")
    selector = 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="go.app"}'
    (once,) = {sum(folded(server, selector, now).values()) // 6}
    labels = {"__name__": "process_cpu", "service_name": "pushed", "region": "eu"}
    proto = push_request(profile, **labels)
    series = {
        "labels": [{"name": k, "value": v} for k, v in labels.items()],
        "samples": [{"rawProfile": base64.b64encode(gzip.compress(profile)).decode(), "ID": "x"}],
    }
    text = json.dumps({"series": [series]}).encode()
    for body, content_type, expected in (
        (proto, "application/proto", b""),
        (text, "application/json; charset=utf-8", b"{}"),
        (push_request(gzip.compress(profile), **labels), "application/proto", b""),
    ):
        status, answer = post(server, body, content_type, "/" + path)
        check((status, answer) == (200, expected), f"{content_type}: {status} {answer[:200]!r}")
    status, body = server.get(
        "/api/v1/export",
        format="folded",
        query='process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name="pushed",region="eu"}',
        **{"from": "20260101", "until": "20270101"},
    )
    total = sum(int(line.rpartition(" ")[2]) for line in body.decode().splitlines())
    check(status == 200 and total == 3 * once, f"pushed {total}, expected three times {once}")
    for body, content_type, expected, code in (
        (b"", "application/proto", 400, "invalid_argument"),
        (b"\x0a\x7f", "application/proto", 400, "invalid_argument"),
        (b"{", "application/json", 400, "invalid_argument"),
        (proto, "text/plain", 415, "unknown"),
    ):
        status, answer = post(server, body, content_type, path)
        found = json.loads(answer)["code"]
        check((status, found) == (expected, code), f"{content_type}: {status} {found}, expected {expected} {code}")
    # What can be read of a request is stored, what cannot be is told.
    half = proto + push_request(b"junk", **labels)
    check(post(server, half, "application/proto", path)[0] == 400, "a bad series was not told")
    note("  push by Connect")


def corpus(target, name):
    path = os.path.join(os.environ["CAIRN_SOURCE"], "tests", "fuzz", "corpus", target, name)
    with open(path, encoding="ascii") as file:
        return bytes.fromhex(file.read().removeprefix("hex"))


def check_otlp(server):
    """What a profiler of OpenTelemetry exported: four events at 20 Hz, and a Java agent's CPU time."""
    path = "/v1development/profiles"
    for name, packed in (("profiler", False), ("java", True)):
        body = corpus("otlp_read", name)
        request = urllib.request.Request(
            server.url + path,
            data=gzip.compress(body) if packed else body,
            headers={"Content-Type": "application/x-protobuf", **({"Content-Encoding": "gzip"} if packed else {})},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            check((answer.status, answer.read()) == (200, b""), f"{name}: {answer.status}")
    kinds = {"from": "20260101", "until": "20270101", "query": 'process_cpu:cpu:nanoseconds:cpu:nanoseconds{service_name=~"otel-ebpf-profiler|python3.11|unknown_service"}'}
    rows = {p["service_name"]: p["value"] for p in server.json("/api/v1/processes", **kinds)["processes"]}
    expected = {"otel-ebpf-profiler": 100_000_000, "python3.11": 100_000_000, "unknown_service": 1_550_000_000}
    check(rows == expected, f"{rows}, expected {expected}")
    status, answer = post(server, corpus("otlp_read", "old"), "application/x-protobuf", path)
    check(status == 400 and b"before 1.10" in answer, f"old fields: {status} {answer[:200]!r}")
    status, answer = post(server, b"{}", "application/json", path)
    check(status == 415, f"JSON: {status} {answer[:200]!r}")
    note("  OTLP over HTTP")


def check_refusals(server, now):
    refused(server, 400, "name", b"a 1")
    refused(server, 400, "' '", b"a 1", name="foo bar")
    refused(server, 422, "line 2", b"a 1\nb x\n", name="demo")
    refused(server, 422, "read as pprof", b"a 1\n", name="demo", format="pprof")
    refused(server, 422, "older", b"a 1\n", name="demo", **{"from": now - 400 * 86400, "until": now - 400 * 86400 + 10})
    refused(server, 413, "unpacked", gzip.compress(bytes(1 << 20)) * 96, name="demo", format="pprof")
    refused(server, 413, str(BODY_BYTES_MAX), bytes(BODY_BYTES_MAX + 1), name="demo")
    status, _ = server.get("/ingest", name="demo")
    check(status == 405, f"GET /ingest: {status}")
    note("  refusals")


def check_counters(server):
    now = counters(server)
    exactly = {
        "client_labels_cut": 1,
        "client_labels_dropped": 1,
        "client_stacks_cut": 1,
        "client_lines_skipped": 1,
        "client_names_cut": 1,
        "client_negative": 1,
    }
    for name, value in exactly.items():
        check(now[name] == value, f"{name} is {now[name]}, not {value}")
    check(now["client_upload_bytes"] > 0 and now["client_samples_stored"] > 0, "bytes and samples are not counted")
    check(now["client_uploads_refused"] == 14, f"client_uploads_refused is {now['client_uploads_refused']}")
    whole = now["client_uploads_stored"] + now["client_uploads_refused"] + now["client_uploads_failed"]
    # The body that was too large never came whole.
    check(whole == now["client_uploads"] + 1, f"{whole} of {now['client_uploads']} uploads have a fate")


def check_full_disk(stage):
    folder = stage.new_folder("small")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "small", folder], check=True)
    server = stage.server(data="small")
    stored(server, b"a 1", name="demo")
    filler = os.path.join(folder, "filler")

    def is_refused():
        subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=4k"], check=False, capture_output=True)
        return post(server, os.urandom(30000).hex().encode() + b" 1", name="demo")[0] == 503

    wait_until(is_refused, 30, "a full disk refuses nothing")
    now = counters(server)
    check(now["client_uploads_failed"] > 0 and now["client_profiles_failed"] > 0, "that is not counted")
    os.unlink(filler)
    wait_until(lambda: post(server, b"a 1", name="demo")[0] == 200, 30, "nothing is stored again")
    server.stop()
    subprocess.run(["umount", folder], check=True)
    note("  a full disk: 503, then 200 again")


def test(stage):
    server = stage.server()
    now = time.time_ns() // SECOND_NS
    check_text(server, now)
    check_pprof(server, now)
    check_push(server, now)
    check_otlp(server)
    check_refusals(server, now)
    check_counters(server)
    server.stop()
    check_full_disk(stage)


if __name__ == "__main__":
    play(test)
