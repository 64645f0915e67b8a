/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptor: takes connections in at a listening socket and hands them to who speaks their protocol.
 *
 * What it is   a thread that accepts, keeps the limits of the port, waits for the first bytes of a
 *              connection and hands it over then; whatever ends, the port goes on. When there is no
 *              descriptor left, callers are turned away one by one by means of a spare one, until
 *              there is. docs/decisions/0064
 * Ownership    owns the listening socket and each connection until it is handed over; of those it
 *              knows the number and what it stands for.
 * Threads      new, start, stop and free: one owner. `take` runs in the acceptor's thread and must not
 *              wait; everything else may be called by any thread, from `take` too.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/connection_list.h"

/* What is looked at of a connection before it is handed over: as much as tells HTTP/2 by its first
 * line, which is always sent at once. */
#define ACCEPTOR_FIRST_BYTES_MAX 24

/* X(name, meaning); a port puts its own prefix before the name. What is open counts as accepted, and so
 * does what was refused. */
#define ACCEPTOR_COUNTERS(X)                                                                 \
	X(connections, "connections that came in")                                           \
	X(connections_open, "of these, open, now")                                           \
	X(connections_refused_full,                                                          \
		"connections refused: as many as may be are open, and none is idle")         \
	X(connections_refused_host,                                                          \
		"connections refused: their host has as many as one may have, none is idle") \
	X(connections_refused_descriptors, "connections refused: out of descriptors")        \
	X(connections_refused_protocol,                                                      \
		"connections closed: what they said first is not what is spoken here")       \
	X(connections_silent, "connections closed: they said nothing for too long")          \
	X(connections_displaced, "idle connections closed to make room for others")          \
	X(connections_moved,                                                                 \
		"connections that came in at HTTP's port, spoke HTTP/2 and were moved to gRPC")

enum acceptor_counter {
#define ACCEPTOR_COUNTER_ENUM(name, meaning) ACCEPTOR_COUNTER_##name,
	ACCEPTOR_COUNTERS(ACCEPTOR_COUNTER_ENUM)
#undef ACCEPTOR_COUNTER_ENUM
		ACCEPTOR_COUNTER_COUNT
};

struct acceptor;

/* Takes a connection whose first BYTE_COUNT bytes (still to be read) are BYTES; FD is its own from
 * now on, whatever it returns. -EPROTO: it speaks something else. */
typedef int (*acceptor_take_fn)(
	void *context, int fd, const struct peer *peer, const uint8_t *bytes, size_t byte_count);

/* Likewise, of a connection that begins with other words; the acceptor has forgotten it. -EPROTO: nobody
 * has a use for it. Whoever gets it counts any other failure. */
typedef int (*acceptor_pass_fn)(void *context, int fd, const struct peer *peer);

struct acceptor_options {
	int listen_fd; /* the acceptor's from now on, also if it cannot start */
	struct connection_limits limits;
	size_t first_byte_count; /* that are waited for: 1 to ACCEPTOR_FIRST_BYTES_MAX */
	uint64_t silence_ns_max; /* for so long */
	acceptor_take_fn take;
	void *context; /* of take */
	/* Connections that begin with these words are passed on and not taken; NULL: there are none such.
	 * What may still become them is waited for like the first bytes. */
	const char *other_words;
	acceptor_pass_fn pass;
	void *pass_context;
	bool tells; /* who takes connections calls acceptor_set_idle for each, and acceptor_closed */
};

/* Nothing is accepted yet, so that whoever is called from then on can know of the acceptor. */
int acceptor_new(const struct acceptor_options *options, struct acceptor **ret_acceptor);
int acceptor_start(struct acceptor *acceptor);
/* Closes the listening socket and the connections that were not handed over yet. */
void acceptor_stop(struct acceptor *acceptor);
/* Waits until no connection is open any more. -ETIMEDOUT. */
int acceptor_wait_empty(struct acceptor *acceptor, uint64_t timeout_ns);
/* After everything that was handed over has been closed. Accepts NULL. */
void acceptor_free(struct acceptor *acceptor);

/* Takes a connection in that another acceptor has passed on: under the limits of this one, as handed
 * over already. FD is the acceptor's own; RET_FD is the number under which whoever is to have it gets it.
 * -EDQUOT, -ENOBUFS, -EMFILE: refused, and counted; -ESHUTDOWN: it has stopped. FD is closed then. */
int acceptor_adopt(struct acceptor *acceptor, int fd, const struct peer *peer, int *ret_fd);

/* Who is at the other end of a connection that was handed over as FD, and whether it was adopted. Whoever asks too late, when that
 * number stands for another connection already, is told of that one; but never of one from this machine
 * instead of a foreign one, or of an adopted one instead of another, or the other way round. -ENOENT: there is none. */
int acceptor_peer(struct acceptor *acceptor, int fd, struct peer *ret_peer, bool *ret_adopted);
/* Whether the connection may be displaced from now on; at first it may not. While many have just been
 * handed over, and nothing was told of them yet, callers wait in the kernel's queue: soon somebody is
 * idle and makes room, whom a full port would have missed. */
void acceptor_set_idle(struct acceptor *acceptor, int fd, bool idle);
/* Whoever has FD is about to close it. For those who let acceptor_set_idle displace connections this must
 * be told; of others (gRPC does not tell us either) the end is found out. */
void acceptor_closed(struct acceptor *acceptor, int fd);
void acceptor_read_counts(struct acceptor *acceptor, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT]);
