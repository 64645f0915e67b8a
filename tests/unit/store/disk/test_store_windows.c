/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_windows.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define HOUR_NS (3600 * NS_PER_S)
/* Over several hours, each window at a time of its own. */
#define PERIOD_NS (190 * NS_PER_S)
#define WINDOW_COUNT 100

static uint64_t start_of(uint64_t number)
{
	return FIXTURE_START_NS + number * PERIOD_NS;
}

/* Windows of three segments and of a log, none of them in the order of time. */
static struct profile_store *filled_store(const char *name)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (uint64_t part = 0; part < 4; part++) {
		for (uint64_t i = part; i < WINDOW_COUNT; i += 4) {
			uint64_t number = i % 8 < 4 ? i : WINDOW_COUNT - 1 - i;

			CHECK_EQ(fixture_append_at(store, i % 3 ? "a" : "b", fixture_key(1, i),
					 start_of(number), 3, &answers),
				0);
		}
		CHECK_EQ(profile_store_flush(store), 0);
		if (part == 3)
			break;
		fixture_now_ns += 16 * 60 * NS_PER_S;
		profile_store_compact(store);
	}
	CHECK(fixture_counter(store, PROFILE_STORE_segments_written) >= 3);
	return store;
}

struct seen {
	uint64_t count, last_start_ns, numbers[2], stop_at;
	char hosts[WINDOW_COUNT];
};

static int see(void *context, const struct profile_store_window *window)
{
	uint64_t number = (window->start_ns - FIXTURE_START_NS) / PERIOD_NS;
	struct seen *seen = context;

	CHECK(window->start_ns >= seen->last_start_ns);
	CHECK_EQ(window->until_ns, window->start_ns + FIXTURE_WINDOW_NS);
	CHECK_EQ(window->online_cpu_count, 4);
	CHECK_EQ(window->kernel_release.length, 14);
	CHECK_EQ(window->host.length, 1);
	seen->last_start_ns = window->start_ns;
	seen->hosts[seen->count] = window->host.text[0];
	seen->numbers[number / 64] |= UINT64_C(1) << number % 64;
	return ++seen->count == seen->stop_at ? -ECANCELED : 0;
}

static struct seen visit(
	struct profile_store *store, uint64_t from_ns, uint64_t until_ns, const char *host)
{
	struct profile_store_filter filter = {.host = host, .type = "whatever"};
	struct seen seen = {0};

	CHECK_EQ(profile_store_visit_windows(store, from_ns, until_ns, &filter, see, &seen), 0);
	return seen;
}

static void windows_of_segments_and_logs_come_in_one_order(void)
{
	struct profile_store *store = filled_store("order");
	struct seen seen = visit(store, 0, UINT64_MAX, NULL);

	CHECK_EQ(seen.count, WINDOW_COUNT);
	CHECK_EQ(seen.numbers[0], UINT64_MAX);
	CHECK_EQ(seen.numbers[1], (UINT64_C(1) << (WINDOW_COUNT - 64)) - 1);
	seen = visit(store, 0, UINT64_MAX, "b");
	CHECK_EQ(seen.count, (WINDOW_COUNT + 2) / 3);
	for (uint64_t i = 0; i < seen.count; i++)
		CHECK_EQ(seen.hosts[i], 'b');
	CHECK_EQ(visit(store, 0, UINT64_MAX, "c").count, 0);
	profile_store_close(store);
}

/* Each whole, if any of it lies in the range; also such that start in the hour before. */
static void windows_at_the_ends_of_a_range_are_there(void)
{
	struct profile_store *store = filled_store("ends");

	for (uint64_t i = 0; i < WINDOW_COUNT; i++) {
		uint64_t start_ns = start_of(i), end_ns = start_ns + FIXTURE_WINDOW_NS;

		CHECK_EQ(visit(store, end_ns - 1, end_ns + 1, NULL).count, 1);
		CHECK_EQ(visit(store, end_ns, end_ns + 1, NULL).count, 0);
		CHECK_EQ(visit(store, start_ns - 1, start_ns, NULL).count, 0);
		CHECK_EQ(visit(store, start_ns, start_ns + 1, NULL).count, 1);
		CHECK_EQ(visit(store, end_ns - 1, UINT64_MAX, NULL).count, WINDOW_COUNT - i);
		CHECK_EQ(visit(store, 0, start_ns + 1, NULL).count, i + 1);
	}
	profile_store_close(store);
}

static void a_visitor_may_end_the_visit(void)
{
	struct profile_store *store = filled_store("stop");
	struct seen seen = {.stop_at = 7};

	CHECK_EQ(profile_store_visit_windows(store, 0, UINT64_MAX, NULL, see, &seen), -ECANCELED);
	CHECK_EQ(seen.count, 7);
	profile_store_close(store);
}

int main(void)
{
	RUN(windows_of_segments_and_logs_come_in_one_order);
	RUN(windows_at_the_ends_of_a_range_are_there);
	RUN(a_visitor_may_end_the_visit);
	return 0;
}
