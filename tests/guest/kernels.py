# SPDX-License-Identifier: Apache-2.0
"""Debian's kernels, fetched from the archive that this machine's apt is set up for, and unpacked into
a cache folder; nothing is installed. What is in the cache needs no network.

The cache is build/kernels in this clone, or CAIRN_KERNELS. By itself this file fills it:
python3 kernels.py [RELEASE...]
"""

import fcntl
import glob
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

SUITES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "bookworm-backports"}
# What of a kernel's modules a guest may want, besides what these depend on: a disk and its file
# system. Those that are built in are no files.
MODULES = ("virtio_pci", "virtio_blk", "ext4")
# An index is 9 MB, a kernel 25 MB: minutes on a line that is still worth waiting for.
INDEX_SECONDS_MAX = 240
PACKAGE_SECONDS_MAX = 240
# A server that says nothing for so long is not there.
SILENT_SECONDS_MAX = 20
# The suites that a Debian 12 names the main archive by; others of them are security's or foreign.
OWN_SUITES = ("bookworm", "oldstable", "stable", "bookworm-updates", "bookworm-backports")

APT_SETTINGS = """\
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Post-Invoke;
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "{folder}/sources";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "{folder}/lists";
Dir::State::Status "/dev/null";
Dir::Cache "{folder}/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "{silent}";
Acquire::https::Timeout "{silent}";
"""


class NoKernel(Exception):
    """Its text says what to mend."""


class Kernel:
    """A kernel of the cache: the image that qemu boots, and modules in the order of loading."""

    def __init__(self, release, folder):
        self.release, self.folder = release, folder
        self.image = os.path.join(folder, "vmlinuz")
        with open(os.path.join(folder, "package"), encoding="ascii") as package:
            self.package = package.read().strip()
        with open(os.path.join(folder, "modules"), encoding="ascii") as names:
            self.modules = [os.path.join(folder, name + ".ko") for name in names.read().split()]


def cache_folder():
    clone = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return os.environ.get("CAIRN_KERNELS") or os.path.join(clone, "build", "kernels")


# --- where this machine gets Debian from ---------------------------------------------------------


def apt_targets():
    """The package indexes of the machine's own sources, each a dictionary: those that are there with
    their origin, then all of them without."""
    fields = ("Repo-Uri", "Release", "Component", "Origin", "Label", "Sourcesentry")
    form = "\t".join(f"$({field.upper().replace('-', '_')})" for field in fields)
    targets = []
    for option in ("--release-info", "--no-release-info"):
        argv = ["apt-get", "indextargets", option, "--format", form, "Created-By: Packages"]
        lines = subprocess.run(argv, capture_output=True, text=True).stdout.splitlines()
        targets += [dict(zip(fields, line.split("\t"))) for line in lines]
    return targets


def archive_of(targets):
    """The target that stands for Debian's main archive. Before the first apt-get update no origin is
    known (its name stands for it); then the suite's name has to do."""
    own = [t for t in targets if t["Component"] == "main" and t["Release"] in OWN_SUITES]
    known = [t for t in own if t["Origin"] != "$(ORIGIN)"]
    debian = [t for t in known if t["Origin"] == "Debian" and t["Label"] != "Debian-Security"]
    foreign = {t["Repo-Uri"] for t in known}
    unknown = [t for t in own if t["Origin"] == "$(ORIGIN)" and t["Repo-Uri"] not in foreign]
    if not debian and not unknown:
        raise NoKernel(
            "apt's sources name no archive of Debian 12 with its section main, and the kernels come from there: "
            "add one to /etc/apt/sources.list.d"
        )
    return (debian or unknown)[0]


def stanza_options(text):
    """Signed-By and Trusted of a stanza in deb822 form, continuation lines included."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    fields = re.findall(r"^(Signed-By|Trusted):(.*(?:\n[ \t].*)*)", "\n".join(lines), re.MULTILINE | re.IGNORECASE)
    return [f"{name}:{value}" for name, value in fields]


def line_options(text):
    """The same of a line such as `deb [signed-by=/a.gpg arch=amd64] URI SUITE main`."""
    found = re.match(r"\s*deb\s+\[([^]]*)\]", text)
    options = dict(re.findall(r"([\w-]+)=(\S+)", found[1] if found else ""))
    names = {"signed-by": "Signed-By", "trusted": "Trusted"}
    return [f"{name}: {options[key].replace(',', ' ')}" for key, name in names.items() if key in options]


def source_options(entry):
    """How the machine's own source, ENTRY as apt gives it (FILE:NUMBER), is to be trusted."""
    path, _, number = entry.rpartition(":")
    with open(path, encoding="utf-8") as source:
        text = source.read()
    if path.endswith(".sources"):
        stanzas = [s for s in re.split(r"\n[ \t]*\n", text) if re.search(r"^URIs:", s, re.MULTILINE | re.IGNORECASE)]
        return stanza_options(stanzas[int(number) - 1]) if int(number) <= len(stanzas) else []
    lines = text.splitlines()
    return line_options(lines[int(number) - 1]) if int(number) <= len(lines) else []


# --- fetching ------------------------------------------------------------------------------------


