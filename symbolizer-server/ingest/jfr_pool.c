/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   checkpoint: start, duration, distance to the one before, kind,
 *               count, { class, count, { number, value } ... } ...
 *
 * Values tell no length, so those of every class are read to find the next one. Checkpoints are found
 * by walking the events, not by their distances: so a chain that is broken loses none.
 */
#include "symbolizer-server/ingest/jfr_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "symbolizer-server/ingest/jfr_value.h"

const struct jfr_shape jfr_pool_shapes[JFR_POOL_COUNT] = {
#define POOL_SHAPE(id, class_name, ...) {class_name, {__VA_ARGS__}},
	JFR_POOLS(POOL_SHAPE)
#undef POOL_SHAPE
};

void jfr_pools_init(
	struct jfr_pools *pools, const struct jfr_chunk *chunk, struct jfr_layouts *layouts)
{
	*pools = (struct jfr_pools){.chunk = chunk, .layouts = layouts};
	arena_init(&pools->texts, JFR_TEXT_BYTES_MAX);
	for (uint32_t i = 0; i < JFR_POOL_COUNT; i++) {
		pools->pools[i].class_index = JFR_CLASS_NONE;
		index_map_init(&pools->pools[i].numbers, JFR_CONSTANT_COUNT_MAX);
	}
}

void jfr_pools_done(struct jfr_pools *pools)
{
	for (uint32_t i = 0; i < JFR_POOL_COUNT; i++) {
		free(pools->pools[i].places);
		index_map_done(&pools->pools[i].numbers);
	}
	arena_done(&pools->texts);
	*pools = (struct jfr_pools){.chunk = NULL};
}

/* ---- Filling ---- */

static bool has_number(const void *context, uint32_t index, const void *key)
{
	const struct jfr_place *places = context;

	return places[index].number == *(const uint64_t *)key;
}

static uint32_t find_place(const struct jfr_pool *pool, uint64_t number)
{
	return index_map_find(
		&pool->numbers, hash_pair(number, 0), has_number, pool->places, &number);
}

static int add_place(
	struct jfr_pools *pools, struct jfr_pool *pool, uint64_t number, const uint8_t *at)
{
	uint32_t known = find_place(pool, number);
	int r;

	if (known != INDEX_MAP_NONE) {
		pool->places[known].at = at;
		return 0;
	}
	if (pools->constant_count == JFR_CONSTANT_COUNT_MAX)
		return -E2BIG;
	r = grow_array(&pool->places, &pool->capacity, pool->count, JFR_CONSTANT_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&pool->numbers, hash_pair(number, 0), pool->count);
	if (r == 0)
		pool->places[pool->count++] = (struct jfr_place){number, at};
	pools->constant_count += r == 0;
	return r;
}

static struct jfr_pool *pool_of(struct jfr_pools *pools, const struct jfr_class *class)
{
	for (uint32_t i = 0; i < JFR_POOL_COUNT; i++) {
		if (jfr_text_is(class->name, jfr_pool_shapes[i].class_name))
			return &pools->pools[i];
	}
	return NULL;
}

static int damaged(const struct jfr_pools *pools, struct ingest_fault *fault)
{
	return jfr_refuse(
		fault, -EBADMSG, pools->chunk, "a checkpoint is damaged: its constants do not fit");
}

/* The constants of one class. */
static int fill_pool(
	struct jfr_pools *pools, struct bytes_reader *reader, struct ingest_fault *fault)
{
	const struct jfr_metadata *metadata = pools->layouts->metadata;
	uint64_t class_id = jfr_number(reader), count = jfr_number(reader);
	uint32_t class_index = jfr_metadata_class(metadata, class_id);
	struct jfr_slot slots[JFR_SLOT_COUNT];
	struct jfr_pool *pool;
	int r;

