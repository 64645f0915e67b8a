#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_format.sh ROOT: every committed C file is laid out as the .clang-format of its folder says.
# Prints file:line for each breach; exit status 1 if there is one, 2 if nothing could be checked.
# ./dev fmt mends them.
set -eu
cd "$1"
# Root checks a clone that may belong to someone else.
files=$(git -c safe.directory='*' ls-files '*.[ch]')
[ -n "$files" ] || { echo "check_format: git lists no C file"; exit 2; }
breaches=0
echo "$files" | xargs -P 2 -n 40 clang-format-14 --dry-run -Werror || breaches=1
echo "$(echo "$files" | wc -l) files"
exit $breaches
