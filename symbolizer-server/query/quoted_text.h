/* SPDX-License-Identifier: Apache-2.0 */
/* Quoted text: string literals as Prometheus' query language writes them.
 *
 * What it is   "..." and '...' with escapes (\n, \", \\, \xHH, \OOO, \uHHHH, \UHHHHHHHH, ...), and
 *              `...` without; read into plain bytes and written back.
 * Ownership    the caller's buffers.
 * Threads      any.
 * Errors       -EINVAL with a static sentence.
 */
#pragma once

#include <stddef.h>

#include "store/base/bytes.h"

/* Reads the literal at TEXT, which begins with a quote. OUT holds LENGTH bytes: a text is never
 * longer than its literal. Gives the length of the text and the bytes that the literal took; on
 * -EINVAL only RET_TAKEN (where the fault is) and RET_WHAT are set. */
int quoted_text_read(const char *text, size_t length, char *out, size_t *ret_length,
	size_t *ret_taken, const char **ret_what);

/* Writes TEXT as "...". */
void quoted_text_write(struct bytes_writer *writer, const char *text, size_t length);
