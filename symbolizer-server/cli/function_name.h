/* SPDX-License-Identifier: Apache-2.0 */
/* Function name: a function and its module in the columns that a line has left.
 *
 * What it is   the name, shortened in the middle if need be, and the module in brackets.
 * Ownership    nothing is kept.
 * Threads      one.
 * Errors       those of the stream.
 */
#pragma once

#include <stddef.h>

/* Nothing can be told from less; a narrower terminal breaks the lines. */
#define FUNCTION_NAME_COLUMNS_MIN 24

/* On standard output, in at most COLUMNS columns, of which there are FUNCTION_NAME_COLUMNS_MIN at
 * least. MODULE may be empty. */
void function_name_print(const char *name, const char *module, size_t columns);
