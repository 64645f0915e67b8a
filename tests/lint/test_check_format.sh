#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/lint/made_tree.sh
. "$(dirname "$0")/made_tree.sh"

cp "$root/.clang-format" "$tree"
file good.c 'int f(int a)' '{' '	return a;' '}'
mkdir "$tree/bpf"
cp "$root/bpf/.clang-format" "$tree/bpf"
file bpf/order.h '#include "z.h"' '#include "a.h"'
commit
passes "$here/check_format.sh" "$tree"

file spaces.c 'int f(int a)' '{' '        return a;' '}'
file order.h '#include "z.h"' '#include "a.h"'
commit
finds 'order.h:1
spaces.c:2' "$here/check_format.sh" "$tree"

git -C "$tree" rm -q -rf .
sees_nothing "$here/check_format.sh" "$tree"
