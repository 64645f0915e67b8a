/* SPDX-License-Identifier: Apache-2.0 */
/* Fake server: the server's side of Push, Want and Upload, as a test wishes it.
 *
 * What it is   takes batches and remembers their keys and samples, over any number of restarts on
 *              the same port; answers as told; asks for modules; keeps what is uploaded.
 * Ownership    the test's; fake_server_init to fake_server_done.
 * Threads      the test's one thread; fields below the lock with the lock held.
 * Errors       none: what cannot be ends the test.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/rpc/rpc_server.h"
#include "proto/wire/symbols_wire.h"

#define FAKE_BATCH_COUNT_MAX 256

enum fake_answer {
	FAKE_STORES, /* and acknowledges; what it has, as a duplicate */
	FAKE_STORES_SILENTLY, /* like a server that dies before its answer */
	FAKE_REFUSES, /* all as malformed */
	FAKE_RETRIES, /* not now */
	FAKE_SAYS_NOTHING, /* no welcome */
};

struct fake_server {
	struct rpc_server *rpc;
	uint16_t port;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum fake_answer answer;
	uint32_t version; /* in the welcome */
	bool refuses_version; /* ends the stream as a server of another version does */
	uint64_t samples[FAKE_BATCH_COUNT_MAX]; /* by sequence */
	uint32_t arrivals[FAKE_BATCH_COUNT_MAX];
	uint32_t stored_count; /* distinct */
	uint32_t batch_count; /* arrived */
	uint32_t hello_count;
	struct build_id want; /* asked for on each Want stream, if known */
	uint32_t want_count; /* streams */
	int upload_result; /* with which an upload is ended at its header, if not 0 */
	uint8_t *upload; /* bytes of the last upload */
	size_t upload_bytes;
	struct wire_upload_header upload_header;
	uint32_t upload_count; /* whole ones */
	char refusal[256];
};

void fake_server_init(struct fake_server *server);
void fake_server_done(struct fake_server *server);
/* On a free port the first time, on the same later. */
void fake_server_start(struct fake_server *server);
void fake_server_stop(struct fake_server *server);
/* A condition on the fields, called under the lock. */
typedef bool (*fake_server_fn)(const struct fake_server *server, uint64_t wanted);
/* Waits until it is true; ends the test if that takes a minute. */
void fake_server_wait(struct fake_server *server, fake_server_fn condition, uint64_t wanted);
void fake_server_answer(struct fake_server *server, enum fake_answer answer);
uint64_t fake_server_samples(struct fake_server *server);
