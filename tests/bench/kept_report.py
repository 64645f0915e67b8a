# SPDX-License-Identifier: Apache-2.0
"""Findings, read back from the report that they were written to: what was measured apart is put beside
the rest of an earlier run. Pure text."""

import re

import host
from bars import BENCHES
from session import Findings

COMMAND = re.compile(r"- Command: `(.*)`")
FACT = re.compile(r"- ([A-Z][^:]*): (.*)")
ACCOUNT = re.compile(r"- (.*): others ([\d.]+) %, steal ([\d.]+) %, load average ([\d.]+)(?:; (.*))?")
APART = re.compile(r"Measured apart: (.*)")


def numbers_of(cells):
    """Values with the same smallest, median and largest as a row's; three digits of each are left."""
    median, spread = cells[0], cells[1]
    values = [median.split(" ")[0], *spread.split(" – ")] if spread else [median.split(" ")[0]]
    return [float(value.replace(",", "")) for value in values]


def results_of(bench, lines):
    by_text = {figure.text: figure.key for figure in bench.figures}
    results = {}
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] in by_text and cells[1] != "not measured":
            results[by_text[cells[0]]] = numbers_of(cells[1:3])
    return results


def unwrapped(lines):
    """Items of a list, each one line."""
    joined = []
    for line in lines:
        if line.startswith("  ") and joined:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return joined


def accounts_of(lines):
    accounts = []
    for line in unwrapped(lines):
        found = ACCOUNT.fullmatch(line)
        if found:
            top = re.findall(r"(\S.*?) ([\d.]+) %(?:, |$)", found[5] or "")
            numbers = [float(found[i]) for i in (2, 3, 4)]
            accounts.append(host.Account(found[1], 0.0, *numbers, [(name, float(share)) for name, share in top]))
    return accounts


def sections_of(text):
    """{title: lines}; what stands before the first is under the empty title."""
    sections, title = {"": []}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            title = line[3:]
        sections.setdefault(title, []).append(line)
    return sections


def read(text):
    sections = sections_of(text)
    head = "\n".join(sections[""])
    machine = [(what, value) for what, value in FACT.findall(head) if what != "Command"]
    results, accounts, apart = {}, {}, {}
    for bench in BENCHES:
        lines = sections.get(bench.title, [])
        results |= results_of(bench, lines)
        accounts[bench.name] = accounts_of(lines)
        said = APART.search("\n".join(lines))
        if said:
            apart[bench.name] = said[1]
    return Findings(machine, COMMAND.search(head)[1], [bench.name for bench in BENCHES], results, accounts, apart)


def put(kept, new):
    """KEPT with the benches of NEW instead of its own, and where those come from."""
    keys = {figure.key for bench in BENCHES if bench.name in new.names for figure in bench.figures}
    results = {key: values for key, values in kept.results.items() if key not in keys} | new.results
    machine = dict(new.machine)
    told = f"{machine['Date']}, commit {machine['Commit']}, `{new.command}`"
    return kept._replace(
        results=results,
        accounts=kept.accounts | {name: new.accounts.get(name, []) for name in new.names},
        apart=kept.apart | {name: told for name in new.names},
    )
