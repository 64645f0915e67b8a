/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/label_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/base/must.h"
#include "store/profile/grow.h"
#include "symbolizer-server/query/row_label.h"

/* In numbers: the labels of the thread were not looked at yet; or they were, and the row decides. */
#define THREAD_UNSEEN (UINT32_MAX - 1)
#define THREAD_SEEN (UINT32_MAX - 2)

int label_groups_init(
	struct label_groups *groups, const struct label_names *names, uint32_t count_max)
{
	must(count_max <= LABEL_GROUPS_COUNT_MAX);
	*groups = (struct label_groups){.names = *names, .count_max = count_max};
	for (uint32_t i = 0; i < names->count; i++)
		groups->by_cpu |= row_label_scope(names->names[i]) == ROW_LABEL_CPU;
	index_map_init(&groups->map, LABEL_GROUPS_COUNT_MAX);
	return string_table_init(&groups->strings);
}

void label_groups_done(struct label_groups *groups)
{
	string_table_done(&groups->strings);
	index_map_done(&groups->map);
	free(groups->groups);
	free(groups->threads);
	free(groups->numbers);
	*groups = (struct label_groups){0};
}

int label_groups_open(struct label_groups *groups, const struct profile *profile)
{
	uint32_t count = profile->threads.count;

	groups->profile = profile;
	if (count > groups->thread_capacity) {
		free(groups->threads);
		free(groups->numbers);
		groups->thread_capacity = 0;
		groups->threads = malloc(count * sizeof(*groups->threads));
		groups->numbers = malloc(count * sizeof(*groups->numbers));
		if (!groups->threads || !groups->numbers)
			return -ENOMEM;
		groups->thread_capacity = count;
	}
	for (uint32_t i = 0; i < count; i++)
		groups->numbers[i] = THREAD_UNSEEN;
	return 0;
}

static bool group_equal(const void *context, uint32_t index, const void *key)
{
	return memcmp((const struct label_group *)context + index, key,
		       sizeof(struct label_group)) == 0;
}

static int find_or_add(
	struct label_groups *groups, const struct label_group *group, uint32_t *ret_group)
{
	uint64_t hash = hash_key(group, sizeof(*group));
	uint32_t index = index_map_find(&groups->map, hash, group_equal, groups->groups, group);
	int r;

	if (index == INDEX_MAP_NONE && groups->count >= groups->count_max)
		index = LABEL_GROUPS_REST;
	if (index != INDEX_MAP_NONE || groups->count >= groups->count_max) {
		*ret_group = index;
		return 0;
	}
	r = grow_array(&groups->groups, &groups->capacity, groups->count, LABEL_GROUPS_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&groups->map, hash, groups->count);
	if (r < 0)
		return r;
	groups->groups[groups->count] = *group;
	*ret_group = groups->count++;
	return 0;
}

static int add_text(struct label_groups *groups, struct row_label_value value, uint32_t *ret_string)
{
	return string_table_add(&groups->strings, value.text, value.length, ret_string);
}

static int read_thread(struct label_groups *groups, uint32_t thread)
{
	struct label_group *group = &groups->threads[thread];
	char number[ROW_LABEL_NUMBER_BYTES];
	int r = 0;

	*group = (struct label_group){0};
	for (uint32_t i = 0; r == 0 && i < groups->names.count; i++) {
		const char *name = groups->names.names[i];

		if (row_label_scope(name) == ROW_LABEL_THREAD) {
			r = add_text(groups,
				row_label_of_thread(groups->profile, thread, name, number),
				&group->texts[i]);
		}
	}
	if (r == 0 && groups->by_cpu)
		groups->numbers[thread] = THREAD_SEEN;
	else if (r == 0)
		r = find_or_add(groups, group, &groups->numbers[thread]);
	return r;
}

int label_groups_find(
	struct label_groups *groups, const struct sample_row *row, uint32_t *ret_group)
{
	char number[ROW_LABEL_NUMBER_BYTES];
	struct label_group group;
	int r = 0;

	if (groups->numbers[row->thread] == THREAD_UNSEEN)
		r = read_thread(groups, row->thread);
	if (r < 0)
		return r;
	if (groups->numbers[row->thread] != THREAD_SEEN) {
		*ret_group = groups->numbers[row->thread];
		return 0;
	}
	group = groups->threads[row->thread];
	for (uint32_t i = 0; r == 0 && i < groups->names.count; i++) {
		if (row_label_scope(groups->names.names[i]) == ROW_LABEL_CPU)
			r = add_text(groups, row_label_of_cpu(row->cpu, number), &group.texts[i]);
	}
	return r < 0 ? r : find_or_add(groups, &group, ret_group);
}

const char *label_groups_text(
	const struct label_groups *groups, uint32_t group, uint32_t number, size_t *ret_length)
{
	uint32_t string = groups->groups[group].texts[number];

	*ret_length = string_table_length(&groups->strings, string);
	return string_table_text(&groups->strings, string);
}
