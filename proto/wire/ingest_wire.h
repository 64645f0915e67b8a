/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest wire: the messages of cairn.v1.Ingest/Push, both ways.
 *
 * What it is   plain structs <-> cairn.v1.PushRequest and PushReply. First comes a hello and its
 *              answer, then batches and acknowledgements.
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

#include "store/base/arena.h"

#define INGEST_PUSH_PATH "/cairn.v1.Ingest/Push"

/* What this code speaks: see wire_version_fits. */
#define WIRE_VERSION 1u
#define WIRE_INSTANCE_BYTES 16
/* Names and versions in hellos, and the text beside a result. */
#define WIRE_TEXT_BYTES_MAX 1024

/* What a side can do, or-ed. None is needed yet; unknown ones are ignored. */
enum wire_feature {
	WIRE_FEATURE_UPLOADS = 1, /* the collector answers Symbols/Want */
};

/* Whether a peer of VERSION is understood: both sides take one version less and one more than their
 * own. */
bool wire_version_fits(uint32_t version);

struct wire_hello {
	uint32_t version; /* WIRE_VERSION of the sender */
	uint64_t features; /* enum wire_feature */
	uint8_t instance[WIRE_INSTANCE_BYTES];
	const char *program; /* "0.1.0" */
	const char *host;
};

enum wire_encoding {
	WIRE_ENCODING_ZSTD = 1, /* the body is zstd(cairn.v1.BatchBody) */
};

struct wire_batch {
	uint8_t instance[WIRE_INSTANCE_BYTES]; /* with sequence: the batch key */
	uint64_t sequence;
	uint32_t encoding; /* enum wire_encoding; others are refused */
	uint64_t raw_byte_count; /* of the body, decompressed */
	const uint8_t *body;
	size_t body_byte_count;
};

enum wire_push_kind {
	WIRE_PUSH_UNKNOWN, /* from a newer collector: to be ignored */
	WIRE_PUSH_HELLO,
	WIRE_PUSH_BATCH,
};

struct wire_push {
	enum wire_push_kind kind;
	union {
		struct wire_hello hello;
		struct wire_batch batch;
	};
};

int wire_hello_encode(const struct wire_hello *hello, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_batch_encode(const struct wire_batch *batch, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_push_decode(
	const void *bytes, size_t byte_count, struct arena *arena, struct wire_push *ret_push);

/* The server's word on a hello. One that is refused is also the last: the stream ends. */
struct wire_welcome {
	uint32_t version;
	uint64_t features;
	const char *program;
	uint32_t unacknowledged_max; /* batches that the server lets be under way; 0: not said */
};

/* Values are sent: never renumber. An unknown one counts as WIRE_ACK_RETRY. */
enum wire_ack_result {
	WIRE_ACK_STORED = 1, /* durable */
	WIRE_ACK_DUPLICATE = 2, /* was durable before */
	WIRE_ACK_REFUSED = 3, /* malformed: sending it again is of no use */
	WIRE_ACK_RETRY = 4, /* not now: the sender keeps it */
};

struct wire_ack {
	uint64_t sequence;
	enum wire_ack_result result;
	uint64_t retry_after_ns; /* WIRE_ACK_RETRY: at least so long; 0: the sender's choice */
	const char *text; /* why, "" if there is nothing to say */
};

enum wire_push_reply_kind {
	WIRE_REPLY_UNKNOWN,
	WIRE_REPLY_WELCOME,
	WIRE_REPLY_ACK,
};

struct wire_push_reply {
	enum wire_push_reply_kind kind;
	union {
		struct wire_welcome welcome;
		struct wire_ack ack;
	};
};

int wire_welcome_encode(
	const struct wire_welcome *welcome, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_ack_encode(const struct wire_ack *ack, uint8_t **ret_bytes, size_t *ret_byte_count);
int wire_push_reply_decode(const void *bytes, size_t byte_count, struct arena *arena,
	struct wire_push_reply *ret_reply);
