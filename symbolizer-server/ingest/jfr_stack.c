/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_stack.h"

#include <errno.h>
#include <stdlib.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "symbolizer-server/ingest/jfr_name.h"
#include "symbolizer-server/ingest/jfr_value.h"

/* A name is longer than any that is kept: two texts at their longest, a dot. */
#define NAME_BYTES_MAX (2 * (size_t)STRING_BYTES_MAX + 2)

static const char truncated[] = "[truncated]";
static const char no_stack[] = "[no stack]";

/* What types of frames are called that are none of Java. */
static const struct {
	const char *type;
	enum frame_kind kind;
} kinds[] = {{"Native", FRAME_NATIVE}, {"C++", FRAME_NATIVE}, {"Kernel", FRAME_KERNEL}};

int jfr_stacks_init(struct jfr_stacks *stacks, struct jfr_pools *pools, struct ingest_batch *batch)
{
	uint32_t stack_class = pools->pools[JFR_POOL_STACK].class_index;

	*stacks =
		(struct jfr_stacks){.pools = pools, .batch = batch, .frame_class = JFR_CLASS_NONE};
	index_map_init(&stacks->frame_rows, FRAME_COUNT_MAX);
	index_map_init(&stacks->stack_rows, JFR_CONSTANT_COUNT_MAX);
	bytes_writer_init(&stacks->name, NAME_BYTES_MAX);
	if (stack_class != JFR_CLASS_NONE) {
		stacks->frame_class =
			jfr_layout_elements(pools->layouts, stack_class, JFR_STACK_FRAMES);
	}
	/* One more than is kept says that there were more; and one for a marker. */
	stacks->path = malloc((INGEST_DEPTH_MAX + 2) * sizeof(*stacks->path));
	return stacks->path ? 0 : -ENOMEM;
}

void jfr_stacks_done(struct jfr_stacks *stacks)
{
	index_map_done(&stacks->frame_rows);
	index_map_done(&stacks->stack_rows);
	bytes_writer_done(&stacks->name);
	free(stacks->frames);
	free(stacks->stacks);
	free(stacks->path);
	*stacks = (struct jfr_stacks){.path = NULL};
}

/* ---- Frames ---- */

static int kind_of(struct jfr_stacks *stacks, uint64_t type, enum frame_kind *ret_kind)
{
	struct ingest_text text;
	int r = jfr_pool_text(
		stacks->pools, JFR_POOL_FRAME_TYPE, &(struct jfr_slot){type, NULL}, &text);

	*ret_kind = FRAME_JVM;
	for (size_t i = 0; r == 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (jfr_text_is(text, kinds[i].type))
			*ret_kind = kinds[i].kind;
	}
	return r < 0 ? r : 0;
}

static struct ingest_text shortened(struct ingest_text text)
{
	if (text.length > STRING_BYTES_MAX)
		text.length = STRING_BYTES_MAX;
	return text;
}

/* 1: its name is written; 0: something that it names is not there. */
static int write_name(struct jfr_stacks *stacks, uint64_t method)
{
	struct jfr_slot of_method[JFR_SLOT_COUNT], of_class[JFR_SLOT_COUNT];
	struct ingest_text method_name, class_name;
	int r;

	bytes_writer_reset(&stacks->name);
	if (!jfr_pool_find(stacks->pools, JFR_POOL_METHOD, method, of_method) ||
		!jfr_pool_find(stacks->pools, JFR_POOL_CLASS, of_method[JFR_METHOD_CLASS].number,
			of_class))
		return 0;
	r = jfr_pool_text(
		stacks->pools, JFR_POOL_SYMBOL, &of_method[JFR_METHOD_NAME], &method_name);
	if (r == 1)
		r = jfr_pool_text(
			stacks->pools, JFR_POOL_SYMBOL, &of_class[JFR_CLASS_NAME], &class_name);
	if (r != 1)
		return r;
	jfr_name_write(&stacks->name, shortened(class_name), shortened(method_name));
	r = bytes_writer_fault(&stacks->name);
	return r < 0 ? r : 1;
}

static int make_frame(struct jfr_stacks *stacks, const struct jfr_slot *slots, uint32_t *ret_frame)
{
	struct ingest_name name = {.kind = FRAME_UNKNOWN};
	int32_t line = (int32_t)slots[JFR_FRAME_LINE].number;
	int r = write_name(stacks, slots[JFR_FRAME_METHOD].number);

	if (r == 0)
		stacks->batch->drops.broken++;
	if (r == 1) {
		name.function = (struct ingest_text){
			(const char *)stacks->name.bytes, stacks->name.byte_count};
		name.line = line > 0 ? (uint32_t)line : 0;
		r = kind_of(stacks, slots[JFR_FRAME_TYPE].number, &name.kind);
	}
	return r < 0 ? r : ingest_batch_named(stacks->batch, &name, ret_frame);
}

