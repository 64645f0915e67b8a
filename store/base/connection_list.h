/* SPDX-License-Identifier: Apache-2.0 */
/* Connection list: which connections a port has, and which of them must go for a new one.
 *
 * What it is   the limits of a port as pure bookkeeping: all connections together, those of one
 *              host, and a few places that only this machine's own get. At a limit the one that has
 *              been idle for longest makes room; where none is idle the new one is refused.
 * Ownership    owns its array; descriptors are only noted.
 * Threads      no lock: the caller's.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/peer.h"

enum connection_state {
	CONNECTION_NONE, /* a free place */
	CONNECTION_SILENT, /* has not said yet what it wants */
	CONNECTION_IDLE, /* has nothing to wait for */
	CONNECTION_HANDED, /* who has it now has not said yet what it does: is left alone */
	CONNECTION_BUSY, /* somebody works for it: is left alone */
	CONNECTION_LEAVING, /* told to go; does not count any more */
};

struct connection {
	enum connection_state state;
	uint32_t generation; /* of this place: how many connections it has had */
	int fd;
	uint64_t inode; /* of the socket behind it: no other has it while this one lives */
	struct peer peer;
	uint64_t since_ns; /* in this state, monotonic */
};

/* Of the socket behind FD; 0: there is none. */
uint64_t connection_inode(int fd);
/* Whether one that was handed over is closed by now: its number leads elsewhere. */
bool connection_has_ended(const struct connection *connection);

struct connection_limits {
	uint32_t count_max;
	/* Of one host; this machine itself has no limit but the whole. */
	uint32_t host_count_max;
	/* Of the whole, for this machine alone: it can always look at a server in distress. */
	uint32_t loopback_count;
};

struct connection_list {
	struct connection_limits limits;
	struct connection *places;
	uint32_t place_count;
	uint32_t open_count; /* silent, idle, handed, busy */
	uint32_t foreign_count; /* of these, of other machines */
};

#define CONNECTION_NOBODY UINT32_MAX

/* -ENOMEM. */
int connection_list_init(struct connection_list *list, const struct connection_limits *limits);
void connection_list_done(struct connection_list *list);

/* Whether PEER may have one more. Who must go for it (or CONNECTION_NOBODY) is in RET_DISPLACED; the
 * caller tells it and marks it as leaving. -EDQUOT: its host has as many as it may, all busy.
 * -ENOBUFS: the port has. */
int connection_list_admit(
	const struct connection_list *list, const struct peer *peer, uint32_t *ret_displaced);
/* A new, silent one. -ENOBUFS: no place is free, because too many are leaving. */
int connection_list_add(struct connection_list *list, int fd, const struct peer *peer,
	uint64_t now_ns, uint32_t *ret_place);
/* How many were handed over or told to go after SINCE_NS and have not shown yet what becomes of them. */
uint32_t connection_list_unsettled(const struct connection_list *list, uint64_t since_ns);
void connection_list_set(
	struct connection_list *list, uint32_t place, enum connection_state state, uint64_t now_ns);
