/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_group.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/disk/block_dictionary.h"

/* Groups opened so far: each has a number of its own. */
static _Atomic uint64_t dictionary_count;

static int read_head(struct segment_group *group, uint32_t index)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	int r = segment_file_read(&group->reader->file, &group->reader->index.groups[index].head,
		&bytes, &byte_count);

	if (r < 0)
		return r;
	bytes_reader_init(&at, bytes, byte_count);
	group->byte_count += 2 * byte_count;
	return segment_head_read(&at, &group->head);
}

/* Texts of the dictionary go behind those of the labels: pieces have one table of them. */
static int join_texts(struct segment_group *group, const struct string_table *texts)
{
	if (texts->count != group->head.text_count)
		return -EBADMSG;
	group->texts = calloc(texts->count, sizeof(*group->texts));
	if (!group->texts)
		return -ENOMEM;
	for (uint32_t i = 0; i < texts->count; i++) {
		int r = string_table_add(&group->tables->strings, string_table_text(texts, i),
			string_table_length(texts, i), &group->texts[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int check_names(const struct profile *stacks)
{
	for (uint32_t i = 0; i < stacks->modules.count; i++) {
		if (stacks->modules.modules[i].name >= stacks->strings.count)
			return -EBADMSG;
	}
	for (uint32_t i = 0; i < stacks->frames.count; i++) {
		const struct frame *frame = &stacks->frames.frames[i];

		if (frame->kind >= FRAME_KIND_COUNT || (frame->flags & ~FRAME_FLAGS_ALL) ||
			((frame->flags & FRAME_NAMED) && frame->address >= stacks->strings.count))
			return -EBADMSG;
	}
	return 0;
}

/* The tables of STACKS become those of the group. */
static int join_stacks(struct segment_group *group, struct profile *stacks)
{
	struct profile *tables = group->tables;
	int r = check_names(stacks);

	if (r == 0 && stacks->stacks.count != group->head.stack_count)
		r = -EBADMSG;
	if (r == 0)
		r = join_texts(group, &stacks->strings);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < stacks->modules.count; i++)
		stacks->modules.modules[i].name = group->texts[stacks->modules.modules[i].name];
	for (uint32_t i = 0; i < stacks->frames.count; i++) {
		struct frame *frame = &stacks->frames.frames[i];

		if (frame->flags & FRAME_NAMED)
			frame->address = group->texts[frame->address];
	}
	module_table_done(&tables->modules);
	frame_table_done(&tables->frames);
	stack_table_done(&tables->stacks);
	tables->modules = stacks->modules;
	tables->frames = stacks->frames;
	tables->stacks = stacks->stacks;
	stacks->modules = (struct module_table){0};
	stacks->frames = (struct frame_table){0};
	stacks->stacks = (struct stack_table){0};
	group->byte_count += tables->stacks.count * sizeof(*tables->stacks.nodes) +
		tables->frames.count * sizeof(*tables->frames.frames) +
		tables->modules.count * sizeof(*tables->modules.modules) +
		(size_t)tables->strings.count * 64 + tables->strings.texts.byte_count;
	return 0;
}

static int read_stacks(struct bytes_reader *at, struct profile *stacks)
{
	int r = block_strings_read(at, &stacks->strings);

	if (r == 0)
		r = block_modules_read(at, &stacks->modules);
	if (r == 0)
		r = block_frames_read(at, stacks);
	if (r == 0)
		r = block_stacks_read(at, stacks);
	if (r == 0 && bytes_left(at) > 0)
		r = -EBADMSG;
	return r;
}

static const struct segment_section *find_dictionary(const struct segment_head *head)
{
	for (uint32_t i = 0; i < head->section_count; i++) {
		if (head->sections[i].kind == SEGMENT_SECTION_DICTIONARY)
			return &head->sections[i];
	}
	return NULL;
}

static int read_dictionary(struct segment_group *group)
{
	const struct segment_section *section = find_dictionary(&group->head);
	SCOPED_FREE uint8_t *bytes = NULL;
	struct profile *stacks = NULL;
	struct bytes_reader at;
	size_t byte_count = 0;
	int r = section
		? segment_file_read(&group->reader->file, &section->ref, &bytes, &byte_count)
		: -EBADMSG;

	if (r == 0)
		r = profile_new(&stacks);
	if (r < 0)
		return r;
	must(stacks);
	bytes_reader_init(&at, bytes, byte_count);
	r = read_stacks(&at, stacks);
	if (r == 0)
		r = join_stacks(group, stacks);
	profile_free(stacks);
	return r;
}

/* Each set's labels and each type's name have been checked by segment_head_read. */
static int open_tables(struct segment_group *group, uint32_t index)
{
	int r = read_head(group, index);

	if (r < 0)
		return r;
	group->tables = group->head.labels;
	if (group->depth == SEGMENT_STACKS)
		r = read_dictionary(group);
	return r;
}

int segment_group_open(const struct segment_reader *reader, uint32_t index,
	enum segment_depth depth, struct segment_group **ret_group)
{
	struct segment_group *group = calloc(1, sizeof(*group));
	int r;

	must(index < reader->index.group_count);
	if (!group)
		return -ENOMEM;
	group->reader = reader;
	group->depth = depth;
	group->byte_count = sizeof(*group) + sizeof(struct profile);
	r = segment_head_init(&group->head);
	if (r == 0)
		r = open_tables(group, index);
	if (r < 0) {
		segment_group_close(group);
		/* Limits of tables are limits of the format. */
		return r == -E2BIG ? -EBADMSG : r;
	}
	group->times = (struct segment_range){
		reader->index.groups[index].from_ns, reader->index.groups[index].until_ns};
	/* Zero is of those who share nothing. */
	group->tables->dictionary = atomic_fetch_add(&dictionary_count, 1) + 1;
	*ret_group = group;
	return 0;
}

void segment_group_close(struct segment_group *group)
{
	if (!group)
		return;
	segment_head_done(&group->head);
	free(group->texts);
	free(group);
}

size_t segment_group_bytes(const struct segment_group *group)
{
	return group->byte_count;
}

int segment_group_series(const struct segment_group *group, segment_series_fn visit, void *context)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < group->head.series_count; i++) {
		const struct segment_series_entry *entry = &group->head.series[i];
		struct segment_series series = {.profile = group->tables,
			.type = entry->type,
			.labels = entry->labels,
			.from_ns = entry->from_ns,
			.until_ns = entry->until_ns,
			.sample_count = entry->sample_count};

		r = visit(context, &series);
	}
	return r;
}

struct segment_bounds segment_group_bounds(const struct segment_group *group, uint32_t window_count)
{
	return (struct segment_bounds){
		.types = group->head.types,
		.type_count = group->head.type_count,
		.stack_count = group->head.stack_count,
		.text_count = group->head.text_count,
		.set_count = group->head.labels->labels.count,
		.window_count = window_count,
	};
}

/* The section of slots that belongs to the rows at PLACE, if they have any. */
static const struct segment_section *slots_of(const struct segment_head *head, uint32_t place)
{
	const struct segment_section *next = &head->sections[place + 1];

	return place + 1 < head->section_count && next->kind == SEGMENT_SECTION_SLOTS ? next : NULL;
}

int segment_group_chunk(const struct segment_group *group, uint32_t place, uint32_t window_count,
	bool slots, struct segment_chunk *ret_chunk)
{
	const struct segment_section *section = &group->head.sections[place];
	const struct segment_section *of_slots = slots ? slots_of(&group->head, place) : NULL;
	struct segment_bounds bounds = segment_group_bounds(group, window_count);
	SCOPED_FREE uint8_t *rows = NULL, *slot_bytes = NULL;
	struct bytes_reader at, slots_at;
	struct segment_chunk chunk = {0};
	size_t row_count = 0, slot_count = 0;
	int r = segment_file_read(&group->reader->file, &section->ref, &rows, &row_count);

	if (r == 0 && of_slots)
		r = segment_file_read(
			&group->reader->file, &of_slots->ref, &slot_bytes, &slot_count);
	if (r == 0)
		r = segment_chunk_init(&chunk, section->hour, bounds.type_count);
	if (r < 0)
		return r;
	bytes_reader_init(&at, rows, row_count);
	bytes_reader_init(&slots_at, slot_bytes, slot_count);
	r = segment_chunk_read(&at, slots ? &slots_at : NULL, &bounds, &chunk);
	if (r < 0) {
		segment_chunk_done(&chunk);
		return r;
	}
	*ret_chunk = chunk;
	return 0;
}

int segment_group_sums(
	const struct segment_group *group, uint32_t place, struct segment_sums *ret_sums)
{
	const struct segment_section *section = &group->head.sections[place];
	uint32_t set_count = group->head.labels->labels.count;
	bool stacks = section->kind == SEGMENT_SECTION_SUMS;
	uint32_t first_end = stacks ? group->head.stack_count : set_count;
	uint32_t second_end = stacks			  ? set_count
		: section->kind == SEGMENT_SECTION_SERIES ? SEGMENT_BUCKETS_OF_HOUR
							  : section->hour_count;
	SCOPED_FREE uint8_t *bytes = NULL;
	struct segment_sums sums = {0};
	struct bytes_reader at;
	size_t byte_count = 0;
	int r = segment_file_read(&group->reader->file, &section->ref, &bytes, &byte_count);

	if (r == 0)
		r = segment_sums_init(&sums, group->head.type_count);
	if (r < 0)
		return r;
	bytes_reader_init(&at, bytes, byte_count);
	r = segment_sums_read(&at, group->head.types, first_end, second_end, &sums);
	if (r < 0) {
		segment_sums_done(&sums);
		return r;
	}
	*ret_sums = sums;
	return 0;
}
