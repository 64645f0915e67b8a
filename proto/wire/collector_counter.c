/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/collector_counter.h"

#include <string.h>

struct counter_text {
	const char *name;
	const char *meaning;
};

#define KERNEL_ROW(name, meaning) {"kernel_" #name, meaning},
#define STOP_ROW(name, words, meaning) \
	{"kernel_user_stop_" #name, "user stacks by how they end: " meaning},
#define TALLY_ROW(name, meaning) {"collector_" #name, meaning},
#define SINK_ROW(name, text, meaning) {text, meaning},

static const struct counter_text texts[] = {
	COUNTER_LIST(KERNEL_ROW) STOP_LIST(STOP_ROW) TALLY_LIST(TALLY_ROW) SINK_COUNTERS(SINK_ROW)};

_Static_assert(sizeof(texts) / sizeof(texts[0]) == COLLECTOR_COUNTER_COUNT, "a text for each");

uint32_t collector_counter_rank(const char *name)
{
	for (uint32_t i = 0; i < COLLECTOR_COUNTER_COUNT; i++) {
		if (strcmp(texts[i].name, name) == 0)
			return i;
	}
	return COLLECTOR_COUNTER_UNKNOWN;
}

const char *collector_counter_name(uint32_t rank)
{
	return rank < COLLECTOR_COUNTER_COUNT ? texts[rank].name : "";
}

const char *collector_counter_meaning(uint32_t rank)
{
	return rank < COLLECTOR_COUNTER_COUNT ? texts[rank].meaning : "";
}
