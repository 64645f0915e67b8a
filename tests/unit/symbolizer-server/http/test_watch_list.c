/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/watch_list.h"

#include <errno.h>

#include "tests/support/sample_profile.h"
#include "tests/support/site_fixture.h"
#include "tests/support/work_dir.h"

#define MINUTE (60 * NS_PER_S)
/* The begin of a minute. */
#define START (UINT64_C(1699999980) * NS_PER_S)

static struct site_fixture fixture;

/* Ten seconds of web, of whose samples SLOW in ten are in slow(), and of db without any. */
static void append(uint64_t number, uint32_t slow)
{
	struct profile *profile =
		sample_profile_new("a", START + number * FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS);
	struct batch_key key = fixture_key(1, number);
	struct fixture_answers answers = {0};

	for (uint32_t i = 0; i < 20; i++) {
		sample_profile_add(profile,
			&(struct sample_profile_sample){
				.stack = i < slow ? "main;slow;memcpy" : "main;fast",
				.process = i < 10 ? "web" : "db",
				.slot = i});
	}
	sample_profile_seal(profile);
	CHECK_EQ(profile_store_append(fixture.store, &key, profile, fixture_done, &answers), 0);
	CHECK_EQ(profile_store_flush(fixture.store), 0);
	profile_free(profile);
}

struct seen {
	uint32_t count;
	double web;
	double db;
};

static void see(void *context, const struct watch_share *share)
{
	struct seen *seen = context;

	seen->count++;
	CHECK_STR(watch_rule_function(share->rule), "slow");
	if (strcmp(share->service, "web") == 0)
		seen->web = share->share;
	if (strcmp(share->service, "db") == 0)
		seen->db = share->share;
}

static struct seen look(struct watch_list *list)
{
	struct http_request request = {.is_gone = site_fixture_waits};
	struct seen seen = {.web = -1, .db = -1};

	watch_list_visit(list, &fixture.site, &request, see, &seen);
	return seen;
}

static _Atomic uint64_t now_ns;

static struct clock_reading read_clock(void *context)
{
	uint64_t now = now_ns;

	(void)context;
	return (struct clock_reading){now, now, now};
}

static void a_share_is_that_of_the_last_whole_minute(void)
{
	static const char *const rules[] = {"{host=\"a\"}|slow"};
	struct profile_store_config config = fixture_config(work_path("watch"));
	char error[WATCH_RULE_ERROR_BYTES_MAX];
	struct watch_list *list;
	struct seen seen;

	site_fixture_init(&fixture, fixture_open(&config, NULL));
	fixture.site.clock = (struct clock){.read = read_clock};
	for (uint64_t i = 0; i < 12; i++)
		append(i, i < 6 ? 3 : 1);
	CHECK_EQ(watch_list_new(rules, 1, error, &list), 0);
	/* The second minute is over, but its windows may still come. */
	now_ns = START + 2 * MINUTE + 19 * NS_PER_S;
	seen = look(list);
	CHECK_EQ(seen.count, 2);
	CHECK(seen.web == 0.3);
	CHECK(seen.db == 0);
	now_ns = START + 2 * MINUTE + 20 * NS_PER_S;
	CHECK(look(list).web == 0.1);
	/* What was looked at is not looked at again. */
	append(11 + 100, 9);
	CHECK(look(list).web == 0.1);
	/* A minute without samples has no shares. */
	now_ns = START + 4 * MINUTE;
	CHECK_EQ(look(list).count, 0);
	watch_list_free(list);
	watch_list_free(NULL);
	CHECK_EQ(look(NULL).count, 0);
	site_fixture_done(&fixture);
}

static void wrong_rules_and_too_many_are_refused(void)
{
	const char *rules[WATCH_LIST_RULE_COUNT_MAX + 1];
	char error[WATCH_RULE_ERROR_BYTES_MAX];
	struct watch_list *list;

	for (size_t i = 0; i < WATCH_LIST_RULE_COUNT_MAX + 1; i++)
		rules[i] = "|main";
	CHECK_EQ(watch_list_new(rules, WATCH_LIST_RULE_COUNT_MAX + 1, error, &list), -EINVAL);
	CHECK(strstr(error, "more than 32"));
	rules[5] = "main";
	CHECK_EQ(watch_list_new(rules, 6, error, &list), -EINVAL);
	CHECK(strstr(error, "QUERY|FUNCTION"));
}

int main(void)
{
	RUN(a_share_is_that_of_the_last_whole_minute);
	RUN(wrong_rules_and_too_many_are_refused);
	return 0;
}
