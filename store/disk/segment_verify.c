/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows are what is believed: sums over an hour are added up from them once more and compared,
 * sums over more hours are compared with those of the hours, totals by the hour with buckets.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/base/fault.h"
#include "store/disk/segment_tally.h"

#define PROBLEM_BYTES 512
#define NO_SECTION UINT32_MAX

struct verification {
	const struct segment_reader *reader;
	segment_problem_fn problem;
	void *context;
	uint64_t problem_count;
	struct segment_group *group;
	uint64_t sample_count; /* found in rows of the group */
};

__attribute__((format(printf, 2, 3))) static void tell(
	struct verification *verification, const char *format, ...)
{
	char text[PROBLEM_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	verification->problem_count++;
	verification->problem(verification->context, text);
}

/* Tells of R if it is a problem of the file; what is left is one of this process, or 0. */
static int tell_error(
	struct verification *verification, int r, const char *what, unsigned long long number)
{
	if (r == 0 || segment_error_is_ours(r))
		return r;
	tell(verification, "%s %llu: %s", what, number, fault_text(r));
	return 0;
}

static int ignore_window(void *context, const struct segment_window *window)
{
	uint64_t *sample_count = context;

	*sample_count += window->sample_count;
	return 0;
}

static int ignore_lives(
	void *context, const struct segment_window *window, const struct life_table *lives)
{
	(void)context;
	(void)window;
	(void)lives;
	return 0;
}

static int verify_windows(struct verification *verification)
{
	const struct segment_range all = {0, UINT64_MAX};
	const struct segment_reader *reader = verification->reader;
	uint64_t damaged = 0, lives_damaged = 0, sample_count = 0;
	struct batch_seen seen;
	int r;

	batch_seen_init(&seen);
	r = tell_error(verification, segment_reader_keys(reader, &seen), "batch keys of file",
		reader->summary.number);
	batch_seen_done(&seen);
	if (r == 0)
		r = segment_reader_windows(
			reader, all, NULL, ignore_window, &sample_count, &damaged);
	if (r == 0)
		r = segment_reader_lives(reader, all, NULL, ignore_lives, NULL, &lives_damaged);
	if (r < 0)
		return r;
	if (damaged > 0 || lives_damaged > 0) {
		tell(verification, "hours whose windows or lives are damaged: %llu",
			(unsigned long long)(damaged > lives_damaged ? damaged : lives_damaged));
	} else if (sample_count != reader->summary.sample_count) {
		tell(verification, "samples of windows: %llu, of the file: %llu",
			(unsigned long long)sample_count,
			(unsigned long long)reader->summary.sample_count);
	}
	return 0;
}

static bool sums_equal(const struct segment_sums *one, const struct segment_sums *other)
{
	for (uint32_t i = 0; i < one->type_count; i++) {
		const struct segment_sum_list *left = &one->types[i], *right = &other->types[i];

		if (left->count != right->count)
			return false;
		for (uint32_t j = 0; j < left->count; j++) {
			const struct segment_sum *a = &left->sums[j], *b = &right->sums[j];

			if (a->first != b->first || a->second != b->second ||
				a->count != b->count || a->value != b->value)
				return false;
		}
	}
	return true;
}

/* The section of KIND over COUNT hours from HOUR on, or NO_SECTION. */
static uint32_t find_section(
	const struct segment_head *head, uint8_t kind, uint64_t hour, uint32_t count)
{
	for (uint32_t i = 0; i < head->section_count; i++) {
		const struct segment_section *section = &head->sections[i];

		if (section->kind == kind && section->hour == hour && section->hour_count == count)
			return i;
	}
	return NO_SECTION;
}

/* Holds the section at PLACE, which may be missing, against what it should be. */
static int compare_sums(struct verification *verification, uint32_t place,
	const struct segment_sums *expected, const char *what, uint64_t hour)
{
	struct segment_sums sums = {0};
	int r = place == NO_SECTION ? segment_sums_init(&sums, expected->type_count)
				    : segment_group_sums(verification->group, place, &sums);

	if (r < 0)
		return tell_error(verification, r, what, hour);
	if (!sums_equal(&sums, expected))
		tell(verification, "%s %llu: not those of the rows", what,
			(unsigned long long)hour);
	segment_sums_done(&sums);
	return 0;
}

static int end_hour(struct verification *verification, struct segment_tally *tally)
{
	const struct segment_head *head = &verification->group->head;
	int r;

	segment_sums_seal(&tally->sums);
	segment_sums_seal(&tally->series);
	r = compare_sums(verification, find_section(head, SEGMENT_SECTION_SUMS, tally->hour, 1),
		&tally->sums, "sums of hour", tally->hour);
	if (r == 0) {
		r = compare_sums(verification,
			find_section(head, SEGMENT_SECTION_SERIES, tally->hour, 1), &tally->series,
			"totals of hour", tally->hour);
	}
	segment_tally_done(tally);
	return r;
}

static int make_spans(const struct segment_windows *windows, struct segment_hour_spans *spans)
{
	spans->count = windows->count;
	spans->spans = calloc(windows->count + 1, sizeof(*spans->spans));
	if (!spans->spans)
		return -ENOMEM;
	for (uint32_t i = 0; i < windows->count; i++)
		spans->spans[i] = (struct segment_span){.start_ns = windows->windows[i].start_ns,
			.slot_count = segment_window_slot_count(&windows->windows[i])};
	return 0;
}

static bool slots_fit(const struct segment_chunk *chunk, const struct segment_hour_spans *spans)
{
	for (uint32_t i = 0; i < chunk->table_count; i++) {
		const struct segment_table *table = &chunk->tables[i];

		for (uint32_t j = 0; table->slots && j < table->row_count; j++) {
			const struct segment_row *row = &table->rows[j];

			if (table->slots[row->slot_first + row->count - 1] >=
				spans->spans[row->window].slot_count)
				return false;
		}
	}
	return true;
}

/* Where a chunk ends, and a group begins and ends, says which ranges they are read for. */
static bool lies_as_told(const struct segment_chunk *chunk, const struct segment_hour_spans *spans,
	const struct segment_section *section, const struct segment_range *times)
{
	uint64_t from_ns = UINT64_MAX, until_ns = 0;

	for (uint32_t i = 0; i < chunk->table_count; i++) {
		for (uint32_t j = 0; j < chunk->tables[i].row_count; j++) {
			const struct segment_span *span =
				&spans->spans[chunk->tables[i].rows[j].window];
			uint64_t end_ns = span->start_ns + span->slot_count * PROFILE_SLOT_NS;

			until_ns = end_ns > until_ns ? end_ns : until_ns;
			from_ns = span->start_ns < from_ns ? span->start_ns : from_ns;
		}
	}
	return until_ns <= section->until_ns && until_ns <= times->until_ns &&
		from_ns >= times->from_ns;
}

static void count_samples(struct verification *verification, const struct segment_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->table_count; i++) {
		for (uint32_t j = 0; j < chunk->tables[i].row_count; j++)
			verification->sample_count += chunk->tables[i].rows[j].count;
	}
}

