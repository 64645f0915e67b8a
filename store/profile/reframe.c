/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/reframe.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"

struct work {
	struct stack_table stacks;
	struct sample_table *types;
	uint32_t type_count;
};

static void work_done(struct work *work)
{
	for (uint32_t i = 0; i < work->type_count; i++)
		sample_table_done(&work->types[i]);
	free(work->types);
	stack_table_done(&work->stacks);
}

/* Parents come before their children, so that each is there when it is needed. */
static int move_stacks(struct work *work, const struct stack_table *stacks, const uint32_t *frames,
	uint32_t count, uint32_t *ret_moved)
{
	int r = stack_table_init(&work->stacks);

	ret_moved[STACK_EMPTY] = STACK_EMPTY;
	for (uint32_t i = 1; r == 0 && i < stacks->count; i++) {
		const struct stack_node *node = &stacks->nodes[i];

		must(node->frame < count);
		r = stack_table_add(
			&work->stacks, ret_moved[node->parent], frames[node->frame], &ret_moved[i]);
	}
	return r;
}

static int move_samples(struct work *work, const struct profile *profile, const uint32_t *moved)
{
	work->types = calloc(profile->type_count ? profile->type_count : 1, sizeof(*work->types));
	if (!work->types)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		int r = sample_table_restack(&profile->types[i], moved, &work->types[i]);

		if (r < 0)
			return r;
		work->type_count++;
	}
	return 0;
}

static void put_in_place(struct work *work, struct profile *profile)
{
	struct stack_table stacks = profile->stacks;

	profile->stacks = work->stacks;
	work->stacks = stacks;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		struct sample_table table = profile->types[i];

		profile->types[i] = work->types[i];
		work->types[i] = table;
	}
}

int profile_reframe(struct profile *profile, const uint32_t *frames, uint32_t count)
{
	SCOPED_FREE uint32_t *moved = malloc(profile->stacks.count * sizeof(*moved));
	struct work work = {.types = NULL};
	int r;

	if (!moved)
		return -ENOMEM;
	r = move_stacks(&work, &profile->stacks, frames, count, moved);
	if (r == 0)
		r = move_samples(&work, profile, moved);
	if (r == 0)
		put_in_place(&work, profile);
	work_done(&work);
	return r;
}
