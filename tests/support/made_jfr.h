/* SPDX-License-Identifier: Apache-2.0 */
/* Made JFR: flight recordings by hand, for tests that need one that is exactly so.
 *
 * What it is   a few calls that write chunks, events, metadata and constants into a buffer of fixed
 *              size; and one small recording of all kinds of samples, whose constants come in two
 *              checkpoints, behind and before what needs them.
 * Ownership    values only; texts given are borrowed.
 * Threads      one owner.
 * Errors       a buffer that is full fails a check.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/check.h"

#define MADE_JFR_START_NS UINT64_C(1796061870000000000)
#define MADE_JFR_DURATION_NS UINT64_C(10000000000)
#define MADE_JFR_TICKS_PER_SECOND UINT64_C(1000000)
#define MADE_JFR_HEADER_BYTES 68

struct made_jfr {
	size_t length;
	size_t chunk_at;
	size_t event_at;
	size_t metadata_at;
	uint8_t bytes[32768];
};

/* ---- Values ---- */

static inline void made_jfr_byte(struct made_jfr *jfr, uint8_t byte)
{
	CHECK(jfr->length < sizeof(jfr->bytes));
	jfr->bytes[jfr->length++] = byte;
}

static inline void made_jfr_bytes(struct made_jfr *jfr, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		made_jfr_byte(jfr, ((const uint8_t *)bytes)[i]);
}

static inline void made_jfr_number(struct made_jfr *jfr, uint64_t value)
{
	for (int i = 0; i < 8 && value > 0x7f; i++) {
		made_jfr_byte(jfr, (uint8_t)(0x80 | (value & 0x7f)));
		value >>= 7;
	}
	made_jfr_byte(jfr, (uint8_t)value);
}

