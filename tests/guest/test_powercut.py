#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The power fails, again and again, within a second of an acknowledgement: nothing that the server had
acknowledged is missing after the next start, and nothing counts twice.

The server, as it ships, runs in an emulated machine on an ext4 disk whose cache forgets what was not
flushed (volatile_disk.py); power_push sends it batches of known contents; what was acknowledged is
noted out here. A cut kills the machine. The next boot on the same disk asks the server for everything,
sends the last batches once more, and goes on until the next cut. The server's time of day runs ahead by
ten minutes a second (tests/system/tool/fast_clock.c), so that it puts its files together all the time:
batches are cut as logs, as segments, and between the two.

To show that all this can fail, the same is done with a server whose fsync and fdatasync do nothing:
it must lose something.

CAIRN_POWERCUTS is how many cuts there are (5). CAIRN_SEED repeats the choices of a run, though not
the moments of the machine's own.
"""

import collections
import os
import random
import re
import sys
import tempfile
import threading
import time

from guest import Guest, GuestFailure, Root, make_disk
from kernels import NoKernel, kernel
from volatile_disk import SECTOR, VolatileDisk

DISK_MEGABYTES = 128
# Log files of 4 MiB: a run fills more than one.
SERVER = "cairn-server --data /data/cairn --http 127.0.0.1:4040 --grpc 127.0.0.1:4041"
SERVER += " --retain-time forever --retain-bytes 64M"
CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
# So many cuts on one disk, then a new one: what all of them leave must stay below the retention.
CUTS_A_DISK = 5
# As in power_push.c.
UNDER_WAY_MAX = 8
SAMPLES_MIN, SAMPLES_SPREAD, SAMPLE_NS = 200, 50, 10_000_000
# A cut comes after so many acknowledgements of its run, and up to a second.
ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX = 1, 60
DELAY_SECONDS_MAX = 1.0
# Two in four come when the server has been up long enough to compact, which it does every 5 s: one of
# them at work, one not.
COMPACTING_SECONDS = (5.0, 8.0)
# Every other cut strikes a disk at work, at one of the next writes and flushes.
REQUESTS_MAX = 8
# So many a start takes, give or take some.
START_REQUESTS_MAX = 30
# What stays of the sectors that were not flushed: none, all, or a part.
CHANCES_TO_STAY = (0.0, 0.1, 0.5, 0.9, 1.0)
BOOT_SECONDS_MAX = 180
STEP_SECONDS_MAX = 180

# power_* come from the kernel's command line. Standard output is the console, 3 is the talk.
SCRIPT = f"""
for word in $(cat /proc/cmdline); do
	case $word in power_*) eval "$word" ;; esac
done
exec 3>/dev/ttyS1
stty raw <&3
mkdir /data
mount -t ext4 /dev/vda /data && echo "power: mounted"

serve() {{
	# Without a start the clock is as it is.
	[ -z "$power_clock" ] || export CAIRN_CLOCK_START=$power_clock
	LD_PRELOAD="/lib/libfast_clock.so $1" {SERVER} 2>&1 &
	server=$!
	until wget -q -O /dev/null http://127.0.0.1:4040/readyz 2>/dev/null; do
		kill -0 $server || {{ echo "power: the server ended"; poweroff -f; }}
		sleep 0.1
	done
	echo "power: ready"
}}

show() {{
	echo "segments $(ls /data/cairn/profiles | grep -c 'seg$')" >&3
	range="from=$power_epoch&until=$((power_epoch + 604800))"
	wget -q -O - "http://127.0.0.1:4040/api/v1/export?format=folded&query={CPU}&$range" >&3
	echo "shown $?" >&3
}}

serve
if [ -n "$power_forgetful" ]; then
	kill -TERM $server && wait $server
	sync
	serve /lib/libno_sync.so
fi
show
if [ -n "$power_again" ]; then
	power_push 4041 $power_again 0 $power_again_count $power_epoch >&3
	show
