/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/listing.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)

static struct profile *make(const char *host, uint64_t start_ns)
{
	struct profile *profile = sample_profile_new(host, start_ns, NS_PER_S);

	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "a", .process = "nginx", .pid = 1});
	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "b", .process = "nginx", .pid = 2});
	sample_profile_add(profile,
		&(struct sample_profile_sample){.stack = "b", .process = "redis", .slot = 7});
	sample_profile_add(profile,
		&(struct sample_profile_sample){
			.stack = "b", .type = "off_cpu:off_cpu:nanoseconds::", .value = 3});
	sample_profile_seal(profile);
	return profile;
}

static struct listing begin(
	struct selector *ret_selector, const char *query, struct time_range range)
{
	char error[SELECTOR_ERROR_BYTES_MAX];
	struct listing listing;

	CHECK_EQ(selector_parse(query, strlen(query), ret_selector, error), 0);
	CHECK_EQ(listing_init(&listing, ret_selector, range), 0);
	return listing;
}

static void end(struct listing *listing, struct selector *selector)
{
	listing_done(listing);
	selector_done(selector);
}

static void processes_sum_over_profiles_and_threads(void)
{
	static const char *const names[LISTING_TEXT_COUNT_MAX] = {
		"process", "service_name", "host"};
	struct selector selector;
	struct listing listing =
		begin(&selector, PROFILE_TYPE_ON_CPU, (struct time_range){0, UINT64_MAX});

	for (uint64_t i = 0; i < 2; i++) {
		struct profile *profile = make("web", START + i * NS_PER_S);

		CHECK_EQ(listing_add_labels(&listing, profile, names), 0);
		profile_free(profile);
	}
	listing_sort(&listing);
	CHECK_EQ(listing.count, 2);
	CHECK_STR(listing_text(&listing, 0, 0), "nginx");
	CHECK_STR(listing_text(&listing, 0, 1), "nginx");
	CHECK_STR(listing_text(&listing, 0, 2), "web");
	CHECK_EQ(listing.rows[0].sample_count, 4);
	CHECK_EQ(listing.rows[0].value, 40000000);
	CHECK_STR(listing_text(&listing, 1, 0), "redis");
	CHECK_EQ(listing.rows[1].sample_count, 2);
	end(&listing, &selector);
}

static void hosts_have_what_came_last_and_need_no_samples(void)
{
	struct selector selector;
	struct listing listing =
		begin(&selector, "{process=\"none\"}", (struct time_range){0, UINT64_MAX});

	/* The second that came of `a` is of before the first. */
	for (uint64_t i = 3; i > 0; i--) {
		struct profile_store_window window = {
			.host = {i == 2 ? "b" : "a", 1},
			.start_ns = START + i * NS_PER_S,
			.until_ns = START + (i + 1) * NS_PER_S,
			.received_at_ns = START + (10 - i) * NS_PER_S,
			.kernel_release = {i == 3 ? "6.9" : "6.1", 3},
			.collector_version = {"1", 1},
		};

		CHECK_EQ(listing_add_window(&listing, &window), 0);
	}
	listing_sort(&listing);
	CHECK_EQ(listing.count, 2);
	CHECK_STR(listing_text(&listing, 0, 0), "a");
	CHECK_EQ(listing.rows[0].sample_count, 0);
	CHECK_EQ(listing.rows[0].first_seen_ns, START + NS_PER_S);
	CHECK_EQ(listing.rows[0].last_seen_ns, START + 4 * NS_PER_S);
	CHECK_EQ(listing.rows[0].received_at_ns, START + 9 * NS_PER_S);
	CHECK_STR(string_table_text(&listing.strings, listing.rows[0].kernel_release), "6.1");
	end(&listing, &selector);
}

static void types_are_those_with_samples_in_the_range(void)
{
	struct selector selector;
	struct listing listing = begin(&selector, "{process=\"redis\"}",
		(struct time_range){START, START + 140 * NS_PER_MS});
	struct profile *profile = make("a", START);

	CHECK_EQ(listing_add_types(&listing, profile), 0);
	CHECK_EQ(listing.count, 0);
	end(&listing, &selector);
	listing = begin(&selector, "", (struct time_range){0, UINT64_MAX});
	CHECK_EQ(listing_add_types(&listing, profile), 0);
	listing_sort(&listing);
	CHECK_EQ(listing.count, 2);
	CHECK_STR(listing_text(&listing, 0, 0), PROFILE_TYPE_ON_CPU);
	CHECK_EQ(listing.rows[1].value, 3);
	profile_free(profile);
	end(&listing, &selector);
}

static void label_names_are_those_that_rows_have(void)
{
	struct selector selector;
	struct listing listing = begin(&selector, "", (struct time_range){0, UINT64_MAX});
	struct profile *profile = make("a", START);
	bool found = false;

	CHECK_EQ(listing_add_label_names(&listing, profile), 0);
	profile_free(profile);
	CHECK_EQ(listing.count, 7);
	for (uint32_t i = 0; i < listing.count; i++)
		found |= strcmp(listing_text(&listing, i, 0), "service_name") == 0;
	CHECK(found);
	end(&listing, &selector);
}

int main(void)
{
	RUN(processes_sum_over_profiles_and_threads);
	RUN(hosts_have_what_came_last_and_need_no_samples);
	RUN(types_are_those_with_samples_in_the_range);
	RUN(label_names_are_those_that_rows_have);
	return 0;
}
