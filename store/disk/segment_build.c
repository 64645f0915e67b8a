/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/profile/grow.h"

/* Packing is undone once: what it costs matters more than what it saves. */
#define PACK_ZSTD_LEVEL 1
#define OPEN_COUNT_MAX SEGMENT_HOUR_COUNT_MAX
#define PACKED_COUNT_MAX (1u << 20)
#define SOURCE_COUNT_MAX (1u << 16)

int segment_build_init(struct segment_build *build)
{
	int r;

	*build = (struct segment_build){0};
	r = segment_head_init(&build->head);
	if (r == 0)
		r = profile_new(&build->stacks);
	return r;
}

static void close_open(struct segment_open_chunk *open)
{
	segment_chunk_done(&open->chunk);
	thread_table_done(&open->threads);
}

void segment_build_done(struct segment_build *build)
{
	for (uint32_t i = 0; i < build->open_count; i++)
		close_open(&build->open[i]);
	for (uint32_t i = 0; i < build->packed_count; i++) {
		free(build->packed[i].rows);
		free(build->packed[i].slots);
	}
	for (uint32_t i = 0; i < build->source_count; i++) {
		segment_group_close(build->sources[i].group);
		free(build->sources[i].stacks);
		free(build->sources[i].texts);
		free(build->sources[i].sets);
		free(build->sources[i].types);
		free(build->sources[i].bare_types);
	}
	free(build->open);
	free(build->packed);
	free(build->sources);
	segment_head_done(&build->head);
	profile_free(build->stacks);
	*build = (struct segment_build){0};
}

/* The hour of a block is mostly that of the one before. */
static int open_chunk(
	struct segment_build *build, uint64_t hour, struct segment_open_chunk **ret_open)
{
	struct segment_open_chunk *open;
	int r;

	for (uint32_t i = build->open_count; i > 0; i--) {
		if (build->open[i - 1].chunk.hour == hour) {
			*ret_open = &build->open[i - 1];
			return 0;
		}
	}
	r = grow_array(&build->open, &build->open_capacity, build->open_count, OPEN_COUNT_MAX);
	if (r < 0)
		return r;
	open = &build->open[build->open_count];
	r = thread_table_init(&open->threads);
	if (r == 0)
		r = segment_chunk_init(&open->chunk, hour, 0);
	if (r < 0) {
		close_open(open);
		return r;
	}
	build->open_count++;
	*ret_open = open;
	return 0;
}

static int pack_section(
	const struct bytes_writer *writer, uint8_t **ret_bytes, size_t *ret_byte_count)
{
	return compress_bytes(writer->bytes ? (const void *)writer->bytes : "", writer->byte_count,
		PACK_ZSTD_LEVEL, ret_bytes, ret_byte_count);
}

static int pack(struct segment_build *build, struct segment_chunk *chunk)
{
	struct segment_packed_chunk packed = {.hour = chunk->hour};
	struct bytes_writer rows, slots;
	int r = grow_array(
		&build->packed, &build->packed_capacity, build->packed_count, PACKED_COUNT_MAX);

	bytes_writer_init(&rows, SEGMENT_SECTION_BYTES_MAX);
	bytes_writer_init(&slots, SEGMENT_SECTION_BYTES_MAX);
	if (r == 0)
		r = segment_chunk_sort(chunk);
	if (r == 0)
		r = segment_chunk_write(&rows, &slots, chunk, build->head.types);
	if (r == 0)
		r = pack_section(&rows, &packed.rows, &packed.row_bytes);
	if (r == 0)
		r = pack_section(&slots, &packed.slots, &packed.slot_bytes);
	bytes_writer_done(&rows);
	bytes_writer_done(&slots);
	if (r < 0) {
		free(packed.rows);
		free(packed.slots);
		return r;
	}
	build->packed[build->packed_count++] = packed;
	return 0;
}

/* Packs the rows of OPEN and begins anew. */
static int pack_open(struct segment_build *build, struct segment_open_chunk *open)
{
	uint64_t hour = open->chunk.hour;
	int r;

	open->chunk.threads = open->threads.threads;
	open->chunk.thread_count = open->threads.count;
	open->threads.threads = NULL;
	r = pack(build, &open->chunk);
	close_open(open);
	if (r == 0)
		r = thread_table_init(&open->threads);
	if (r == 0)
		r = segment_chunk_init(&open->chunk, hour, 0);
	else
		open->chunk.hour = hour;
	return r;
}

static int map_thread(struct segment_mapping *mapping, struct segment_open_chunk *open,
	uint32_t index, uint32_t *ret_thread)
{
	struct thread thread = mapping->from->threads.threads[index];
	int r;

	if (segment_map_get(&mapping->threads, mapping->stamp, index, ret_thread))
		return 0;
	r = segment_mapping_text(mapping, thread.name, &thread.name);
	if (r == 0)
		r = segment_mapping_set(mapping, thread.labels, &thread.labels);
	if (r == 0)
		r = thread_table_add(&open->threads, &thread, ret_thread);
	if (r == 0)
		segment_map_set(&mapping->threads, mapping->stamp, index, *ret_thread);
	return r;
}

