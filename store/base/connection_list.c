/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that is searched from end to end: a look at some thousand places takes a few microseconds
 * and happens once for each new connection, which costs more than that anyway.
 */
#include "store/base/connection_list.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/base/must.h"

uint64_t connection_inode(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 && S_ISSOCK(stat.st_mode) ? stat.st_ino : 0;
}

bool connection_has_ended(const struct connection *connection)
{
	return connection->state != CONNECTION_NONE && connection->state != CONNECTION_SILENT &&
		connection_inode(connection->fd) != connection->inode;
}

int connection_list_init(struct connection_list *list, const struct connection_limits *limits)
{
	/* Those that were told to go stay for a moment. */
	uint32_t place_count = limits->count_max + limits->count_max / 4 + 16;

	*list = (struct connection_list){.limits = *limits, .place_count = place_count};
	list->places = calloc(place_count, sizeof(*list->places));
	return list->places ? 0 : -ENOMEM;
}

void connection_list_done(struct connection_list *list)
{
	free(list->places);
	*list = (struct connection_list){.places = NULL};
}

static bool counts(enum connection_state state)
{
	return state != CONNECTION_NONE && state != CONNECTION_LEAVING;
}

/* Which connections are meant. */
struct choice {
	const struct peer *host; /* NULL: of any */
	bool foreign; /* only those of other machines */
};

static bool is_meant(const struct connection *connection, const struct choice *choice)
{
	if (!counts(connection->state))
		return false;
	if (choice->host && !peer_is_same_host(&connection->peer, choice->host))
		return false;
	return !choice->foreign || !peer_is_loopback(&connection->peer);
}

/* The one that has been silent or idle for longest; the silent go first, they may mean ill. */
static uint32_t find_idle(const struct connection_list *list, const struct choice *choice)
{
	uint32_t found = CONNECTION_NOBODY;

	for (uint32_t i = 0; i < list->place_count; i++) {
		const struct connection *connection = &list->places[i], *best;

		if (connection->state == CONNECTION_BUSY ||
			connection->state == CONNECTION_HANDED || !is_meant(connection, choice))
			continue;
		best = found == CONNECTION_NOBODY ? NULL : &list->places[found];
		if (!best || connection->state < best->state ||
			(connection->state == best->state && connection->since_ns < best->since_ns))
			found = i;
	}
	return found;
}

static uint32_t count_of_host(const struct connection_list *list, const struct peer *host)
{
	struct choice choice = {.host = host};
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->place_count; i++)
		count += is_meant(&list->places[i], &choice);
	return count;
}

int connection_list_admit(
	const struct connection_list *list, const struct peer *peer, uint32_t *ret_displaced)
{
	const struct connection_limits *limits = &list->limits;
	bool foreign = !peer_is_loopback(peer);
	struct choice choice = {.host = NULL};
	uint32_t displaced = CONNECTION_NOBODY;
	bool full = true;
	int error = -ENOBUFS;

	if (foreign && count_of_host(list, peer) >= limits->host_count_max) {
		choice.host = peer;
		error = -EDQUOT;
	} else if (foreign && list->foreign_count + limits->loopback_count >= limits->count_max) {
		choice.foreign = true;
	} else if (list->open_count < limits->count_max) {
		full = false;
	}
	if (full)
		displaced = find_idle(list, &choice);
	if (full && displaced == CONNECTION_NOBODY)
		return error;
	*ret_displaced = displaced;
	return 0;
}

int connection_list_add(struct connection_list *list, int fd, const struct peer *peer,
	uint64_t now_ns, uint32_t *ret_place)
{
	for (uint32_t i = 0; i < list->place_count; i++) {
		struct connection *connection = &list->places[i];

		if (connection->state != CONNECTION_NONE)
			continue;
		*connection = (struct connection){
			.generation = connection->generation + 1,
			.fd = fd,
			.peer = *peer,
		};
		connection_list_set(list, i, CONNECTION_SILENT, now_ns);
		*ret_place = i;
		return 0;
	}
	return -ENOBUFS;
}

uint32_t connection_list_unsettled(const struct connection_list *list, uint64_t since_ns)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < list->place_count; i++) {
		enum connection_state state = list->places[i].state;

		count += (state == CONNECTION_HANDED || state == CONNECTION_LEAVING) &&
			list->places[i].since_ns > since_ns;
	}
	return count;
}

void connection_list_set(
	struct connection_list *list, uint32_t place, enum connection_state state, uint64_t now_ns)
{
	struct connection *connection = &list->places[place];
	bool foreign;

	must(place < list->place_count);
	foreign = !peer_is_loopback(&connection->peer);
	if (counts(connection->state)) {
		list->open_count--;
		list->foreign_count -= foreign;
	}
	connection->state = state;
	connection->since_ns = now_ns;
	if (counts(state)) {
		list->open_count++;
		list->foreign_count += foreign;
	}
}
