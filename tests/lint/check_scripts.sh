#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_scripts.sh ROOT: every committed script can be read by what runs it, shellcheck finds nothing,
# and functions of Python have at most 70 lines (those of shell: check_files.sh).
# Prints file:line of each breach; exit status 1 if there is one, 2 if nothing could be checked.
set -eu
cd "$1"
# Root checks a clone that may belong to someone else.
files=$(git -c safe.directory='*' ls-files)
shell=$(echo "$files" | grep -E '\.sh$|(^|/)(dev|pre-commit)$|^\.ci/run$' || true)
python=$(echo "$files" | grep -E '\.py$' || true)
node=$(echo "$files" | grep -E '\.mjs$' || true)
[ -n "$shell$python$node" ] || { echo "check_scripts: git lists no script"; exit 2; }
breaches=0

# SC2016: programs for awk, sed and jq stand in single quotes on purpose. SC1003: a backslash before
# the closing quote is meant as one. SC2012: names of files here have no blanks.
echo "$shell" | xargs -r shellcheck --format=gcc --external-sources --exclude=SC2016,SC1003,SC2012 ||
	breaches=1

# Read only: py_compile would leave its cache beside the sources.
echo "$python" | xargs -r python3 -B -c '
import ast, sys
breaches = []
for name in sys.argv[1:]:
    try:
        tree = ast.parse(open(name, encoding="utf-8").read(), name)
    except SyntaxError as error:
        breaches.append(f"{name}:{error.lineno}: {error.msg}")
        continue
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > 70:
            lines = node.end_lineno - node.lineno
            breaches.append(f"{name}:{node.lineno}: a function of {lines} lines")
print(*breaches, sep="\n", end="\n" if breaches else "")
sys.exit(bool(breaches))' || breaches=1

echo "$node" | xargs -r -n 1 node --check || breaches=1

echo "$(printf '%s\n' "$shell" "$python" "$node" | grep -c .) scripts"
exit $breaches
