#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What leaves a host is what docs/privacy.md says. A tap between collector and server keeps every
byte: no name of a native function is in any Push message, nothing goes through a call that the
document does not name, and a file goes through Upload only after Want named it."""

import subprocess
import time

from grpc_tap import Tap, fields
from harness import build_id_of, check, note, play, symbols_of, truth_folder, wait_until
from recorded import PUSH, UPLOAD, WANT, pushed, uploads, wants

EXECUTABLE, KERNEL_SYMBOLS = 1, 2
# Shorter ones stand in other words by chance.
NAME_LENGTH_MIN = 8
WHOLE = truth_folder("plain/whole")


def native_names():
    names = symbols_of(WHOLE + "/truth") | symbols_of(WHOLE + "/truthlib.so")
    libc = subprocess.run(["ldd", WHOLE + "/truth"], capture_output=True, text=True).stdout
    path = next(line.split()[2] for line in libc.splitlines() if "libc.so" in line)
    return names | symbols_of(path, "-D")


def body_of(message):
    """The decompressed body of a batch, or nothing for a hello."""
    batches = fields(message.body).get(2, [])
    if not batches:
        return b""
    body = fields(batches[0])[5][0]
    return subprocess.run(["zstd", "-dcq"], input=body, capture_output=True, check=True).stdout


def check_push(stage, tap):
    names = native_names()
    check({"truth_alpha", "truth_library_repeat", "pthread_create"} <= names, "the names to look for are not known")
    batches = pushed(stage, tap)
    processes = {row["process"] for batch in batches.values() for row in batch["rows"]}
    check("truth" in processes, f"no sample of the truth program went by, only of {processes}")
    modules = {m["build_id"] for batch in batches.values() for m in batch["modules"]}
    check(build_id_of(WHOLE + "/truth") in modules, "the truth program's build-ID did not go by")

    long_names = {name for name in names if len(name) >= NAME_LENGTH_MIN}
    # libc's `truncate` stands in the counter `kernel_truncated`; one with an underscore in nothing.
    telling = [name.encode() for name in long_names if "_" in name.strip("_")]
    pushes = [m for m in tap.all() if m.path == PUSH and m.from_client]
    for message in pushes:
        check(message.compressed == 0, "a message is compressed by gRPC: its bytes cannot be told")
        body = body_of(message)
        for name in telling:
            check(name not in body and name not in message.body, f"Push carries the function name {name.decode()}")
    for batch in batches.values():
        # A program may be called like a function: readlink.
        told = long_names.intersection(batch["texts"]) - processes
        check(not told, f"Push carries the function names {told}")
    note(f"{len(pushes)} Push messages, {len(batches)} batches: none of {len(long_names)} names in them")


def check_calls(tap):
    check(not tap.broken, f"the tap could not read: {tap.broken[:3]}")
    paths = {message.path for message in tap.all()}
    check(paths <= {PUSH, WANT, UPLOAD}, f"calls that docs/privacy.md does not name: {paths}")


def check_uploads(tap, executables_expected):
    asked = wants(tap)
    for order, file, _ in uploads(tap):
        check(file in asked and asked[file] < order, f"{file} was uploaded before Want named it")
    files = [file for _, file, _ in uploads(tap)]
    note(f"asked for {len(asked)} files, {len(files)} uploads began")
    executables = [file for file in files if file[1] == EXECUTABLE]
    check(bool(executables) == executables_expected, f"uploaded executables: {executables}")
    check(len(files) == len(set(files)), "a file was uploaded twice")


def run(stage, *flags):
    server = stage.server(data=f"data{len(stage.programs)}")
    tap = Tap(server.grpc)
    collector = stage.collector(tap.address, "--window", "2", *flags)
    truth = stage.truth(10, threads=2, variant="plain/whole")
    truth_id = build_id_of(WHOLE + "/truth")
    wait_until(lambda: (truth_id, EXECUTABLE) in wants(tap), 60, "Want never named the truth program")
    truth.wait(20)
    if "never" not in flags:
        wait_until(lambda: any(file[0] == truth_id for _, file, _ in uploads(tap)), 60, "truth was not uploaded")
    else:
        time.sleep(2)
    collector.stop()
    server.stop()
    return tap


def test(stage):
    tap = run(stage)
    check_calls(tap)
    check_push(stage, tap)
    check_uploads(tap, executables_expected=True)

    tap = run(stage, "--upload", "never")
    check_calls(tap)
    check_uploads(tap, executables_expected=False)


play(test)
