# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the checks: a made-up tree with breaches in it, and what a check says of it.
# A check that finds nothing may be a check that sees nothing.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034 # for the tests
root=$(cd "$here/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# file PATH LINE...: a file of the tree.
file() {
	path=$tree/$1
	shift
	mkdir -p "$(dirname "$path")"
	printf '%s\n' "$@" >"$path"
}

# lines COUNT TEXT: that many lines.
lines() { yes "$2" | head -n "$1"; }

# commit: what stands in the tree now is what git lists.
commit() {
	git -C "$tree" init -q 2>/dev/null
	git -C "$tree" add -A
}

# compiled FILE...: the tree's build folder, build, compiles these.
compiled() {
	mkdir -p "$tree/build"
	if [ $# -eq 0 ]; then
		echo '[]' >"$tree/build/compile_commands.json"
		return
	fi
	for source in "$@"; do
		printf '{"directory":"%s/build","file":"%s/%s","command":"cc -std=c11 -Wall -Wextra -Werror -I%s -o %s.o -c %s/%s"}\n' \
			"$tree" "$tree" "$source" "$tree" "$(basename "$source")" "$tree" "$source"
	done | sed -e '$!s/$/,/' -e '1s/^/[/' -e '$s/$/]/' >"$tree/build/compile_commands.json"
}

# finds EXPECTED COMMAND...: COMMAND fails with exit status 1 and names EXPECTED, lines of file:line,
# and nothing else.
finds() {
	expected=$1
	shift
	status=0
	said=$("$@" 2>&1) || status=$?
	named=$(echo "$said" | sed -n -e '/: note: /d' -e 's/^\([^ :]*:[0-9]*\):.*/\1/p' | sort -u)
	if [ "$status" -ne 1 ] || [ "$named" != "$(echo "$expected" | sort -u)" ]; then
		echo "expected exit status 1 and breaches at:"
		echo "$expected"
		echo "exit status $status from: $*"
		echo "$said"
		exit 1
	fi
}

# passes COMMAND...: COMMAND succeeds.
passes() {
	"$@" || { echo "was to pass: $*"; exit 1; }
}

# sees_nothing COMMAND...: where there is nothing to check, COMMAND says so with exit status 2.
sees_nothing() {
	status=0
	"$@" || status=$?
	[ "$status" -eq 2 ] || { echo "exit status $status where nothing is to be checked: $*"; exit 1; }
}
