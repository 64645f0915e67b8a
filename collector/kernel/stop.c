/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/stop.h"

#include <stddef.h>

struct stop_text {
	const char *name;
	const char *words;
	const char *meaning;
};

#define TEXT_OF_STOP(name, words, meaning) {#name, words, meaning},

static const struct stop_text texts[] = {
	{"none", "none", "the walk has not ended"}, STOP_LIST(TEXT_OF_STOP)};

_Static_assert(sizeof(texts) / sizeof(texts[0]) == STOP_MAX, "every reason has its text");

static const struct stop_text *text_of(enum stop stop)
{
	static const struct stop_text unknown = {"unknown", "unknown", "unknown"};

	return (size_t)stop < STOP_MAX ? &texts[stop] : &unknown;
}

const char *stop_name(enum stop stop)
{
	return text_of(stop)->name;
}

const char *stop_words(enum stop stop)
{
	return text_of(stop)->words;
}

const char *stop_meaning(enum stop stop)
{
	return text_of(stop)->meaning;
}