class Apt:
    """An apt of its own: one suite, one section, packages only, its state in FOLDER."""

    def __init__(self, suite, folder):
        self.suite, self.folder = suite, folder
        target = archive_of(apt_targets())
        self.archive = target["Repo-Uri"]
        for name in ("sources", "lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(folder, name))
        stanza = ["Types: deb", f"URIs: {self.archive}", f"Suites: {suite}", "Components: main"]
        stanza += ["Architectures: amd64", "Targets: Packages", "PDiffs: no"]
        stanza += source_options(target["Sourcesentry"])
        with open(os.path.join(folder, "sources", "kernels.sources"), "w", encoding="utf-8") as source:
            source.write("\n".join(stanza) + "\n")
        with open(os.path.join(folder, "apt.conf"), "w", encoding="utf-8") as settings:
            settings.write(APT_SETTINGS.format(folder=folder, silent=SILENT_SECONDS_MAX))

    def run(self, program, *words, seconds=60):
        argv = [program, "-q", "-c", os.path.join(self.folder, "apt.conf"), *words]
        what = f"{program} {words[0]} for {self.suite} of {self.archive}"
        mend = "check the network and apt's sources, or copy build/kernels from a clone that has it"
        try:
            done = subprocess.run(
                argv, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            raise NoKernel(f"{what} took more than {seconds} s: {mend}") from None
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("E:")] or [done.stderr.strip()]
            raise NoKernel(f"{what} failed ({'; '.join(said[:3])}): {mend}")
        return done.stdout

    def update(self):
        self.run("apt-get", "update", "--error-on=any", seconds=INDEX_SECONDS_MAX)

    def newest(self, release):
        """The newest of Debian's kernels for virtual machines of RELEASE."""
        pattern = f"^linux-image-{re.escape(release)}[.][0-9].*-cloud-amd64$"
        names = re.findall(r"^linux-image-\S+", self.run("apt-cache", "search", "--names-only", pattern), re.MULTILINE)
        if not names:
            raise NoKernel(f"{self.suite} of {self.archive} has no linux-image-{release}.*-cloud-amd64")
        return max(names, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])

    def download(self, package):
        """Path of the .deb, its checksum verified by apt."""
        self.run("apt-get", "download", package, seconds=PACKAGE_SECONDS_MAX)
        return glob.glob(os.path.join(self.folder, package + "_*.deb"))[0]


# --- what is in a package ------------------------------------------------------------------------


def read_module(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as module:
        return module.read()


def module_order(files):
    """[(name, content)] of MODULES and what they need, each after what it needs. FILES: name: path."""
    contents, needs, order = {}, {}, []
    waiting = [name for name in MODULES if name in files]
    while waiting:
        name = waiting.pop()
        if name in contents:
            continue
        contents[name] = read_module(files[name])
        found = re.search(rb"\0depends=([^\0]*)\0", contents[name])
        needs[name] = [n.replace("-", "_") for n in (found[1].decode() if found else "").split(",") if n]
        # ext4 asks for its checksum by an alias, while it mounts.
        needs[name] += [n for n in ("crc32c_generic",) if name == "ext4" and n in files]
        waiting += [n for n in needs[name] if n in files]
    while len(order) < len(contents):
        placed = {name for name, _ in order}
        ready = [n for n in contents if n not in placed and placed.issuperset(x for x in needs[n] if x in contents)]
        order += [(n, contents[n]) for n in ready]
    return order


def keep(package, tree, folder):
    """Puts what a guest needs of the unpacked TREE into FOLDER."""
    shutil.copy(glob.glob(os.path.join(tree, "boot", "vmlinuz-*"))[0], os.path.join(folder, "vmlinuz"))
    files = {}
    for path in glob.glob(os.path.join(tree, "lib", "modules", "*", "kernel", "**", "*.ko*"), recursive=True):
        files[os.path.basename(path).split(".")[0].replace("-", "_")] = path
    order = module_order(files)
    for name, content in order:
        with open(os.path.join(folder, name + ".ko"), "wb") as module:
            module.write(content)
    with open(os.path.join(folder, "modules"), "w", encoding="ascii") as names:
        names.write("\n".join(name for name, _ in order) + "\n")
    with open(os.path.join(folder, "package"), "w", encoding="ascii") as name:
        name.write(package + "\n")


def fetch(release, folder):
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=os.path.dirname(folder)) as work:
        apt = Apt(SUITES[release], os.path.join(work, "apt"))
        print(f"kernel {release}: package list of {apt.suite}", flush=True)
        apt.update()
        package = apt.newest(release)
        print(f"kernel {release}: {package}", flush=True)
        tree, kept = os.path.join(work, "tree"), os.path.join(work, "kept")
        os.mkdir(kept)
        subprocess.run(["dpkg-deb", "-x", apt.download(package), tree], check=True)
        keep(package, tree, kept)
        os.rename(kept, folder)


def kernel(release):
    """The kernel of RELEASE ("6.1"), fetched if the cache lacks it."""
    cache = cache_folder()
    folder = os.path.join(cache, release)
    os.makedirs(cache, exist_ok=True)
    with open(os.path.join(cache, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(folder):
            fetch(release, folder)
    return Kernel(release, folder)


def main():
    for release in sys.argv[1:] or SUITES:
        if release not in SUITES:
            sys.exit(f"no kernel {release}: {', '.join(SUITES)}")
        found = kernel(release)
        print(f"kernel {release}: {found.package} in {found.folder}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except NoKernel as error:
        sys.exit(f"no kernel to test on: {error}")
