/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of libdebuginfod: what servers said, read from the text that the library writes about it.
 *
 * What it is   the library answers "not found" for every answer without a file, be it 404 or 500.
 *              Its text tells them apart. A text in other words says nothing, and the library's own
 *              answer holds.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A server that sends a question round in circles is asked again without end. */
#define DEBUGINFOD_REDIRECTS_MAX 20

struct debuginfod_steps {
	uint32_t denied; /* servers that said that they do not have it */
	uint32_t failed; /* that failed, are too busy, or broke off */
	uint32_t redirected;
};

void debuginfod_steps_read(const char *text, size_t length, struct debuginfod_steps *ret_steps);

/* True if "not found" means that nobody could tell. One server that could is enough. */
bool debuginfod_steps_are_failure(const struct debuginfod_steps *steps);
