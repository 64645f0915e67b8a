/* SPDX-License-Identifier: Apache-2.0 */
/* Handed list: what the numbers of descriptors that were handed over stand for.
 *
 * What it is   by number: who is at the other end, and which place of a connection list it has. Others
 *              ask by that number, perhaps too late; so one that stood for a connection of one sort
 *              stands for none of another for a while.
 * Ownership    owns its array; descriptors are the caller's.
 * Threads      no lock: the caller's.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/base/peer.h"

/* For so long somebody may ask who a connection was whose descriptor is closed. */
#define HANDED_REST_NS (10 * NS_PER_S)

struct handed {
	struct peer peer;
	bool adopted;
	uint32_t place; /* CONNECTION_NOBODY: of none any more */
	uint64_t closed_at_ns; /* 0: never used */
};

struct handed_list {
	struct handed *items;
	uint32_t count;
};

void handed_list_done(struct handed_list *list);
/* What FD stands for, or NULL: for nothing. Good until the next set. */
const struct handed *handed_list_get(const struct handed_list *list, int fd);
/* FD under a number that may stand for WANTED, which is itself as a rule; else FD is closed. -EMFILE,
 * -ENOMEM: FD is as it was. */
int handed_list_find_number(
	struct handed_list *list, int fd, const struct handed *wanted, uint64_t now_ns);
/* FD is one that was found, or got. */
void handed_list_set(struct handed_list *list, int fd, const struct handed *handed);
/* It stands for nothing from now on. */
void handed_list_close(struct handed_list *list, int fd, uint64_t now_ns);
