# SPDX-License-Identifier: Apache-2.0
"""The files that are compared, and how each is made."""

import os
import subprocess
import tempfile
from typing import NamedTuple, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
COMPILERS = {"gcc": "g++", "clang": "clang++-14"}
FLAGS = ["-O2", "-g", "-std=c++17", "-Wl,--build-id=sha1"]


class Subject(NamedTuple):
    name: str
    path: str  # what we read
    judged_by: str  # what llvm-symbolizer reads: the same code, described in a way that it knows
    supplementary: Optional[str] = None
    package: Optional[str] = None
    step: Optional[int] = None  # other than that of all files


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def compile_shapes(folder, compiler, name, *flags):
    """In a folder of its own: split DWARF is found beside the objects."""
    place = os.path.join(folder, f"{compiler}-{name}")
    os.makedirs(place)
    sources = [os.path.join(PROGRAMS, source) for source in ("shapes.cc", "shapes_kinds.cc")]
    for source in sources:
        run(COMPILERS[compiler], *FLAGS, *flags, "-c", source, cwd=place)
    run(COMPILERS[compiler], *FLAGS, *flags, "-o", "shapes", "shapes.o", "shapes_kinds.o", cwd=place)
    return os.path.join(place, "shapes")


# Code of a module stands as in the file, from .text on; what is gone once it is loaded stands far off.
MODULE_CODE = (".text", ".text.startup", ".text.unlikely", ".exit.text")
MODULE_SOURCE = """
static inline __attribute__((always_inline)) int twice(int x)
{
	return x * 2;
}
static __attribute__((noinline)) int %(name)s_step(int x)
{
	for (int i = 0; i < x; i++)
		x = twice(x + i) ^ 5;
	return x;
}
__attribute__((section(".init.text"))) int %(name)s_start(int x)
{
	return %(name)s_step(twice(x));
}
int %(name)s_run(int x)
{
	return twice(%(name)s_step(x) + 1);
}
__attribute__((cold, noinline)) int %(name)s_fail(int x)
{
	return twice(%(name)s_step(x)) - 1;
}
__attribute__((section(".exit.text"))) int %(name)s_stop(int x)
{
	return twice(x) ^ %(name)s_run(x);
}
"""


def module(folder, compiler, version):
    """Two objects put together as the kernel's modules are, and the same laid out by the linker."""
    place = os.path.join(folder, f"{compiler}-module{version}")
    os.makedirs(place)
    for name in ("one", "two"):
        with open(os.path.join(place, name + ".c"), "w", encoding="ascii") as out:
            out.write(MODULE_SOURCE % {"name": name})
        flags = ["-O2", "-g", f"-gdwarf-{version}", "-mcmodel=kernel", "-fno-pic", "-fno-asynchronous-unwind-tables"]
        run({"gcc": "gcc", "clang": "clang-14"}[compiler], *flags, "-c", name + ".c", cwd=place)
    run("ld", "-r", "--build-id", "-o", "module.ko", "one.o", "two.o", cwd=place)
    script = "".join(f"{name} : {{ *({name}) }}\n" for name in MODULE_CODE[1:])
    with open(os.path.join(place, "script"), "w", encoding="ascii") as out:
        out.write("SECTIONS {\n.text 0 : { *(.text) }\n" + script)
        out.write(".init.text 0x40000000 : { *(.init.text) }\n.notes : { *(.note*) }\n}\n")
    run("ld", "-e", "0", "-T", "script", "-o", "laid", "module.ko", cwd=place)
    paths = (os.path.join(place, name) for name in ("module.ko", "laid"))
    return Subject(f"{compiler} DWARF {version}, module", *paths, step=1)


def packed(path, way):
    """The same program with its debug sections compressed."""
    result = f"{path}-{way}"
    run("objcopy", f"--compress-debug-sections={way}", path, result)
    return result


def split(folder, compiler, version):
    path = compile_shapes(folder, compiler, f"split{version}", f"-gdwarf-{version}", "-gsplit-dwarf")
    run("llvm-dwp-14", "-e", path, "-o", path + ".dwp", cwd=os.path.dirname(path))
    return path


def whole_shapes(folder, compiler):
    """Every way to store what the compiler says of one program."""
    four = compile_shapes(folder, compiler, "dwarf4", "-gdwarf-4")
    five = compile_shapes(folder, compiler, "dwarf5", "-gdwarf-5")
    types = compile_shapes(folder, compiler, "types", "-gdwarf-5", "-fdebug-types-section")
    yield Subject(f"{compiler} DWARF 4", four, four)
    yield Subject(f"{compiler} DWARF 5", five, five)
    yield Subject(f"{compiler} type units", types, types)
    for version in (4, 5):
        yield split_subject(folder, compiler, version)
        yield module(folder, compiler, version)
    for way in ("zlib", "zlib-gnu", "zstd"):
        yield Subject(f"{compiler} DWARF 5, {way}", packed(five, way), five)
    # dwz does not read what clang writes for DWARF 5.
    yield from deduplicated(compiler, 4, four)
    if compiler == "gcc":
        yield from deduplicated(compiler, 5, five)


