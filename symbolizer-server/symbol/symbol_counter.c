/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbol_counter.h"

#include "store/base/must.h"

static const struct {
	const char *name;
	const char *meaning;
} counters[] = {
#define SYMBOL_COUNTER_TEXT(name, text, meaning) {text, meaning},
	SYMBOL_COUNTERS(SYMBOL_COUNTER_TEXT)
#undef SYMBOL_COUNTER_TEXT
};

const char *symbol_counter_name(enum symbol_counter counter)
{
	must((unsigned)counter < SYMBOL_COUNTER_COUNT);
	return counters[counter].name;
}

const char *symbol_counter_meaning(enum symbol_counter counter)
{
	must((unsigned)counter < SYMBOL_COUNTER_COUNT);
	return counters[counter].meaning;
}
