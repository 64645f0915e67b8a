# SPDX-License-Identifier: Apache-2.0
"""What every system test needs: the built programs on free ports, ended by pid, their logs on failure.

A test is a function that gets a Stage; `play(function)` runs it and turns its outcome into an exit
status. ctest starts each test by `unshare --net --mount`, so the loopback device is the test's own.
Needs of the environment, set by CMake: CAIRN_BIN, CAIRN_TRUTH, CAIRN_TOOLS, CAIRN_SOURCE.
"""

import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
SECOND_NS = 1_000_000_000
SLOT_NS = 20_000_000
READY_SECONDS_MAX = 30
STOP_SECONDS_MAX = 30
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


def note(text):
    print(text, flush=True)


def binary(name):
    return os.path.join(os.environ["CAIRN_BIN"], name)


def tool(name):
    return os.path.join(os.environ["CAIRN_TOOLS"], name)


def truth_folder(variant="plain"):
    """plain or inlined, stripped; or plain/whole, inlined/whole: with their symbols."""
    return os.path.join(os.environ["CAIRN_TRUTH"], variant)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def go_ahead_of_others(niceness):
    """Among all processes, also where the kernel shares the CPUs out by sessions first."""
    os.setsid()
    os.nice(niceness)
    with contextlib.suppress(FileNotFoundError), open("/proc/self/autogroup", "w", encoding="ascii") as group:
        group.write(str(niceness))


def wait_until(question, seconds, text):
    """Asks until the answer is true; returns it."""
    deadline = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        check(time.monotonic() < deadline, f"after {seconds} s: {text}")
        time.sleep(0.05)


class Program:
    """One running program; everything that it says goes to one file."""

    def __init__(self, name, argv, log_path, env=None, niceness=0):
        self.name, self.argv, self.log_path = name, argv, log_path

        def prepare():
            die_with_parent()
            if niceness:
                go_ahead_of_others(niceness)

        with open(log_path, "ab") as log:
            self.process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **(env or {})},
                preexec_fn=prepare,
            )
        self.pid = self.process.pid

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def runs(self):
        return self.process.poll() is None

    def wait_for(self, pattern, seconds=READY_SECONDS_MAX):
        """Waits until a line matches; returns the last match."""

        def look():
            found = list(re.finditer(pattern, self.log()))
            check(found or self.runs(), f"{self.name} ended with {self.process.returncode} before it said {pattern!r}")
            return found and found[-1]

        return wait_until(look, seconds, f"{self.name} did not say {pattern!r}")

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} still runs after {seconds} s") from None

    def stop(self, expected=0):
        """SIGTERM: flushes and exits with EXPECTED."""
        if self.runs():
            self.process.send_signal(signal.SIGTERM)
        status = self.wait(STOP_SECONDS_MAX)
        check(status == expected, f"{self.name} ended with {status}, not {expected}")

    def kill(self):
        if self.runs():
            self.process.kill()
        self.process.wait()


class Server(Program):
    def __init__(self, stage, name, argv, log_path, env):
        super().__init__(name, argv, log_path, env)
        self.http = self.wait_for(r"listening http (\S+)")[1]
        self.grpc = self.wait_for(r"listening grpc (\S+)")[1]
        self.url = f"http://{self.http}"
        wait_until(lambda: self.get("/readyz")[0] == 200, READY_SECONDS_MAX, "the server is not ready")

    def get(self, path, **query):
        """(status, body) of a GET; a refused connection is status 0. What of an export is missing is in
        `partial`."""
        url = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                self.partial = answer.headers.get("Cairn-Partial")
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return 0, b""

    def json(self, path, **query):
        status, body = self.get(path, **query)
        check(status == 200, f"GET {path} {query}: {status} {body[:300]!r}")
        return json.loads(body)

    def top(self, selector, from_ns, until_ns, limit=10000):
        return self.json(
            "/api/v1/top", query=CPU + selector, **{"from": from_ns, "until": until_ns, "limit": limit}
        )

    def folded(self, selector, from_ns, until_ns):
        """Stacks, root first, with their values."""
        query = {"format": "folded", "query": CPU + selector, "from": from_ns, "until": until_ns}
        status, body = self.get("/api/v1/export", **query)
        check(status == 200, f"export: {status} {body[:300]!r}")
        check(not self.partial, f"export: only a part: {self.partial}")
        lines = [line.rpartition(" ") for line in body.decode().splitlines() if line]
        return [(stack.split(";"), int(value)) for stack, _, value in lines]

    def hosts(self, from_ns, until_ns):
        answer = self.json("/api/v1/hosts", **{"from": from_ns, "until": until_ns})
        return {host["host"]: host for host in answer["hosts"]}


