# SPDX-License-Identifier: Apache-2.0
"""One run of the bench: its options, the programs that it started, and what it has found so far."""

import contextlib
import json
import os
import socket
import sys
from typing import NamedTuple

import host
from bars import ALL_FIGURES
from table import number

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # noqa: E402: the path above leads to it

ANSWER_BYTES_MAX = 1 << 20


class Findings(NamedTuple):
    """All that a report is made of."""

    machine: list  # [(what, value)]
    command: str
    names: list  # of the benches that were to run
    results: dict  # key of a figure: values
    accounts: dict  # name of a bench: what else ran
    apart: dict = {}  # name of a bench that was measured in another run than the rest: which

    def text(self):
        return json.dumps(self._asdict(), indent=1)

    @classmethod
    def read(cls, text):
        kept = json.loads(text)
        kept["accounts"] = {name: [host.Account(*fields) for fields in group] for name, group in kept["accounts"].items()}
        return cls(**kept)


class Session:
    def __init__(self, build, rounds, seconds, quick):
        self.build, self.rounds, self.seconds, self.quick = build, rounds, seconds, quick
        self.eviction_stacks = 0  # set by whoever measures unwinding
        self.results = {}  # key of a figure: values
        self.accounts = {}  # name of a bench: what else ran
        self.name = ""
        self.folder = os.path.join(build, "bench")
        self.rates = (97,) if quick else None

    def clean(self):
        """Removes what a bench left that was killed."""
        os.makedirs(self.folder, exist_ok=True)
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            if os.path.isdir(path):
                harness.shutil.rmtree(path, ignore_errors=True)

    def tool(self, name):
        return os.path.join(self.build, "tests", "bench", name)

    @contextlib.contextmanager
    def stage(self):
        """Programs and files that are gone at the end. On the disk of the build: on a file system
        in memory an fdatasync would cost nothing."""
        os.environ.update(TMPDIR=self.folder, CAIRN_BIN=os.path.join(self.build, "bin"), DEBUGINFOD_URLS="")
        harness.tempfile.tempdir = None
        stage = harness.Stage()
        try:
            yield stage
        except BaseException:
            stage.show_logs()
            raise
        finally:
            stage.close()

    @contextlib.contextmanager
    def watched(self, label):
        """Tells afterwards what else ran meanwhile."""
        watch = host.Watch(label)
        yield
        account = watch.account()
        self.accounts.setdefault(self.name, []).append(account)
        harness.note("    " + account.text())

    def found(self, key, *values):
        figure = ALL_FIGURES[key]
        self.results.setdefault(key, []).extend(values)
        harness.note(f"  {figure.text}: {', '.join(number(value) for value in values)} {figure.unit}")


def ask(path, target="/status"):
    """GET on a Unix socket, as JSON: the collector's control socket."""
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(10)
        control.connect(path)
        control.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while chunk := control.recv(65536):
            answer += chunk
            harness.check(len(answer) < ANSWER_BYTES_MAX, "the collector's status does not end")
    return json.loads(answer.partition(b"\r\n\r\n")[2])


def counters_of(status):
    return {counter["name"]: counter["value"] for counter in status["counters"]}


def differences(early, late):
    return {name: value - early.get(name, 0) for name, value in late.items()}


def parse_lines(text):
    """`name value` lines as numbers."""
    pairs = (line.split() for line in text.splitlines())
    return {pair[0]: float(pair[1]) for pair in pairs if len(pair) == 2}


def run_tool(argv):
    """Runs a measuring program to its end; returns what it printed."""
    program = harness.subprocess.run(
        argv, stdin=harness.subprocess.DEVNULL, stdout=harness.subprocess.PIPE, text=True,
        preexec_fn=harness.die_with_parent, check=False,
    )
    harness.check(program.returncode == 0, f"{os.path.basename(argv[0])} ended with {program.returncode}")
    return program.stdout

