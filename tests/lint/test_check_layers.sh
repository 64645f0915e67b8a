#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A check that finds nothing may be a check that sees nothing: this makes a tree with one breach of
# each kind and expects check_layers.sh to name file and line of each, and of nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# file PATH LINE...
file() {
	path=$tree/$1
	shift
	mkdir -p "$(dirname "$path")"
	printf '%s\n' "$@" >"$path"
}

file store/base/good.c '#include "store/base/good.h"' '#include <stdio.h>' '#  include <sys/stat.h>'
file store/base/compress.c '#include <zstd.h>'
file collector/good.c '#include "store/disk/spool.h"' '#include "proto/wire/x.h"'
file symbolizer-server/cli/good.c '#include <curl/curl.h>' '/* #include "collector/x.h" */'
file tests/unit/good.c '#include "collector/x.h"' '#include <lmdb.h>' '#include "support.h"'

file store/base/up.c '#include <stdio.h>' '#include "store/profile/frame.h"'
file store/profile/log.c '#include "store/log/log.h"'
file collector/server.c '#include "symbolizer-server/server.h"'
file symbolizer-server/cli/wire.c '#include "proto/wire/x.h"'
file store/disk/second.c '#include <lmdb.h>'
file store/base/hash_map.c '#include <zstd.h>'
file collector/bpf.c '#include "cairn.skel.h"'
file collector/novel.c '#include <novel/library.h>'
file collector/relative.c '#include "relative.h"'
file proto/homeless.c '#include <stdio.h>'

"$here/check_layers.sh" "$tree" >"$tree/said" && { echo "breaches were not seen"; exit 1; }
expected='collector/bpf.c:1
collector/novel.c:1
collector/relative.c:1
collector/server.c:1
proto/homeless.c:1
store/base/hash_map.c:1
store/base/up.c:2
store/disk/second.c:1
store/profile/log.c:1
symbolizer-server/cli/wire.c:1'
said=$(sed -n 's/^\([^ ]*:[0-9]*\): .*/\1/p' "$tree/said" | sort)
if [ "$said" != "$expected" ]; then
	echo "expected breaches at:"
	echo "$expected"
	echo "check_layers.sh said:"
	cat "$tree/said"
	exit 1
fi

file web/src/model/good.ts "import { a } from './a.ts';"
file web/src/view/good.tsx "import { a } from '../model/a.ts';" "import '../state/b.ts';"
file web/src/model/up.ts "import { a } from './a.ts';" "import { b } from '../view/b.tsx';"
file web/src/flame/lazy.ts "const late = import('../state/b.ts');"
file web/src/novel/x.ts 'export const x = 1;'
"$here/check_page.sh" "$tree" >"$tree/said" && { echo "breaches of the page were not seen"; exit 1; }
said=$(sed -n 's/^web.src.\([^ ]*:[0-9]*\): .*/\1/p' "$tree/said" | tr '\n' ' ')
[ "$said" = 'flame/lazy.ts:1 model/up.ts:2 novel/x.ts:1 ' ] || { cat "$tree/said"; exit 1; }

mkdir "$tree/empty"
if "$here/check_layers.sh" "$tree/empty"; then
	echo "a tree without sources passed"
	exit 1
fi
