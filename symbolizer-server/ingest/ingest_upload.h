/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest upload: one `POST /ingest` as profiles.
 *
 * What it is   reads the parameters as tolerantly as clients need it, finds out what the body is,
 *              and has it read by the reader of that format.
 * Ownership    borrows parameters and body; profiles are the caller's.
 * Threads      any.
 * Errors       those of ingest_fault.h.
 */
#pragma once

#include "store/base/bytes.h"
#include "store/base/hash.h"
#include "symbolizer-server/ingest/ingest_batch.h"

/* What is held of a body as it comes. A profile of a large program has some MiB. */
#define INGEST_BODY_BYTES_MAX ((size_t)64 << 20)
/* Unpacked, at least so much is taken ... */
#define INGEST_UNPACKED_BYTES_MIN ((size_t)64 << 20)
/* ... and more only of what was not packed suspiciously well. */
#define INGEST_UNPACKED_RATIO 8
#define INGEST_UNPACKED_BYTES_MAX ((size_t)256 << 20)

/* Parameters as they came; NULL: not there. */
struct ingest_upload {
	const char *name;
	const char *from;
	const char *until;
	const char *sample_rate;
	const char *spy_name;
	const char *units;
	const char *format;
	const char *content_type;
	const char *content_encoding;
	uint64_t now_ns;
};

struct profile_list;

/* Profiles and drops are added to; nothing is where there is no sample. After an error the list is of
 * no use. */
int ingest_upload_read(const struct ingest_upload *upload, struct ingest_text body,
	struct profile_list *profiles, struct ingest_drops *drops, struct ingest_fault *fault);

/* Whether the body is taken for a flight recording. */
bool ingest_upload_is_recording(const struct ingest_upload *upload, struct ingest_text body);
/* What is equal for uploads with the same parameters and bytes. -ENOMEM. */
int ingest_upload_key(
	const struct ingest_upload *upload, struct ingest_text body, struct hash128 *ret_key);

/* BODY unpacked if it is gzip, else as it is; WRITER holds what was unpacked. */
int ingest_unpack(struct ingest_text body, struct bytes_writer *writer,
	struct ingest_text *ret_body, struct ingest_fault *fault);
