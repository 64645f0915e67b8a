# SPDX-License-Identifier: Apache-2.0
"""An emulated machine: a Debian kernel (kernels.py), a root in memory made of this build's programs,
and an init script of the test. It has no network but its own loopback device.

    root = Root("echo hello from $(uname -r)")
    root.program("build/release/bin/cairn")          # at /bin/cairn, with the libraries that it loads
    with Guest(kernel, root.pack(kernel, path), folder) as guest:
        guest.wait_for("hello from (.*)", 60)
        guest.wait_for_end(60)

The console is the guest's standard output; what it says is kept line by line. A second serial port is
a plain two-way stream for a test that has to talk: descriptor 3 of the script, guest.talk out here.
With ANSWERING as the script, guest.ask(command) has the guest's shell run a command and gives what it
printed.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

# The first thing in there. /dev/fd is as udev makes it: the security module TOMOYO of 5.10 refuses a
# program that is run by its descriptor (fexecve) where it can't look it up there. Programs are told apart
# from applets of busybox by standing first in PATH.
INIT = """\
#!/bin/busybox sh
export PATH=/bin:/applets HOME=/tmp
/bin/busybox mkdir -p /applets /proc /sys /dev /tmp /run
/bin/busybox --install -s /applets
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
mount -t tmpfs none /run
mkdir -p /dev/shm
ln -s /proc/self/fd /dev/fd
ip link set lo up
exec 3<>/dev/ttyS1
stty raw -echo <&3
for module in $(cat /modules/order); do insmod /modules/$module; done
. /run_this
poweroff -f
"""

# Runs each line that comes, one after the other; answers with its exit status, the number of bytes that
# it printed, and these. Ends with the line "exit".
ANSWERING = """\
echo answering
while read -r command <&3; do
	[ "$command" != exit ] || break
	status=0
	eval "$command" >/tmp/answer 2>&1 3<&- </dev/null || status=$?
	{ echo $status $(wc -c </tmp/answer); cat /tmp/answer; } >&3
done
"""

# A steady machine's instruction takes 2^2 ns: a CPU of 250 MHz, about what an emulator really does.
INSTRUCTION_SHIFT = 2
# A boot takes 10 s on a quiet machine.
BOOT_SECONDS_MAX = 120
TALK_SECONDS_MAX = 20
BUSYBOX = "/bin/busybox"


class GuestFailure(Exception):
    pass


def libraries_of(program):
    """The shared libraries that PROGRAM loads and its loader, by the paths that it looks for them at."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    missing = re.findall(r"(\S+) => not found", said)
    if missing:
        raise GuestFailure(f"{program} needs {', '.join(missing)}, which this machine lacks")
    return re.findall(r"(/\S+) \(0x", said)


