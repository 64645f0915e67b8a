/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/profile.h"

#include <errno.h>
#include <stddef.h>

/* Each check answers NULL, or what is wrong. */

static const char *check_head(const struct profile *profile)
{
	const struct profile_head *head = &profile->head;
	const uint32_t texts[] = {
#define HEAD_TEXT(name) head->name,
		PROFILE_HEAD_TEXTS(HEAD_TEXT)
#undef HEAD_TEXT
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i] >= profile->strings.count)
			return "a string of the head";
	}
	if (head->window_end_ns < head->window_start_ns ||
		head->window_end_ns - head->window_start_ns > PROFILE_WINDOW_NS_MAX)
		return "the window's length";
	if (head->clocks.monotonic_ns < head->window_start_ns ||
		head->clocks.monotonic_ns - head->window_start_ns > head->clocks.realtime_ns ||
		head->clocks.realtime_ns > INT64_MAX)
		return "the clocks";
	for (uint32_t i = 0; i < profile->counter_count; i++) {
		if (profile->counters[i].name >= profile->strings.count)
			return "a counter's name";
	}
	for (uint32_t i = 0; i < profile->feature_count; i++) {
		const struct profile_feature *feature = &profile->features[i];

		if (feature->name >= profile->strings.count ||
			feature->reason >= profile->strings.count ||
			feature->remedy >= profile->strings.count)
			return "a text of a feature";
	}
	return NULL;
}

static const char *check_frames(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->modules.count; i++) {
		if (profile->modules.modules[i].name >= profile->strings.count)
			return "a module's name";
	}
	for (uint32_t i = 0; i < profile->frames.count; i++) {
		const struct frame *frame = &profile->frames.frames[i];

		if (frame->module >= profile->modules.count)
			return "a frame's module";
		if (frame->kind >= FRAME_KIND_COUNT)
			return "a frame's kind";
		if (frame->flags & ~FRAME_FLAGS_ALL)
			return "a frame's flags";
		if ((frame->flags & FRAME_NAMED) && frame->address >= profile->strings.count)
			return "a frame's name";
	}
	for (uint32_t i = 1; i < profile->stacks.count; i++) {
		const struct stack_node *node = &profile->stacks.nodes[i];

		if (node->parent >= i)
			return "a stack's parent";
		if (node->frame >= profile->frames.count)
			return "a stack's frame";
	}
	return NULL;
}

static const char *check_threads(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->labels.label_count; i++) {
		const struct label *label = &profile->labels.labels[i];

		if (label->key >= profile->strings.count || label->value >= profile->strings.count)
			return "a label";
	}
	for (uint32_t i = 0; i < profile->threads.count; i++) {
		const struct thread *thread = &profile->threads.threads[i];

		if (thread->name >= profile->strings.count)
			return "a thread's name";
		if (thread->labels >= profile->labels.count)
			return "a thread's labels";
	}
	return NULL;
}

static const char *check_samples(const struct profile *profile, const struct sample_table *table)
{
	uint32_t slot_count = profile_slot_count(profile);
	int64_t sum = 0;

	if (table->type >= profile->strings.count)
		return "a profile type's name";
	if (!table->sealed)
		return "an open sample table";
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct sample_row *row = &table->rows[i];

		if (row->stack >= profile->stacks.count)
			return "a row's stack";
		if (row->thread >= profile->threads.count)
			return "a row's thread";
		/* Slots carry the value: without any, a range could not find it. */
		if (table->has_slots && row->count == 0)
			return "a row without samples";
		if (__builtin_add_overflow(sum, row->value, &sum))
			return "a sum of values";
	}
	for (uint32_t i = 0; i < table->slot_count; i++) {
		if (table->slots[i] >= slot_count)
			return "a slot beyond its window";
	}
	return NULL;
}

int profile_check(const struct profile *profile, const char **ret_what)
{
	const char *what = check_head(profile);

	if (!what)
		what = check_frames(profile);
	if (!what)
		what = check_threads(profile);
	for (uint32_t i = 0; !what && i < profile->type_count; i++)
		what = check_samples(profile, &profile->types[i]);
	if (!what)
		return 0;
	*ret_what = what;
	return -EBADMSG;
}