#define made_jfr_numbers(jfr, ...)                                \
	made_jfr_numbers_of(jfr, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void made_jfr_numbers_of(struct made_jfr *jfr, const uint64_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		made_jfr_number(jfr, numbers[i]);
}

static inline void made_jfr_text(struct made_jfr *jfr, const char *text)
{
	made_jfr_byte(jfr, 3);
	made_jfr_number(jfr, strlen(text));
	made_jfr_bytes(jfr, text, strlen(text));
}

static inline void made_jfr_set_big(struct made_jfr *jfr, size_t at, uint64_t value, int count)
{
	for (int i = count - 1; i >= 0; i--, value >>= 8)
		jfr->bytes[at + (size_t)i] = (uint8_t)value;
}

/* ---- Chunks and events ---- */

static inline void made_jfr_begin_chunk(struct made_jfr *jfr)
{
	jfr->chunk_at = jfr->length;
	jfr->metadata_at = 0;
	for (int i = 0; i < MADE_JFR_HEADER_BYTES; i++)
		made_jfr_byte(jfr, 0);
	memcpy(jfr->bytes + jfr->chunk_at, "FLR", 3);
	made_jfr_set_big(jfr, jfr->chunk_at + 4, 2, 2);
	made_jfr_set_big(jfr, jfr->chunk_at + 32, MADE_JFR_START_NS, 8);
	made_jfr_set_big(jfr, jfr->chunk_at + 40, MADE_JFR_DURATION_NS, 8);
	made_jfr_set_big(jfr, jfr->chunk_at + 56, MADE_JFR_TICKS_PER_SECOND, 8);
	made_jfr_set_big(jfr, jfr->chunk_at + 64, 1, 4);
}

static inline void made_jfr_end_chunk(struct made_jfr *jfr)
{
	made_jfr_set_big(jfr, jfr->chunk_at + 8, jfr->length - jfr->chunk_at, 8);
	made_jfr_set_big(jfr, jfr->chunk_at + 24, jfr->metadata_at, 8);
}

static inline void made_jfr_begin_event(struct made_jfr *jfr, uint64_t type)
{
	jfr->event_at = jfr->length;
	for (int i = 0; i < 4; i++)
		made_jfr_byte(jfr, 0);
	made_jfr_number(jfr, type);
}

/* The size in four bytes, as recorders write it when they know it. */
static inline void made_jfr_end_event(struct made_jfr *jfr)
{
	size_t size = jfr->length - jfr->event_at;

	for (size_t i = 0; i < 4; i++, size >>= 7)
		jfr->bytes[jfr->event_at + i] = (uint8_t)((size & 0x7f) | (i < 3 ? 0x80 : 0));
}

/* ---- Metadata ---- */

struct made_jfr_field {
	const char *name;
	uint64_t class_id;
	bool is_constant;
	bool is_array;
};

struct made_jfr_class {
	uint64_t id;
	const char *name;
	struct made_jfr_field fields[8]; /* ended by one without a name */
};

enum {
	MADE_BOOLEAN = 4,
	MADE_FLOAT,
	MADE_DOUBLE,
	MADE_INT,
	MADE_LONG,
	MADE_TEXT = 20,
	MADE_CLASS,
	MADE_THREAD,
	MADE_FRAME_TYPE,
	MADE_STATE,
	MADE_STACK,
	MADE_FRAME,
	MADE_METHOD,
	MADE_SYMBOL,
	MADE_PAIR,
	MADE_TREE,
	MADE_EXECUTION = 200,
	MADE_WALL,
	MADE_IN_TLAB,
	MADE_OUTSIDE_TLAB,
	MADE_ALLOCATION,
	MADE_LIVE,
	MADE_MONITOR,
	MADE_PARK,
	MADE_MALLOC,
	MADE_SETTING,
	MADE_OTHER,
};

#define MADE_JFR_SAMPLE(thread)                                                     \
	{"startTime", MADE_LONG, false, false}, {thread, MADE_THREAD, true, false}, \
	{                                                                           \
		"stackTrace", MADE_STACK, true, false                               \
	}

/* A weight, and the context of an agent. */
#define MADE_JFR_WEIGHED(weight)                                                   \
	{                                                                          \
		MADE_JFR_SAMPLE("eventThread"), {weight, MADE_LONG, false, false}, \
		{                                                                  \
			"contextId", MADE_LONG, false, false                       \
		}                                                                  \
	}

static const struct made_jfr_class made_jfr_classes[] = {
	{MADE_BOOLEAN, "boolean", {{NULL, 0, false, false}}},
	{MADE_FLOAT, "float", {{NULL, 0, false, false}}},
	{MADE_DOUBLE, "double", {{NULL, 0, false, false}}},
	{MADE_INT, "int", {{NULL, 0, false, false}}},
	{MADE_LONG, "long", {{NULL, 0, false, false}}},
	{MADE_TEXT, "java.lang.String", {{NULL, 0, false, false}}},
	{MADE_CLASS, "java.lang.Class",
		{{"loader", 999, true, false}, {"name", MADE_SYMBOL, true, false}}},
	{MADE_THREAD, "java.lang.Thread",
		{{"osName", MADE_TEXT, false, false}, {"osThreadId", MADE_LONG, false, false},
			{"javaName", MADE_TEXT, false, false}}},
	{MADE_FRAME_TYPE, "jdk.types.FrameType", {{"description", MADE_TEXT, false, false}}},
	{MADE_STATE, "jdk.types.ThreadState", {{"name", MADE_TEXT, false, false}}},
	{MADE_STACK, "jdk.types.StackTrace",
		{{"truncated", MADE_BOOLEAN, false, false}, {"frames", MADE_FRAME, false, true}}},
	{MADE_FRAME, "jdk.types.StackFrame",
		{{"method", MADE_METHOD, true, false}, {"lineNumber", MADE_INT, false, false},
			{"bytecodeIndex", MADE_INT, false, false},
			{"type", MADE_FRAME_TYPE, true, false}}},
	{MADE_METHOD, "jdk.types.Method",
		{{"type", MADE_CLASS, true, false}, {"name", MADE_SYMBOL, true, false}}},
	{MADE_SYMBOL, "jdk.types.Symbol", {{"string", MADE_TEXT, false, false}}},
	/* Of no use to anyone: values that must be passed over. */
	{MADE_PAIR, "made.Pair",
		{{"x", MADE_FLOAT, false, false}, {"y", MADE_DOUBLE, false, false}}},
	{MADE_TREE, "made.Tree",
		{{"pair", MADE_PAIR, false, false}, {"pairs", MADE_PAIR, false, true},
			{"words", MADE_TEXT, false, true}, {"numbers", MADE_LONG, false, true},
			{"truth", MADE_BOOLEAN, false, false}}},
	{MADE_EXECUTION, "jdk.ExecutionSample",
		{MADE_JFR_SAMPLE("sampledThread"), {"state", MADE_STATE, true, false},
			{"contextId", MADE_LONG, false, false}}},
	{MADE_WALL, "profiler.WallClockSample",
		{MADE_JFR_SAMPLE("sampledThread"), {"samples", MADE_INT, false, false}}},
	{MADE_IN_TLAB, "jdk.ObjectAllocationInNewTLAB", MADE_JFR_WEIGHED("tlabSize")},
	{MADE_OUTSIDE_TLAB, "jdk.ObjectAllocationOutsideTLAB", MADE_JFR_WEIGHED("allocationSize")},
	{MADE_ALLOCATION, "jdk.ObjectAllocationSample", MADE_JFR_WEIGHED("weight")},
	{MADE_LIVE, "profiler.LiveObject", {MADE_JFR_SAMPLE("eventThread")}},
	{MADE_MONITOR, "jdk.JavaMonitorEnter", MADE_JFR_WEIGHED("duration")},
	{MADE_PARK, "jdk.ThreadPark", MADE_JFR_WEIGHED("duration")},
	{MADE_MALLOC, "profiler.Malloc", MADE_JFR_WEIGHED("size")},
	{MADE_SETTING, "jdk.ActiveSetting",
		{{"startTime", MADE_LONG, false, false}, {"id", MADE_LONG, false, false},
			{"name", MADE_TEXT, false, false}, {"value", MADE_TEXT, false, false}}},
	{MADE_OTHER, "made.Event", {{"tree", MADE_TREE, false, false}}},
};
#define MADE_JFR_CLASS_COUNT (sizeof(made_jfr_classes) / sizeof(made_jfr_classes[0]))

/* The texts of metadata; each once. */
struct made_jfr_texts {
	const char *texts[256];
	char ids[64][24]; /* digits */
	uint32_t id_count;
	uint32_t count;
};

static inline uint64_t made_jfr_intern(struct made_jfr_texts *texts, const char *text)
{
	uint32_t at = 0;

	while (at < texts->count && strcmp(texts->texts[at], text) != 0)
		at++;
	CHECK(at < 256);
	if (at == texts->count)
		texts->texts[texts->count++] = text;
	return at;
}

static inline uint64_t made_jfr_digits(struct made_jfr_texts *texts, uint64_t id)
{
	uint32_t at = 0;
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)id);
	while (at < texts->id_count && strcmp(texts->ids[at], digits) != 0)
		at++;
	CHECK(at < 64);
	if (at == texts->id_count)
		memcpy(texts->ids[texts->id_count++], digits, sizeof(digits));
	return made_jfr_intern(texts, texts->ids[at]);
}

