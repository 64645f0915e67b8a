/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sink/sink_counter.h"

#include "store/base/must.h"

static const char *const names[] = {
#define SINK_COUNTER_NAME(name, text, meaning) [SINK_COUNTER_##name] = (text),
	SINK_COUNTERS(SINK_COUNTER_NAME)
#undef SINK_COUNTER_NAME
};

static const char *const meanings[] = {
#define SINK_COUNTER_MEANING(name, text, meaning) [SINK_COUNTER_##name] = (meaning),
	SINK_COUNTERS(SINK_COUNTER_MEANING)
#undef SINK_COUNTER_MEANING
};

const char *sink_counter_name(enum sink_counter counter)
{
	must(counter < SINK_COUNTER_COUNT);
	return names[counter];
}

const char *sink_counter_meaning(enum sink_counter counter)
{
	must(counter < SINK_COUNTER_COUNT);
	return meanings[counter];
}
