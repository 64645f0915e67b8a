/* SPDX-License-Identifier: Apache-2.0 */
/* Kallsyms: the kernel's list of its own symbols.
 *
 * What it is   a line parser, a reader that gives function symbols one by one, and the text of one
 *              module's functions with relative addresses, as it is uploaded: absolute ones would
 *              tell where this boot's kernel lies.
 * Ownership    names are borrowed from the line until the callback returns.
 * Threads      no shared state.
 * Errors       -EBADMSG: not a line of that file; -ENOENT: the kernel gives no such list;
 *              -EACCES: it shows zeros instead of addresses; other errors of reading.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rust and C++ modules have names of some hundred characters; the kernel's own limit is 512. */
#define KALLSYMS_LINE_BYTES_MAX 1024
/* A distribution's kernel has 2.5 MB of them. */
#define KALLSYMS_TEXT_BYTES_MAX ((size_t)64 << 20)

struct kallsyms_line {
	uint64_t address;
	char type; /* as in nm(1) */
	const char *name; /* not closed by NUL */
	size_t name_length;
	const char *module; /* NULL: the kernel itself */
	size_t module_length;
};

int kallsyms_parse_line(const char *line, size_t length, struct kallsyms_line *ret_line);
/* Whether the symbol is code. */
bool kallsyms_is_function(const struct kallsyms_line *line);
bool kallsyms_is_named(const struct kallsyms_line *line, const char *name);

/* Gives each line of the file at PATH to FN; a negative answer ends the reading and is the result.
 * Lines that make no sense are left out. */
typedef int (*kallsyms_fn)(void *context, const struct kallsyms_line *line);
int kallsyms_each(const char *path, kallsyms_fn fn, void *context);

/* What belongs to one module. */
struct kallsyms_range {
	const char *module; /* NULL: the kernel itself */
	uint64_t base; /* offsets count from here */
	uint64_t end; /* functions from base to below end */
};

/* Lines `hex-offset name` in order of address; RET_TEXT is malloc'ed. -ENOENT: no function lies in
 * the range. */
int kallsyms_text(const char *path, const struct kallsyms_range *range, uint8_t **ret_text,
	size_t *ret_byte_count);
