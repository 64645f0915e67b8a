/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_piece.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"

static int choose_types(struct segment_visit *visit)
{
	const struct segment_head *head = &visit->group->head;
	const struct string_table *strings = &visit->group->tables->strings;

	visit->types = calloc(head->type_count + 1, sizeof(*visit->types));
	if (!visit->types)
		return -ENOMEM;
	for (uint32_t i = 0; i < head->type_count; i++) {
		const char *name = string_table_text(strings, head->types[i].name);

		visit->types[i] = !visit->request->type || strcmp(name, visit->request->type) == 0;
	}
	return 0;
}

static int choose_sets(struct segment_visit *visit)
{
	const struct profile *tables = visit->group->tables;
	const char *host = visit->request->host;

	if (!host)
		return 0;
	visit->sets = calloc(tables->labels.count, sizeof(*visit->sets));
	if (!visit->sets)
		return -ENOMEM;
	for (uint32_t i = 0; i < tables->labels.count; i++) {
		const char *value = label_table_value(&tables->labels, &tables->strings, i, "host");

		visit->sets[i] = strcmp(value ? value : "", host) == 0;
	}
	return 0;
}

int segment_visit_init(struct segment_visit *visit, const struct segment_group *group,
	const struct segment_request *request, segment_piece_fn piece, void *context)
{
	uint32_t set_count = group->tables->labels.count;
	int r;

	*visit = (struct segment_visit){
		.group = group, .request = request, .piece = piece, .context = context};
	r = choose_types(visit);
	if (r == 0)
		r = choose_sets(visit);
	visit->series = calloc(set_count, sizeof(*visit->series));
	for (uint32_t i = 0; visit->series && i < set_count; i++)
		visit->series[i].labels = i;
	if (r == 0 && !visit->series)
		r = -ENOMEM;
	if (r == 0 && !request->hours)
		r = segment_hours_new(&visit->own_hours);
	visit->hours = request->hours ? request->hours : visit->own_hours;
	if (r < 0)
		segment_visit_done(visit);
	return r;
}

void segment_visit_done(struct segment_visit *visit)
{
	free(visit->types);
	free(visit->sets);
	free(visit->series);
	segment_hours_free(visit->own_hours);
	visit->own_hours = NULL;
	visit->types = visit->sets = NULL;
	visit->series = NULL;
}

int segment_piece_init(struct segment_piece *piece, struct segment_visit *visit)
{
	uint32_t type_count = visit->group->head.type_count;

	*piece = (struct segment_piece){.visit = visit};
	piece->types = calloc(type_count + 1, sizeof(*piece->types));
	return piece->types ? 0 : -ENOMEM;
}

void segment_piece_done(struct segment_piece *piece)
{
	for (uint32_t i = 0; piece->types && i < piece->visit->group->head.type_count; i++)
		free(piece->types[i].rows);
	free(piece->types);
	*piece = (struct segment_piece){0};
}

int segment_piece_add(
	struct segment_piece *piece, uint32_t type, const struct sample_row *row, uint64_t count)
{
	struct sample_table *table = &piece->types[type];
	struct sample_row added = *row;

	while (count > 0 || added.value != 0) {
		int r = grow_array(
			&table->rows, &table->row_capacity, table->row_count, SAMPLE_ROW_COUNT_MAX);

		if (r < 0)
			return r;
		added.count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
		table->rows[table->row_count++] = added;
		count -= added.count;
		added.value = 0;
	}
	return 0;
}

uint64_t segment_slot_at(uint64_t time_ns)
{
	uint64_t slot = time_ns / PROFILE_SLOT_NS;

	/* A time behind the last slot of 64 bits is behind all windows. */
	if (slot * PROFILE_SLOT_NS == time_ns || time_ns > UINT64_MAX - PROFILE_SLOT_NS)
		return time_ns;
	return (slot + 1) * PROFILE_SLOT_NS;
}

void segment_set_window(struct profile *profile, uint64_t start_ns, uint64_t until_ns)
{
	struct profile_head *head = &profile->head;

	head->window_start_ns = start_ns;
	head->window_end_ns = until_ns;
	head->clocks.monotonic_ns = until_ns;
	head->clocks.boottime_ns = until_ns;
	head->clocks.realtime_ns = until_ns;
}

struct segment_range segment_visit_times(
	const struct segment_visit *visit, uint64_t from_ns, uint64_t until_ns)
{
	const struct segment_range *times = &visit->group->times;

	return (struct segment_range){from_ns > times->from_ns ? from_ns : times->from_ns,
		until_ns < times->until_ns ? until_ns : times->until_ns};
}

uint64_t segment_step_end(const struct segment_request *request, uint64_t time_ns)
{
	uint64_t step = request->step_ns, origin = request->step_origin_ns, into;

	if (step == 0)
		return UINT64_MAX;
	into = time_ns >= origin ? (time_ns - origin) % step
				 : (step - (origin - time_ns) % step) % step;
	return step - into > UINT64_MAX - time_ns ? UINT64_MAX : time_ns + (step - into);
}

/* The next type from *TYPE on that has rows goes to TABLES. */
static uint32_t take_tables(struct segment_piece *piece, uint32_t *type, struct profile *profile)
{
	const struct segment_head *head = &piece->visit->group->head;

	profile->type_count = 0;
	for (; *type < head->type_count && profile->type_count < PROFILE_TYPE_COUNT_MAX;
		(*type)++) {
		struct sample_table *table = &piece->types[*type];

		if (table->row_count == 0)
			continue;
		profile->types[profile->type_count] = *table;
		profile->types[profile->type_count].type = head->types[*type].name;
		profile->types[profile->type_count].period = head->types[*type].period;
		profile->types[profile->type_count++].sealed = true;
		table->row_count = 0;
	}
	return profile->type_count;
}

/* 1 if there were any. */
static uint64_t drop_rows(struct segment_piece *piece)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < piece->visit->group->head.type_count; i++) {
		any |= piece->types[i].row_count > 0;
		piece->types[i].row_count = 0;
	}
	return any;
}

void segment_piece_emit(struct segment_piece *piece, const struct thread *threads,
	uint32_t thread_count, uint64_t from_ns, uint64_t until_ns)
{
	struct segment_visit *visit = piece->visit;
	struct profile profile = *visit->group->tables;
	uint64_t start_ns = segment_slot_at(from_ns);
	uint32_t type = 0;

	/* Rows outside the times that their group is said to have: the index lies. */
	if (start_ns >= until_ns)
		visit->visited.damaged += drop_rows(piece);
	profile.head = (struct profile_head){0};
	segment_set_window(&profile, start_ns, until_ns);
	profile.threads = (struct thread_table){
		.threads = (struct thread *)(uintptr_t)threads, .count = thread_count};
	while (take_tables(piece, &type, &profile) > 0 && visit->answer == 0) {
		visit->visited.piece_count++;
		visit->answer = visit->piece(visit->context, &profile);
	}
}