/* Threads are a chunk's own: with a new one they are asked for again. */
static void forget_threads(struct segment_mapping *mapping)
{
	if (mapping->threads.entries)
		memset(mapping->threads.entries, 0,
			mapping->threads.capacity * sizeof(*mapping->threads.entries));
}

static int find_type(struct segment_build *build, const struct segment_block_rows *block,
	const struct sample_table *table, uint32_t *ret_type)
{
	struct segment_type type = {
		.period = table->period, .has_slots = table->has_slots && block->keeps_slots};
	int r = segment_mapping_label_text(block->mapping, table->type, &type.name);

	return r == 0 ? segment_head_type(&build->head, &type, ret_type) : r;
}

int segment_build_add(struct segment_build *build, const struct segment_block_rows *block,
	const struct sample_table *table, const struct sample_row *row)
{
	struct segment_row added = {
		.window = block->window, .cpu = row->cpu, .count = row->count, .value = row->value};
	struct segment_open_chunk *open = NULL;
	uint32_t type = 0;
	int r = open_chunk(build, block->hour, &open);

	if (r == 0 && segment_chunk_is_full(&open->chunk, row->count)) {
		r = pack_open(build, open);
		forget_threads(block->mapping);
	}
	if (r == 0)
		r = find_type(build, block, table, &type);
	if (r == 0)
		r = segment_mapping_stack(block->mapping, row->stack, &added.stack);
	if (r == 0)
		r = map_thread(block->mapping, open, row->thread, &added.thread);
	if (r < 0)
		return r;
	return segment_chunk_add(&open->chunk, type, &added,
		build->head.types[type].has_slots ? sample_table_slots(table, row) : NULL);
}

static int map_all(struct segment_source *source, struct segment_mapping *mapping)
{
	const struct segment_group *group = source->group;
	uint32_t stack_count = group->head.stack_count, set_count = group->tables->labels.count;
	int r = 0;

	source->stacks = calloc(stack_count, sizeof(*source->stacks));
	source->texts = calloc(group->head.text_count, sizeof(*source->texts));
	source->sets = calloc(set_count, sizeof(*source->sets));
	if (!source->stacks || !source->texts || !source->sets)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < stack_count; i++)
		r = segment_mapping_stack(mapping, i, &source->stacks[i]);
	for (uint32_t i = 0; r == 0 && i < group->head.text_count; i++)
		r = segment_mapping_text(mapping, group->texts[i], &source->texts[i]);
	for (uint32_t i = 0; r == 0 && i < set_count; i++)
		r = segment_mapping_set(mapping, i, &source->sets[i]);
	return r;
}

static int map_types(
	struct segment_build *build, struct segment_source *source, struct segment_mapping *mapping)
{
	const struct segment_head *head = &source->group->head;
	int r = 0;

	source->types = calloc(head->type_count + 1, sizeof(*source->types));
	source->bare_types = calloc(head->type_count + 1, sizeof(*source->bare_types));
	if (!source->types || !source->bare_types)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < head->type_count; i++) {
		struct segment_type type = head->types[i];

		r = segment_mapping_label_text(mapping, type.name, &type.name);
		if (r == 0)
			r = segment_head_type(&build->head, &type, &source->types[i]);
		type.has_slots = false;
		if (r == 0)
			r = segment_head_type(&build->head, &type, &source->bare_types[i]);
	}
	return r;
}

/* Once all is mapped, the chunks' numbers alone are looked at. */
static void shed_stacks(struct profile *tables)
{
	module_table_done(&tables->modules);
	frame_table_done(&tables->frames);
	stack_table_done(&tables->stacks);
}

int segment_build_add_source(struct segment_build *build, const struct segment_reader *reader,
	uint32_t index, uint32_t segment)
{
	struct segment_mapping mapping = {0};
	struct segment_source *source;
	int r = grow_array(
		&build->sources, &build->source_capacity, build->source_count, SOURCE_COUNT_MAX);

	if (r < 0)
		return r;
	source = &build->sources[build->source_count];
	*source = (struct segment_source){.segment = segment};
	r = segment_group_open(reader, index, SEGMENT_STACKS, &source->group);
	if (r < 0)
		return r;
	build->source_count++;
	r = segment_mapping_begin(
		&mapping, source->group->tables, build->head.labels, build->stacks);
	if (r == 0)
		r = map_all(source, &mapping);
	if (r == 0)
		r = map_types(build, source, &mapping);
	segment_mapping_done(&mapping);
	shed_stacks(source->group->tables);
	return r;
}
