/* SPDX-License-Identifier: Apache-2.0 */
/* Sink: where finished windows go.
 *
 * What it is   the interface of whatever takes sealed profiles; rpc_sink.h sends them to a server.
 *              An implementation has a struct sink as its first member.
 * Ownership    a sink belongs to its maker until sink_free.
 * Threads      one thread calls send, flush and free; any thread may read counters.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdint.h>

#include "proto/wire/collector_counter.h"
#include "store/profile/profile.h"

struct sink;

struct sink_operations {
	int (*send)(struct sink *sink, struct profile *profile);
	int (*flush)(struct sink *sink, uint64_t timeout_ns);
	void (*read_counters)(struct sink *sink, uint64_t *ret_values);
	void (*free)(struct sink *sink);
};

struct sink {
	const struct sink_operations *operations;
};

/* Takes the sealed PROFILE in any case and does not wait. -ENOBUFS: dropped and counted, the sink
 * is too far behind. */
static inline int sink_send(struct sink *sink, struct profile *profile)
{
	return sink->operations->send(sink, profile);
}

/* Waits until everything sent has arrived. -ETIMEDOUT: not within TIMEOUT_NS. */
static inline int sink_flush(struct sink *sink, uint64_t timeout_ns)
{
	return sink->operations->flush(sink, timeout_ns);
}

/* RET_VALUES holds SINK_COUNTER_COUNT values. */
static inline void sink_read_counters(struct sink *sink, uint64_t *ret_values)
{
	sink->operations->read_counters(sink, ret_values);
}

/* What has not arrived is dropped. Accepts NULL. */
static inline void sink_free(struct sink *sink)
{
	if (sink)
		sink->operations->free(sink);
}
