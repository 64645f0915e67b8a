/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_group_write.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/cleanup.h"
#include "store/base/compress.h"
#include "store/base/must.h"
#include "store/disk/block_dictionary.h"
#include "store/disk/block_order.h"
#include "store/disk/segment_tally.h"
#include "store/profile/grow.h"

#define HOURS_OF_DAY 24u
#define HOURS_OF_SPAN 6u
/* With fewer hours a copy of their sums saves nothing. */
#define SPAN_HOURS_MIN 3u
#define DAY_SPANS_MIN 2u
#define CHUNK_COUNT_MAX (1u << 22)

/* Where a chunk of the group comes from. */
struct chunk_place {
	uint64_t hour;
	uint32_t order; /* as they came */
	uint32_t source; /* UINT32_MAX: of this build */
	uint32_t index; /* open chunk, packed chunk behind these, or section of the source's head */
};

/* Sums over several hours while these go by. */
struct tier {
	uint32_t hour_count;
	uint32_t parts_min;
	uint64_t first; /* hour */
	uint32_t parts;
	struct segment_sums sums;
};

struct group_writing {
	struct segment_group_target *target;
	struct segment_build *build;
	struct block_order order;
	struct chunk_place *chunks;
	uint32_t chunk_count;
	uint32_t chunk_capacity;
	struct segment_tally now, next;
	struct tier span, day;
	struct segment_sums series_hours;
	uint64_t first_hour;
	uint64_t last_hour;
	struct segment_group_entry entry;
};

const struct segment_hour_spans *segment_layout_find(
	const struct segment_layout *layout, uint64_t hour)
{
	uint32_t low = 0, high = layout->hour_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (layout->hours[middle].hour < hour)
			low = middle + 1;
		else
			high = middle;
	}
	return low < layout->hour_count && layout->hours[low].hour == hour ? &layout->hours[low]
									   : NULL;
}

static int write_section(struct group_writing *writing, struct bytes_writer *bytes,
	struct segment_section section, uint64_t *sum)
{
	int r = segment_output_section(writing->target->output, bytes, &section.ref);

	bytes_writer_reset(bytes);
	if (r < 0)
		return r;
	*sum += section.ref.byte_count;
	return segment_head_add_section(&writing->build->head, &section);
}

static int write_dictionary(struct group_writing *writing)
{
	const struct profile *stacks = writing->build->stacks;
	struct bytes_writer bytes;
	int r;

	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	block_strings_write(&bytes, &stacks->strings);
	block_modules_write(&bytes, &stacks->modules);
	block_frames_write(&bytes, stacks, &writing->order);
	block_stacks_write(&bytes, stacks, &writing->order);
	r = write_section(writing, &bytes,
		(struct segment_section){.kind = SEGMENT_SECTION_DICTIONARY},
		&writing->target->written->dictionary_bytes);
	bytes_writer_done(&bytes);
	writing->build->head.stack_count = stacks->stacks.count;
	writing->build->head.text_count = stacks->strings.count;
	writing->target->written->stack_count += stacks->stacks.count;
	return r;
}

static int add_place(struct group_writing *writing, struct chunk_place place)
{
	int r = grow_array(
		&writing->chunks, &writing->chunk_capacity, writing->chunk_count, CHUNK_COUNT_MAX);

	if (r < 0)
		return r;
	place.order = writing->chunk_count;
	writing->chunks[writing->chunk_count++] = place;
	return 0;
}

static int place_compare(const void *left, const void *right)
{
	const struct chunk_place *one = left, *other = right;

	if (one->hour != other->hour)
		return one->hour < other->hour ? -1 : 1;
	return (one->order > other->order) - (one->order < other->order);
}

static int list_source(struct group_writing *writing, uint32_t source)
{
	const struct segment_head *head = &writing->build->sources[source].group->head;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < head->section_count; i++) {
		struct chunk_place place = {
			.hour = head->sections[i].hour, .source = source, .index = i};

		if (head->sections[i].kind == SEGMENT_SECTION_ROWS)
			r = add_place(writing, place);
	}
	return r;
}

