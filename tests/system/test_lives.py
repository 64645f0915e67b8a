#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The many lives of a process: whatever became of it, its time stands under its own name, in the build
that ran. Read back through the API: names, modules, build-IDs, containers.
"""

import os
import shutil
import subprocess
import sys
import time

from harness import CPU, SECOND_NS, Failure, build_id_of, check, note, play, tool

# Of CPU time, each life.
SECONDS = 0.5
# Of a life's time, in the module of the build that ran; the rest is the kernel's.
OWN_PERCENT_MIN = 95
# At 99 Hz a life has 50, give or take 7.
SAMPLES_MIN = 25
PROGRAM_SECONDS_MAX = 60
LIBRARIES = 3000
SHORT_LIVES = 40
SHORT_SECONDS = 0.025
CONTAINER = "0123456789abcdef" * 4


class Lives:
    def __init__(self, stage):
        self.stage, self.folder = stage, stage.path("lives")
        os.makedirs(self.folder)
        self.ids = {build: build_id_of(tool(f"stone_{build}")) for build in (1, 2)}
        check(self.ids[1] != self.ids[2], "both builds of the program have the same build-ID")
        self.expected = {}

    def program(self, name, build=1, folder=None):
        path = os.path.join(folder or self.folder, name)
        shutil.copy(tool(f"stone_{build}"), path)
        return path

    def expect(self, process, *builds, module=None, percent=OWN_PERCENT_MIN):
        """Time of PROCESS is in MODULE (its own file, if it is not said) of BUILDS."""
        self.expected[process] = (module or process, {self.ids.get(build, build) for build in builds}, percent)

    def start(self, argv, prefix=()):
        return self.stage.run(os.path.basename(argv[0]), [*prefix, *argv])

    def simple(self, name, kind, *words):
        self.expect(name, 1)
        return self.start([self.program(name), kind, str(SECONDS), *words])


def start_plain(lives):
    lives.simple("stone-spin", "spin")
    lives.simple("stone-fork", "fork")
    lives.simple("stone-leader", "leader")
    lives.expect("stone-before", 1)
    lives.expect("stone-after", 2)
    lives.start([lives.program("stone-before"), "exec", str(SECONDS), lives.program("stone-after", 2)])


def start_without_file(lives):
    """Deleted, replaced by another build, never in a file."""
    gone = lives.simple("stone-gone", "late")
    swapped = lives.program("stone-swap", 1)
    lives.start([swapped, "late", str(SECONDS)])
    lives.expect("stone-swap", 1, 2)
    lives.program("stone-new", 2)
    # They have begun, and no sample of them has been taken yet.
    time.sleep(0.2)
    os.unlink(gone.argv[0])
    os.rename(os.path.join(lives.folder, "stone-new"), swapped)
    lives.start([swapped, "spin", str(SECONDS)])
    # Its executable is called `memfd:stone-memory`.
    lives.expect("memfd:stone-memory", 2, module="memfd:stone-memory")
    lives.start([lives.program("stone-loader"), "memory", str(SECONDS), tool("stone_2")])


def start_elsewhere(lives):
    """Roots, mount and pid namespaces, overlays: nothing is at the same path for us."""
    root = os.path.join(lives.folder, "root")
    os.makedirs(root)
    # The program itself stands outside of its root.
    lives.expect("stone-root", 1)
    lives.start([lives.program("stone-root"), "root", str(SECONDS), root])
    hidden = os.path.join(lives.folder, "hidden")
    os.makedirs(hidden)
    lives.expect("stone-mount", 2)
    script = f"mount -t tmpfs none {hidden} && cp {tool('stone_2')} {hidden}/stone-mount && exec {hidden}/stone-mount spin {SECONDS}"
    lives.start(["sh", "-c", script], prefix=["unshare", "--mount"])
    lives.expect("stone-pid", 1)
    lives.start([lives.program("stone-pid"), "spin", str(SECONDS)], prefix=["unshare", "--pid", "--fork", "--mount-proc"])
    layers = os.path.join(lives.folder, "layers")
    lives.expect("stone-overlay", 1)
    script = (
        f"mkdir -p {layers} && mount -t tmpfs none {layers} && cd {layers} && mkdir low up work all && "
        f"cp {tool('stone_1')} low/stone-overlay && "
        f"mount -t overlay -o lowerdir=low,upperdir=up,workdir=work overlay all && "
        f"cd all && exec unshare --root=. /stone-overlay spin {SECONDS}"
    )
    lives.start(["sh", "-c", script], prefix=["unshare", "--mount", "--pid", "--fork"])


def start_with_mappings(lives):
    lives.simple("stone-map", "map", lives.program("stone-many", 2), "5000")


def start_with_libraries(lives):
    """A process that opens thousands of libraries, and spins in the last: each has a build-ID of its own."""
    folder = os.path.join(lives.folder, "libraries")
    os.makedirs(folder)
    source, first = os.path.join(folder, "lib.c"), os.path.join(folder, "lib.so")
    with open(source, "w", encoding="ascii") as file:
        file.write("void spin(long n) { for (volatile long i = 0; i < n; i++) ; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-s", "-nostdlib", "-Wl,--build-id=0x" + "5a" * 20, source, "-o", first], check=True)
    with open(first, "rb") as file:
        text = file.read()
    check(text.count(b"\x5a" * 20) == 1, "the build-ID stands in the library not just once")
    last = ""
    for number in range(LIBRARIES):
        last = f"{number:08x}" + "5a" * 16
        with open(os.path.join(folder, f"stone-{number}.so"), "wb") as file:
            file.write(text.replace(b"\x5a" * 20, bytes.fromhex(last)))
    name = f"stone-{LIBRARIES - 1}.so"
    # The others are the loader's.
    lives.expect("stone-libraries", last, module=name, percent=25)
    python = os.path.join(lives.folder, "stone-libraries")
    shutil.copy(os.path.realpath(sys.executable), python)
    code = (
        f"import ctypes, time\nall = [ctypes.CDLL('{folder}/stone-%d.so' % i) for i in range({LIBRARIES})]\n"
        f"until = time.thread_time() + {2 * SECONDS}\nwhile time.thread_time() < until: all[-1].spin(ctypes.c_long(5000000))\n"
    )
    return lives.start([python, "-c", code])


def run_short(lives):
    lives.expect("stone-short", 1)
    path = lives.program("stone-short")
    for _ in range(SHORT_LIVES):
        subprocess.run([path, "spin", str(SHORT_SECONDS)], check=True)


def reuse_pid(lives):
    """Two programs, one after the other, under one pid; returns it."""
    lives.expect("stone-first", 1)
    lives.expect("stone-second", 2)
    first = lives.start([lives.program("stone-first"), "spin", str(SECONDS)])
    first.wait(PROGRAM_SECONDS_MAX)
    second = lives.start([tool("stone_1"), "as", str(first.pid), lives.program("stone-second", 2), str(SECONDS)])
    check(second.wait(PROGRAM_SECONDS_MAX) == 0, f"no second process got the pid {first.pid}: {second.log()}")
    return first.pid


# --- containers ------------------------------------------------------------------------------------


def cgroup_mounts():
    """(where cgroup v2 is, where the memory controller of v1 is); None: not there."""
    unified = memory = None
    with open("/proc/mounts", encoding="utf-8") as mounts:
        for _, path, kind, options, *_ in (line.split() for line in mounts):
            if kind == "cgroup2":
                unified = unified or path
            elif kind == "cgroup" and "memory" in options.split(","):
                memory = path
    return unified, memory


def start_contained(lives):
    """In the folders that docker, Kubernetes and systemd make, in each hierarchy that this host has."""
    unified, memory = cgroup_mounts()
    check(unified or memory, "no cgroups are mounted")
    kinds = []
    if memory:
        kinds.append(("stone-docker", f"{memory}/docker/{CONTAINER}", {"container": CONTAINER[:12]}))
    if unified:
        pod = "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod11112222_3333_4444_5555_666677778888.slice"
        kinds.append(("stone-pod", f"{unified}/{pod}/cri-containerd-{CONTAINER}.scope", {"container": CONTAINER[:12], "pod": "11112222-3333-4444-5555-666677778888"}))
        kinds.append(("stone-unit", f"{unified}/system.slice/stone-test.service", {"unit": "stone-test.service", "service_name": "stone-test"}))
        kinds.append(("stone-podman", f"{unified}/machine.slice/libpod-{CONTAINER}.scope", {"container": CONTAINER[:12]}))
    for name, folder, _ in kinds:
        os.makedirs(folder, exist_ok=True)
        script = f"echo $$ >{folder}/cgroup.procs && exec {lives.program(name)} spin {SECONDS}"
        lives.expect(name, 1)
        lives.start(["sh", "-c", script])
    return kinds


def remove_folders(kinds):
    for _, folder, _ in kinds:
        path = folder
        while os.path.basename(path) not in ("memory", "unified", "cgroup"):
            try:
                os.rmdir(path)
            except OSError:
                break
            path = os.path.dirname(path)


def check_contained(server, kinds, from_ns, until_ns):
    for name, folder, labels in kinds:
        for label, value in labels.items():
            query = CPU + f'{{process="{name}"}}'
            answer = server.json("/api/v1/labels", name=label, query=query, **{"from": from_ns, "until": until_ns})
            said = {row["label"] for row in answer["values"]}
            check(said == {value}, f"{name} in {folder}: {label} is {said}, not {value}")
        note(f"{name}: {labels}")


# --- what the API says -----------------------------------------------------------------------------


def modules_of(server, matchers, from_ns, until_ns):
    answer = server.json("/api/v1/symbols", query=CPU + matchers, limit=1000, **{"from": from_ns, "until": until_ns})
    return answer["modules"], answer["sample_count"]


def check_life(server, process, module, ids, percent, from_ns, until_ns):
    modules, samples = modules_of(server, f'{{process="{process}"}}', from_ns, until_ns)
    check(samples >= SAMPLES_MIN, f"{process} has {samples} samples")
    user = [row for row in modules if not row["module"].startswith("[")]
    own = {row["build_id"]: row["self"] for row in user if row["module"] == module}
    total = sum(row["self"] for row in user)
    right = sum(value for build_id, value in own.items() if build_id in ids)
    share = 100 * right / total if total else 0
    note(f"{process}: {samples} samples, {share:.1f} % of its user time in {module} of the right build")
    shown = [(row["module"], row["build_id"], row["self"]) for row in user]
    check(share >= percent, f"{process}: {shown}, expected {module} {ids}")
    check(set(own) == ids, f"{process}: builds of {module} are {set(own)}, expected {ids}")


def check_pid(server, pid, lives, from_ns, until_ns):
    """Under one pid, each program has its own time in its own build."""
    for process, build in (("stone-first", 1), ("stone-second", 2)):
        modules, samples = modules_of(server, f'{{pid="{pid}",process="{process}"}}', from_ns, until_ns)
        ids = {row["build_id"] for row in modules if row["module"].startswith("stone") and row["self"]}
        check(samples >= SAMPLES_MIN and ids == {lives.ids[build]}, f"{process} as {pid}: {samples} samples in {ids}")
    note(f"pid {pid} was two programs, each with its own time")


def test(stage):
    lives = Lives(stage)
    server = stage.server()
    collector = stage.collector(server, "--window", "2", "--upload", "never")
    collector.wait_for("connected to the server")
    from_ns = time.time_ns() - SECOND_NS
    kinds = []
    try:
        for start in (start_plain, start_without_file, start_elsewhere, start_with_mappings):
            start(lives)
        kinds = start_contained(lives)
        run_short(lives)
        wait_for_all(stage)
        libraries = start_with_libraries(lives)
        pid = reuse_pid(lives)
        check(libraries.wait(PROGRAM_SECONDS_MAX) == 0, f"the program with {LIBRARIES} libraries failed: {libraries.log()}")
        wait_for_all(stage)
    finally:
        remove_folders(kinds)
    collector.stop()
    until_ns = time.time_ns()
    failures = []
    for process, (module, ids, percent) in lives.expected.items():
        try:
            check_life(server, process, module, ids, percent, from_ns, until_ns)
        except Failure as failure:
            failures.append(str(failure))
    check(not failures, "\n  ".join(failures))
    check_pid(server, pid, lives, from_ns, until_ns)
    check_contained(server, kinds, from_ns, until_ns)
    server.stop()


def wait_for_all(stage):
    for program in stage.programs:
        if program.name.startswith(("stone-", "sh.")):
            check(program.wait(PROGRAM_SECONDS_MAX) == 0, f"{program.name} ended with {program.process.returncode}: {program.log()}")


play(test)