static int add_chunk(struct verification *verification, uint32_t place, struct segment_tally *now,
	struct segment_tally *next)
{
	const struct segment_group *group = verification->group;
	uint64_t hour = group->head.sections[place].hour;
	struct segment_hour_spans spans = {.hour = hour};
	struct segment_windows windows = {0};
	struct segment_chunk chunk = {0};
	int r = segment_reader_hour(verification->reader, hour, &windows);

	if (r == 0)
		r = make_spans(&windows, &spans);
	if (r == 0)
		r = segment_group_chunk(group, place, windows.count, true, &chunk);
	if (r == 0 &&
		(!slots_fit(&chunk, &spans) ||
			!lies_as_told(&chunk, &spans, &group->head.sections[place], &group->times)))
		r = -EBADMSG;
	if (r == 0)
		r = segment_tally_chunk(&group->head, &chunk, &spans, now, next);
	if (r == 0)
		count_samples(verification, &chunk);
	segment_chunk_done(&chunk);
	segment_windows_done(&windows);
	free(spans.spans);
	return tell_error(verification, r, "rows of hour", hour);
}

/* The hour from HOUR on that has rows of its own, or reaches over from the one before. */
static uint64_t next_hour(const struct segment_head *head, uint64_t hour)
{
	uint64_t found = UINT64_MAX;

	for (uint32_t i = 0; i < head->section_count; i++) {
		const struct segment_section *section = &head->sections[i];

		if (section->hour >= hour && section->hour < found && section->hour_count == 1)
			found = section->hour;
	}
	return found;
}

static int verify_hours(struct verification *verification)
{
	const struct segment_head *head = &verification->group->head;
	struct segment_tally now = {0}, next = {0};
	uint64_t hour = next_hour(head, 0);
	int r = hour == UINT64_MAX ? 0 : segment_tally_init(&now, hour, head->type_count);

	while (r == 0 && hour != UINT64_MAX) {
		r = segment_tally_init(&next, hour + 1, head->type_count);
		for (uint32_t i = 0; r == 0 && i < head->section_count; i++) {
			if (head->sections[i].kind == SEGMENT_SECTION_ROWS &&
				head->sections[i].hour == hour)
				r = add_chunk(verification, i, &now, &next);
		}
		if (r == 0)
			r = end_hour(verification, &now);
		hour = next_hour(head, hour + 1);
		segment_tally_done(&now);
		now = next;
		next = (struct segment_tally){0};
		if (r == 0 && hour != UINT64_MAX && now.hour != hour) {
			r = end_hour(verification, &now);
			if (r == 0)
				r = segment_tally_init(&now, hour, head->type_count);
		}
	}
	if (r == 0 && now.sums.types)
		r = end_hour(verification, &now);
	segment_tally_done(&now);
	segment_tally_done(&next);
	return r;
}

