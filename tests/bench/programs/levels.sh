# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs for ever: functions, arrays, arithmetic and patterns, by the shell itself.

leaf() {
	local i sum=0 text=
	local -a words=()
	for ((i = 0; i < 40; i++)); do
		sum=$(((sum * 31 + i) & 65535))
		words+=("word_$sum")
		[[ ${words[i]} == *7* ]] && text+=${words[i]//_/-}
	done
	case $text in
	*word-1*) total=$((total + 1)) ;;
	*) total=$((total + ${#text})) ;;
	esac
}

level() {
	if (($1 == 0)); then
		leaf
	else
		level $(($1 - 1))
	fi
}

total=0
while :; do
	level 12
done