def short_shapes(folder, compiler):
    """One file of each kind, for the default run of the tests."""
    if compiler == "gcc":
        five = compile_shapes(folder, compiler, "dwarf5", "-gdwarf-5")
        yield Subject(f"{compiler} DWARF 5", five, five)
        for way in ("zlib", "zlib-gnu", "zstd"):
            yield Subject(f"{compiler} DWARF 5, {way}", packed(five, way), five)
        yield from deduplicated(compiler, 5, five)
    else:
        four = compile_shapes(folder, compiler, "dwarf4", "-gdwarf-4")
        yield Subject(f"{compiler} DWARF 4", four, four)
        yield split_subject(folder, compiler, 5)
    yield module(folder, compiler, 5)


def split_subject(folder, compiler, version):
    path = split(folder, compiler, version)
    return Subject(f"{compiler} split DWARF {version}, .dwp", path, path, package=path + ".dwp")


def deduplicated(compiler, version, path):
    """By dwz: within the file, and into a supplementary one that two files share."""
    single, one, two, common = (path + suffix for suffix in ("-dwz", "-dwz1", "-dwz2", "-common"))
    run("dwz", "-o", single, path)
    yield Subject(f"{compiler} DWARF {version}, dwz", single, path)
    for copy in (one, two):
        run("cp", path, copy)
    run("dwz", "-m", common, "-M", common, one, two)
    yield Subject(f"{compiler} DWARF {version}, dwz in two files", one, path, supplementary=common)


def rust(folder):
    path = os.path.join(folder, "words-rust")
    run("rustc", "-g", "-O", "--edition=2021", "-C", "link-arg=-Wl,--build-id=sha1", "-o", path, os.path.join(PROGRAMS, "words.rs"))
    yield Subject("Rust", path, path)


def go(folder):
    path = os.path.join(folder, "words-go")
    environment = dict(os.environ, GOCACHE=os.path.join(folder, "go-cache"), GOFLAGS="-mod=mod", GO111MODULE="off")
    done = subprocess.run(["go", "build", "-o", path, os.path.join(PROGRAMS, "words.go")], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    yield Subject("Go", path, path)


def debug_file(path):
    """The file in /usr/lib/debug that describes an installed one."""
    notes = run("readelf", "-nW", path)
    identity = notes.split("Build ID: ")[1].split()[0]
    found = f"/usr/lib/debug/.build-id/{identity[:2]}/{identity[2:]}.debug"
    if not os.path.exists(found):
        raise SystemExit(f"{path}: {found} is missing")
    return found


def libc():
    path = debug_file("/lib/x86_64-linux-gnu/libc.so.6")
    yield Subject("libc", path, path)


def unpacked(folder, *packages):
    """Packages as their mirror has them, in a folder instead of installed."""
    place = os.path.join(folder, "root")
    with tempfile.TemporaryDirectory(dir=folder) as fetched:
        # apt-get gives its rights away for a download.
        os.chmod(fetched, 0o755)
        run("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *packages, cwd=fetched)
        for package in os.listdir(fetched):
            run("dpkg-deb", "-x", os.path.join(fetched, package), place)
    return place


def debug_file_in(place, path):
    notes = run("readelf", "-nW", os.path.join(place, path))
    identity = notes.split("Build ID: ")[1].split()[0]
    return os.path.join(place, f"usr/lib/debug/.build-id/{identity[:2]}/{identity[2:]}.debug")


def packages(folder):
    place = unpacked(folder, "python3.11-minimal", "python3.11-dbg", "perl-base", "perl-debug", "libstdc++6-12-dbg")
    common = {"perl": os.path.join(place, "usr/lib/debug/.dwz/x86_64-linux-gnu/perl-base.debug")}
    for name, path in (("python3.11", "usr/bin/python3.11"), ("perl", "usr/bin/perl")):
        found = debug_file_in(place, path)
        if not os.path.exists(found):
            raise SystemExit(f"{name}: {found} is missing")
        yield Subject(name, found, found, supplementary=common.get(name))
    found = run("find", os.path.join(place, "usr/lib"), "-name", "libstdc++.so.6.0*", "-type", "f").split()
    yield Subject("libstdc++'s debug build", found[0], found[0])
