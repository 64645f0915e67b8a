#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/lint/made_tree.sh
. "$(dirname "$0")/made_tree.sh"
check() { python3 -B "$here/check_tidy.py" "$tree" "$tree/build"; }

# looks_at COUNT: so many files are looked at and nothing is found.
looks_at() {
	said=$(check) || { echo "was to pass:"; echo "$said"; exit 1; }
	echo "$said" | grep -q ", $1 looked at, 0 with findings" || { echo "not $1 files:"; echo "$said"; exit 1; }
}

cp "$root/.clang-tidy" "$tree"
file store/one.h 'int one(int a);'
file store/one.c '#include "store/one.h"' 'int one(int a)' '{' '	return a;' '}'
file store/two.c 'int two(void);' 'int two(void)' '{' '	return 2;' '}'
compiled store/one.c store/two.c

# A clean file is looked at again only when something that it depends on changed.
looks_at 2
looks_at 0
file store/one.h 'int one(int a);' 'int other(int a);'
looks_at 1
printf '# another line\n' >>"$tree/.clang-tidy"
looks_at 2
sed -i 's/-Wextra/-Wextra -DX=1/' "$tree/build/compile_commands.json"
looks_at 2
looks_at 0

# A finding is told each time, and again once it is gone.
file store/long.c 'void g(void);' 'void f(void);' 'void f(void)' '{' "$(lines 80 '	g();')" '}'
file store/deep.c 'int f(int a);' 'int f(int a)' '{' \
	'	while (a > 1) {' '		if (a > 2) {' '			while (a > 3) {' '				if (a > 4) {' \
	'					while (a > 5) {' '						a--;' '					}' \
	'				}' '			}' '		}' '	}' '	return a;' '}'
file store/many.c 'int f(int a, int b, int c, int d, int e, int g, int h);' \
	'int f(int a, int b, int c, int d, int e, int g, int h)' '{' \
	'	return a + b + c + d + e + g + h;' '}'
file store/null.c 'int f(int *a);' 'int f(int *a)' '{' '	if (a)' '		return 0;' '	return *a;' '}'
file store/kept.c '#include <stdlib.h>' 'void f(void);' 'void f(void)' '{' '	malloc(1);' '}'
compiled store/one.c store/two.c store/long.c store/deep.c store/many.c store/null.c store/kept.c
found='store/deep.c:2
store/kept.c:5
store/long.c:3
store/many.c:2
store/null.c:6'
finds "$found" check
finds "$found" check
check | grep -q '^7 files, 5 looked at, 5 with findings' || { echo "clean files were looked at again"; exit 1; }

compiled
sees_nothing check
