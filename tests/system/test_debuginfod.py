#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""debuginfod servers that are dead, silent, say 404, answer with a page, or with another file. In each
case 50 modules that nobody has are named again and again, and asked about 100 times: queries stay fast,
a server is asked at most twice for a build-ID (debug file, program), and the status says which.

Then two servers, the first of them dead or with a page for everything, the second one good: it names what it
has, is asked once for what it does not have, and the status of each is its own.
"""

import collections
import http.server
import os
import socket
import socketserver
import subprocess
import threading
import time

from harness import binary, build_id_of, check, note, play, slot_floor, wait_until

MODULES = 50
QUERIES = 100
QUERY_SECONDS_MAX = 2.0
# Batches of one second, so that each module is named again and again.
SECONDS = 5
FIRST_ID = 0xABCD0000
# Of a server that does not answer: the first few, and a try now and then.
FAILURES_MAX = 40

PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv) {
	unsigned (*spin[64])(unsigned);
	time_t end = time(NULL) + atoi(argv[1]);
	for (int i = 2; i < argc; i++) {
		void *module = dlopen(argv[i], RTLD_NOW);
		if (!module || !(spin[i - 2] = dlsym(module, "spin")))
			return puts(dlerror()), 1;
	}
	while (time(NULL) < end)
		for (int i = 2; i < argc; i++)
			spin[i - 2](3000000);
	return 0;
}
"""
MODULE = "unsigned spin(unsigned n) { volatile unsigned s = 0; while (n--) s += n; return s; }\n"


