/* SPDX-License-Identifier: Apache-2.0 */
/* Made pprof: a small profile of two columns, written field by field.
 *
 * What it is   main calls work, which has hot inlined into it; a location without lines in a mapping
 *              with a build-ID; string and number labels; the texts stand behind all that uses them.
 * Ownership    the text is the caller's.
 * Threads      one.
 * Errors       a failed check ends the program.
 */
#pragma once

#include "tests/support/proto_text.h"

#define MADE_PPROF_TIME UINT64_C(1796061870000000000)
#define MADE_PPROF_DURATION UINT64_C(10000000000)

static inline void made_pprof_texts(struct proto_text *text)
{
	static const char *const strings[] = {"", "samples", "count", "cpu", "nanoseconds", "main",
		"work", "hot", "/src/a.c", "endpoint", "/api", "/usr/lib/libx.so",
		"0102030405060708090a0b0c0d0e0f1011121314", "bytes", "span_id"};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		proto_string(text, 6, strings[i]);
}

/* Samples: main;work;hot 3 times with a label, main;libx+0x1500 once. FIRST_ID is the first id of
 * each table: 1 as most writers have it, or any other. */
static inline void made_pprof(struct proto_text *text, uint64_t first_id)
{
	struct proto_text inner = {.length = 0};
	const uint64_t id = first_id;

	*text = (struct proto_text){.length = 0};
	PROTO_ROW(text, 1, {1, 1}, {2, 2});
	PROTO_ROW(text, 1, {1, 3}, {2, 4});
	/* A sample whose numbers are packed, and one whose are not. */
	proto_span(&inner, 1, (const uint8_t[]){(uint8_t)(id + 1), (uint8_t)id}, 2);
	proto_span(&inner, 2, "\x03\x80\x87\xa7\x0e", 5); /* 3; 30000000 */
	PROTO_ROW(&inner, 3, {1, 9}, {2, 10});
	PROTO_ROW(&inner, 3, {1, 13}, {3, 4096});
	PROTO_ROW(&inner, 3, {1, 14}, {2, 10});
	proto_inner(text, 2, &inner);
	PROTO_ROW(text, 2, {1, id + 2}, {1, id}, {2, 1}, {2, 10000000});
	PROTO_ROW(text, 3, {1, id}, {2, 0}, {5, 11}, {6, 12});
	inner.length = 0;
	proto_number(&inner, 1, id);
	PROTO_ROW(&inner, 4, {1, id}, {2, 5});
	proto_inner(text, 4, &inner);
	inner.length = 0;
	proto_number(&inner, 1, id + 1);
	PROTO_ROW(&inner, 4, {1, id + 2}, {2, 30});
	PROTO_ROW(&inner, 4, {1, id + 1}, {2, 20});
	proto_inner(text, 4, &inner);
	PROTO_ROW(text, 4, {1, id + 2}, {2, id}, {3, 0x1500});
	PROTO_ROW(text, 5, {1, id}, {2, 5}, {4, 8});
	PROTO_ROW(text, 5, {1, id + 1}, {2, 6}, {4, 8});
	PROTO_ROW(text, 5, {1, id + 2}, {2, 7});
	made_pprof_texts(text);
	proto_number(text, 9, MADE_PPROF_TIME);
	proto_number(text, 10, MADE_PPROF_DURATION);
	PROTO_ROW(text, 11, {1, 3}, {2, 4});
	proto_number(text, 12, 10000000);
}

#define MADE_PPROF_LINES                                                                   \
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds{endpoint=/api} "                      \
	"main(/src/a.c:5);work(/src/a.c:20);hot(:30) 3 30000000\n"                         \
	"process_cpu:cpu:nanoseconds:cpu:nanoseconds{} main(/src/a.c:5);libx.so+0x1500 1 " \
	"10000000\n"                                                                       \
	"process_cpu:samples:count:cpu:nanoseconds{endpoint=/api} "                        \
	"main(/src/a.c:5);work(/src/a.c:20);hot(:30) 3 3\n"                                \
	"process_cpu:samples:count:cpu:nanoseconds{} main(/src/a.c:5);libx.so+0x1500 1 1\n"
