#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_docs.sh ROOT: what the docs say of the tree is there, and what the tree has is in the docs.
# Prints each breach; exit status 1 if there is one, 2 if there was nothing to check.
#
#   every path from the root of the tree that a doc or a README names exists (NAME in it is any word;
#   records of decisions apart: they tell of their own day)
#   docs/ARCHITECTURE.md answers "Where do I" for each thing that the tree grows by, and names every
#   layer
#   docs/api.md names every route and every label of a series, docs/operating.md or docs/kernel.md
#   every feature of a collector, docs/operating.md or docs/privacy.md every setting, docs/kernel.md
#   every counter of the kernel side and every way in which a walk ends
#   every record of a decision begins with its own number, and no number is given twice
set -eu
cd "$1"
# Root checks a clone that may belong to someone else.
files=$(git -c safe.directory='*' ls-files)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checked=0

# LINE PATH for each path in a doc that begins at the root of the tree.
paths_of() {
	grep -noE '(^|[^A-Za-z0-9_./<-])(bpf|store|proto|collector|symbolizer-server|web|tests|docs)/[A-Za-z0-9_*./-]*' "$1" |
		sed -E 's/^([0-9]+):[^A-Za-z]?/\1 /; s/[.]$//'
}

# A path is a pattern where it holds a * or the word NAME.
there_is() {
	# shellcheck disable=SC2046 # the pattern is to become all that it fits
	set -- $(echo "$1" | sed 's/NAME/*/g')
	[ -e "$1" ]
}

# The names in the rows of the list in FILE: X(name, ...) or {"name", ...}.
names_in() {
	sed -nE 's/^\t(X\(|\{)"?([^",]+)"?,.*/\2/p' "$1"
}

# missing PATTERN DOC...: for each name in $work/names, PATTERN with it in place of @ must match a
# line of one of the docs.
missing() {
	pattern=$1
	shift
	[ -s "$work/names" ] || { echo "check_docs: no name to look for in $*"; exit 2; }
	while read -r name; do
		checked=$((checked + 1))
		grep -qE -- "$(echo "$pattern" | sed "s|@|$name|")" "$@" ||
			echo "$1: nothing about $name"
	done <"$work/names" >>"$work/breaches"
}

for doc in $(echo "$files" | grep -E '\.md$' | grep -v '^docs/decisions/0'); do
	paths_of "$doc" | while read -r line path; do
		there_is "$path" || echo "$doc:$line: there is no $path"
	done
done >"$work/breaches"

printf '%s\n' 'a label on a series' 'a counter' 'a BPF probe' 'a symbol source' 'an HTTP route' \
	'a batch field' 'a setting' 'a chart' >"$work/names"
missing '^[|] @ ' docs/ARCHITECTURE.md
sed -n 's/^layer \([^ ]*\).*/\1/p' tests/lint/layers.txt >"$work/names"
missing '^[|]([^|]*,)? @[ ,]' docs/ARCHITECTURE.md

names_in symbolizer-server/http/route.h >"$work/names"
missing '`@`' docs/api.md
names_in collector/sample/series_label.c >"$work/names"
missing '`@`' docs/api.md
names_in proto/wire/collector_feature.h >"$work/names"
missing '`@[`:]' docs/operating.md docs/kernel.md
names_in bpf/abi/counter.h >"$work/names"
missing '(^|[^a-z_])@([^a-z_]|$)' docs/kernel.md
sed -nE 's/^\tX\([^,]*, "([^"]*)".*/\1/p' bpf/abi/stop.h >"$work/names"
missing '@' docs/kernel.md
for program in collector symbolizer-server; do
	sed -n '/ rows\[\]/,/^};/p' $program/settings.c >"$work/rows"
	names_in "$work/rows" >"$work/names"
	missing '`--@[ `=]' docs/operating.md docs/privacy.md
done

for record in docs/decisions/0*.md; do
	number=$(basename "$record" | cut -c1-4)
	head -n 1 "$record" | grep -q "^# $number: " || echo "$record: does not begin with # $number:"
done >>"$work/breaches"
ls docs/decisions | sed -n 's/^\(0[0-9]*\)-.*/docs\/decisions: two records of number \1/p' |
	sort | uniq -d >>"$work/breaches"

cat "$work/breaches"
count=$(wc -l <"$work/breaches")
echo "$checked names, $count breaches"
[ "$count" -eq 0 ]