fi
[ -z "$power_run" ] || power_push 4041 $power_run 0 1000000 $power_epoch >&3
echo "done" >&3
until ls /data/cairn/profiles/*.seg >/dev/null 2>&1; do sleep 1; done
echo "together" >&3
sleep 1000
"""

Batch = collections.namedtuple("Batch", "run number")


class Failure(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failure(text)


def note(text):
    print(text, flush=True)


def value_of(batch):
    return (SAMPLES_MIN + batch.number % SAMPLES_SPREAD) * SAMPLE_NS


class Stage:
    """What all boots share: the kernel and the root with the programs."""

    def __init__(self, folder, seed):
        self.folder, self.random = folder, random.Random(seed)
        self.guest = None  # the machine that runs, if one does
        self.kernel = kernel("6.1")
        build = os.environ["CAIRN_BUILD"]
        root = Root(SCRIPT)
        root.program(os.path.join(build, "bin", "cairn-server"))
        root.program(os.path.join(build, "tests", "guest", "power_push"))
        root.file(os.path.join(build, "tests", "guest", "libno_sync.so"), "/lib/libno_sync.so")
        root.file(os.path.join(build, "tests", "system", "libfast_clock.so"), "/lib/libfast_clock.so")
        self.initramfs = root.pack(self.kernel, os.path.join(folder, "initramfs"))

    def new_disk(self):
        image = os.path.join(self.folder, "disk.img")
        make_disk(image, DISK_MEGABYTES)
        return VolatileDisk(image)

    def end(self):
        if self.guest:
            self.guest.kill()


class Boot:
    """The machine from power on to power off. What it says on the second port is kept by lines."""

    def __init__(self, stage, disk, **settings):
        self.stage, self.disk = stage, disk
        self.lines, self.changed = [], threading.Condition()
        nbd = os.path.join(stage.folder, "disk.sock")
        disk.serve(nbd)
        words = " ".join(f"power_{name}={value}" for name, value in settings.items() if value is not None)
        self.guest = Guest(stage.kernel, stage.initramfs, stage.folder, cpus=1, disk="nbd:unix:" + nbd, append=words)
        stage.guest = self.guest
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        self.looked = self.segments = 0

    def listen(self):
        rest = b""
        while True:
            try:
                part = self.guest.talk.recv(65536)
            except OSError:
                part = b""
            lines = (rest + part).split(b"\n")
            rest = lines.pop()
            with self.changed:
                self.lines += [line.decode(errors="replace") for line in lines]
                self.changed.notify_all()
            if not part:
                return

    def wait_for(self, question, what):
        """Until QUESTION, asked of the lines so far, is true."""
        deadline = time.monotonic() + STEP_SECONDS_MAX
        with self.changed:
            while not question(self.lines):
                self.changed.wait(0.5)
                check(not self.guest.ended, f"the machine ended before {what}:\n{self.guest.last_lines()}")
                late = time.monotonic() > deadline
                check(not late, f"{what} takes more than {STEP_SECONDS_MAX} s:\n{self.guest.last_lines()}")

    def shown(self):
        """What the server tells of all batches, {batch: value}, from where the last answer ended."""

        def ends(lines):
            return [i for i in range(self.looked, len(lines)) if lines[i].startswith("shown ")]

        self.wait_for(ends, "the server shows what it has")
        end = ends(self.lines)[0]
        check(self.lines[end] == "shown 0", "the server did not answer:\n" + self.guest.last_lines())
        lines = self.lines[self.looked : end]
        self.looked = end + 1
        self.segments += sum(int(line.split()[1]) for line in lines if line.startswith("segments "))
        found = [re.fullmatch(r"run (\d+);batch (\d+) (\d+)", line) for line in lines]
        return {Batch(int(f[1]), int(f[2])): int(f[3]) for f in found if f}

    def answers(self, run):
        """{batch: answer} of what was pushed of RUN so far."""
        found = [re.match(r"([a-z-]+) (\d+) (\d+) ", line) for line in list(self.lines)]
        return {Batch(run, int(f[3])): f[1] for f in found if f and int(f[2]) == run}

    def damage(self):
        """What the server said that it found unfinished."""
        return [found[0] for found in (re.search("ignoring .*", line) for line in self.guest.lines) if found]

    def cut_at_work(self):
        self.disk.fail_at(self.stage.random.randint(1, REQUESTS_MAX))
        self.disk.failed.wait(DELAY_SECONDS_MAX)
        return self.cut()

    def cut(self):
        self.guest.kill()
        self.listener.join()
        self.guest.talk.close()
        self.guest.process.stdout.close()
        chance = self.stage.random.choice(CHANCES_TO_STAY)
        return self.disk.cut(self.stage.random, chance)


class Record:
    """What one disk was given, noted out here."""

    def __init__(self, stage):
        self.stage, self.disk = stage, stage.new_disk()
        self.epoch = int(time.time()) // 100 * 100 - 8 * 86400
        self.clock = int(time.time())
        self.acknowledged = set()
        self.run = 0  # the last one that was pushed
        self.segments = 0  # that starts found
        self.at_work = True

    def sent_count(self, run):
        """How many batches of RUN may have been sent."""
        highest = max((b.number for b in self.acknowledged if b.run == run), default=-1)
        return highest + 1 + UNDER_WAY_MAX

    def boot(self, **settings):
        clock = None if settings.get("forgetful") else self.clock
        return Boot(self.stage, self.disk, epoch=self.epoch, clock=clock, **settings)

    def missing(self, shown):
        return sorted(self.acknowledged - set(shown))

    def check_shown(self, shown):
        lost = self.missing(shown)
        check(not lost, f"{len(lost)} of {len(self.acknowledged)} acknowledged batches are lost: {lost[:10]}")
        wrong = [(b, v) for b, v in shown.items() if v != value_of(b)]
        check(not wrong, f"batches whose total is wrong (in part, or twice): {wrong[:10]}")
        strange = [b for b in shown if b.number >= self.sent_count(b.run)]
        check(not strange, f"batches that were never sent: {strange[:10]}")

    def check_again(self, shown, answers):
        """What the server had it must call a duplicate; the rest it must have taken now."""
        expected = {b: "duplicate" if b in shown else "stored" for b in answers}
        wrong = {b: a for b, a in answers.items() if a != expected[b]}
        check(not wrong, f"answers to batches sent again: {list(wrong.items())[:10]}")
        check(len(answers) == self.sent_count(self.run), f"{len(answers)} answers to {self.sent_count(self.run)} batches")
        self.acknowledged |= set(answers)

    def verify(self, boot):
        """The start after a cut: all is there, and the batches of the last run are sent once more."""
        shown = boot.shown()
        for line in boot.damage():
            note(f"  the server is {line}")
        self.check_shown(shown)
        self.segments += boot.segments
        if self.run:
            again = boot.shown()
            self.check_again(shown, boot.answers(self.run))
            self.check_shown(again)
        return len(shown)

    def next_boot(self, **settings):
        last = self.run or None
        return self.boot(again=last, again_count=self.sent_count(self.run) if last else None, **settings)

    def push_and_cut(self, boot):
        run, goal = self.run + 1, self.stage.random.randint(ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX)
        boot.wait_for(lambda _: len(boot.answers(run)) >= goal, f"{goal} batches are acknowledged")
        late = self.run % 4 in (1, 2)
        time.sleep(self.stage.random.uniform(*(COMPACTING_SECONDS if late else (0, DELAY_SECONDS_MAX))))
        stayed, unflushed = boot.cut_at_work() if self.at_work else boot.cut()
        self.at_work = not self.at_work
        answers = boot.answers(run)
        not_stored = {b: a for b, a in answers.items() if a != "stored"}
        check(not not_stored, f"new batches were not stored: {not_stored}")
        self.run = run
        self.acknowledged |= set(answers)
        return f"{len(answers)} acknowledged; of {unflushed} sectors not flushed {stayed} stayed"

    def cut_while_starting(self):
        """At one of the writes and flushes by which the server begins, or takes stock of what a cut left."""
        boot = self.boot()
        boot.guest.wait_for("power: mounted", BOOT_SECONDS_MAX)
        requests = self.stage.random.randint(1, START_REQUESTS_MAX)
        self.disk.fail_at(requests)
        boot.wait_for(lambda lines: lines or self.disk.failed.is_set(), "the server starts")
        stayed, unflushed = boot.cut()
        note(f"and at write {requests} of a start; of {unflushed} sectors not flushed {stayed} stayed")


def the_disk_forgets_what_was_not_flushed(stage):
    disk, count = stage.new_disk(), 1000
    disk.write(0, b"A" * count * SECTOR, False)
    disk.flush()
    disk.write(0, b"B" * count * SECTOR, False)
    kept, total = disk.forget(stage.random, 0.5)
    now = [bytes(disk.durable[at : at + SECTOR]) for at in range(0, count * SECTOR, SECTOR)]
    flushed, unflushed = now.count(b"A" * SECTOR), now.count(b"B" * SECTOR)
    sound = total == count and kept == unflushed and flushed + unflushed == count and 0 < unflushed < count
    check(sound and disk.cached == disk.durable, f"the disk: {kept} of {total} kept, {flushed} + {unflushed} there")


def cuts_on_one_disk(stage, first, count):
    record = Record(stage)
    also_while_starting = stage.random.randrange(count + 1)
    for cut in range(count):
        if cut == also_while_starting:
            record.cut_while_starting()
        boot = record.next_boot(run=record.run + 1)
        found = record.verify(boot)
        note(f"cut {first + cut}: {found} batches found; {record.push_and_cut(boot)}")
    if count == also_while_starting:
        record.cut_while_starting()
    # Where the CPU is emulated, each cut may have come before the first segment was whole. One start is left alone until
    # there is one, and what the last finds has gone through it.
    boot = record.next_boot()
    record.verify(boot)
    boot.wait_for(lambda lines: "together" in lines, "the server puts files together")
    boot.cut()
    boot = record.next_boot()
    found = record.verify(boot)
    boot.cut()
    note(f"at last {found} batches found, {len(record.acknowledged)} acknowledged, none lost")
    note(f"  starts found {record.segments} segments")
    check(record.segments, "no start found a segment: nothing was put together")
    return record


def a_server_that_does_not_sync_loses_some(stage):
    record = Record(stage)
    note(f"without fsync and fdatasync: {record.push_and_cut(record.boot(run=1, forgetful=1))}")
    boot = record.boot()
    lost = record.missing(boot.shown())
    boot.cut()
    note(f"  {len(lost)} of {len(record.acknowledged)} acknowledged batches lost, as they must be")
    check(lost, "a server that syncs nothing lost nothing: these cuts show nothing")


def try_all(stage, cuts):
    the_disk_forgets_what_was_not_flushed(stage)
    firsts = range(1, cuts + 1, CUTS_A_DISK)
    records = [cuts_on_one_disk(stage, first, min(CUTS_A_DISK, cuts + 1 - first)) for first in firsts]
    a_server_that_does_not_sync_loses_some(stage)
    return records


def main():
    cuts = int(os.environ.get("CAIRN_POWERCUTS") or 5)
    seed = int(os.environ.get("CAIRN_SEED") or time.time_ns() % 1_000_000)
    note(f"{cuts} cuts, CAIRN_SEED={seed}")
    with tempfile.TemporaryDirectory(prefix="cairn-powercut-") as folder:
        stage = Stage(folder, seed)
        try:
            records = try_all(stage, cuts)
        finally:
            stage.end()
    total = sum(len(record.acknowledged) for record in records)
    note(f"power cuts: {cuts}; acknowledged batches: {total}, each there, each once")


if __name__ == "__main__":
    started = time.monotonic()
    try:
        main()
    except (Failure, GuestFailure, NoKernel) as failure:
        sys.exit(f"failed: {failure}")
    finally:
        note(f"{time.monotonic() - started:.0f} s")
