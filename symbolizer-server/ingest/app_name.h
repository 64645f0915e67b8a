/* SPDX-License-Identifier: Apache-2.0 */
/* Application name: what clients of Pyroscope's first API call what they profile.
 *
 * What it is   `app{key=value,key=value}`, without quotes or escapes: a value may hold anything but
 *              a comma and a closing brace; blanks around keys and values are not part of them.
 * Ownership    pieces are borrowed from the text.
 * Threads      any.
 * Errors       -EINVAL: the fault says what to mend.
 */
#pragma once

#include "symbolizer-server/ingest/ingest_batch.h"

/* More are more than a series takes. */
#define APP_NAME_LABEL_COUNT_MAX LABEL_COUNT_MAX

struct app_name {
	struct ingest_text app;
	struct ingest_label labels[APP_NAME_LABEL_COUNT_MAX];
	uint32_t label_count;
	uint32_t dropped_count; /* labels beyond that */
};

int app_name_parse(const char *text, struct app_name *ret_name, struct ingest_fault *fault);
/* The value of a label, or NULL; of equal keys the last counts. */
const struct ingest_text *app_name_label(const struct app_name *name, const char *key);
