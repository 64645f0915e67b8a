/* SPDX-License-Identifier: Apache-2.0 */
/* Status page: what `cairn status` prints.
 *
 * What it is   warnings first, then the chain from kernel to disk as one table, then the hosts; or
 *              one host's part of it; or every counter there is.
 * Ownership    borrows the answer of the server.
 * Threads      one.
 * Errors       -ENOENT: no such host.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct cJSON;

/* No line of the table is longer. */
#define STATUS_PAGE_COLUMNS 100

struct status_page {
	FILE *out;
	const char *server; /* its URL */
	const char *host; /* NULL: all */
	bool all; /* every counter */
	bool painted;
};

int status_page_print(const struct status_page *page, const struct cJSON *status);