static inline void made_jfr_element_field(
	struct made_jfr *tree, struct made_jfr_texts *texts, const struct made_jfr_field *field)
{
	uint64_t yes = made_jfr_intern(texts, "true"), one = made_jfr_intern(texts, "1");

	made_jfr_numbers(tree, made_jfr_intern(texts, "field"),
		2 + (uint64_t)field->is_constant + (uint64_t)field->is_array,
		made_jfr_intern(texts, "name"), made_jfr_intern(texts, field->name),
		made_jfr_intern(texts, "class"), made_jfr_digits(texts, field->class_id));
	if (field->is_constant)
		made_jfr_numbers(tree, made_jfr_intern(texts, "constantPool"), yes);
	if (field->is_array)
		made_jfr_numbers(tree, made_jfr_intern(texts, "dimension"), one);
	/* An annotation, which is passed over. */
	made_jfr_numbers(tree, 1, made_jfr_intern(texts, "annotation"), 0, 0);
}

static inline void made_jfr_element_class(
	struct made_jfr *tree, struct made_jfr_texts *texts, const struct made_jfr_class *class)
{
	uint64_t count = 0;

	while (count < 8 && class->fields[count].name)
		count++;
	made_jfr_numbers(tree, made_jfr_intern(texts, "class"), 2, made_jfr_intern(texts, "name"),
		made_jfr_intern(texts, class->name), made_jfr_intern(texts, "id"),
		made_jfr_digits(texts, class->id), count);
	for (uint64_t i = 0; i < count; i++)
		made_jfr_element_field(tree, texts, &class->fields[i]);
}

static inline void made_jfr_metadata(
	struct made_jfr *jfr, const struct made_jfr_class *classes, size_t class_count)
{
	static struct made_jfr tree;
	struct made_jfr_texts texts = {.count = 0};

	tree.length = 0;
	made_jfr_numbers(&tree, made_jfr_intern(&texts, "root"), 0, 2,
		made_jfr_intern(&texts, "metadata"), 0, class_count);
	for (size_t i = 0; i < class_count; i++)
		made_jfr_element_class(&tree, &texts, &classes[i]);
	made_jfr_numbers(&tree, made_jfr_intern(&texts, "region"), 0, 0);
	jfr->metadata_at = jfr->length - jfr->chunk_at;
	made_jfr_begin_event(jfr, 0);
	made_jfr_numbers(jfr, 1, 2, 3, texts.count);
	for (uint32_t i = 0; i < texts.count; i++)
		made_jfr_text(jfr, texts.texts[i]);
	made_jfr_bytes(jfr, tree.bytes, tree.length);
	made_jfr_end_event(jfr);
}

