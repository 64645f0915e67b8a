#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The server is killed by SIGKILL again and again, at any moment, while batches come as fast as it takes
them and while it compacts: every start succeeds, nothing that it had acknowledged is missing, and nothing
counts twice. The server's time of day runs ahead, ten minutes a second (tool/fast_clock.c), so that there
is always something to be put together.

power_push sends batches of known contents and prints what was acknowledged. After each kill the batches
of that run are looked for, and all of them are sent once more; at times, and at the end, those of all
runs are. CAIRN_KILLS is how many kills there are (20); ./dev test kills N. CAIRN_SEED repeats the choices
of a run, though not the moments of the machine's own.
"""

import os
import random
import re
import time

from harness import SECOND_NS, check, note, play, tool, wait_until

KILLS = 20
# As in power_push.c.
UNDER_WAY_MAX = 8
SAMPLES_MIN, SAMPLES_SPREAD, SAMPLE_NS = 200, 50, 10_000_000
WINDOW_SECONDS, WINDOW_COUNT, BATCHES_PER_RUN = 10, 50_000, 1000
# A kill comes after so many acknowledgements of its run, and up to so much later.
ACKNOWLEDGED_MAX = 40
DELAY_SECONDS_MAX = 0.5
# One in so many comes when the server has begun to compact, which it does every 5 s.
LATE_KILL_EVERY = 4
COMPACTING_SECONDS = (4.9, 6.0)
# One in so many hits a server that has not said yet that it is ready.
EARLY_KILL_EVERY = 5
EARLY_SECONDS_MAX = 0.15
LOOK_AT_ALL_EVERY = 10
SETTLE_SECONDS = 0.1


def value_of(number):
    return (SAMPLES_MIN + number % SAMPLES_SPREAD) * SAMPLE_NS


class Proof:
    """One data folder and what it was given."""

    def __init__(self, stage, chance):
        self.stage, self.chance = stage, chance
        self.acknowledged = {}  # run: numbers
        self.epoch = int(time.time()) - 8 * 86400
        self.kills = self.early = self.late = self.unfinished = 0
        self.env = {"LD_PRELOAD": tool("libfast_clock.so"), "CAIRN_CLOCK_START": str(int(time.time()))}
        self.server = self.started()
        self.addresses = {"http": self.server.http, "grpc": self.server.grpc}

    def started(self, **addresses):
        self.ready_at = time.monotonic()
        return self.stage.server("--retain-time", "forever", env=self.env, **addresses)

    def start(self):
        self.server = self.started(**self.addresses)
        self.unfinished += len(re.findall(r"ignoring \d+ bytes at the ends", self.server.log()))

    def push(self, run, count=1_000_000):
        port = self.server.grpc.rpartition(":")[2]
        return self.stage.run("push", [tool("../guest/power_push"), port, str(run), "0", str(count), str(self.epoch)])

    def answers(self, push):
        """{number: answer} of what was pushed so far."""
        found = re.findall(r"^([a-z-]+) \d+ (\d+) .*\n", push.log(), re.MULTILINE)
        return {int(number): answer for answer, number in found}

    def end(self, push):
        """Once it has nothing more to say: it waits for answers of a server that is gone."""
        said = None
        while said != push.log():
            said = push.log()
            time.sleep(SETTLE_SECONDS)
        push.kill()

    def sent_count(self, run):
        return max(self.acknowledged[run], default=-1) + 1 + UNDER_WAY_MAX

    def range_of(self, run):
        """What the batches of RUN, and some others, lie in."""
        first = (run * BATCHES_PER_RUN + 1) % WINDOW_COUNT
        if first + BATCHES_PER_RUN > WINDOW_COUNT:
            return self.everything()
        return tuple((self.epoch + window * WINDOW_SECONDS) * SECOND_NS for window in (first, first + BATCHES_PER_RUN))

    def everything(self):
        return self.epoch * SECOND_NS, (self.epoch + WINDOW_COUNT * WINDOW_SECONDS) * SECOND_NS

    def shown(self, from_ns, until_ns):
        """{(run, number): value} of what the server has."""
        found = {}
        for stack, value in self.server.folded("{}", from_ns, until_ns):
            batch = re.fullmatch(r"run (\d+);batch (\d+)", ";".join(stack))
            check(batch, f"a stack that was never sent: {stack}")
            found[int(batch[1]), int(batch[2])] = value
        return found

    def check_shown(self, shown, runs):
        wanted = {(run, number) for run in runs for number in self.acknowledged[run]}
        lost = sorted(wanted - set(shown))
        check(not lost, f"after {self.kills} kills {len(lost)} of {len(wanted)} acknowledged batches are lost: {lost[:10]}")
        wrong = [(batch, value) for batch, value in shown.items() if value != value_of(batch[1])]
        check(not wrong, f"after {self.kills} kills the totals of batches are wrong (in part, or twice): {wrong[:10]}")
        strange = [batch for batch in shown if batch[1] >= self.sent_count(batch[0])]
        check(not strange, f"batches that were never sent: {strange[:10]}")

    def check_all(self):
        self.check_shown(self.shown(*self.everything()), self.acknowledged)

    def check_again(self, run, shown):
        """What the server had it must call a duplicate; the rest it must take now."""
        count = self.sent_count(run)
        push = self.push(run, count)
        check(push.wait(60) == 0, f"sending run {run} again failed: {push.log()[-300:]}")
        answers = self.answers(push)
        expected = {number: "duplicate" if (run, number) in shown else "stored" for number in range(count)}
        wrong = {number: answer for number, answer in answers.items() if answer != expected[number]}
        check(not wrong and len(answers) == count, f"answers to batches sent again: {list(wrong.items())[:10]} of {len(answers)}")
        self.acknowledged[run] = set(answers)

    def kill_in(self, run):
        """Pushes RUN and kills the server in the midst of it."""
        push = self.push(run)
        goal = self.chance.randint(1, ACKNOWLEDGED_MAX)
        wait_until(lambda: len(self.answers(push)) >= goal, 60, f"{goal} batches are not acknowledged: {push.log()[-300:]}")
        self.wait_for_moment(run)
        self.server.kill()
        self.kills += 1
        self.end(push)
        answers = self.answers(push)
        odd = {number: answer for number, answer in answers.items() if answer != "stored"}
        check(not odd, f"new batches were not stored: {odd}")
        self.acknowledged[run] = set(answers)

    def wait_for_moment(self, run):
        if run % LATE_KILL_EVERY:
            time.sleep(self.chance.uniform(0, DELAY_SECONDS_MAX))
            return
        self.late += 1
        time.sleep(max(0.0, self.ready_at + self.chance.uniform(*COMPACTING_SECONDS) - time.monotonic()))

    def kill_at_start(self):
        program = self.stage.run("early", [*self.server.argv], env=self.env)
        time.sleep(self.chance.uniform(0, EARLY_SECONDS_MAX))
        program.kill()
        self.kills += 1
        self.early += 1

    def one(self, run):
        self.kill_in(run)
        if run % EARLY_KILL_EVERY == 0:
            self.kill_at_start()
        self.start()
        shown = self.shown(*self.range_of(run))
        self.check_shown({batch: value for batch, value in shown.items() if batch[0] == run}, [run])
        self.check_again(run, shown)
        if run % LOOK_AT_ALL_EVERY == 0:
            self.check_all()


def test(stage):
    kills = int(os.environ.get("CAIRN_KILLS") or KILLS)
    seed = int(os.environ.get("CAIRN_SEED") or time.time_ns() % 1_000_000)
    note(f"{kills} kills, CAIRN_SEED={seed}")
    proof = Proof(stage, random.Random(seed))
    run = 0
    while proof.kills < kills:
        run += 1
        proof.one(run)
    proof.check_all()
    proof.server.stop()
    proof.start()
    proof.check_all()
    total = sum(map(len, proof.acknowledged.values()))
    folder = os.path.join(stage.path("data"), "profiles")

    def segments_now():
        return sum(name.endswith(".seg") for name in os.listdir(folder))

    # On a busy host each kill may have come before the first file was whole; one that is left alone makes one.
    wait_until(segments_now, 60, f"nothing was put together: {os.listdir(folder)}")
    proof.check_all()
    files, segments = os.listdir(folder), segments_now()
    note(f"{proof.kills} kills: {proof.late} of a server that compacted, {proof.early} of one that was starting")
    note(f"{proof.unfinished} unfinished ends of files; {len(files)} files at the end, {segments} of them segments")
    note(f"{total} batches acknowledged, each there, each once")
    proof.server.stop()


play(test)
