#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_layers.sh ROOT [TABLE]: every #include below ROOT obeys the table (layers.txt).
# Prints file:line for each breach; exit status 1 if there is one, 2 if nothing could be checked.
set -eu
root=$1
table=$(realpath "${2-$(dirname "$0")/layers.txt}")
cd "$root"

find bpf store proto collector symbolizer-server web tests -name '*.[ch]' \
	-not -path '*/node_modules/*' 2>/dev/null | sort |
	xargs awk '
function below(file, owner) {
	return file == owner || index(file, owner "/") == 1
}
function pattern(glob) {
	gsub(/[.+]/, "[&]", glob)
	gsub(/[*]/, ".*", glob)
	return "^" glob "$"
}
function layer_of(file,   layer, best) {
	for (layer in uses)
		if (below(file, layer) && length(layer) > length(best))
			best = layer
	return best
}
function breach(why) {
	printf "%s:%d: %s\n", FILENAME, FNR, why
	breaches++
}
function check_library(header,   i, words, owner_count, o) {
	for (i = 1; i <= libraries; i++) {
		if (header !~ library[i])
			continue
		owner_count = split(owners[i], words, " ")
		for (o = 1; o <= owner_count; o++)
			if (below(FILENAME, words[o]))
				return 1
		breach("<" header "> belongs to " owners[i])
		return 1
	}
	return 0
}
function check_ours(header,   theirs, words, word_count, i) {
	theirs = layer_of(header)
	if (theirs == layer)
		return
	if (theirs == "")
		return breach("\"" header "\" is no path from the root of the tree")
	word_count = split(uses[layer], words, " ")
	for (i = 1; i <= word_count; i++)
		if (below(header, words[i]))
			return
	breach(layer " may not use " theirs ": \"" header "\"")
}
function check_platform(header,   i) {
	for (i = 1; i <= platforms; i++)
		if (header ~ platform[i])
			return
	breach("no line of layers.txt names <" header ">")
}

FILENAME == ARGV[1] {
	if ($1 == "layer") {
		name = $2
		$1 = $2 = ""
		uses[name] = $0
	} else if ($1 == "library") {
		colon = index($0, " : ")
		count = split(substr($0, 1, colon), words, " ")
		for (i = 2; i <= count; i++) {
			library[++libraries] = pattern(words[i])
			owners[libraries] = substr($0, colon + 3)
		}
	} else if ($1 == "platform") {
		for (i = 2; i <= NF; i++)
			platform[++platforms] = pattern($i)
	}
	next
}
FNR == 1 {
	files++
	layer = layer_of(FILENAME)
	if (layer == "")
		breach("no layer of layers.txt holds this file")
}
layer != "" && !(uses[layer] ~ /anything/) && match($0, /^[ \t]*#[ \t]*include[ \t]*["<][^">]*[">]/) {
	header = substr($0, RSTART, RLENGTH)
	quoted = header ~ /"/
	gsub(/^[^"<]*["<]|[">]$/, "", header)
	if (check_library(header))
		next
	if (quoted)
		check_ours(header)
	else
		check_platform(header)
}
END {
	if (!files) {
		print "check_layers: no source file to check"
		exit 2
	}
	printf "%d files, %d breaches\n", files, breaches
	exit breaches > 0
}' "$table"