/* ---- Constants ---- */

static inline void made_jfr_begin_checkpoint(struct made_jfr *jfr, uint64_t pool_count)
{
	made_jfr_begin_event(jfr, 1);
	made_jfr_numbers(jfr, 1, 2, 3);
	made_jfr_byte(jfr, 0);
	made_jfr_number(jfr, pool_count);
}

static inline void made_jfr_symbol(struct made_jfr *jfr, uint64_t number, const char *text)
{
	made_jfr_number(jfr, number);
	made_jfr_text(jfr, text);
}

static inline void made_jfr_thread(
	struct made_jfr *jfr, uint64_t number, const char *os_name, const char *java_name)
{
	made_jfr_number(jfr, number);
	made_jfr_text(jfr, os_name);
	made_jfr_number(jfr, 4000 + number);
	made_jfr_text(jfr, java_name);
}

/* Names: 1 Main.main, 2 a/Work.run, 3 a lambda of that, 4 libc.so.6.memset. Threads 1 and 2. */
static inline void made_jfr_names(struct made_jfr *jfr)
{
	made_jfr_begin_checkpoint(jfr, 6);
	made_jfr_numbers(jfr, MADE_SYMBOL, 8);
	made_jfr_symbol(jfr, 11, "Main");
	made_jfr_symbol(jfr, 12, "main");
	made_jfr_symbol(jfr, 13, "a/Work");
	made_jfr_symbol(jfr, 14, "run");
	made_jfr_symbol(jfr, 15, "a/Work$$Lambda$66.0x00007f75040877a8");
	made_jfr_symbol(jfr, 16, "libc.so.6");
	made_jfr_symbol(jfr, 17, "memset");
	/* A text that is a constant in turn. */
	made_jfr_number(jfr, 18);
	made_jfr_byte(jfr, 2);
	made_jfr_number(jfr, 70);
	made_jfr_numbers(jfr, MADE_CLASS, 4, 21, 0, 11, 22, 0, 13, 23, 0, 15, 24, 0, 16);
	made_jfr_numbers(jfr, MADE_METHOD, 4, 31, 21, 12, 32, 22, 14, 33, 23, 14, 34, 24, 17);
	made_jfr_numbers(jfr, MADE_FRAME_TYPE, 2);
	made_jfr_symbol(jfr, 1, "JIT compiled");
	made_jfr_symbol(jfr, 2, "Native");
	made_jfr_numbers(jfr, MADE_THREAD, 2);
	made_jfr_thread(jfr, 1, "java", "main");
	made_jfr_thread(jfr, 2, "GC Thread#0", "");
	made_jfr_numbers(jfr, MADE_STATE, 2);
	made_jfr_symbol(jfr, 1, "STATE_RUNNABLE");
	made_jfr_symbol(jfr, 2, "STATE_SLEEPING");
	made_jfr_end_event(jfr);
}

/* Stack 51: main:5, run:20; 52: the same below memset, cut at its root. */
static inline void made_jfr_stacks(struct made_jfr *jfr)
{
	made_jfr_begin_checkpoint(jfr, 3);
	made_jfr_numbers(jfr, MADE_STACK, 2);
	made_jfr_number(jfr, 51);
	made_jfr_byte(jfr, 0);
	made_jfr_numbers(jfr, 2, 32, 20, 7, 1, 31, 5, 3, 1);
	made_jfr_number(jfr, 52);
	made_jfr_byte(jfr, 1);
	made_jfr_numbers(jfr, 3, 34, 0, 0, 2, 33, 20, 7, 1, 31, 5, 3, 1);
	made_jfr_numbers(jfr, MADE_TREE, 1, 61);
	made_jfr_bytes(jfr, "xxxxyyyyyyyy", 12);
	made_jfr_number(jfr, 2);
	made_jfr_bytes(jfr, "xxxxyyyyyyyyxxxxyyyyyyyy", 24);
	made_jfr_number(jfr, 2);
	made_jfr_text(jfr, "one");
	made_jfr_byte(jfr, 0);
	made_jfr_numbers(jfr, 3, 1, 1u << 20, UINT64_MAX, 1);
	made_jfr_numbers(jfr, MADE_TEXT, 1);
	made_jfr_symbol(jfr, 70, "a constant");
	made_jfr_end_event(jfr);
}

/* ---- Samples ---- */

#define made_jfr_event(jfr, type, ...)                \
	do {                                          \
		made_jfr_begin_event((jfr), (type));  \
		made_jfr_numbers((jfr), __VA_ARGS__); \
		made_jfr_end_event(jfr);              \
	} while (0)

