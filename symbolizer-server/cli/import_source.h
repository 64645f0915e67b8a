/* SPDX-License-Identifier: Apache-2.0 */
/* Import source: a recording of a person's, as the bytes that the server reads.
 *
 * What it is   reads a file or standard input; what `perf record` wrote has `perf script` turned into
 *              text, since only perf reads all of its formats.
 * Ownership    the bytes are malloc'ed for the caller.
 * Threads      one.
 * Errors       -EIO with a line that says what to do; -ENOMEM.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the server takes at a time. */
#define IMPORT_BYTES_MAX ((size_t)64 << 20)
#define IMPORT_ERROR_BYTES_MAX 512
#define IMPORT_NAME_BYTES_MAX 128

struct import_source {
	uint8_t *bytes;
	size_t byte_count;
	const char *format; /* NULL: the server sees it */
};

/* PATH `-` is standard input. PERF is the program that reads recordings of perf. */
int import_source_read(const char *path, const char *perf, struct import_source *ret_source,
	char ret_error[IMPORT_ERROR_BYTES_MAX]);
void import_source_done(struct import_source *source);

/* What a service is called whose recording lies at PATH: the file's name up to its first dot, with
 * nothing in it that a name may not hold. */
void import_source_name(const char *path, char ret_name[IMPORT_NAME_BYTES_MAX]);
