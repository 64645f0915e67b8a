#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_page.sh ROOT: every import of one folder of web/src from another obeys layers.txt.
# Prints file:line for each breach; exit status 1 if there is one, 2 if nothing could be checked.
set -eu
table=$(realpath "$(dirname "$0")/layers.txt")
cd "$1/web/src"

find . -mindepth 2 -name '*.ts' -o -mindepth 2 -name '*.tsx' | sed 's|^[.]/||' | sort |
	xargs awk '
FILENAME == ARGV[1] {
	if ($1 == "page") {
		name = $2
		$1 = $2 = ""
		uses[name] = $0 " "
	}
	next
}
FNR == 1 {
	files++
	folder = FILENAME
	sub("/.*", "", folder)
	if (!(folder in uses)) {
		printf "web/src/%s:1: no page line of layers.txt names %s\n", FILENAME, folder
		breaches++
	}
}
match($0, /(from|import)[ (]*.[.][.]\/[a-z_]+\//) {
	from = substr($0, RSTART, RLENGTH - 1)
	sub(".*/", "", from)
	if (!index(uses[folder], " " from " ")) {
		printf "web/src/%s:%d: %s may not use %s\n", FILENAME, FNR, folder, from
		breaches++
	}
}
END {
	if (!files) {
		print "check_page: no source file to check"
		exit 2
	}
	printf "%d files, %d breaches\n", files, breaches
	exit breaches > 0
}' "$table"
