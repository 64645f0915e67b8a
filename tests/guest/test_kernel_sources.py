#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernels.py finds Debian's archive in apt's sources of any form, and the order of a kernel's modules."""

import os
import tempfile

import kernels
from kernels import NoKernel, archive_of, module_order, source_options


def target(uri, release, component="main", origin="Debian", label="Debian"):
    return {"Repo-Uri": uri, "Release": release, "Component": component, "Origin": origin, "Label": label}


def written(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def debian_is_told_from_others_by_its_origin():
    foreign = target("http://vendor.test/apt/", "bookworm", origin="Vendor", label="Vendor")
    security = target("http://a.test/security/", "bookworm-security", label="Debian-Security")
    contrib = target("http://a.test/other/", "bookworm", "contrib")
    main = target("http://a.test/mirrors/pub/", "bookworm")
    assert archive_of([foreign, security, contrib, main]) is main
    updates = target("http://a.test/updates/", "bookworm-updates")
    assert archive_of([updates, main]) is updates


def before_the_first_update_the_name_of_the_suite_has_to_do():
    def unknown(uri, release):
        return target(uri, release, origin="$(ORIGIN)", label="$(LABEL)")

    foreign = target("http://vendor.test/", "bookworm", origin="Vendor")
    main = unknown("http://a.test/mirrors/pub/", "stable")
    others = [unknown("http://vendor.test/", "bookworm"), unknown("http://a.test/s/", "bookworm-security")]
    assert archive_of([foreign, *others, main]) is main


def no_archive_is_one_line_that_says_what_to_add():
    for targets in ([], [target("http://a.test/", "trixie")], [target("http://v.test/", "bookworm", origin="Vendor")]):
        try:
            archive_of(targets)
        except NoKernel as error:
            assert "/etc/apt/sources.list.d" in str(error) and "\n" not in str(error)
        else:
            raise AssertionError(f"{targets} has an archive")


def trust_is_that_of_the_machines_own_source(folder):
    stanzas = written(
        folder,
        "a.sources",
        "# Types: none\nTypes: deb\nURIs: http://a.test/\nSuites: x\nsigned-by: /k/a.gpg /k/b.gpg\n\n\n"
        "Types: deb\nURIs: http://b.test/\nSigned-By:\n -----BEGIN\n .\n abc\n# kept out\n -----END\nTrusted: yes\n",
    )
    assert source_options(stanzas + ":1") == ["signed-by: /k/a.gpg /k/b.gpg"]
    assert source_options(stanzas + ":2") == ["Signed-By:\n -----BEGIN\n .\n abc\n -----END", "Trusted: yes"]
    lines = written(
        folder,
        "sources.list",
        "# first\ndeb [arch=amd64 signed-by=/k/a.gpg,/k/b.gpg] http://a.test/ x main\ndeb http://b.test/ x main\n",
    )
    assert source_options(lines + ":2") == ["Signed-By: /k/a.gpg /k/b.gpg"]
    assert source_options(lines + ":3") == []


def a_module_comes_after_what_it_needs(folder):
    needs = {"ext4": "jbd2,crc-16", "jbd2": "", "crc_16": "", "virtio_blk": "virtio_ring", "virtio_ring": "built_in"}
    files = {}
    for name, depends in needs.items():
        with open(os.path.join(folder, name + ".ko"), "wb") as module:
            module.write(b"\x7fELF\0license=GPL\0depends=" + depends.encode() + b"\0")
        files[name] = module.name
    order = [name for name, _ in module_order(files)]
    assert sorted(order) == sorted(needs)
    for name, depends in needs.items():
        for other in depends.replace("-", "_").split(","):
            assert other not in order or order.index(other) < order.index(name), order


def main():
    assert set(kernels.SUITES) == {"5.10", "6.1", "6.12"}
    debian_is_told_from_others_by_its_origin()
    before_the_first_update_the_name_of_the_suite_has_to_do()
    no_archive_is_one_line_that_says_what_to_add()
    with tempfile.TemporaryDirectory() as folder:
        trust_is_that_of_the_machines_own_source(folder)
        a_module_comes_after_what_it_needs(folder)
    print("passed")


main()
