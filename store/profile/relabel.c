/* SPDX-License-Identifier: Apache-2.0 */
#include "store/profile/relabel.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"

struct work {
	struct thread_table threads;
	struct sample_table *types;
	uint32_t type_count;
};

static void work_done(struct work *work)
{
	for (uint32_t i = 0; i < work->type_count; i++)
		sample_table_done(&work->types[i]);
	free(work->types);
	thread_table_done(&work->threads);
}

static int move_threads(
	struct work *work, const struct profile *profile, const uint32_t *sets, uint32_t *ret_moved)
{
	int r = thread_table_init(&work->threads);

	for (uint32_t i = 0; r == 0 && i < profile->threads.count; i++) {
		struct thread thread = profile->threads.threads[i];

		thread.labels = sets[thread.labels];
		r = thread_table_add(&work->threads, &thread, &ret_moved[i]);
	}
	return r;
}

static int move_rows(
	const struct sample_table *table, const uint32_t *moved, struct sample_table *fresh)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		struct sample_row row = table->rows[i];

		row.thread = moved[row.thread];
		r = sample_table_add_row(fresh, &row,
			table->has_slots ? sample_table_slots(table, &table->rows[i]) : NULL);
	}
	return r == 0 ? sample_table_seal(fresh) : r;
}

static int move_samples(struct work *work, const struct profile *profile, const uint32_t *moved)
{
	work->types = calloc(profile->type_count ? profile->type_count : 1, sizeof(*work->types));
	if (!work->types)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];
		struct sample_table *fresh = &work->types[i];
		int r = sample_table_init(fresh, table->type, table->period, table->has_slots);

		must(table->sealed);
		work->type_count++;
		if (r == 0)
			r = move_rows(table, moved, fresh);
		if (r < 0)
			return r;
	}
	return 0;
}

static void put_in_place(struct work *work, struct profile *profile, struct label_table *labels)
{
	struct thread_table threads = profile->threads;
	struct label_table before = profile->labels;

	profile->threads = work->threads;
	work->threads = threads;
	profile->labels = *labels;
	*labels = before;
	label_table_done(labels);
	for (uint32_t i = 0; i < profile->type_count; i++) {
		struct sample_table table = profile->types[i];

		profile->types[i] = work->types[i];
		work->types[i] = table;
	}
}

int profile_relabel(struct profile *profile, struct label_table *labels, const uint32_t *sets)
{
	SCOPED_FREE uint32_t *moved = malloc(((size_t)profile->threads.count + 1) * sizeof(*moved));
	struct work work = {.types = NULL};
	int r = moved ? 0 : -ENOMEM;

	if (r < 0)
		return r;
	r = move_threads(&work, profile, sets, moved);
	if (r == 0)
		r = move_samples(&work, profile, moved);
	if (r == 0)
		put_in_place(&work, profile, labels);
	work_done(&work);
	return r;
}