	if (bytes_reader_fault(reader) < 0 || count > bytes_left(reader))
		return damaged(pools, fault);
	if (class_index == JFR_CLASS_NONE) {
		return jfr_refuse(fault, -EBADMSG, pools->chunk,
			"a checkpoint has constants of class %" PRIu64
			", which the metadata does not tell of",
			class_id);
	}
	r = jfr_layout_make(pools->layouts, class_index, fault);
	pool = pool_of(pools, &metadata->classes[class_index]);
	if (pool)
		pool->class_index = class_index;
	for (uint64_t i = 0; r == 0 && i < count; i++) {
		uint64_t number = jfr_number(reader);
		const uint8_t *at = reader->at;

		jfr_layout_read(pools->layouts, class_index, reader, slots);
		if (bytes_reader_fault(reader) < 0)
			r = damaged(pools, fault);
		else if (pool)
			r = add_place(pools, pool, number, at);
	}
	if (r == -E2BIG && fault->text[0] == '\0') {
		return jfr_refuse(fault, r, pools->chunk,
			"its checkpoints have more than %u constants", JFR_CONSTANT_COUNT_MAX);
	}
	return r;
}

static int fill_from(
	struct jfr_pools *pools, struct bytes_reader *reader, struct ingest_fault *fault)
{
	uint64_t count;
	int r = 0;

	/* Start, duration, distance. */
	jfr_skip_numbers(reader, 3);
	(void)bytes_read_u8(reader);
	count = jfr_number(reader);
	if (bytes_reader_fault(reader) < 0 || count > bytes_left(reader))
		return damaged(pools, fault);
	for (uint64_t i = 0; r == 0 && i < count; i++)
		r = fill_pool(pools, reader, fault);
	return r;
}

int jfr_pools_fill(struct jfr_pools *pools, struct ingest_fault *fault)
{
	struct bytes_reader events;
	struct jfr_event event;
	int r = 0, found;

	jfr_events_init(&events, pools->chunk);
	while (r == 0 && (found = jfr_event_next(&events, &event)) != 0) {
		if (found < 0) {
			return jfr_refuse(fault, -EBADMSG, pools->chunk,
				"the event at byte %zu has a size that cannot be",
				(size_t)(events.at - (const uint8_t *)pools->chunk->bytes.text));
		}
		if (event.type == JFR_EVENT_CHECKPOINT)
			r = fill_from(pools, &event.fields, fault);
	}
	return r;
}

/* ---- Asking ---- */

static void reader_at(const struct jfr_pools *pools, const uint8_t *at, struct bytes_reader *reader)
{
	*reader = (struct bytes_reader){.at = at,
		.end = (const uint8_t *)pools->chunk->bytes.text + pools->chunk->bytes.length};
}

bool jfr_pool_find(const struct jfr_pools *pools, enum jfr_pool_id id, uint64_t number,
	struct jfr_slot ret_slots[JFR_SLOT_COUNT])
{
	const struct jfr_pool *pool = &pools->pools[id];
	uint32_t place = find_place(pool, number);
	struct bytes_reader reader;

	if (place == INDEX_MAP_NONE)
		return false;
	reader_at(pools, pool->places[place].at, &reader);
	jfr_layout_read(pools->layouts, pool->class_index, &reader, ret_slots);
	return true;
}

int jfr_pool_text(struct jfr_pools *pools, enum jfr_pool_id id, const struct jfr_slot *slot,
	struct ingest_text *ret_text)
{
	struct jfr_slot slots[JFR_SLOT_COUNT] = {*slot};
	struct bytes_reader reader;
	struct jfr_text text;
	int r;

	if (!slots[0].at && !jfr_pool_find(pools, id, slot->number, slots))
		return 0;
	/* A text may be a constant of its own; that one is no further constant. */
	for (int i = 0; i < 2; i++) {
		if (!slots[0].at)
			return 0;
		reader_at(pools, slots[0].at, &reader);
		text = jfr_text_read(&reader);
		if (text.form != JFR_TEXT_CONSTANT)
			break;
		if (!jfr_pool_find(pools, JFR_POOL_TEXT, text.constant, slots))
			return 0;
	}
	r = jfr_text_utf8(&text, &pools->texts, ret_text);
	return r < 0 ? r : 1;
}
