/* SPDX-License-Identifier: Apache-2.0 */
/* Maps parser: the text of /proc/PID/maps as mappings.
 *
 * What it is   one line at a time, and what kind of thing its name stands for; pure.
 * Ownership    the path of a line is borrowed from its text.
 * Threads      no shared state.
 * Errors       -EBADMSG: not a line of that file; nothing is written then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line worth reading: PATH_MAX, each byte of it escaped as four, and the columns before. */
#define MAPS_LINE_BYTES_MAX (4 * 4096 + 128)

struct maps_line {
	uint64_t start;
	uint64_t end; /* above start */
	uint64_t offset; /* in the file */
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	bool readable;
	bool writable;
	bool executable;
	bool shared;
	const char *path; /* as it stands there, line ends in it escaped; not closed by NUL */
	size_t path_length; /* 0: anonymous memory */
};

/* LINE has no line end. */
int maps_parse_line(const char *line, size_t length, struct maps_line *ret_line);

enum maps_kind {
	MAPS_FILE, /* something that can be opened and may be ELF, memfd and deleted files included
		    */
	MAPS_VDSO,
	MAPS_NONE, /* anonymous memory, stacks, shared memory: no file stands behind it */
};

/* What a name in maps or in a kernel record stands for. */
enum maps_kind maps_kind_of(const char *path, size_t length);

/* The length of PATH without the ` (deleted)` that the kernel puts behind a name that is gone. */
size_t maps_path_length(const char *path, size_t length);

/* Where the last component of PATH begins. */
const char *maps_base_name(const char *path, size_t length, size_t *ret_length);
