# SPDX-License-Identifier: Apache-2.0
"""What went by a tap, and what a data folder holds, as Python values."""

import json
import os
import subprocess

from grpc_tap import fields
from harness import check, tool

PUSH = "/cairn.v1.Ingest/Push"
WANT = "/cairn.v1.Symbols/Want"
UPLOAD = "/cairn.v1.Symbols/Upload"
ACK_STORED, ACK_DUPLICATE, ACK_REFUSED, ACK_RETRY = 1, 2, 3, 4


def dump(*arguments):
    done = subprocess.run([tool("profile_dump"), *arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"profile_dump {arguments[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def stored(folder):
    """Every profile of a data folder."""
    return dump("store", folder)


def pushed(stage, tap):
    """{(instance, sequence): profile} of every batch that went by; the same batch counts once."""
    folder = stage.new_folder("pushed")
    paths = []
    for message in tap.all():
        if message.path == PUSH and message.from_client:
            paths.append(os.path.join(folder, str(message.order)))
            with open(paths[-1], "wb") as file:
                file.write(message.body)
    batches = [batch for batch in dump("push", *paths) if batch["kind"] == "batch"] if paths else []
    return {(batch["instance"], batch["sequence"]): batch for batch in batches}


def acknowledged(tap):
    """[(connection, stream, sequence, result)] of every acknowledgement, in order."""
    acks = []
    for message in tap.all():
        if message.path == PUSH and not message.from_client:
            for ack in fields(message.body).get(2, []):
                ack = fields(ack)
                acks.append((message.connection, message.stream, ack.get(1, [0])[0], ack.get(2, [0])[0]))
    return acks


def rows_of(profiles):
    """Every row, as a sorted list of texts that are equal where the rows are."""
    return sorted(
        json.dumps([profile["host"], profile["window_start_ns"], row], sort_keys=True)
        for profile in profiles
        for row in profile["rows"]
    )


def samples_of(profiles):
    return sum(row["count"] for profile in profiles for row in profile["rows"])


def check_same_rows(sent, kept, text):
    missing, extra = list(sent), []
    counts = {}
    for row in sent:
        counts[row] = counts.get(row, 0) + 1
    for row in kept:
        if counts.get(row, 0):
            counts[row] -= 1
        else:
            extra.append(row)
    missing = [row for row, count in counts.items() if count]
    check(
        not missing and not extra,
        f"{text}: {len(missing)} rows are missing, {len(extra)} too many: {missing[:1]} {extra[:1]}",
    )


def wants(tap):
    """{(build-ID, what): order} of what the server asked for."""
    asked = {}
    for message in tap.all():
        if message.path == WANT and not message.from_client:
            for want in fields(message.body).get(1, []):
                asked.setdefault(file_of(fields(want), 1, 2), message.order)
    return asked


def uploads(tap):
    """[(order, (build-ID, what), header fields)] of every upload that began."""
    begun = []
    for message in tap.all():
        if message.path == UPLOAD and message.from_client:
            for header in fields(message.body).get(1, []):
                header = fields(header)
                begun.append((message.order, file_of(header, 2, 3), header))
    return begun


def file_of(message, id_field, what_field):
    return fields(message[id_field][0])[2][0].hex(), message.get(what_field, [0])[0]
