/* SPDX-License-Identifier: Apache-2.0 */
/* Form data: the parts of a body of type multipart/form-data.
 *
 * What it is   a walk over the parts, in place. Line ends are CRLF or LF, the boundary may be quoted
 *              in its header, parts may have headers of any kind.
 * Ownership    borrows body and content type.
 * Threads      one owner.
 * Errors       -EBADMSG: no boundary, or the last part does not end.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/ingest/ingest_batch.h"

/* By RFC 2046 at most 70 characters; two dashes in front. */
#define FORM_BOUNDARY_BYTES_MAX 256

struct form_part {
	struct ingest_text name;
	bool is_file; /* has a file name */
	struct ingest_text body;
};

struct form_data {
	char boundary[FORM_BOUNDARY_BYTES_MAX]; /* dashes included */
	size_t boundary_length;
	struct ingest_text rest;
};

/* Whether a content type says that a form follows. */
bool form_data_is(const char *content_type);
int form_data_init(struct form_data *form, const char *content_type, struct ingest_text body,
	struct ingest_fault *fault);
/* 1: a part; 0: there are no more; -EBADMSG. */
int form_data_next(struct form_data *form, struct form_part *ret_part, struct ingest_fault *fault);
