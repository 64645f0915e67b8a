#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -eu
# shellcheck source=tests/lint/made_tree.sh
. "$(dirname "$0")/made_tree.sh"
check() { python3 -B "$here/check_mirror.py" "$tree" "$tree/untested.txt"; }

file untested.txt '# why' 'collector/main.c tests/unit/store/base/test_arena.c parses no arguments of its own'
file store/base/arena.c
file tests/unit/store/base/test_arena.c
file collector/main.c
file bpf/probe/on_cpu.bpf.c
file bpf/unwind/frame_pointer.bpf.h
file tests/bpf_host/test_on_cpu.c
file tests/bpf_host/test_frame_pointer.c
file tests/support/anything.c
file web/src/model/tree.ts
file web/src/model/tree.test.ts
file web/src/view/page.ts
commit
passes check

file store/base/novel.c
file bpf/probe/off_cpu.bpf.c
file web/src/model/novel.ts
file tests/unit/store/base/test_gone.c
file web/src/model/gone.test.ts
file untested.txt 'collector/main.c tests/unit/store/base/test_arena.c a reason' \
	'store/base/arena.c tests/unit/store/base/test_arena.c has a test' \
	'store/base/gone.c tests/unit/store/base/test_arena.c is gone' \
	'collector/agent.c tests/system/test_gone.py is seen by nothing' \
	'collector/watch.c tests/unit/store/base/test_arena.c' \
	'tests/support/anything.c tests/unit/store/base/test_arena.c wants none'
file collector/agent.c
file collector/watch.c
commit
finds 'bpf/probe/off_cpu.bpf.c:1
store/base/novel.c:1
tests/unit/store/base/test_gone.c:1
untested.txt:2
untested.txt:3
untested.txt:4
untested.txt:5
untested.txt:6
web/src/model/gone.test.ts:1
web/src/model/novel.ts:1' check

git -C "$tree" rm -q -rf --cached .
sees_nothing check