class Root:
    """What the guest finds in its root: a folder that becomes an initramfs. SCRIPT is what it runs, as
    part of a busybox shell script; after it the machine goes off."""

    def __init__(self, script):
        self.folder = tempfile.mkdtemp(prefix="cairn-guest-root-")
        # It becomes the root: not for its owner alone.
        os.chmod(self.folder, 0o755)
        self.file(shutil.which("busybox") or BUSYBOX, "/bin/busybox")
        self.text("/init", INIT, 0o755)
        self.text("/run_this", script)

    def _place(self, target):
        path = os.path.join(self.folder, target.lstrip("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def text(self, target, text, mode=0o644):
        path = self._place(target)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def file(self, source, target):
        shutil.copy(source, self._place(target))

    def program(self, source, target=None):
        """A program of this machine and the libraries that it loads. Those of its own folder go along
        beside it."""
        target = target or "/bin/" + os.path.basename(source)
        self.file(source, target)
        own = os.path.dirname(os.path.abspath(source))
        for library in libraries_of(source):
            beside = os.path.dirname(os.path.realpath(library)) == os.path.realpath(own)
            place = os.path.join(os.path.dirname(target), os.path.basename(library)) if beside else library
            self.file(library, place)

    def pack(self, kernel, path):
        """Writes the initramfs for KERNEL to PATH and removes the folder."""
        for module in kernel.modules:
            self.file(module, "/modules/" + os.path.basename(module))
        order = [os.path.basename(module) for module in kernel.modules]
        self.text("/modules/order", "\n".join(order) + "\n")
        names = subprocess.run(["find", ".", "-print0"], cwd=self.folder, capture_output=True, check=True).stdout
        with open(path, "wb") as packed:
            argv = ["cpio", "--null", "--create", "--format=newc", "--quiet"]
            subprocess.run(argv, cwd=self.folder, input=names, stdout=packed, check=True)
        self.close()
        return path

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def make_disk(path, megabytes):
    """An empty ext4 file system in a file, /dev/vda of a guest that is given it."""
    with open(path, "wb") as disk:
        disk.truncate(megabytes << 20)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-F", path], check=True)


class Guest:
    """A running machine. What it says on its console is kept, and echoed if ECHO.

    With STEADY its clock follows the instructions that it runs instead of ours, and leaps while all of
    its CPUs are idle: no load out here makes its timers late. That costs the second thread of qemu."""

    def __init__(
        self, kernel, initramfs, folder, cpus=2, megabytes=1024, disk=None, append="", steady=False, echo=False
    ):
        self.kernel, self.folder, self.echo = kernel, folder, echo
        self.lines, self.changed, self.ended = [], threading.Condition(), False
        self.talk = None
        self.talk_path = os.path.join(folder, "talk.sock")
        self.process = subprocess.Popen(
            self.command(initramfs, cpus, megabytes, disk, append, steady),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.pid = self.process.pid
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self._connect()

    def command(self, initramfs, cpus, megabytes, disk, append, steady):
        # cx16=off: emulating cmpxchg16b on two CPUs, QEMU 7.2 now and then spoils the flags, and the
        # kernel dies while it boots.
        # It ends with the test, however that ends.
        argv = ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64"]
        argv += ["-accel", "tcg", "-cpu", "max,cx16=off", "-smp", str(cpus)]
        argv += ["-m", str(megabytes), "-display", "none", "-no-reboot", "-nodefaults", "-no-user-config"]
        argv += ["-kernel", self.kernel.image, "-initrd", initramfs]
        # no_timer_check: on a busy machine the emulated timer ticks too late for the kernel's look at it,
        # which ends in a panic.
        argv += ["-append", f"console=ttyS0 quiet panic=-1 no_timer_check {append}".rstrip()]
        argv += ["-chardev", "stdio,id=console,signal=off", "-serial", "chardev:console"]
        argv += ["-chardev", f"socket,id=talk,path={self.talk_path},server=on,wait=off", "-serial", "chardev:talk"]
        if steady:
            argv += ["-icount", f"shift={INSTRUCTION_SHIFT},sleep=off"]
        if disk:
            # What the guest has written but not flushed is lost with qemu: cache=writeback keeps its
            # promise to the guest, and no more.
            argv += ["-drive", f"file={disk},format=raw,if=virtio,cache=writeback"]
        return argv

    def _connect(self):
        deadline = time.monotonic() + TALK_SECONDS_MAX
        talk = socket.socket(socket.AF_UNIX)
        while True:
            try:
                talk.connect(self.talk_path)
                break
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    talk.close()
                    self.kill()
                    raise GuestFailure(f"qemu does not start ({error}): {' '.join(self.lines[-5:])}") from None
                time.sleep(0.02)
        self.talk = talk

    def _read(self):
        for raw in self.process.stdout:
            line = raw.decode(errors="replace").rstrip("\r\n")
            with self.changed:
                self.lines.append(line)
                self.changed.notify_all()
            if self.echo:
                print("    guest: " + line, flush=True)
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_for(self, pattern, seconds, since=0):
        """The first match of PATTERN in a line from number SINCE on."""
        deadline = time.monotonic() + seconds
        looked = since
        with self.changed:
            while True:
                for line in self.lines[looked:]:
                    found = re.search(pattern, line)
                    if found:
                        return found
                looked = len(self.lines)
                if self.ended:
                    raise GuestFailure(f"the guest ended before it said {pattern!r}:\n" + self.last_lines())
                if not self.changed.wait(max(0.0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    raise GuestFailure(f"after {seconds} s the guest has not said {pattern!r}:\n" + self.last_lines())

    def _receive(self, size, deadline):
        """SIZE bytes of the talk, or with SIZE None those of a line."""
        got = bytearray()
        while len(got) != size and not (size is None and got.endswith(b"\n")):
            self.talk.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                some = self.talk.recv(size - len(got) if size else 1)
            except TimeoutError:
                raise GuestFailure("the guest does not answer:\n" + self.last_lines()) from None
            if not some:
                raise GuestFailure("the guest ended instead of answering:\n" + self.last_lines())
            got += some
        return bytes(got)

    def try_ask(self, command, seconds=30):
        """(exit status, printed text) of a line of shell in a guest that is ANSWERING."""
        self.talk.sendall(command.encode() + b"\n")
        deadline = time.monotonic() + seconds
        status, size = self._receive(None, deadline).split()
        return int(status), self._receive(int(size), deadline).decode(errors="replace")

    def ask(self, command, seconds=30):
        status, text = self.try_ask(command, seconds)
        if status:
            raise GuestFailure(f"in the guest, {command!r} ended with {status}: {text[-2000:]}")
        return text

    def wait_for_end(self, seconds):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise GuestFailure(f"the guest still runs after {seconds} s:\n" + self.last_lines()) from None
        self.reader.join(seconds)

    def last_lines(self, count=40):
        return "\n".join("    guest: " + line for line in self.lines[-count:])

    def kill(self):
        """Power off, at once."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        if self.talk:
            self.talk.close()
        self.process.stdout.close()
