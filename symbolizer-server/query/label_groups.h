/* SPDX-License-Identifier: Apache-2.0 */
/* Label groups: the values that rows have for a few labels, each combination a number.
 *
 * What it is   `host,thread` makes a group of each host and thread name that occurs. What depends on
 *              the thread alone is looked up once a thread of a profile, and only for threads of
 *              which a row is asked for. Groups beyond a number are one: the rest.
 * Ownership    owns groups and texts; borrows the names until label_groups_done, a profile from
 *              label_groups_open to the next one.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many distinct texts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/profile.h"

/* More make groups that nobody can overlook. */
#define LABEL_GROUPS_NAME_COUNT_MAX 4
#define LABEL_GROUPS_COUNT_MAX (1u << 20)
#define LABEL_GROUPS_REST UINT32_MAX

struct label_names {
	const char *names[LABEL_GROUPS_NAME_COUNT_MAX];
	uint32_t count; /* 0: all rows are one group */
};

struct label_group {
	uint32_t texts[LABEL_GROUPS_NAME_COUNT_MAX]; /* string indices */
};

struct label_groups {
	struct label_names names;
	bool by_cpu; /* some name is of the row, not of its thread */
	uint32_t count_max;
	struct string_table strings;
	struct label_group *groups;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	const struct profile *profile;
	struct label_group *threads; /* of the profile; texts of the row's own labels are 0 */
	uint32_t
		*numbers; /* of each thread: its group if that needs no row, or what is not known */
	uint32_t thread_capacity;
};

/* COUNT_MAX: at most LABEL_GROUPS_COUNT_MAX. */
int label_groups_init(
	struct label_groups *groups, const struct label_names *names, uint32_t count_max);
void label_groups_done(struct label_groups *groups);
/* Turns to PROFILE, which must have passed profile_check. */
int label_groups_open(struct label_groups *groups, const struct profile *profile);
/* The group of a row of that profile, or LABEL_GROUPS_REST. */
int label_groups_find(
	struct label_groups *groups, const struct sample_row *row, uint32_t *ret_group);
/* The value of label NUMBER of a group: any bytes. */
const char *label_groups_text(
	const struct label_groups *groups, uint32_t group, uint32_t number, size_t *ret_length);