class Answers(http.server.BaseHTTPRequestHandler):
    """A server of one answer, and perhaps some files, that counts what it is asked for."""

    def do_GET(self):
        self.server.asked[self.path] += 1
        status, body = self.server.files.get(self.path, self.server.answer)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Fake(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, answer, files=None):
        super().__init__(("127.0.0.1", 0), Answers)
        self.answer, self.files, self.asked = answer, files or {}, collections.Counter()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Silent:
    """Takes connections and never says a word."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.asked = collections.Counter()
        self.open = []
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            self.open.append(self.socket.accept())
            self.asked["anything"] += 1


class Dead:
    url, asked = "http://127.0.0.1:9", collections.Counter()


def build(stage):
    """A program and MODULES libraries, all stripped, each with an id of its own."""
    folder = stage.new_folder("modules")
    for name, text in (("p.c", PROGRAM.replace("<stdio.h>", "<stdio.h>\n#include <stdlib.h>")), ("m.c", MODULE)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    subprocess.run(["gcc", "-O1", "-s", "-o", "program", "p.c"], cwd=folder, check=True)
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-fvisibility=default", "-o", "m.so", "m.c"], cwd=folder, check=True)
    subprocess.run(["strip", "m.so"], cwd=folder, check=True)
    libraries = []
    for i in range(MODULES):
        path = os.path.join(folder, f"m{i}.so")
        subprocess.run(
            ["gcc", "-O1", "-s", "-shared", "-fPIC", f"-Wl,--build-id=0x{FIRST_ID + i:08x}", "-o", path, "m.c"],
            cwd=folder, check=True,
        )
        libraries.append(path)
    return os.path.join(folder, "program"), libraries


def build_whole(libraries):
    """The same libraries with their debug information, below other names."""
    whole = [path + ".whole" for path in libraries]
    for number, path in enumerate(whole):
        flags = ["-O1", "-g", "-shared", "-fPIC", f"-Wl,--build-id=0x{FIRST_ID + number:08x}"]
        subprocess.run(["gcc", *flags, "-o", path, "m.c"], cwd=os.path.dirname(path), check=True)
    return whole


def read(path):
    with open(path, "rb") as file:
        return file.read()


def ask_often(server, selector, from_ns, until_ns):
    slowest = 0.0
    for _ in range(QUERIES):
        began = time.monotonic()
        top = server.top(selector, from_ns, until_ns)
        slowest = max(slowest, time.monotonic() - began)
    check(top["sample_count"] > 0, "nothing was sampled")
    check(slowest < QUERY_SECONDS_MAX, f"a query took {slowest:.2f} s")
    return slowest


class Case:
    """One upstream, and a server and a collector of its own beside it."""

    def __init__(self, stage, name, upstream, said, before=""):
        self.name, self.upstream, self.said = name, upstream, said
        self.server = stage.server("--debuginfod-urls", f"{before} {upstream.url}", data=f"data.{name}")
        self.collector = stage.collector(self.server, "--upload", "never", "--window", "1", hz=299)

    def state(self):
        return self.server.json(f"/api/v1/symbols/{FIRST_ID:08x}")["text"]

    def counter(self, name):
        counters = self.server.json("/api/v1/status")["counters"]
        return next(counter["value"] for counter in counters if counter["name"] == name)

    def asked(self):
        """How often each file of ours was asked for."""
        return {path: count for path, count in self.upstream.asked.items() if f"{FIRST_ID:08x}"[:6] in path}

    def look(self, from_ns, until_ns):
        slowest = ask_often(self.server, '{process="program"}', from_ns, until_ns)
        wait_until(lambda: self.said in self.state(), 30, f"{self.name}: the status is {self.state()!r}")
        asked = self.asked()
        note(
            f"{self.name}: slowest query {slowest:.2f} s; {sum(asked.values())} questions about {len(asked)} files "
            f"of ours, {self.counter('symbol_debuginfod_asked')} in all; {self.state()}"
        )
        check(all(count == 1 for count in asked.values()), f"{self.name}: asked again: {asked}")
        check(len(asked) <= 2 * MODULES, f"{self.name}: asked for {len(asked)} files")


def check_pair(case, first_state, from_ns, until_ns):
    """The second of two servers has two of the modules."""
    for number in (0, 1):
        found = lambda n=number: case.server.json(f"/api/v1/symbols/{FIRST_ID + n:08x}")["text"]
        wait_until(lambda: "named by" in found(), 30, f"{case.name}: module {number} is not named: {found()}")
    top = case.server.top('{process="program"}', from_ns, until_ns)
    names = {row["name"] for row in top["functions"] if row["module"] in ("m0.so", "m1.so")}
    check("spin" in names, f"{case.name}: names are {names}")
    first, second = case.server.json("/api/v1/status")["debuginfod"]
    note(f"{case.name}: {first}, {second}")
    check(first["state"] == first_state, f"{case.name}: the first server is {first['state']}, not {first_state}")
    check(second["state"] == "ok" and second["failures"] == 0, f"{case.name}: the good server: {second}")
    check(second["hits"] == 2 and second["misses"] >= 2 * (MODULES - 2), f"{case.name}: the good server: {second}")
    check("secret" not in case.server.get("/api/v1/status")[1].decode(), "credentials are shown")
    metrics = case.server.get("/metrics")[1].decode()
    check("secret" not in metrics, "credentials are in the metrics")
    for server in (first, second):
        line = f'cairn_debuginfod_server_asked_total{{server="{server["url"]}"}} {server["asked"]}\n'
        check(line in metrics, f"no {line!r} in the metrics")
    said = subprocess.run(
        [binary("cairn"), "status", "--server", case.server.url], capture_output=True, text=True, check=True
    ).stdout
    check(case.upstream.url in said, f"cairn status does not tell of {case.upstream.url}")
    check((first_state == "ok") == ("does not answer" not in said), f"cairn status says: {said}")


def test(stage):
    program, libraries = build(stage)
    check(build_id_of(libraries[0]) == f"{FIRST_ID:08x}", "the linker gave another id")
    other = read(libraries[0]).replace(FIRST_ID.to_bytes(4, "big"), bytes.fromhex("deadbeef"))
    cases = [
        Case(stage, "missing", Fake((404, b"")), "debuginfod does not have it"),
        Case(stage, "page", Fake((200, b"<html>not here</html>")), "not an ELF file"),
        Case(stage, "other", Fake((200, other)), "another build-ID"),
        Case(stage, "dead", Dead(), "debuginfod"),
        Case(stage, "silent", Silent(), "debuginfod"),
    ]
    files = {f"/buildid/{FIRST_ID + n:08x}/debuginfo": (200, read(whole)) for n, whole in enumerate(build_whole(libraries[:2]))}
    pairs = {
        "resting": Case(stage, "dead-good", Fake((404, b""), files), "named by", "http://me:secret@127.0.0.1:9/"),
        "ok": Case(stage, "page-good", Fake((404, b""), files), "named by", Fake((200, b"<html>")).url),
    }
    from_ns = slot_floor(time.time_ns())
    stage.run("worker", [program, str(SECONDS), *libraries]).wait(SECONDS + 20)
    until_ns = slot_floor(time.time_ns())
    # What was not there is not asked for again because it is named again.
    stage.run("worker", [program, "2", *libraries]).wait(20)
    for case in [*cases, *pairs.values()]:
        case.collector.stop()
    for case in cases:
        case.look(from_ns, until_ns)
    for state, case in pairs.items():
        case.look(from_ns, until_ns)
        check_pair(case, state, from_ns, until_ns)
    check(len(cases[0].asked()) >= MODULES, "not every module was asked for")
    for case in cases[3:]:
        check(case.counter("symbol_debuginfod_failures") <= FAILURES_MAX, f"{case.name}: asked again and again")
        check(case.counter("symbol_debuginfod_spared") > 0, f"{case.name}: no question was spared")


if __name__ == "__main__":
    play(test)
