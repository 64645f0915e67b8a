#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A check that finds nothing may be a check that sees nothing: this makes a small tree whose docs say
# all there is to say, expects check_docs.sh to pass it, then takes away one thing after the other
# and expects each to be missed.
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
	git -C "$tree" add "$path"
}

git -C "$tree" init -q
tab=$(printf '\t')
file tests/lint/layers.txt 'layer store/base'
file symbolizer-server/http/route.h "${tab}X(\"/metrics\", route_metrics, true)"
file collector/sample/series_label.c "${tab}{\"process\", process_value},"
file proto/wire/collector_feature.h "${tab}X(task_records, \"seen late\")"
file bpf/abi/counter.h "${tab}X(received, \"ticks\")"
file bpf/abi/stop.h "${tab}X(unreadable, \"not to be read\","
file collector/settings.c 'static const struct setting rows[] = {' "${tab}{\"hz\", \"N\"," '};'
file symbolizer-server/settings.c 'struct row rows[] = {' "${tab}{\"insecure\", NULL," '};'
file docs/decisions/0001-first.md '# 0001: First'
file docs/api.md '`/metrics` has the label `process`'
file docs/kernel.md 'received; not to be read'
file docs/operating.md 'without `task_records`: `--hz N`, `--insecure`'
file docs/privacy.md 'nothing'
file docs/ARCHITECTURE.md '| store/base |' '| a label on a series |' '| a counter |' '| a BPF probe |' \
	'| a symbol source |' '| an HTTP route |' '| a batch field |' '| a setting |' '| a chart |' \
	'as `store/base/NAME.h` and `docs/a*.md` say'
file store/base/x.h ''
"$here/check_docs.sh" "$tree" || { echo "a tree that lacks nothing was refused"; exit 1; }

# without WORD FILE: takes the word out of the file; the check must say so.
without() {
	cp "$tree/$2" "$tree/kept"
	sed -i "s#$1##" "$tree/$2"
	cmp -s "$tree/kept" "$tree/$2" && { echo "nothing was taken from $2"; exit 1; }
	"$here/check_docs.sh" "$tree" >"$tree/said" && { echo "$2 without $1 was passed"; exit 1; }
	grep -q '1 breaches' "$tree/said" || { cat "$tree/said"; exit 1; }
	mv "$tree/kept" "$tree/$2"
}

without 'a setting' docs/ARCHITECTURE.md
without '| store/base |' docs/ARCHITECTURE.md
without /metrics docs/api.md
without '`process`' docs/api.md
without received docs/kernel.md
without 'to be read' docs/kernel.md
without task_records docs/operating.md
without '--hz N' docs/operating.md
without '--insecure' docs/operating.md
without 0001: docs/decisions/0001-first.md

rm "$tree/store/base/x.h"
"$here/check_docs.sh" "$tree" | grep -q 'docs/ARCHITECTURE.md:10: there is no store/base/NAME.h' ||
	{ echo "a path to nowhere was passed"; exit 1; }
file store/base/x.h ''
file docs/decisions/0001-again.md '# 0001: Again'
"$here/check_docs.sh" "$tree" | grep -q 'two records of number 0001' ||
	{ echo "a number given twice was passed"; exit 1; }
