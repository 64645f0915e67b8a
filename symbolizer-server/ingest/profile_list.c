/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/profile_list.h"

#include <errno.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "store/profile/sample_range.h"

void profile_list_done(struct profile_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		profile_free(list->profiles[i]);
	free(list->profiles);
	*list = (struct profile_list){.profiles = NULL};
}

/* A part may have a share of a value and none of its samples. */
static bool is_empty(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->type_count; i++) {
		if (profile->types[i].row_count > 0)
			return false;
	}
	return true;
}

/* Takes PROFILE in any case. */
static int keep(struct profile_list *list, struct profile *profile)
{
	const char *what;
	int r = 0;

	if (is_empty(profile)) {
		profile_free(profile);
		return 0;
	}
	/* A sum of values that does not fit is all that a reader can bring about. */
	if (profile_check(profile, &what) < 0)
		r = -EOVERFLOW;
	if (r == 0) {
		r = grow_array(
			&list->profiles, &list->capacity, list->count, PROFILE_LIST_COUNT_MAX);
	}
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	list->profiles[list->count++] = profile;
	return 0;
}

/* ---- Parts of a long window ---- */

/* Everything but samples, under the same indices: tables number what is new as it comes. */
static int copy_dictionary(struct profile *to, const struct profile *from)
{
	uint32_t index;
	int r = 0;

	for (uint32_t i = 1; r == 0 && i < from->strings.count; i++) {
		r = string_table_add(&to->strings, string_table_text(&from->strings, i),
			string_table_length(&from->strings, i), &index);
	}
	for (uint32_t i = 1; r == 0 && i < from->modules.count; i++)
		r = module_table_add(&to->modules, &from->modules.modules[i], &index);
	for (uint32_t i = 0; r == 0 && i < from->frames.count; i++)
		r = frame_table_add(&to->frames, &from->frames.frames[i], &index);
	for (uint32_t i = 1; r == 0 && i < from->stacks.count; i++) {
		const struct stack_node *node = &from->stacks.nodes[i];

		r = stack_table_add(&to->stacks, node->parent, node->frame, &index);
	}
	for (uint32_t i = 1; r == 0 && i < from->labels.count; i++) {
		const struct label_set *set = &from->labels.sets[i];

		r = label_table_add(&to->labels, &to->strings, from->labels.labels + set->first,
			set->count, &index);
	}
	for (uint32_t i = 0; r == 0 && i < from->threads.count; i++)
		r = thread_table_add(&to->threads, &from->threads.threads[i], &index);
	return r;
}

static int copy_table(struct profile *to, const struct profile *from,
	const struct sample_table *table, const struct sample_range *range)
{
	struct sample_table *part;
	int r = profile_add_type(
		to, string_table_text(&from->strings, table->type), table->period, false, &part);

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		struct sample_row row = table->rows[i];
		struct sample_part share = sample_range_part(range, table, &row);

		row.count = (uint32_t)share.count;
		row.value = share.value;
		if (share.count > 0 || share.value != 0)
			r = sample_table_add_row(part, &row, NULL);
	}
	return r;
}

static int cut(const struct profile *profile, uint64_t from_ns, uint64_t until_ns,
	struct profile **ret_part)
{
	struct sample_range range;
	struct profile *part;
	int r = profile_new(&part);

	if (r < 0)
		return r;
	part->head = profile->head;
	part->head.window_start_ns = from_ns;
	part->head.window_end_ns = until_ns;
	sample_range_init(&range, profile, from_ns, until_ns);
	r = copy_dictionary(part, profile);
	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++)
		r = copy_table(part, profile, &profile->types[i], &range);
	if (r == 0)
		r = profile_seal(part);
	if (r < 0) {
		profile_free(part);
		return r;
	}
	*ret_part = part;
	return 0;
}

/* The window's clock is that of the epoch: see ingest_batch_init. */
static int keep_parts(struct profile_list *list, const struct profile *profile)
{
	uint64_t until_ns = profile->head.window_end_ns;
	int r = 0;

	for (uint64_t at_ns = profile->head.window_start_ns; r == 0 && at_ns < until_ns;
		at_ns += PROFILE_WINDOW_NS_MAX) {
		uint64_t end_ns = until_ns - at_ns < PROFILE_WINDOW_NS_MAX
			? until_ns
			: at_ns + PROFILE_WINDOW_NS_MAX;
		struct profile *part;

		r = cut(profile, at_ns, end_ns, &part);
		if (r == 0)
			r = keep(list, part);
	}
	return r;
}

int profile_list_take(struct profile_list *list, struct ingest_batch *batch)
{
	struct profile *profile;
	int r = ingest_batch_take(batch, &profile);

	if (r < 0)
		return r;
	if (profile->head.window_end_ns - profile->head.window_start_ns <= PROFILE_WINDOW_NS_MAX)
		return keep(list, profile);
	r = keep_parts(list, profile);
	profile_free(profile);
	return r;
}

int ingest_batch_finish(struct ingest_batch *batch, int r, struct profile_list *list,
	struct ingest_drops *drops, struct ingest_fault *fault)
{
	if (r == 0)
		r = profile_list_take(list, batch);
	ingest_drops_add(drops, &batch->drops);
	ingest_batch_done(batch);
	if (r == -E2BIG && fault->text[0] == '\0') {
		return ingest_refuse(fault, r,
			"more distinct frames, stacks, labels or samples than one profile may "
			"hold");
	}
	if (r == -EOVERFLOW)
		return ingest_refuse(fault, -EBADMSG, "the sum of all values does not fit 63 bits");
	return r;
}