static int add_sums(struct verification *verification, uint32_t place, struct segment_sums *to)
{
	struct segment_sums sums;
	int r = segment_group_sums(verification->group, place, &sums);

	if (r < 0)
		return r;
	r = segment_sums_add_all(to, &sums);
	segment_sums_done(&sums);
	return r;
}

/* Sums over several hours are those of the hours in them. */
static int verify_tier(struct verification *verification, uint32_t place)
{
	const struct segment_head *head = &verification->group->head;
	const struct segment_section *tier = &head->sections[place];
	struct segment_sums expected;
	int r = segment_sums_init(&expected, head->type_count);

	for (uint32_t i = 0; r == 0 && i < head->section_count; i++) {
		const struct segment_section *section = &head->sections[i];

		if (section->kind == SEGMENT_SECTION_SUMS && section->hour_count == 1 &&
			section->hour >= tier->hour &&
			section->hour - tier->hour < tier->hour_count)
			r = add_sums(verification, i, &expected);
	}
	segment_sums_seal(&expected);
	if (r == 0)
		r = compare_sums(verification, place, &expected, "sums of hours from", tier->hour);
	segment_sums_done(&expected);
	/* A damaged hour has been told of. */
	return segment_error_is_ours(r) ? r : 0;
}

static int add_totals(struct verification *verification, uint32_t place, uint64_t first_hour,
	struct segment_sums *to)
{
	uint64_t hour = verification->group->head.sections[place].hour;
	struct segment_sums sums;
	int r = segment_group_sums(verification->group, place, &sums);

	if (r < 0)
		return r;
	for (uint32_t i = 0; r == 0 && i < sums.type_count; i++) {
		for (uint32_t j = 0; r == 0 && j < sums.types[i].count; j++) {
			struct segment_sum sum = sums.types[i].sums[j];

			sum.second = (uint32_t)(hour - first_hour);
			r = segment_sums_add(to, i, &sum);
		}
	}
	segment_sums_done(&sums);
	return r;
}

static int verify_totals(struct verification *verification, uint32_t place)
{
	const struct segment_head *head = &verification->group->head;
	struct segment_sums expected;
	int r = segment_sums_init(&expected, head->type_count);

	for (uint32_t i = 0; r == 0 && i < head->section_count; i++) {
		if (head->sections[i].kind == SEGMENT_SECTION_SERIES)
			r = add_totals(verification, i, head->sections[place].hour, &expected);
	}
	segment_sums_seal(&expected);
	if (r == 0)
		r = compare_sums(verification, place, &expected, "totals of hours from",
			head->sections[place].hour);
	segment_sums_done(&expected);
	return segment_error_is_ours(r) ? r : 0;
}

static int verify_sections(struct verification *verification)
{
	const struct segment_head *head = &verification->group->head;
	int r = verify_hours(verification);

	for (uint32_t i = 0; r == 0 && i < head->section_count; i++) {
		if (head->sections[i].kind == SEGMENT_SECTION_SUMS &&
			head->sections[i].hour_count > 1)
			r = verify_tier(verification, i);
		else if (head->sections[i].kind == SEGMENT_SECTION_SERIES_HOURS)
			r = verify_totals(verification, i);
	}
	return r;
}

static int verify_group(struct verification *verification, uint32_t index)
{
	const struct segment_reader *reader = verification->reader;
	uint64_t before = verification->problem_count;
	int r = segment_group_open(reader, index, SEGMENT_STACKS, &verification->group);

	if (r < 0)
		return tell_error(verification, r, "dictionary of group", index);
	verification->sample_count = 0;
	r = verify_sections(verification);
	segment_group_close(verification->group);
	if (r == 0 && verification->problem_count == before &&
		verification->sample_count != reader->index.groups[index].sample_count) {
		tell(verification, "group %u: %llu samples in rows, %llu by the index", index,
			(unsigned long long)verification->sample_count,
			(unsigned long long)reader->index.groups[index].sample_count);
	}
	return r;
}

int segment_reader_verify(const struct segment_reader *reader, segment_problem_fn problem,
	void *context, uint64_t *ret_problem_count)
{
	struct verification verification = {
		.reader = reader, .problem = problem, .context = context};
	int r = verify_windows(&verification);

	for (uint32_t i = 0; r == 0 && i < reader->index.group_count; i++)
		r = verify_group(&verification, i);
	if (r == 0)
		*ret_problem_count = verification.problem_count;
	return r;
}