class Truth(Program):
    """The program whose profile is known. Its reports are lines of JSON, one every 100 ms."""

    def __init__(self, name, argv, log_path, report_path):
        # What it gets of the CPUs is not to hang on what else runs on this machine: where it gets a
        # fifth of them, a total of 20 s at 99 Hz has a standard deviation of 3 %, at nine tenths 0.5 %.
        super().__init__(name, argv, log_path, niceness=-10)
        self.report_path = report_path

    def selector(self, *matchers):
        """This run alone: another truth program may run on this machine."""
        return "{" + ",".join(['process="truth"', f'pid="{self.pid}"', *matchers]) + "}"

    def reports(self):
        with open(self.report_path, encoding="utf-8") as report:
            return [json.loads(line) for line in report if line.endswith("\n")]

    def between(self, from_ns, until_ns):
        """(CPU time of the process, {part: CPU time}) of a range, interpolated between reports."""
        reports = self.reports()
        start, end = at(reports, from_ns), at(reports, until_ns)
        return end[0] - start[0], {name: end[1][name] - start[1][name] for name in end[1]}


def at(reports, when_ns):
    check(
        reports[0]["at_ns"] <= when_ns <= reports[-1]["at_ns"],
        f"the truth program has no report around {when_ns}",
    )
    after = next(i for i, report in enumerate(reports) if report["at_ns"] >= when_ns)
    late, early = reports[after], reports[max(after - 1, 0)]
    span = late["at_ns"] - early["at_ns"]
    part = (when_ns - early["at_ns"]) / span if span else 0.0

    def mix(old, new):
        return old + (new - old) * part

    parts = {name: mix(early["cpu_ns"][name], late["cpu_ns"][name]) for name in late["cpu_ns"]}
    return mix(early["process_cpu_ns"], late["process_cpu_ns"]), parts