static int list_chunks(struct group_writing *writing)
{
	const struct segment_build *build = writing->build;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < build->packed_count; i++) {
		struct chunk_place place = {.hour = build->packed[i].hour,
			.source = UINT32_MAX,
			.index = build->open_count + i};

		r = add_place(writing, place);
	}
	for (uint32_t i = 0; r == 0 && i < build->open_count; i++) {
		struct chunk_place place = {
			.hour = build->open[i].chunk.hour, .source = UINT32_MAX, .index = i};

		r = add_place(writing, place);
	}
	for (uint32_t i = 0; r == 0 && i < build->source_count; i++)
		r = list_source(writing, i);
	if (r == 0 && writing->chunk_count > 0)
		qsort(writing->chunks, writing->chunk_count, sizeof(*writing->chunks),
			place_compare);
	return r;
}

/* A packed chunk is ours: what it says is believed as far as memory is. */
static int unpack(const struct group_writing *writing, const struct segment_packed_chunk *packed,
	const struct segment_hour_spans *spans, struct segment_chunk *ret_chunk)
{
	const struct segment_head *head = &writing->build->head;
	struct segment_bounds bounds = {.types = head->types,
		.type_count = head->type_count,
		.stack_count = writing->build->stacks->stacks.count,
		.text_count = writing->build->stacks->strings.count,
		.set_count = head->labels->labels.count,
		.window_count = spans->count};
	SCOPED_FREE uint8_t *rows = NULL, *slots = NULL;
	struct bytes_reader rows_at, slots_at;
	size_t row_bytes = 0, slot_bytes = 0;
	int r = decompress_bytes(
		packed->rows, packed->row_bytes, SEGMENT_SECTION_BYTES_MAX, &rows, &row_bytes);

	if (r == 0)
		r = decompress_bytes(packed->slots, packed->slot_bytes, SEGMENT_SECTION_BYTES_MAX,
			&slots, &slot_bytes);
	if (r == 0)
		r = segment_chunk_init(ret_chunk, packed->hour, head->type_count);
	if (r < 0)
		return r;
	bytes_reader_init(&rows_at, rows, row_bytes);
	bytes_reader_init(&slots_at, slots, slot_bytes);
	return segment_chunk_read(&rows_at, &slots_at, &bounds, ret_chunk);
}

/* Takes the chunk out of the build. */
static int take_own(struct group_writing *writing, uint32_t index,
	const struct segment_hour_spans *spans, struct segment_chunk *ret_chunk)
{
	struct segment_build *build = writing->build;
	struct segment_open_chunk *open;

	if (index >= build->open_count)
		return unpack(writing, &build->packed[index - build->open_count], spans, ret_chunk);
	open = &build->open[index];
	*ret_chunk = open->chunk;
	ret_chunk->threads = open->threads.threads;
	ret_chunk->thread_count = open->threads.count;
	open->threads.threads = NULL;
	open->chunk = (struct segment_chunk){.hour = ret_chunk->hour};
	return 0;
}

/* Slots that lie behind their window would be in no range. */
static bool slots_fit(const struct segment_table *table, const struct segment_row *row,
	const struct segment_span *span)
{
	return !table->slots || table->slots[row->slot_first + row->count - 1] < span->slot_count;
}

static int copy_rows(const struct segment_source *source, const struct segment_chunk *from,
	uint32_t type, const uint32_t *places, const struct segment_hour_spans *spans,
	struct segment_chunk *to)
{
	const struct segment_table *table = &from->tables[type];
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < table->row_count; i++) {
		struct segment_row row = table->rows[i];
		const struct segment_span *span = &spans->spans[places[row.window]];
		bool slots = span->keeps_slots && table->slots;

		if (!slots_fit(table, &row, span))
			return -EBADMSG;
		row.window = places[row.window];
		row.stack = source->stacks[row.stack];
		r = segment_chunk_add(to, (slots ? source->types : source->bare_types)[type], &row,
			slots ? table->slots + row.slot_first : NULL);
	}
	return r;
}

static uint32_t window_count_of(const struct segment_source *source, uint64_t hour)
{
	const struct segment_reader *reader = source->group->reader;
	uint32_t place = segment_reader_find_hour(reader, hour);

	return place < reader->index.hour_count && reader->index.hours[place].hour == hour
		? reader->index.hours[place].window_count
		: 0;
}

