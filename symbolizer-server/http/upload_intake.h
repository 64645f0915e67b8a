/* SPDX-License-Identifier: Apache-2.0 */
/* Upload intake: the body of a client's upload on its way to the store, whatever its protocol.
 *
 * What it is   gathers a body under a limit, has it read by the protocol's own function, gives what
 *              came of it to the ingest desk, and answers once that is durable. What could be read
 *              of a body is stored even where the answer is an error.
 * Ownership    an upload owns its body and, until the desk has them, its profiles.
 * Threads      as http_receiver says; the answer is filled on the store's thread.
 * Errors       answered in the protocol's own words.
 */
#pragma once

#include "store/base/hash.h"
#include "symbolizer-server/http/http_message.h"
#include "symbolizer-server/http/site.h"
#include "symbolizer-server/ingest/profile_list.h"

/* What is read into. */
struct upload_target {
	uint64_t now_ns;
	struct profile_list *profiles;
	struct ingest_drops *drops;
	struct ingest_fault *fault;
	uint64_t rejected_count; /* profiles left out of what is stored, added to */
};

/* How it went: ERROR is 0, one of ingest_fault.h, -EFBIG (a body that is too large), -ESTALE, or an
 * errno of the store. */
struct upload_outcome {
	int error;
	const char *fault; /* what to mend; also where ERROR is 0 and something was rejected */
	uint64_t rejected_count;
	const struct bytes_writer *report; /* of what was stored; NULL: nobody asked */
};

struct upload_protocol {
	/* Reads BODY; errors of ingest_fault.h. */
	int (*read)(const struct http_request *request, struct ingest_text body,
		struct upload_target *target);
	void (*answer)(const struct http_request *request, const struct upload_outcome *outcome,
		struct http_answer *answer);
	/* What is the same of an upload that is sent again; false, or NULL: each counts. */
	bool (*identify)(const struct http_request *request, struct ingest_text body,
		struct hash128 *ret_key);
	/* Whether the client asks what was stored, which ingest_report.h tells; NULL: none does. */
	bool (*wants_report)(const struct http_request *request);
};

/* The four of a http_receiver; a protocol's own open calls the first. */
void *upload_intake_open(const struct upload_protocol *protocol, struct site *site,
	const struct http_request *request, struct http_answer *answer);
bool upload_intake_write(
	void *upload, const void *bytes, size_t byte_count, struct http_answer *answer);
bool upload_intake_finish(void *upload, const struct http_later *later, struct http_answer *answer);
void upload_intake_close(void *upload);

/* The status that HTTP has for such an error. */
int upload_status(int error);
