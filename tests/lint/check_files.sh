#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_files.sh ROOT: what is committed is text that people wrote, of a size that people read.
# Prints each breach; exit status 1 if there is one, 2 if nothing could be checked.
#
#   no binaries (pictures in docs/ apart) and nothing generated
#   sources: an SPDX line at the top, at most 700 lines, C functions of at most 70
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
	echo "$files" | grep -E '\.(o|a|so|gz|zst|skel\.h|pb-c\.[ch]|pyc|folded)$|(^|/)(vmlinux\.h|node_modules|dist)(/|$)' |
		sed 's/$/: generated or binary by its name/' || true

	echo "$files" | grep -vE '^docs/.*\.png$' | while read -r file; do
		[ -s "$file" ] && ! LC_ALL=C grep -qI '' "$file" && echo "$file: binary"
		case $file in
		*/README.md)
			[ "$(wc -l <"$file")" -le 10 ] || echo "$file: more than ten lines"
			;;
		*.c | *.h | *.py | *.sh | *.mjs | *.ts | *.tsx | *.css | *.proto | */CMakeLists.txt | dev)
			[ "$(wc -l <"$file")" -le 700 ] || echo "$file: more than 700 lines"
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' || [ "${file%.css}" != "$file" ] ||
				echo "$file: no SPDX line at the top"
			;;
		esac
	done || true

	# Linux braces: a function is what stands between "{" and "}" at the start of a line.
	echo "$files" | grep -E '\.[ch]$' | xargs awk '
		FNR == 1 { start = 0 }
		/^{/ { start = FNR }
		/^}/ && start {
			if (FNR - start - 1 > 70)
				printf "%s:%d: a function of %d lines\n", FILENAME, start, FNR - start - 1
			start = 0
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
