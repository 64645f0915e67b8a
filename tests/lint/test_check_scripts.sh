#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/lint/made_tree.sh
. "$(dirname "$0")/made_tree.sh"

file dev '#!/usr/bin/env bash' 'echo "$1"'
file tests/good.py 'def f(n):' "$(lines 69 '    n += 1')" '    return n'
file tests/good.mjs 'export const one = 1;'
commit
passes "$here/check_scripts.sh" "$tree"

file tests/words.sh '#!/bin/sh' 'cd "$1"'
file tests/cut.sh '#!/bin/sh' 'if true; then'
file tests/syntax.py 'def f(:' '    pass'
file tests/long.py '' 'def f(n):' "$(lines 80 '    n += 1')"
file tests/syntax.mjs 'const = 1;'
commit
finds 'tests/cut.sh:2
tests/cut.sh:3
tests/long.py:2
tests/syntax.py:1
tests/words.sh:2' "$here/check_scripts.sh" "$tree"
"$here/check_scripts.sh" "$tree" 2>&1 | grep -q 'tests/syntax.mjs:1$' || { echo "syntax.mjs was not named"; exit 1; }

git -C "$tree" rm -q -rf --cached .
sees_nothing "$here/check_scripts.sh" "$tree"
