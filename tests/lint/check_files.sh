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
	echo "$files" | grep -E '\.(o|a|so|gz|zst|skel\.h|pb-c\.[ch]|pyc|folded)$|(^|/)(vmlinux\.h|node_modules|dist)(/|$)' |
		sed 's/$/: generated or binary by its name/' || true

	echo "$files" | grep -vE '^docs/.*\.png$' | while read -r file; do
		[ -s "$file" ] && ! LC_ALL=C grep -qI '' "$file" && echo "$file: binary"
		case $file in
		*/main.c) [ "$(wc -l <"$file")" -le 120 ] || echo "$file:121: more than 120 lines" ;;
		esac
		case $file in
		*/README.md)
			[ "$(wc -l <"$file")" -le 10 ] || echo "$file:11: more than ten lines"
			;;
		*.c | *.h | *.py | *.sh | *.mjs | *.ts | *.tsx | *.css | *.proto | */CMakeLists.txt | dev)
			[ "$(wc -l <"$file")" -le 700 ] || echo "$file:701: more than 700 lines"
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' || [ "${file%.css}" != "$file" ] ||
				echo "$file: no SPDX line at the top"
			;;
		esac
	done || true

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
