/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/service_counter.h"

#include "store/base/must.h"

static const char *const names[] = {
#define SERVICE_COUNTER_NAME(name, text, meaning) [SERVICE_COUNTER_##name] = (text),
	SERVICE_COUNTERS(SERVICE_COUNTER_NAME)
#undef SERVICE_COUNTER_NAME
};

static const char *const meanings[] = {
#define SERVICE_COUNTER_MEANING(name, text, meaning) [SERVICE_COUNTER_##name] = (meaning),
	SERVICE_COUNTERS(SERVICE_COUNTER_MEANING)
#undef SERVICE_COUNTER_MEANING
};

const char *service_counter_name(enum service_counter counter)
{
	must(counter < SERVICE_COUNTER_COUNT);
	return names[counter];
}

const char *service_counter_meaning(enum service_counter counter)
{
	must(counter < SERVICE_COUNTER_COUNT);
	return meanings[counter];
}
