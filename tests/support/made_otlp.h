/* SPDX-License-Identifier: Apache-2.0 */
/* Made OTLP: a small request as a profiler would export it.
 *
 * What it is   one process, samples that are times alone: a native frame without a name in a mapping
 *              with a build-ID, called by a Python function, called by main.
 * Ownership    the text is the caller's.
 * Threads      one.
 * Errors       a failed check ends the program.
 */
#pragma once

#include <stdbool.h>

#include "tests/support/proto_text.h"

#define MADE_OTLP_TIME UINT64_C(1796061870000000000)
#define MADE_OTLP_DURATION UINT64_C(5000000000)
#define MADE_OTLP_PERIOD UINT64_C(50000000)

static inline void made_otlp_fixed64(struct proto_text *text, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	proto_put_varint(text, field << 3 | 1);
	proto_put(text, bytes, sizeof(bytes));
}

static inline void made_otlp_string_attribute(
	struct proto_text *text, uint32_t field, uint64_t key, const char *value)
{
	struct proto_text inner = {.length = 0}, any = {.length = 0};

	proto_number(&inner, 1, key);
	proto_string(&any, 1, value);
	proto_inner(&inner, 2, &any);
	proto_inner(text, field, &inner);
}

static inline void made_otlp_number_attribute(
	struct proto_text *text, uint32_t field, uint64_t key, uint64_t value)
{
	struct proto_text inner = {.length = 0}, any = {.length = 0};

	proto_number(&inner, 1, key);
	proto_number(&any, 3, value);
	proto_inner(&inner, 2, &any);
	proto_inner(text, field, &inner);
}

/* Row 0 of every table stands for nothing. */
static inline void made_otlp_dictionary(struct proto_text *text)
{
	static const char *const strings[] = {"", "samples", "count", "cpu", "nanoseconds",
		"libx.so", "process.executable.build_id.gnu", "profile.frame.type", "work", "/a.py",
		"main", "thread.name", "thread.id", "cpu.logical_number", "k8s.pod.name"};
	struct proto_text inner = {.length = 0}, line = {.length = 0};

	*text = (struct proto_text){.length = 0};
	proto_string(text, 1, "");
	proto_number(&inner, 4, 5);
	proto_span(&inner, 5, "\1", 1);
	proto_inner(text, 1, &inner);
	proto_string(text, 2, "");
	inner.length = 0; /* 1: native, unnamed */
	proto_number(&inner, 1, 1);
	proto_number(&inner, 2, 0x1234);
	proto_span(&inner, 4, "\2", 1);
	proto_inner(text, 2, &inner);
	inner.length = 0; /* 2: python */
	proto_number(&line, 1, 1);
	proto_number(&line, 2, 7);
	proto_inner(&inner, 3, &line);
	proto_span(&inner, 4, "\3", 1);
	proto_inner(text, 2, &inner);
	inner.length = line.length = 0; /* 3: main */
	proto_number(&line, 1, 2);
	proto_inner(&inner, 3, &line);
	proto_inner(text, 2, &inner);
	proto_string(text, 3, "");
	PROTO_ROW(text, 3, {1, 8}, {3, 9});
	PROTO_ROW(text, 3, {1, 10}, {4, 1});
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		proto_string(text, 5, strings[i]);
	proto_string(text, 6, "");
	made_otlp_string_attribute(text, 6, 6, "0102030405060708090a0b0c0d0e0f1011121314");
	made_otlp_string_attribute(text, 6, 7, "native");
	made_otlp_string_attribute(text, 6, 7, "cpython");
	made_otlp_string_attribute(text, 6, 11, "worker");
	made_otlp_number_attribute(text, 6, 12, 4243);
	made_otlp_number_attribute(text, 6, 13, 3);
	made_otlp_string_attribute(text, 6, 14, "web-1");
	proto_string(text, 7, "");
	inner.length = 0;
	proto_span(&inner, 1, "\1\2\3", 3);
	proto_inner(text, 7, &inner);
}

static inline void made_otlp_profile(struct proto_text *text)
{
	struct proto_text sample = {.length = 0}, times = {.length = 0};

	*text = (struct proto_text){.length = 0};
	PROTO_ROW(text, 1, {1, 1}, {2, 2});
	proto_number(&sample, 1, 1);
	proto_span(&sample, 2, "\4\5\6\7", 4);
	made_otlp_fixed64(&times, 5, MADE_OTLP_TIME + 1);
	made_otlp_fixed64(&times, 5, MADE_OTLP_TIME + MADE_OTLP_PERIOD);
	proto_put(&sample, times.bytes, times.length);
	proto_inner(text, 2, &sample);
	made_otlp_fixed64(text, 3, MADE_OTLP_TIME);
	proto_number(text, 4, MADE_OTLP_DURATION);
	PROTO_ROW(text, 5, {1, 3}, {2, 4});
	proto_number(text, 6, MADE_OTLP_PERIOD);
}

/* A request of these profiles, all of one resource. */
static inline void made_otlp_request(struct proto_text *text, const struct proto_text *profiles,
	uint32_t count, bool dictionary_first)
{
	struct proto_text dictionary, resource = {.length = 0}, scope = {.length = 0},
				      all = {.length = 0}, pair = {.length = 0},
				      any = {.length = 0};

	made_otlp_dictionary(&dictionary);
	proto_string(&pair, 1, "service.name");
	proto_string(&any, 1, "web");
	proto_inner(&pair, 2, &any);
	proto_inner(&resource, 1, &pair);
	pair.length = any.length = 0;
	proto_string(&pair, 1, "process.pid");
	proto_number(&any, 3, 4242);
	proto_inner(&pair, 2, &any);
	proto_inner(&resource, 1, &pair);
	for (uint32_t i = 0; i < count; i++)
		proto_inner(&scope, 2, &profiles[i]);
	proto_inner(&all, 1, &resource);
	proto_inner(&all, 2, &scope);
	*text = (struct proto_text){.length = 0};
	if (dictionary_first)
		proto_inner(text, 2, &dictionary);
	proto_inner(text, 1, &all);
	if (!dictionary_first)
		proto_inner(text, 2, &dictionary);
}

#define MADE_OTLP_LINES                                                                     \
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds{k8s.pod.name=web-1,service_name=web} " \
	"main;work(/a.py:7);libx.so+0x1234 2 100000000\n"
