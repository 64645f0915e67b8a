#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/lint/made_tree.sh
. "$(dirname "$0")/made_tree.sh"
check() { python3 -B "$here/check_headers.py" "$tree" "$tree/build"; }

file store/good.c '#include "store/good.h"'
file store/good.h '#pragma once' '#include <stdint.h>' 'uint32_t good(void);' \
	'static inline uint32_t twice(uint32_t n)' '{' '	return 2 * n;' '}'
file .gitignore build/
compiled store/good.c
commit
passes check

file store/leans.h '#pragma once' 'uint32_t leans(void);'
file proto/deep/leans.h '#pragma once' '#include "store/good.h"' 'bool leans(void);'
commit
finds 'proto/deep/leans.h:3
store/leans.h:2' check

git -C "$tree" rm -q -rf --cached .
sees_nothing check