/* A chunk of another segment in the numbers of this one. */
static int take_foreign(struct group_writing *writing, const struct chunk_place *place,
	const struct segment_hour_spans *spans, struct segment_chunk *ret_chunk)
{
	const struct segment_layout *layout = writing->target->layout;
	const struct segment_source *source = &writing->build->sources[place->source];
	const uint32_t *places = layout->places[source->segment * layout->hour_count +
		(uint32_t)(spans - layout->hours)];
	struct segment_chunk from = {0};
	int r = places ? segment_group_chunk(source->group, place->index,
				 window_count_of(source, place->hour), true, &from)
		       : -EBADMSG;

	if (r == 0)
		r = segment_chunk_init(ret_chunk, place->hour, writing->build->head.type_count);
	for (uint32_t i = 0; r == 0 && i < from.table_count; i++)
		r = copy_rows(source, &from, i, places, spans, ret_chunk);
	if (r == 0) {
		for (uint32_t i = 0; i < from.thread_count; i++) {
			from.threads[i].name = source->texts[from.threads[i].name];
			from.threads[i].labels = source->sets[from.threads[i].labels];
		}
		ret_chunk->threads = TAKE(from.threads);
		ret_chunk->thread_count = from.thread_count;
	}
	segment_chunk_done(&from);
	if (r == -EBADMSG)
		writing->target->written->bad_segment = source->segment;
	return r;
}

static int take_chunk(struct group_writing *writing, const struct chunk_place *place,
	const struct segment_hour_spans *spans, struct segment_chunk *ret_chunk)
{
	const uint32_t *final = writing->order.node_places;
	int r = place->source == UINT32_MAX ? take_own(writing, place->index, spans, ret_chunk)
					    : take_foreign(writing, place, spans, ret_chunk);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < ret_chunk->table_count; i++) {
		struct segment_table *table = &ret_chunk->tables[i];

		for (uint32_t j = 0; j < table->row_count; j++)
			table->rows[j].stack = final[table->rows[j].stack];
	}
	return segment_chunk_sort(ret_chunk);
}

/* What each thread of a chunk was seen in, of one type; never seen: until_ns 0. */
static void see_threads(struct group_writing *writing, const struct segment_table *table,
	const struct segment_hour_spans *spans, bool has_slots, struct segment_series_entry *seen)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct segment_row *row = &table->rows[i];
		const struct segment_span *span = &spans->spans[row->window];
		struct segment_series_entry *of = &seen[row->thread];
		uint64_t end_ns = span->start_ns + span->slot_count * PROFILE_SLOT_NS;

		if (of->until_ns == 0 || span->start_ns < of->from_ns)
			of->from_ns = span->start_ns;
		if (end_ns > of->until_ns)
			of->until_ns = end_ns;
		of->sample_count += row->count;
		if (has_slots && end_ns > writing->target->slots_until_ns)
			writing->target->slots_until_ns = end_ns;
	}
}

static void note_times(struct segment_group_entry *entry, const struct segment_series_entry *seen)
{
	if (entry->until_ns == 0 || seen->from_ns < entry->from_ns)
		entry->from_ns = seen->from_ns;
	if (seen->until_ns > entry->until_ns)
		entry->until_ns = seen->until_ns;
	entry->sample_count += seen->sample_count;
}

static int note_series(struct group_writing *writing, const struct segment_chunk *chunk,
	uint32_t type, const struct segment_hour_spans *spans, uint64_t *until_ns)
{
	struct segment_head *head = &writing->build->head;
	SCOPED_FREE struct segment_series_entry *seen =
		calloc((size_t)chunk->thread_count + 1, sizeof(*seen));
	int r = 0;

	if (!seen)
		return -ENOMEM;
	see_threads(writing, &chunk->tables[type], spans, head->types[type].has_slots, seen);
	for (uint32_t i = 0; r == 0 && i < chunk->thread_count; i++) {
		if (seen[i].until_ns == 0)
			continue;
		seen[i].type = head->types[type].name;
		seen[i].labels = chunk->threads[i].labels;
		note_times(&writing->entry, &seen[i]);
		if (seen[i].until_ns > *until_ns)
			*until_ns = seen[i].until_ns;
		r = segment_head_note(head, &seen[i]);
	}
	return r;
}

static int write_rows(struct group_writing *writing, const struct segment_chunk *chunk,
	const struct segment_hour_spans *spans)
{
	struct segment_section section = {
		.kind = SEGMENT_SECTION_ROWS, .hour = chunk->hour, .hour_count = 1};
	struct segment_written *written = writing->target->written;
	struct bytes_writer rows, slots;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < chunk->table_count; i++)
		r = note_series(writing, chunk, i, spans, &section.until_ns);
	bytes_writer_init(&rows, SEGMENT_SECTION_BYTES_MAX);
	bytes_writer_init(&slots, SEGMENT_SECTION_BYTES_MAX);
	if (r == 0)
		r = segment_chunk_write(&rows, &slots, chunk, writing->build->head.types);
	if (r == 0)
		r = write_section(writing, &rows, section, &written->row_bytes);
	section.kind = SEGMENT_SECTION_SLOTS;
	if (r == 0 && slots.byte_count > 0)
		r = write_section(writing, &slots, section, &written->slot_bytes);
	bytes_writer_done(&rows);
	bytes_writer_done(&slots);
	written->row_count += chunk->row_count;
	return r;
}

