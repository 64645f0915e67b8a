/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/row_filter.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)
#define PERIOD_NS 10000000

static struct profile *two_processes(void)
{
	struct profile *profile = sample_profile_new("web-1", START, 10 * NS_PER_S);

	for (uint32_t i = 0; i < 10; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = "main",
				.process = "nginx",
				.pid = 7,
				.cpu = i % 2,
				.slot = i});
		sample_profile_add(profile,
			&(struct sample_profile_sample){.stack = "main",
				.process = "re\xff"
					   "dis",
				.pid = 8,
				.slot = i * 50});
	}
	sample_profile_add(profile,
		&(struct sample_profile_sample){
			.type = "off_cpu:off_cpu:nanoseconds::", .stack = "main", .value = 5});
	sample_profile_seal(profile);
	return profile;
}

/* What a query takes, over all types. */
static int64_t take(const char *query, uint64_t from_ns, uint64_t until_ns, int expected)
{
	struct profile *profile = two_processes();
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct selector selector;
	struct row_filter filter;
	int64_t sum = 0;
	int r;

	CHECK_EQ(selector_parse(query, strlen(query), &selector, error), 0);
	row_filter_init(&filter, &selector, (struct time_range){from_ns, until_ns});
	r = row_filter_open(&filter, profile);
	for (uint32_t i = 0; r == 0 && i < profile->type_count; i++) {
		bool takes = false;

		r = row_filter_takes_type(&filter, &profile->types[i], &takes);
		for (uint32_t j = 0; r == 0 && takes && j < profile->types[i].row_count; j++) {
			struct sample_part part = {0};

			r = row_filter_part(
				&filter, &profile->types[i], &profile->types[i].rows[j], &part);
			sum += part.value;
		}
	}
	CHECK_EQ(r, expected);
	row_filter_done(&filter);
	selector_done(&selector);
	profile_free(profile);
	return sum;
}

static int64_t take_all(const char *query)
{
	return take(query, START, START + 10 * NS_PER_S, 0);
}

static void labels_choose_rows(void)
{
	CHECK_EQ(take_all(""), 20 * PERIOD_NS + 5);
	CHECK_EQ(take_all(PROFILE_TYPE_ON_CPU), 20 * PERIOD_NS);
	CHECK_EQ(take_all("off_cpu:off_cpu:nanoseconds::{}"), 5);
	CHECK_EQ(take_all("{__unit__=\"nanoseconds\",__name__!=\"off_cpu\"}"), 20 * PERIOD_NS);
	CHECK_EQ(take_all("{process=\"nginx\"}"), 10 * PERIOD_NS);
	CHECK_EQ(take_all("{process=~\"n.*\",cpu=\"1\"}"), 5 * PERIOD_NS);
	CHECK_EQ(take_all("{pid!=\"7\",pid!=\"100\"}"), 10 * PERIOD_NS);
	CHECK_EQ(take_all("{host=\"web-1\",tid=~\"7|8\"}"), 20 * PERIOD_NS);
	CHECK_EQ(take_all("{host=\"web-2\"}"), 0);
	CHECK_EQ(take_all("{region=\"\",process=\"nginx\"}"), 10 * PERIOD_NS);
	CHECK_EQ(take_all("{region!=\"\"}"), 0);
}

static void a_value_that_is_no_text_is_matched_as_it_is_shown(void)
{
	CHECK_EQ(take_all("{process=\"re\xef\xbf\xbd"
			  "dis\"}"),
		10 * PERIOD_NS);
	CHECK_EQ(take_all("{process=~\"re.dis\"}"), 10 * PERIOD_NS);
}

static void adjacent_ranges_sum_to_the_union(void)
{
	uint64_t middles[] = {
		START, START + 1, START + 20 * NS_PER_MS, START + NS_PER_S, START + 10 * NS_PER_S};

	for (size_t i = 0; i < sizeof(middles) / sizeof(middles[0]); i++) {
		CHECK_EQ(take("", START, middles[i], 0) +
				take("", middles[i], START + 10 * NS_PER_S, 0),
			20 * PERIOD_NS + 5);
	}
	CHECK_EQ(take("{process=\"nginx\"}", START, START + 60 * NS_PER_MS, 0), 3 * PERIOD_NS);
	CHECK_EQ(take("", START, START, 0), 0);
}

static void an_expensive_pattern_ends_the_query(void)
{
	take("{process=~\"((((((((((.*)*)*)*)*)*)*)*)*)*)*x\"}", START, START + 1, -E2BIG);
}

int main(void)
{
	RUN(labels_choose_rows);
	RUN(a_value_that_is_no_text_is_matched_as_it_is_shown);
	RUN(adjacent_ranges_sum_to_the_union);
	RUN(an_expensive_pattern_ends_the_query);
	return 0;
}
