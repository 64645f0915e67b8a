/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/counter.h"

#include <stddef.h>

struct counter_text {
	const char *name;
	const char *meaning;
};

#define TEXT_OF_COUNTER(name, meaning) {#name, meaning},
#define TEXT_OF_STOP(name, words, meaning) \
	{"user_stop_" #name, "user stacks by how they end: " meaning},

static const struct counter_text texts[] = {COUNTER_LIST(TEXT_OF_COUNTER) STOP_LIST(TEXT_OF_STOP)};

_Static_assert(sizeof(texts) / sizeof(texts[0]) == COUNTER_MAX, "every counter has its text");

static const struct counter_text *text_of(enum counter counter)
{
	static const struct counter_text unknown = {"unknown", "unknown"};

	return (size_t)counter < COUNTER_MAX ? &texts[counter] : &unknown;
}

const char *counter_name(enum counter counter)
{
	return text_of(counter)->name;
}

const char *counter_meaning(enum counter counter)
{
	return text_of(counter)->meaning;
}
