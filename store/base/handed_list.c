/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array by number: the kernel gives the lowest that is free, so that it is as long as there are
 * descriptors.
 */
#include "store/base/handed_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/connection_list.h"
#include "store/base/must.h"

#define COUNT_FIRST 64u
/* Numbers that are tried to find one that has rested; one in a row is the usual. */
#define TRIES_MAX 64

void handed_list_done(struct handed_list *list)
{
	free(list->items);
	*list = (struct handed_list){.items = NULL};
}

const struct handed *handed_list_get(const struct handed_list *list, int fd)
{
	if (fd < 0 || (uint32_t)fd >= list->count || list->items[fd].place == CONNECTION_NOBODY)
		return NULL;
	return &list->items[fd];
}

static int grow(struct handed_list *list, int fd)
{
	uint32_t wanted = list->count ? list->count : COUNT_FIRST;
	struct handed *items;

	if ((uint32_t)fd < list->count)
		return 0;
	while (wanted <= (uint32_t)fd)
		wanted *= 2;
	items = realloc(list->items, wanted * sizeof(*items));
	if (!items)
		return -ENOMEM;
	for (uint32_t i = list->count; i < wanted; i++)
		items[i] = (struct handed){.place = CONNECTION_NOBODY};
	list->items = items;
	list->count = wanted;
	return 0;
}

/* Whether who asks after the one may well be told of the other. */
static bool is_alike(const struct handed *one, const struct handed *other)
{
	return peer_is_loopback(&one->peer) == peer_is_loopback(&other->peer) &&
		one->adopted == other->adopted;
}

/* Whether nobody can ask after FD any more and mean one of another sort. */
static int has_rested(
	struct handed_list *list, int fd, const struct handed *wanted, uint64_t now_ns)
{
	const struct handed *item;
	int r = grow(list, fd);

	if (r < 0)
		return r;
	item = &list->items[fd];
	/* Whoever had it has closed it, and we were not told: that may have been just now. */
	if (item->place != CONNECTION_NOBODY)
		return is_alike(item, wanted);
	return item->closed_at_ns == 0 || now_ns - item->closed_at_ns > HANDED_REST_NS ||
		is_alike(item, wanted);
}

int handed_list_find_number(
	struct handed_list *list, int fd, const struct handed *wanted, uint64_t now_ns)
{
	int unfit[TRIES_MAX], unfit_count = 0;
	int rested = has_rested(list, fd, wanted, now_ns);

	while (rested == 0 && unfit_count < TRIES_MAX) {
		unfit[unfit_count++] = fd;
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		rested = fd < 0 ? -errno : has_rested(list, fd, wanted, now_ns);
	}
	/* On failure the first one stays with the caller. */
	if (rested <= 0 && unfit_count > 0 && fd >= 0 && fd != unfit[0])
		close(fd);
	while (unfit_count > (rested > 0 ? 0 : 1))
		close(unfit[--unfit_count]);
	return rested > 0 ? fd : rested < 0 ? rested : -EMFILE;
}

void handed_list_set(struct handed_list *list, int fd, const struct handed *handed)
{
	must(fd >= 0 && (uint32_t)fd < list->count);
	list->items[fd] = *handed;
}

void handed_list_close(struct handed_list *list, int fd, uint64_t now_ns)
{
	must(fd >= 0 && (uint32_t)fd < list->count);
	list->items[fd].place = CONNECTION_NOBODY;
	list->items[fd].closed_at_ns = now_ns;
}
