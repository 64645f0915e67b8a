/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_counter.h"

#include <stddef.h>
#include <string.h>

#include "bpf/abi/counter.h"
#include "bpf/abi/stop.h"
#include "proto/wire/collector_counter.h"

struct counter_text {
	const char *name;
	const char *meaning;
};

#define KERNEL_ROW(name, meaning) {COUNTER_PREFIX_KERNEL #name, meaning},
#define STOP_ROW(name, words, meaning) \
	{COUNTER_PREFIX_STOP #name, "user stacks by how they end: " meaning},
#define TALLY_ROW(name, meaning) {COUNTER_PREFIX_COLLECTOR #name, meaning},
#define SINK_ROW(name, text, meaning) {text, meaning},

static const struct counter_text texts[] = {
	COUNTER_LIST(KERNEL_ROW) STOP_LIST(STOP_ROW) TALLY_LIST(TALLY_ROW) SINK_COUNTERS(SINK_ROW)};

#define TEXT_COUNT (sizeof(texts) / sizeof(texts[0]))

uint32_t host_counter_rank(const char *name)
{
	for (uint32_t i = 0; i < TEXT_COUNT; i++) {
		if (strcmp(texts[i].name, name) == 0)
			return i;
	}
	return HOST_COUNTER_UNKNOWN;
}

const char *host_counter_meaning(uint32_t rank)
{
	return rank < TEXT_COUNT ? texts[rank].meaning : "";
}
