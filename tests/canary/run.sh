#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh MESSAGE PROGRAM: succeeds if PROGRAM fails, and says MESSAGE while it does.
set -u
status=0
output=$("$2" 2>&1) || status=$?
printf '%s\n' "$output"
if [ "$status" -eq 0 ]; then
	echo "canary: $2 ended well: the sanitizer is off"
	exit 1
fi
case $output in
*"$1"*) ;;
*)
	echo "canary: $2 failed with status $status, but without '$1'"
	exit 1
	;;
esac
