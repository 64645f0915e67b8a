#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/lint/made_tree.sh
. "$(dirname "$0")/made_tree.sh"
spdx='/* SPDX-License-Identifier: Apache-2.0 */'

# function PATH COUNT: a C file with a function of COUNT lines between its braces.
function_of() { file "$1" "$spdx" 'void f(void)' '{' "$(lines "$2" '	f();')" '}'; }

function_of store/good.c 70
file store/list.h "$spdx" '#define LIST(X) \' "$(lines 80 '	X(a) \')" '	X(b)'
file README.md 'of the whole tree'
file web/README.md "$(lines 10 text)"
file dev '#!/bin/sh' '# SPDX-License-Identifier: Apache-2.0' 'f() {' "$(lines 70 '	true')" '}'
commit
passes "$here/check_files.sh" "$tree"

function_of store/long.c 71
function_of bpf/probe/long.bpf.c 80
file store/macro.h "$spdx" '#define DEFINE(name) \' '	void name(void) { \' "$(lines 70 '		name(); \')" '	}'
file store/file.c "$spdx" "$(lines 700 'int a;')"
file collector/main.c "$spdx" "$(lines 120 'int a;')"
file web/README.md "$(lines 11 text)"
file tests/shell.sh '#!/bin/sh' '# SPDX-License-Identifier: Apache-2.0' 'f() {' "$(lines 71 '	true')" '}'
file store/later.c "$spdx" '/* TO''DO: the rest */'
commit
finds 'bpf/probe/long.bpf.c:3
collector/main.c:121
store/file.c:701
store/later.c:2
store/long.c:3
store/macro.h:2
tests/shell.sh:3
web/README.md:11' "$here/check_files.sh" "$tree"

git -C "$tree" rm -q -rf --cached .
file store/free.c 'int a;'
file store/made.pb-c.c "$spdx"
printf 'a\0b' >"$tree/store/data"
file run.log 'text'
commit
said=$("$here/check_files.sh" "$tree") && { echo "breaches were not seen"; exit 1; }
for breach in 'store/data: binary' 'store/free.c:1: no SPDX' 'store/made.pb-c.c: generated' 'run.log: generated'; do
	echo "$said" | grep -qF "$breach" || { echo "not said: $breach"; echo "$said"; exit 1; }
done

git -C "$tree" rm -q -rf --cached .
sees_nothing "$here/check_files.sh" "$tree"