static int write_sums(
	struct group_writing *writing, struct segment_sums *sums, struct segment_section section)
{
	struct bytes_writer bytes;
	int r;

	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	segment_sums_write(&bytes, sums, writing->build->head.types);
	r = write_section(writing, &bytes, section, &writing->target->written->sum_bytes);
	bytes_writer_done(&bytes);
	return r;
}

static int empty_sums(struct segment_sums *sums)
{
	uint32_t type_count = sums->type_count;

	segment_sums_done(sums);
	return segment_sums_init(sums, type_count);
}

/* Writes what TIER has, if that saves anything; afterwards it has nothing. */
static int end_tier(struct group_writing *writing, struct tier *tier)
{
	struct segment_section section = {
		.kind = SEGMENT_SECTION_SUMS, .hour = tier->first, .hour_count = tier->hour_count};
	int r = 0;

	if (tier->parts >= tier->parts_min) {
		segment_sums_seal(&tier->sums);
		r = write_sums(writing, &tier->sums, section);
	}
	tier->parts = 0;
	return r;
}

static int add_to_tier(struct tier *tier, uint64_t hour, const struct segment_sums *sums)
{
	tier->first = hour - hour % tier->hour_count;
	tier->parts++;
	return segment_sums_add_all(&tier->sums, sums);
}

/* The six hours at hand are over: they are part of their day. */
static int end_span(struct group_writing *writing)
{
	struct tier *span = &writing->span, *day = &writing->day;
	uint64_t day_first = span->first - span->first % HOURS_OF_DAY;
	int r;

	if (span->parts == 0)
		return 0;
	r = end_tier(writing, span);
	if (r == 0 && day->parts > 0 && day->first != day_first) {
		r = end_tier(writing, day);
		if (r == 0)
			r = empty_sums(&day->sums);
	}
	segment_sums_seal(&span->sums);
	if (r == 0)
		r = add_to_tier(day, span->first, &span->sums);
	return r == 0 ? empty_sums(&span->sums) : r;
}

static int note_hours(struct group_writing *writing, const struct segment_tally *tally)
{
	int r = 0;

	for (uint32_t i = 0; i < tally->series.type_count; i++) {
		const struct segment_sum_list *list = &tally->series.types[i];

		for (uint32_t j = 0; r == 0 && j < list->count; j++) {
			struct segment_sum sum = list->sums[j];

			sum.second = (uint32_t)(tally->hour - writing->first_hour);
			r = segment_sums_add(&writing->series_hours, i, &sum);
		}
	}
	return r;
}

/* All chunks that reach into the hour of NOW have been added up. */
static int end_hour(struct group_writing *writing)
{
	struct segment_tally *now = &writing->now;
	struct segment_section section = {
		.kind = SEGMENT_SECTION_SUMS, .hour = now->hour, .hour_count = 1};
	int r = 0;

	segment_sums_seal(&now->sums);
	segment_sums_seal(&now->series);
	if (segment_sums_is_empty(&now->sums) && segment_sums_is_empty(&now->series))
		return 0;
	writing->last_hour = now->hour;
	r = write_sums(writing, &now->sums, section);
	section.kind = SEGMENT_SECTION_SERIES;
	if (r == 0)
		r = write_sums(writing, &now->series, section);
	if (r == 0)
		r = note_hours(writing, now);
	if (r == 0 && writing->span.parts > 0 &&
		writing->span.first != now->hour - now->hour % HOURS_OF_SPAN)
		r = end_span(writing);
	if (r == 0)
		r = add_to_tier(&writing->span, now->hour, &now->sums);
	return r;
}

/* NEXT becomes NOW. */
static int turn_hour(struct group_writing *writing)
{
	int r = end_hour(writing);
	uint64_t hour = writing->next.hour;

	segment_tally_done(&writing->now);
	writing->now = writing->next;
	writing->next = (struct segment_tally){0};
	if (r == 0)
		r = segment_tally_init(&writing->next, hour + 1, writing->build->head.type_count);
	return r;
}