class Stage:
    """Everything that a test started, and where it keeps its files."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="cairn-test-")
        self.programs = []
        self.counts = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def new_folder(self, name):
        os.makedirs(self.path(name), exist_ok=True)
        return self.path(name)

    def _next(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        return f"{name}.{self.counts[name]}"

    def _keep(self, program):
        self.programs.append(program)
        return program

    def run(self, name, argv, env=None, niceness=0):
        """Starts any program."""
        name = self._next(name)
        return self._keep(Program(name, argv, self.path(name + ".log"), env, niceness))

    def server(self, *flags, data="data", http="127.0.0.1:0", grpc="127.0.0.1:0", jailed=False, env=None, prefix=()):
        """Starts the server and waits until it is ready."""
        name = self._next("server")
        data = self.new_folder(data)
        argv = [binary("cairn-server"), "--data", data, "--http", http, "--grpc", grpc, *flags]
        if jailed:
            argv = self.jail(argv, data)
        argv = [*prefix, *argv]
        log = self.path(name + ".log")
        open(log, "w").close()
        env = {"DEBUGINFOD_URLS": "", **(env or {})}
        # Listed before it is waited for, so that its log is shown should it not become ready.
        server = Server.__new__(Server)
        self._keep(server)
        server.__init__(self, name, argv, log, env)
        return server

    def jail(self, argv, data):
        """ARGV in a root of its binary, the libraries it loads, its data and two devices."""
        libraries = re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", argv[0]], capture_output=True, text=True).stdout)
        paths = [argv[0], *libraries, "/dev/null", "/dev/urandom", data + "/"]
        return [tool("jail"), self.new_folder("root"), *paths, "--", *argv]

    def collector(self, server, *flags, hz=99, prefix=(), env=None):
        """Starts a collector that sends to SERVER, a Server or an address."""
        address = server if isinstance(server, str) else server.grpc
        name = self._next("collector")
        argv = [*prefix, binary("cairn-collector"), "--server", address, "--hz", str(hz)]
        argv += ["--control-socket", self.path(name + ".sock"), *flags]
        return self._keep(Program(name, argv, self.path(name + ".log"), env))

    def truth(self, seconds, threads=3, variant="plain"):
        name = self._next("truth")
        report = self.path(name + ".json")
        argv = [os.path.join(truth_folder(variant), "truth"), "--seconds", str(seconds)]
        argv += ["--threads", str(threads), "--report", report]
        program = self._keep(Truth(name, argv, self.path(name + ".log"), report))
        wait_until(lambda: os.path.exists(report) and program.reports(), 10, "the truth program reports nothing")
        return program

    def debuginfod(self, folder, build_id):
        """A real debuginfod over FOLDER; returns its URL once it knows BUILD_ID (hex)."""
        port = 8002
        self.run(
            "debuginfod",
            ["debuginfod", "-F", "-p", str(port), "-d", ":memory:", "-t", "0", "-g", "0"]
            + ["--disable-source-scan", folder],
            env={"HOME": self.folder, "DEBUGINFOD_URLS": ""},
        )
        url = f"http://127.0.0.1:{port}"

        def knows():
            try:
                with urllib.request.urlopen(f"{url}/buildid/{build_id}/debuginfo", timeout=5) as answer:
                    return answer.status == 200
            except OSError:
                return False

        wait_until(knows, READY_SECONDS_MAX, "debuginfod does not know the debug file")
        return url

    def show_logs(self):
        for program in self.programs:
            if not os.path.exists(getattr(program, "log_path", "")):
                continue
            lines = program.log().splitlines()
            note(f"--- {program.name}: {' '.join(program.argv)}\n    {len(lines)} lines, the last:")
            for line in lines[-25:]:
                note("    " + line[:400])

    def close(self):
        for program in reversed(self.programs):
            if hasattr(program, "process"):
                program.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def build_id_of(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    check(found, f"{path} has no build-ID")
    return found[1]


def symbols_of(path, *options):
    """Names of the functions of an ELF file, as nm gives them."""
    out = subprocess.run(["nm", *options, path], capture_output=True, text=True).stdout
    fields = [line.split() for line in out.splitlines()]
    return {f[-1].split("@")[0] for f in fields if len(f) >= 3 and f[-2] in "TtWwi"}


def cpu_ns(pids):
    """(when, CPU time that processes have used), by the kernel's account."""
    total, before = 0, time.time_ns()
    for pid in pids:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    # On a busy host reading may take a while, and so may waiting for its time.
    return (before + time.time_ns()) // 2, total * SECOND_NS // os.sysconf("SC_CLK_TCK")


def slot_floor(when_ns):
    return when_ns // SLOT_NS * SLOT_NS


def sleep_until(when_ns):
    time.sleep(max(0.0, (when_ns - time.time_ns()) / SECOND_NS))


def refusal(argv, expected_status, seconds=30, env=None):
    """Runs a program that must refuse to work: by its exit status and one line that says why. Returns it."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            env={**os.environ, **(env or {})},
            preexec_fn=die_with_parent,
        )
    except subprocess.TimeoutExpired as late:
        said = (late.stderr or b"").decode(errors="replace")
        raise Failure(f"{' '.join(argv)} still runs after {seconds} s: {said}") from None
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    shown = f"{' '.join(argv)}: status {done.returncode}, said {lines}"
    check(done.returncode == expected_status, f"{shown}; expected status {expected_status}")
    # What a program had done until then may be told before; what went wrong is one line, the last.
    check(lines and not any(re.search("error|warning", line) for line in lines[:-1]), f"{shown}; expected one line")
    check(len(lines) == 1 or "error: " in lines[-1], f"{shown}; the last is no error")
    note(f"  {lines[-1]}")
    return lines[-1]


def play(test):
    check(os.geteuid() == 0, "system tests need root: they load BPF and make namespaces")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    stage = Stage()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    status = 1
    try:
        test(stage)
        note("passed")
        status = 0
    except Failure as failure:
        note(f"failed: {failure}")
    except Exception:
        traceback.print_exc(file=sys.stdout)
    finally:
        if status:
            with contextlib.suppress(Exception):
                stage.show_logs()
        stage.close()
    sys.exit(status)
