/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/text_type.h"

#include "tests/support/check.h"

static void check_type(const char *app, const char *units, uint32_t rate, const char *service,
	const char *type, int64_t period)
{
	struct text_type found = text_type_of((struct ingest_text){app, strlen(app)}, units, rate);

	CHECK_EQ(found.service.length, strlen(service));
	CHECK(memcmp(found.service.text, service, found.service.length) == 0);
	CHECK_STR(found.type, type);
	CHECK_EQ(found.period, period);
}

static void the_ending_tells(void)
{
	check_type("web.cpu", NULL, 100, "web", PROFILE_TYPE_ON_CPU, 10000000);
	check_type("my.web.alloc_space", "", 100, "my.web", "memory:alloc_space:bytes::", 1);
	check_type("web.wall", NULL, 1000, "web", "wall:wall:nanoseconds:cpu:nanoseconds", 1000000);
	check_type("web.goroutines", NULL, 100, "web", "goroutine:goroutines:count::", 1);
	check_type("web.mutex_duration", NULL, 0, "web", "mutex:delay:nanoseconds::", 1);
}

static void without_a_known_ending_units_tell(void)
{
	check_type("web", "", 100, "web", PROFILE_TYPE_ON_CPU, 10000000);
	check_type("my.service", "samples", 50, "my.service", PROFILE_TYPE_ON_CPU, 20000000);
	check_type("mem-1.4242", "bytes", 100, "mem-1.4242", "memory:space:bytes::", 1);
	check_type("m", "lock_nanoseconds", 100, "m", "mutex:delay:nanoseconds::", 1);
}

static void without_a_rate_samples_stay_a_count(void)
{
	check_type("web.cpu", NULL, 0, "web", "process_cpu:samples:count::", 1);
	check_type("web.wall", NULL, 0, "web", "wall:samples:count::", 1);
	check_type("web.cpu", NULL, 4000000000, "web", PROFILE_TYPE_ON_CPU, 1);
}

int main(void)
{
	RUN(the_ending_tells);
	RUN(without_a_known_ending_units_tell);
	RUN(without_a_rate_samples_stay_a_count);
	return 0;
}