static int go_to_hour(struct group_writing *writing, uint64_t hour)
{
	int r = 0;

	if (writing->now.hour == hour)
		return 0;
	/* What windows reach over into the hour behind theirs may be all that there is of it. */
	r = turn_hour(writing);
	if (r == 0 && writing->now.hour != hour)
		r = turn_hour(writing);
	writing->now.hour = hour;
	writing->next.hour = hour + 1;
	return r;
}

static int write_chunk(struct group_writing *writing, const struct chunk_place *place)
{
	const struct segment_hour_spans *spans =
		segment_layout_find(writing->target->layout, place->hour);
	struct segment_chunk chunk = {0};
	int r;

	/* Every row's window has been laid out; a foreign section may lie about its hour. */
	must(spans || place->source != UINT32_MAX);
	if (!spans) {
		writing->target->written->bad_segment =
			writing->build->sources[place->source].segment;
		return -EBADMSG;
	}
	r = go_to_hour(writing, place->hour);
	if (r == 0)
		r = take_chunk(writing, place, spans, &chunk);
	if (r == 0 && chunk.row_count > 0)
		r = write_rows(writing, &chunk, spans);
	if (r == 0 && chunk.row_count > 0)
		r = segment_tally_chunk(
			&writing->build->head, &chunk, spans, &writing->now, &writing->next);
	segment_chunk_done(&chunk);
	return r;
}

static int write_chunks(struct group_writing *writing)
{
	uint32_t type_count = writing->build->head.type_count;
	int r;

	writing->first_hour = writing->last_hour = writing->chunks[0].hour;
	r = segment_tally_init(&writing->now, writing->first_hour, type_count);
	if (r == 0)
		r = segment_tally_init(&writing->next, writing->first_hour + 1, type_count);
	if (r == 0)
		r = segment_sums_init(&writing->span.sums, type_count);
	if (r == 0)
		r = segment_sums_init(&writing->day.sums, type_count);
	if (r == 0)
		r = segment_sums_init(&writing->series_hours, type_count);
	for (uint32_t i = 0; r == 0 && i < writing->chunk_count; i++)
		r = write_chunk(writing, &writing->chunks[i]);
	if (r == 0)
		r = turn_hour(writing);
	if (r == 0)
		r = turn_hour(writing);
	if (r == 0)
		r = end_span(writing);
	return r == 0 ? end_tier(writing, &writing->day) : r;
}

static int write_head(struct group_writing *writing)
{
	struct segment_section section = {.kind = SEGMENT_SECTION_SERIES_HOURS,
		.hour = writing->first_hour,
		.hour_count = (uint32_t)(writing->last_hour - writing->first_hour) + 1};
	struct bytes_writer bytes;
	int r;

	segment_sums_seal(&writing->series_hours);
	r = write_sums(writing, &writing->series_hours, section);
	if (r < 0)
		return r;
	bytes_writer_init(&bytes, SEGMENT_SECTION_BYTES_MAX);
	segment_head_write(&bytes, &writing->build->head);
	r = segment_output_section(writing->target->output, &bytes, &writing->entry.head);
	bytes_writer_done(&bytes);
	writing->target->written->window_bytes += writing->entry.head.byte_count;
	return r;
}

static void close_writing(struct group_writing *writing)
{
	block_order_done(&writing->order);
	free(writing->chunks);
	segment_tally_done(&writing->now);
	segment_tally_done(&writing->next);
	segment_sums_done(&writing->span.sums);
	segment_sums_done(&writing->day.sums);
	segment_sums_done(&writing->series_hours);
}

int segment_group_write(struct segment_group_target *target, struct segment_build *build,
	struct segment_group_entry *ret_entry)
{
	struct group_writing writing = {.target = target,
		.build = build,
		.span = {.hour_count = HOURS_OF_SPAN, .parts_min = SPAN_HOURS_MIN},
		.day = {.hour_count = HOURS_OF_DAY, .parts_min = DAY_SPANS_MIN}};
	int r = list_chunks(&writing);

	if (r == 0 && writing.chunk_count > 0) {
		r = block_order_init(&writing.order, build->stacks);
		if (r == 0)
			r = write_dictionary(&writing);
		if (r == 0)
			r = write_chunks(&writing);
		if (r == 0)
			r = write_head(&writing);
	}
	if (r == 0)
		*ret_entry = writing.entry;
	close_writing(&writing);
	return r;
}
