#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD [--short] [NAME...]: lets libFuzzer look for inputs that break a property, two targets
# at a time, for ten minutes each (--short: 20 seconds); without a NAME every target.
#
# The committed seeds are only read. What is found on the way stays in BUILD/fuzzing/NAME, and the
# next run goes on from there. An input that breaks something is printed as the file to commit.
set -euo pipefail
SOURCE=$(dirname "$(readlink -f "$0")")
readonly SOURCE SECONDS_SHORT=20 SECONDS_LONG=600
readonly PARALLEL=2
# One input: far above what a sanitizer on a busy machine needs.
readonly INPUT_SECONDS_MAX=25
readonly MEMORY_MB_MAX=2048

misuse() { printf 'fuzz: %s\n' "$*" >&2; exit 2; }

# Seeds in hexadecimal are worth more as the bytes that they mean.
unfold() {
	python3 -B - "$1" "$2" <<-'PY'
	import pathlib, sys
	for seed in pathlib.Path(sys.argv[1]).iterdir():
	    data = seed.read_bytes()
	    if data.startswith(b"hex\n"):
	        data = bytes.fromhex(data[4:].decode("ascii"))
	    (pathlib.Path(sys.argv[2]) / ("seed-" + seed.name)).write_bytes(data)
	PY
}

# Prints an input as a seed, 32 bytes a line.
fold() {
	echo hex
	od -An -v -tx1 -w32 "$1" | tr -d ' '
}

# What a run of NAME left behind that broke something.
show_found() {
	local name=$1 found
	for found in "$BUILD/fuzzing/$name"/found/*; do
		[[ -f $found ]] || continue
		printf -- '--- to commit as tests/fuzz/corpus/%s/%s\n' "$name" "$(basename "$found" | cut -c1-16)"
		fold "$found"
		printf -- '---\n'
	done
}

fuzz() {
	local name=$1 folder=$BUILD/fuzzing/$1 status=0
	rm -rf "$folder/seeds" "$folder/found"
	mkdir -p "$folder/seeds" "$folder/found" "$folder/corpus"
	unfold "$SOURCE/corpus/$name" "$folder/seeds"
	"$BUILD/tests/fuzz_$name" -max_total_time="$seconds" -timeout="$INPUT_SECONDS_MAX" \
		-rss_limit_mb="$MEMORY_MB_MAX" -print_final_stats=1 -artifact_prefix="$folder/found/" \
		"$folder/corpus" "$folder/seeds" >"$folder/log" 2>&1 || status=$?
	if ((status == 0)); then
		printf 'fuzz: %-16s %s inputs tried, nothing found\n' "$name" \
			"$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")"
		return 0
	fi
	printf 'fuzz: %s broke (status %s); the end of %s:\n' "$name" "$status" "$folder/log"
	grep -vE '^(stat::|#[0-9]+)' "$folder/log" | tail -n 40
	show_found "$name"
	return 1
}

(($# >= 1)) || misuse "usage: run.sh BUILD [--short] [NAME...]"
BUILD=$(readlink -f "$1")
shift
seconds=$SECONDS_LONG
names=()
for word in "$@"; do
	case $word in
	--short) seconds=$SECONDS_SHORT ;;
	-*) misuse "there is no '$word'" ;;
	*)
		[[ -x $BUILD/tests/fuzz_$word ]] || misuse "there is no fuzz target '$word'"
		names+=("$word")
		;;
	esac
done
if ((${#names[@]} == 0)); then
	for target in "$BUILD"/tests/fuzz_*; do names+=("${target##*/fuzz_}"); done
fi

export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
running=0 broken=0
for name in "${names[@]}"; do
	if ((running == PARALLEL)); then
		wait -n || broken=$((broken + 1))
		running=$((running - 1))
	fi
	fuzz "$name" &
	running=$((running + 1))
done
while ((running > 0)); do
	wait -n || broken=$((broken + 1))
	running=$((running - 1))
done
((broken == 0)) || { printf 'fuzz: %s of %s targets broke\n' "$broken" "${#names[@]}" >&2; exit 1; }
printf 'fuzz: %s targets, %s s each, nothing found\n' "${#names[@]}" "$seconds"
