/* SPDX-License-Identifier: Apache-2.0 */
/* RPC sink: windows to the server, each exactly once.
 *
 * What it is   a sink with a thread of its own: it encodes windows into batches, keeps each until
 *              the server has acknowledged it as durable, sends it again after a break, and keeps
 *              the one connection on which wants and uploads (uploads.h) travel, too.
 *
 *              A batch gets its sequence number when it is first sent, so what is dropped while the
 *              server is away leaves no gap. When the queue is full the oldest batch that was never
 *              sent goes, and is counted: the newest hours are the ones that people ask about, and
 *              one that was sent may be in the store already.
 *
 *              Between attempts it waits for a random time between zero and a bound that doubles
 *              from first to max. After a break the first bound already is seconds (of a loopback
 *              server: a fraction), so that a fleet does not come back in one instant.
 * Ownership    the sink owns its threads, its queue and its connection.
 * Threads      as sink.h says; uploads.h says the rest.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/sink/sink.h"
#include "collector/sink/uploads.h"
#include "store/base/clock.h"

#define RPC_SINK_INSTANCE_BYTES 16

/* More than an hour of windows; the memory is what usually ends first. */
#define RPC_SINK_BATCH_COUNT_MAX 512
/* An hour of a small host, minutes of a large one, within the collector's share of memory. */
#define RPC_SINK_BYTES_MAX ((size_t)8 << 20)

struct rpc_sink_options {
	const char *server; /* HOST:PORT */
	const char *host; /* name of this host, for the hello */
	const char *program; /* version, for the hello */
	uint8_t instance[RPC_SINK_INSTANCE_BYTES]; /* random, new for each process */
	uint64_t random_seed; /* of the waiting times */
	struct clock clock;
	uint32_t batch_count_max; /* 0: RPC_SINK_BATCH_COUNT_MAX */
	size_t bytes_max; /* of kept batches; 0: RPC_SINK_BYTES_MAX */
	uint64_t backoff_first_ns; /* 0: by the kind of server, see above */
	uint64_t backoff_max_ns; /* 0: likewise */
	uint32_t
		upload_mbps; /* megabits a second, all uploads together; 0 and loopback: no limit */
	upload_want_fn want; /* NULL: this collector uploads nothing, and says so */
	void *want_context;
};

/* Starts the threads and returns at once; the server need not be there. Texts are copied.
 * -EINVAL: not a server address. */
int rpc_sink_new(const struct rpc_sink_options *options, struct rpc_sink **ret_sink);
/* The same sink, as windows see it; sink_free ends it. */
struct sink *rpc_sink_sink(struct rpc_sink *sink);
