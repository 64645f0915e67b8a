#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests of real clients, as they were recorded (tests/fixtures), are sent again under the clock of their day: each gets its
answer, and adds to the store what its body holds, by type, told alike by both interfaces of queries.
"""

import base64
import gzip
import http.client
import json
import os
import socket
import urllib.parse

from harness import SECOND_NS, check, note, play

# Midnight after the day of most of them, 30 November 2026.
NOW_NS = 1796083200 * SECOND_NS
RANGE = {"from": 1600000000, "until": 1796083800}
FOLDER = os.path.join(os.environ["CAIRN_SOURCE"], "tests", "fixtures")
OTLP = "/v1development/profiles"


def recorded(name):
    """(method, target, headers, body): request line and headers as they came; a bare body is sent as its folder's are, and
    those of connect are whole requests."""
    with open(os.path.join(FOLDER, name), encoding="ascii") as file:
        head, _, text = file.read().partition("\n\n")
    body = gzip.decompress(base64.b64decode(text))
    if name.startswith("connect"):
        return None, None, None, body
    if name.startswith("otel"):
        return "POST", OTLP, {"Content-Type": "application/x-protobuf"}, body
    if name.startswith("pprof"):
        return "POST", "/ingest?name=fleet", {"Content-Type": "application/octet-stream"}, body
    line, *fields = head.split("\n")
    method, target, _ = line.split(" ")
    headers = dict(field.split(": ", 1) for field in fields)
    for gone in ("Host", "Content-Length", "Transfer-Encoding", "Connection", "Expect"):
        headers.pop(gone, None)
    return method, target, headers, body


def send_bytes(server, request):
    """The status of a request that was recorded byte by byte, framing and all."""
    address = urllib.parse.urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return int(answer.split(b" ", 2)[1])


def send(server, name):
    if name.startswith("connect"):
        return send_bytes(server, recorded(name)[3])
    method, target, headers, body = recorded(name)
    address = urllib.parse.urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request(method, target, body=body, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def get(server, path, **query):
    status, body = server.get(path, **RANGE, **query)
    check(status == 200, f"{path} {query}: {status} {body[:300]!r}")
    return json.loads(body)


def totals(server):
    """{service: {type: sum of values}}"""
    found = {}
    for value in get(server, "/api/v1/labels", name="service_name")["values"]:
        service = value["label"]
        types = get(server, "/api/v1/types", query=f'{{service_name="{service}"}}')["types"]
        found[service] = {kind["id"]: kind["value"] for kind in types}
    return found


def added(before, after):
    """What came to a service between the two; types of which nothing came are left out."""
    grown = {}
    for service, kinds in after.items():
        old = before.get(service, {})
        rest = {kind: value - old.get(kind, 0) for kind, value in kinds.items() if value != old.get(kind, 0)}
        if rest:
            grown[service] = rest
    return grown


def replay(server, names):
    """[(name, status, {service: {type: what it added}})]"""
    seen, before = [], {}
    for name in names:
        status = send(server, name)
        after = totals(server)
        seen.append((name, status, added(before, after)))
        before = after
    return seen, before


def renders_tell_the_same(server, sums):
    for service, kinds in sums.items():
        for kind, value in kinds.items():
            answer = get(server, "/pyroscope/render", query=f'{kind}{{service_name="{service}"}}')
            ticks = answer["flamebearer"]["numTicks"]
            check(ticks == value, f"{service} {kind}: render tells {ticks}, types {value}")


def test(stage):
    with open(os.path.join(FOLDER, "expected.json"), encoding="ascii") as file:
        expected = json.load(file)
    server = stage.server("--clock-start", str(NOW_NS), "--retain-time", "forever")
    seen, sums = replay(server, [row["name"] for row in expected])
    for row, (name, status, grown) in zip(expected, seen):
        check(status == row["status"], f"{name}: {status}, expected {row['status']}")
        check(grown == row["added"], f"{name}: added {grown}, expected {row['added']}")
    note(f"{len(seen)} requests")
    renders_tell_the_same(server, sums)


if __name__ == "__main__":
    play(test)
