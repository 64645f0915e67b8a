/* SPDX-License-Identifier: Apache-2.0 */
/* Perf map line: the text by which a runtime names the code that it makes.
 *
 * What it is   one line of /tmp/perf-PID.map, `START SIZE NAME`, numbers in hexadecimal with or
 *              without 0x; pure.
 * Ownership    the name is borrowed from the line.
 * Threads      no shared state.
 * Errors       -EBADMSG: not such a line; nothing is written then.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Longer names are cut: signatures of generic code can be endless. */
#define PERF_MAP_NAME_BYTES_MAX 1023
/* A line beyond this is none. */
#define PERF_MAP_LINE_BYTES_MAX 8192

struct perf_map_line {
	uint64_t start;
	uint32_t size; /* at least 1; start + size does not wrap */
	const char *name; /* not closed by NUL; blanks inside it belong to it */
	size_t name_length; /* 1..PERF_MAP_NAME_BYTES_MAX */
};

/* LINE has no line end. */
int perf_map_parse_line(const char *line, size_t length, struct perf_map_line *ret_line);
