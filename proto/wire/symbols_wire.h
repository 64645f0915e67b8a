/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols wire: the messages of cairn.v1.Symbols, Want and Upload.
 *
 * What it is   plain structs <-> cairn.v1.WantRequest, Want, UploadRequest and UploadReply.
 * Ownership    encoded messages are malloc'ed for the caller. What a decoded struct points to lives
 *              in the caller's arena.
 * Threads      no shared state.
 * Errors       -EBADMSG: not such a message, or a field out of bounds; -ENOMEM: also when the arena
 *              is full; outputs are written on success only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/wire/ingest_wire.h"
#include "store/base/arena.h"
#include "store/profile/build_id.h"

#define SYMBOLS_WANT_PATH "/cairn.v1.Symbols/Want"
#define SYMBOLS_UPLOAD_PATH "/cairn.v1.Symbols/Upload"

/* Large enough that a chunk's overhead does not show, small enough for smooth rate limiting. */
#define WIRE_CHUNK_BYTES_MAX ((size_t)256 << 10)

/* Opens the Want stream of a collector: the same words as in Push. */
int wire_want_request_encode(
	const struct wire_hello *hello, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_want_request_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_hello *ret_hello);

/* Values are sent: never renumber. An unknown one is refused by the collector. */
enum wire_what {
	WIRE_WHAT_EXECUTABLE = 1, /* the ELF file */
	WIRE_WHAT_KERNEL_SYMBOLS = 2, /* lines `hex-offset name`, offsets from _text or .text */
};

struct wire_want {
	struct build_id id;
	uint32_t what; /* enum wire_what */
	const char *name; /* base name of the module */
	uint64_t offset; /* where an upload that broke may go on; 0: at its beginning */
};

/* Decoding: -ENOMSG says that the message is of a newer server, to be ignored. */
int wire_want_encode(const struct wire_want *want, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_want_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_want *ret_want);

/* Values are sent: never renumber. */
enum wire_upload_encoding {
	WIRE_UPLOAD_PLAIN = 0,
	WIRE_UPLOAD_ZSTD = 1,
};

/* An upload is a header, chunks and an end: a stream that just ends may be one that broke. */
struct wire_upload_header {
	uint8_t instance[WIRE_INSTANCE_BYTES];
	struct build_id id;
	uint32_t what; /* enum wire_what */
	uint32_t encoding; /* enum wire_upload_encoding */
	uint64_t byte_count; /* as sent; 0 if not known beforehand */
	bool reduced; /* code and data were left out */
	uint64_t offset; /* of the first chunk */
};

struct wire_upload_chunk {
	const uint8_t *bytes;
	size_t byte_count;
};

/* Instead of a header: the collector will not send this one. */
struct wire_upload_refusal {
	uint8_t instance[WIRE_INSTANCE_BYTES];
	struct build_id id;
	uint32_t what;
	const char *reason;
};

enum wire_upload_kind {
	WIRE_UPLOAD_UNKNOWN, /* to be ignored */
	WIRE_UPLOAD_HEADER,
	WIRE_UPLOAD_CHUNK,
	WIRE_UPLOAD_REFUSAL,
	WIRE_UPLOAD_END,
};

struct wire_upload {
	enum wire_upload_kind kind;
	union {
		struct wire_upload_header header;
		struct wire_upload_chunk chunk;
		struct wire_upload_refusal refusal;
		uint64_t end_byte_count; /* of all chunks together */
	};
};

int wire_upload_header_encode(
	const struct wire_upload_header *header, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_upload_chunk_encode(
	const struct wire_upload_chunk *chunk, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_upload_refusal_encode(
	const struct wire_upload_refusal *refusal, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_upload_end_encode(uint64_t byte_count, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_upload_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_upload *ret_upload);

/* The answer to a whole upload: how many bytes the server has of it. */
int wire_upload_reply_encode(uint64_t taken_bytes, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_upload_reply_decode(
	const void *bytes, size_t byte_count, struct arena *arena, uint64_t *ret_taken_bytes);
