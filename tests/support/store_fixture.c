/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/store_fixture.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/fake_profile.h"

_Atomic uint64_t fixture_now_ns = FIXTURE_START_NS + FIXTURE_DAY_NS;

static struct clock_reading read_now(void *context)
{
	uint64_t now = fixture_now_ns;

	(void)context;
	return (struct clock_reading){now, now, now};
}

struct profile_store_config fixture_config(const char *dir)
{
	return (struct profile_store_config){
		.dir = dir, .clock = {.read = read_now}, .compact_on_demand = true};
}

struct profile_store *fixture_open(
	const struct profile_store_config *config, struct profile_store_report *ret_report)
{
	struct profile_store_report report;
	struct profile_store *store = NULL;
	int r = profile_store_open(config, &report, &store);

	if (r < 0)
		fprintf(stderr, "open: %s\n", report.problem);
	CHECK_EQ(r, 0);
	if (ret_report)
		*ret_report = report;
	return store;
}

struct batch_key fixture_key(uint8_t instance, uint64_t sequence)
{
	return (struct batch_key){.instance = {instance}, .sequence = sequence};
}

void fixture_done(void *context, int result)
{
	struct fixture_answers *answers = context;

	answers->last = result;
	if (result == 0)
		answers->stored++;
	else if (result == -EALREADY)
		answers->already++;
	else
		answers->failed++;
}

int fixture_append_at(struct profile_store *store, const char *host_name, struct batch_key key,
	uint64_t start_ns, uint32_t sample_count, struct fixture_answers *answers)
{
	struct fake_host host = fake_small_host(host_name);
	struct profile *profile;
	int r;

	host.sample_count = sample_count;
	profile = fake_profile(&host, start_ns, FIXTURE_WINDOW_NS, key.sequence);
	r = profile_store_append(store, &key, profile, fixture_done, answers);
	profile_free(profile);
	return r;
}

int fixture_append(struct profile_store *store, const char *host, uint8_t instance, uint64_t number,
	uint32_t sample_count, struct fixture_answers *answers)
{
	return fixture_append_at(store, host, fixture_key(instance, number),
		FIXTURE_START_NS + number * FIXTURE_WINDOW_NS, sample_count, answers);
}

static int see(void *context, const struct profile *profile)
{
	struct fixture_seen *seen = context;
	uint64_t start_ns = profile_window_epoch_ns(profile);
	uint64_t number = (start_ns - FIXTURE_START_NS) / FIXTURE_WINDOW_NS;

	/* Pieces of segments come first, in no order. */
	if (profile->head.host != 0) {
		CHECK(start_ns >= seen->last_start_ns);
		CHECK(profile->head.received_at_ns > 0);
		seen->last_start_ns = start_ns;
	}
	seen->profiles++;
	seen->samples += profile_sample_count(profile);
	for (uint32_t i = 0; i < profile->type_count; i++)
		seen->slots += profile->types[i].slot_count;
	if (start_ns >= FIXTURE_START_NS && number < 256) {
		uint64_t bit = UINT64_C(1) << number % 64;

		seen->twice += (seen->numbers[number / 64] & bit) != 0;
		seen->numbers[number / 64] |= bit;
	}
	return 0;
}

struct fixture_seen fixture_visit(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter)
{
	struct fixture_seen seen = {0};

	CHECK_EQ(profile_store_visit(store, from_ns, until_ns, filter, see, &seen), 0);
	return seen;
}

struct fixture_seen fixture_visit_all(struct profile_store *store)
{
	return fixture_visit(store, 0, UINT64_MAX, NULL);
}

uint64_t fixture_counter(struct profile_store *store, enum profile_store_counter counter)
{
	struct profile_store_stats stats;

	profile_store_stats(store, &stats);
	return stats.counters[counter];
}