static inline void made_jfr_setting(
	struct made_jfr *jfr, uint64_t of, const char *name, const char *value)
{
	made_jfr_begin_event(jfr, MADE_SETTING);
	made_jfr_numbers(jfr, 1, of);
	made_jfr_text(jfr, name);
	made_jfr_text(jfr, value);
	made_jfr_end_event(jfr);
}

static inline void made_jfr_samples(struct made_jfr *jfr)
{
	/* Time, thread, stack; then state and context, or weight and context. */
	made_jfr_event(jfr, MADE_EXECUTION, 1, 1, 51, 1, 9);
	made_jfr_event(jfr, MADE_EXECUTION, 2, 1, 51, 1, 9);
	made_jfr_event(jfr, MADE_EXECUTION, 3, 2, 52, 1, 0);
	made_jfr_event(jfr, MADE_EXECUTION, 4, 1, 51, 2, 9);
	made_jfr_event(jfr, MADE_WALL, 5, 2, 52, 7);
	made_jfr_event(jfr, MADE_IN_TLAB, 6, 1, 51, 524288, 0);
	made_jfr_event(jfr, MADE_OUTSIDE_TLAB, 7, 1, 51, 1u << 20, 0);
	made_jfr_event(jfr, MADE_ALLOCATION, 8, 1, 0, 4096, 0);
	made_jfr_event(jfr, MADE_LIVE, 9, 1, 51);
	made_jfr_event(jfr, MADE_MONITOR, 10, 1, 51, 1500, 0);
	made_jfr_event(jfr, MADE_PARK, 11, 1, 51, 3, 0);
	made_jfr_event(jfr, MADE_MALLOC, 12, 1, 52, 100, 0);
}

/* One chunk of all of it. */
static inline void made_jfr_chunk(struct made_jfr *jfr)
{
	made_jfr_begin_chunk(jfr);
	made_jfr_stacks(jfr);
	made_jfr_samples(jfr);
	made_jfr_setting(jfr, MADE_EXECUTION, "period", "20 ms");
	made_jfr_setting(jfr, 0, "wall", "50000000");
	made_jfr_begin_event(jfr, MADE_OTHER);
	made_jfr_bytes(jfr, "what it holds", 13);
	made_jfr_end_event(jfr);
	made_jfr_names(jfr);
	made_jfr_metadata(jfr, made_jfr_classes, MADE_JFR_CLASS_COUNT);
	made_jfr_end_chunk(jfr);
}

#define MADE_JFR_RUN "Main.main(:5);a.Work.run(:20)"
#define MADE_JFR_MEMSET "[truncated];Main.main(:5);a.Work$$Lambda_.run(:20);libc.so.6.memset"

#define MADE_JFR_LINES                                                                     \
	"block:contentions:count:block:count{} " MADE_JFR_RUN " 1 1\n"                     \
	"block:delay:nanoseconds:block:count{} " MADE_JFR_RUN " 1 3000\n"                  \
	"memory:alloc_in_new_tlab_bytes:bytes:space:bytes{} " MADE_JFR_RUN " 1 524288\n"   \
	"memory:alloc_in_new_tlab_objects:count:space:bytes{} " MADE_JFR_RUN " 1 1\n"      \
	"memory:alloc_outside_tlab_bytes:bytes:space:bytes{} " MADE_JFR_RUN " 1 1048576\n" \
	"memory:alloc_outside_tlab_objects:count:space:bytes{} " MADE_JFR_RUN " 1 1\n"     \
	"memory:alloc_sample_bytes:bytes:space:bytes{} [no stack] 1 4096\n"                \
	"memory:alloc_sample_objects:count:space:bytes{} [no stack] 1 1\n"                 \
	"memory:live:count:objects:count{} " MADE_JFR_RUN " 1 1\n"                         \
	"memory:malloc_bytes:bytes::{} " MADE_JFR_MEMSET " 1 100\n"                        \
	"memory:malloc_objects:count::{} " MADE_JFR_MEMSET " 1 1\n"                        \
	"mutex:contentions:count:mutex:count{} " MADE_JFR_RUN " 1 1\n"                     \
	"mutex:delay:nanoseconds:mutex:count{} " MADE_JFR_RUN " 1 1500000\n"               \
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds{} " MADE_JFR_RUN " 2 40000000\n"      \
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds{} " MADE_JFR_MEMSET " 1 20000000\n"   \
	"wall:wall:nanoseconds:wall:nanoseconds{} " MADE_JFR_MEMSET " 7 350000000\n"