static bool has_frame(const void *context, uint32_t index, const void *key)
{
	const struct jfr_frame_row *rows = context, *asked = key;

	return rows[index].method == asked->method && rows[index].type == asked->type &&
		rows[index].line == asked->line;
}

static int get_frame(struct jfr_stacks *stacks, const struct jfr_slot *slots, uint32_t *ret_frame)
{
	struct jfr_frame_row row = {.method = slots[JFR_FRAME_METHOD].number,
		.type = slots[JFR_FRAME_TYPE].number,
		.line = (uint32_t)slots[JFR_FRAME_LINE].number};
	uint64_t hash = hash_pair(row.method, (uint64_t)row.line << 32 ^ row.type);
	uint32_t known = index_map_find(&stacks->frame_rows, hash, has_frame, stacks->frames, &row);
	int r;

	if (known != INDEX_MAP_NONE) {
		*ret_frame = stacks->frames[known].frame;
		return 0;
	}
	r = make_frame(stacks, slots, &row.frame);
	if (r == 0)
		r = grow_array(&stacks->frames, &stacks->frame_capacity, stacks->frame_count,
			FRAME_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&stacks->frame_rows, hash, stacks->frame_count);
	if (r < 0)
		return r;
	stacks->frames[stacks->frame_count++] = row;
	*ret_frame = row.frame;
	return 0;
}

/* ---- Stacks ---- */

static int push_name(
	struct jfr_stacks *stacks, enum frame_kind kind, const char *text, uint32_t *count)
{
	const struct ingest_name name = {.kind = kind, .function = {text, strlen(text)}};

	return ingest_batch_named(stacks->batch, &name, &stacks->path[(*count)++]);
}

/* Of those that are too many, one is read: it tells that there are more. */
static int read_frames(struct jfr_stacks *stacks, const uint8_t *at, uint32_t *ret_count)
{
	const struct jfr_pools *pools = stacks->pools;
	struct bytes_reader reader = {.at = at,
		.end = (const uint8_t *)pools->chunk->bytes.text + pools->chunk->bytes.length};
	uint64_t count = jfr_number(&reader);
	struct jfr_slot slots[JFR_SLOT_COUNT];
	int r = 0;

	if (count > INGEST_DEPTH_MAX + 1)
		count = INGEST_DEPTH_MAX + 1;
	for (uint32_t i = 0; r == 0 && i < count; i++) {
		jfr_layout_read(pools->layouts, stacks->frame_class, &reader, slots);
		r = get_frame(stacks, slots, &stacks->path[i]);
	}
	*ret_count = (uint32_t)count;
	return r;
}

static int make_stack(struct jfr_stacks *stacks, uint64_t number, uint32_t *ret_stack)
{
	struct jfr_slot slots[JFR_SLOT_COUNT];
	bool is_cut = false;
	uint32_t count = 0;
	int r = 0;

	if (jfr_pool_find(stacks->pools, JFR_POOL_STACK, number, slots)) {
		is_cut = slots[JFR_STACK_TRUNCATED].number != 0;
		if (slots[JFR_STACK_FRAMES].at && stacks->frame_class != JFR_CLASS_NONE)
			r = read_frames(stacks, slots[JFR_STACK_FRAMES].at, &count);
	} else if (number != 0) {
		stacks->batch->drops.broken++;
		r = push_name(stacks, FRAME_UNKNOWN, "", &count);
	}
	if (r == 0 && is_cut)
		r = push_name(stacks, FRAME_MARKER, truncated, &count);
	if (r == 0 && count == 0)
		r = push_name(stacks, FRAME_MARKER, no_stack, &count);
	if (r < 0)
		return r;
	return ingest_batch_stack_leaf_first(stacks->batch, stacks->path, count, ret_stack);
}

static bool has_stack(const void *context, uint32_t index, const void *key)
{
	const struct jfr_stack_row *rows = context;

	return rows[index].number == *(const uint64_t *)key;
}

int jfr_stack_get(struct jfr_stacks *stacks, uint64_t number, uint32_t *ret_stack)
{
	uint64_t hash = hash_pair(number, 0);
	uint32_t known =
		index_map_find(&stacks->stack_rows, hash, has_stack, stacks->stacks, &number);
	uint32_t stack;
	int r;

	if (known != INDEX_MAP_NONE) {
		*ret_stack = stacks->stacks[known].stack;
		return 0;
	}
	r = make_stack(stacks, number, &stack);
	if (r == 0)
		r = grow_array(&stacks->stacks, &stacks->stack_capacity, stacks->stack_count,
			JFR_CONSTANT_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&stacks->stack_rows, hash, stacks->stack_count);
	if (r < 0)
		return r;
	stacks->stacks[stacks->stack_count++] = (struct jfr_stack_row){number, stack};
	*ret_stack = stack;
	return 0;
}
