#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_files.sh ROOT: what is committed is text that people wrote, of a size that people read.
# Prints each breach; exit status 1 if there is one, 2 if nothing could be checked.
#
#   no binaries (pictures in docs/ apart) and nothing generated
#   sources: an SPDX line at the top, at most 700 lines, main.c at most 120
#   functions of C and shell, macros: at most 70 lines between their braces (Python: check_scripts.sh)
#   README.md of a folder: at most ten lines
#   no note that puts work off
set -eu
cd "$1"
# Root checks a clone that may belong to someone else.
files=$(git -c safe.directory='*' ls-files)
breaches=$(mktemp)
trap 'rm -f "$breaches"' EXIT
[ -n "$files" ] || { echo "check_files: git lists no file"; exit 2; }

{
	echo "$files" | grep -E '\.(o|a|so|gz|zst|skel\.h|pb-c\.[ch]|pyc|folded|log)$|(^|/)(vmlinux\.h|node_modules|dist)(/|$)' |
		sed 's/$/: generated or binary by its name/' || true

	# A file that holds a byte 0 matches nothing for grep -I; an empty one holds none.
	echo "$files" | grep -vE '^docs/.*\.png$' | LC_ALL=C xargs -r grep -LI '' | while read -r file; do
		[ ! -s "$file" ] || echo "$file: binary"
	done || true

	echo "$files" | grep -E '\.(c|h|py|sh|mjs|tsx?|css|proto)$|(^|/)(README\.md|CMakeLists\.txt|dev|pre-commit)$' |
		xargs -r awk '
		function close_file() {
			limit = 700
			if (name ~ /\/README\.md$/)
				limit = 10
			else if (name ~ /\/main\.c$/)
				limit = 120
			if (name ~ /^README\.md$/)
				return
			if (count > limit)
				printf "%s:%d: more than %d lines\n", name, limit + 1, limit
			if (!licensed && name !~ /\.(md|css)$/)
				printf "%s:1: no SPDX line at the top\n", name
		}
		FNR == 1 && NR > 1 { close_file() }
		FNR == 1 { name = FILENAME; licensed = 0 }
		FNR <= 3 && /SPDX-License-Identifier: / { licensed = 1 }
		{ count = FNR }
		END { if (NR) close_file() }' || true

	# Linux braces: a function is what stands between "{" and "}" at the start of a line. What a
	# macro defines stands on lines that end in a backslash; without a brace it is a list.
	echo "$files" | grep -E '\.([ch]|sh)$|(^|/)(dev|pre-commit)$|^\.ci/run$' | xargs -r awk '
		FNR == 1 { start = macro = 0 }
		/^{/ || /^[A-Za-z_][A-Za-z0-9_]*\(\) \{$/ { start = FNR }
		/^}/ && start {
			if (FNR - start - 1 > 70)
				printf "%s:%d: a function of %d lines\n", FILENAME, start, FNR - start - 1
			start = 0
		}
		/^[ \t]*#[ \t]*define/ { macro = FNR; code = 0 }
		/{/ { code = 1 }
		macro && !/\\$/ {
			if (code && FNR - macro > 70)
				printf "%s:%d: a macro of %d lines\n", FILENAME, macro, FNR - macro
			macro = 0
		}' || true

	words='TO''DO|FIX''ME|X''XX|HA''CK'
	echo "$files" | grep -vE '\.png$|^tests/fuzz/corpus/|package-lock\.json$' |
		xargs grep -nE "(^|[^A-Za-z])($words)([^A-Za-z]|\$)" /dev/null |
		cut -c1-200 | sed 's/$/  <- do it, or decide against it/' || true
} >"$breaches"
cat "$breaches"
count=$(wc -l <"$breaches")
echo "$(echo "$files" | wc -l) files, $count breaches"
[ "$count" -eq 0 ]
