/* SPDX-License-Identifier: Apache-2.0 */
/* Row label: the value that a row of a profile has for a label name.
 *
 * What it is   three sorts of labels look alike in a query: those of the series, `host` from the
 *              head of the profile, and the columns pid, tid, thread and cpu. Names between double
 *              underscores are the parts of the profile type.
 * Ownership    values are borrowed from the profile, or lie in the caller's buffer.
 * Threads      any.
 * Errors       none: a label that is not there has the empty value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "store/profile/profile.h"

/* Holds any 32-bit number and a NUL. */
#define ROW_LABEL_NUMBER_BYTES 12

/* What decides the value of a label. */
enum row_label_scope {
	ROW_LABEL_TYPE, /* the profile type */
	ROW_LABEL_THREAD, /* the thread of the row, its series and its host */
	ROW_LABEL_CPU, /* the row itself */
};

struct row_label_value {
	const char *text; /* any bytes */
	size_t length;
};

enum row_label_scope row_label_scope(const char *name);

/* Whether the value of NAME may differ between rows of one series: pid, tid, thread, cpu. */
bool row_label_needs_rows(const char *name);

/* NAME must be of the scope that each function stands for. */
struct row_label_value row_label_of_type(const char *type, const char *name);
struct row_label_value row_label_of_thread(const struct profile *profile, uint32_t thread,
	const char *name, char number[ROW_LABEL_NUMBER_BYTES]);
struct row_label_value row_label_of_cpu(uint32_t cpu, char number[ROW_LABEL_NUMBER_BYTES]);
