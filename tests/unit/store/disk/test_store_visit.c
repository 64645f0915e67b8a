/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_visit.h"

#include <errno.h>

#include "store/profile/sample_range.h"
#include "tests/support/check.h"
#include "tests/support/fake_profile.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

static void only_overlapping_windows_are_visited(void)
{
	struct profile_store_config config = fixture_config(work_path("overlap"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	uint64_t start_ns = FIXTURE_START_NS, window_ns = FIXTURE_WINDOW_NS;

	for (uint64_t i = 0; i < 40; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 5, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fixture_visit(store, start_ns, start_ns + window_ns, NULL).numbers[0], 1);
	CHECK_EQ(fixture_visit(store, start_ns + 1, start_ns + window_ns + 1, NULL).numbers[0], 3);
	CHECK_EQ(fixture_visit(store, start_ns - 1, start_ns, NULL).profiles, 0);
	CHECK_EQ(fixture_visit(store, start_ns, start_ns, NULL).profiles, 0);
	CHECK_EQ(fixture_visit(store, start_ns + 1, start_ns, NULL).profiles, 0);
	CHECK_EQ(fixture_visit(store, start_ns + 40 * window_ns, UINT64_MAX, NULL).profiles, 0);
	CHECK_EQ(fixture_visit(store, start_ns + 5, start_ns + 6, NULL).numbers[0], 1);
	CHECK_EQ(fixture_visit_all(store).profiles, 40);
	profile_store_close(store);
}

static void windows_come_by_time_whatever_the_order_of_their_arrival(void)
{
	struct profile_store_config config = fixture_config(work_path("order"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	/* 2.2 hours of windows, so that several buckets are filled in a mixed order. */
	for (uint64_t i = 0; i < 800; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i * 331 % 800, 3, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fixture_visit_all(store).profiles, 800);
	CHECK_EQ(fixture_visit(store, FIXTURE_START_NS + 350 * FIXTURE_WINDOW_NS,
			 FIXTURE_START_NS + 370 * FIXTURE_WINDOW_NS, NULL)
			 .profiles,
		20);
	profile_store_close(store);
}

static void hosts_and_types_leave_blocks_out(void)
{
	struct profile_store_config config = fixture_config(work_path("filter"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	struct profile_store_filter filter = {.host = "a"};

	for (uint64_t i = 0; i < 30; i++)
		CHECK_EQ(fixture_append(store, i % 3 ? "a" : "b", 1, i, 5, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(fixture_visit(store, 0, UINT64_MAX, &filter).profiles, 20);
	CHECK_EQ(fixture_counter(store, PROFILE_STORE_blocks_read), 20);
	filter.type = PROFILE_TYPE_ON_CPU;
	CHECK_EQ(fixture_visit(store, 0, UINT64_MAX, &filter).profiles, 20);
	filter.host = NULL;
	CHECK_EQ(fixture_visit(store, 0, UINT64_MAX, &filter).profiles, 30);
	filter.type = "off_cpu:off_cpu:nanoseconds::";
	CHECK_EQ(fixture_visit(store, 0, UINT64_MAX, &filter).profiles, 0);
	filter = (struct profile_store_filter){.host = "nobody"};
	CHECK_EQ(fixture_visit(store, 0, UINT64_MAX, &filter).profiles, 0);
	/* A host by the name of a type is no type. */
	filter = (struct profile_store_filter){.type = "a"};
	CHECK_EQ(fixture_visit(store, 0, UINT64_MAX, &filter).profiles, 0);
	profile_store_close(store);
}

static int stop_at_third(void *context, const struct profile *profile)
{
	int *count = context;

	(void)profile;
	return ++*count == 3 ? -ECANCELED : 0;
}

static void a_visitor_may_end_the_visit(void)
{
	struct profile_store_config config = fixture_config(work_path("cancel"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	int count = 0;

	for (uint64_t i = 0; i < 10; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 5, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(
		profile_store_visit(store, 0, UINT64_MAX, NULL, stop_at_third, &count), -ECANCELED);
	CHECK_EQ(count, 3);
	profile_store_close(store);
}

static int append_with_lives(struct profile_store *store, const char *host, uint64_t number,
	struct fixture_answers *answers)
{
	struct fake_host small = fake_small_host(host);
	struct profile *profile = fake_profile(
		&small, FIXTURE_START_NS + number * FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS, number);
	struct batch_key key = fixture_key(1, number);
	struct life_sums sums = {.execs = 1 + number};
	int r;

	CHECK_EQ(life_table_add(&profile->lives, (struct life_name){"ps", 2},
			 (struct life_name){"sh", 2}, &sums),
		0);
	r = profile_store_append(store, &key, profile, fixture_done, answers);
	profile_free(profile);
	return r;
}

struct lives_seen {
	uint64_t windows, execs, last_start_ns, last_until_ns;
	char host[8];
};

static int see_lives(void *context, const struct profile_store_lives *lives)
{
	struct lives_seen *seen = context;

	seen->windows++;
	for (uint32_t i = 0; i < lives->table->count; i++)
		seen->execs += lives->table->rows[i].sums.execs;
	seen->last_start_ns = lives->start_ns;
	seen->last_until_ns = lives->until_ns;
	snprintf(seen->host, sizeof(seen->host), "%.*s", (int)lives->host.length, lives->host.text);
	return seen->windows == 100 ? -ECANCELED : 0;
}

static struct lives_seen visit_lives(
	struct profile_store *store, uint64_t from_ns, uint64_t until_ns, const char *host)
{
	struct profile_store_filter filter = {.host = host};
	struct lives_seen seen = {0};

	CHECK_EQ(profile_store_visit_lives(store, from_ns, until_ns, &filter, see_lives, &seen), 0);
	return seen;
}

static void lives_are_visited_without_the_rest(void)
{
	struct profile_store_config config = fixture_config(work_path("lives"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	struct lives_seen seen;

	for (uint64_t i = 0; i < 20; i++)
		CHECK_EQ(append_with_lives(store, i % 2 ? "b" : "a", i, &answers), 0);
	CHECK_EQ(fixture_append(store, "a", 1, 20, 5, &answers), 0);
	/* The same batch once more. */
	CHECK_EQ(append_with_lives(store, "a", 4, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	for (int opened = 0; opened < 2; opened++) {
		seen = visit_lives(store, 0, UINT64_MAX, NULL);
		CHECK_EQ(seen.windows, 21);
		CHECK_EQ(seen.execs, 210);
		CHECK_EQ(seen.last_start_ns, FIXTURE_START_NS + 20 * FIXTURE_WINDOW_NS);
		CHECK_EQ(seen.last_until_ns, seen.last_start_ns + FIXTURE_WINDOW_NS);
		seen = visit_lives(store, FIXTURE_START_NS, FIXTURE_START_NS + 1, NULL);
		CHECK_EQ(seen.execs, 1);
		seen = visit_lives(store, 0, UINT64_MAX, "b");
		CHECK_EQ(seen.execs, 110);
		CHECK_STR(seen.host, "b");
		profile_store_close(store);
		store = fixture_open(&config, NULL);
	}
	profile_store_close(store);
}

static int append_with_cpus(struct profile_store *store, const char *host, uint64_t number,
	struct fixture_answers *answers)
{
	struct fake_host small = fake_small_host(host);
	struct profile *profile = fake_profile(
		&small, FIXTURE_START_NS + number * FIXTURE_WINDOW_NS, FIXTURE_WINDOW_NS, number);
	struct batch_key key = fixture_key(1, number);
	int r;

	profile->cpu_count = 0;
	profile->head.online_cpu_count = 2;
	CHECK_EQ(profile_add_text(profile, "6.1.0-18-amd64", &profile->head.kernel_release), 0);
	CHECK_EQ(profile_add_text(profile, "cairn 0.7", &profile->head.collector_version), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct profile_cpu cpu = {i, 1000 + number, 100, 10, 7 + i};

		CHECK_EQ(profile_add_cpu(profile, &cpu), 0);
	}
	r = profile_store_append(store, &key, profile, fixture_done, answers);
	profile_free(profile);
	return r;
}

struct windows_seen {
	uint64_t windows, busy_ns, sampled_ns, last_start_ns, received_at_ns;
	uint32_t cpus;
	char text[64];
};

static int see_window(void *context, const struct profile_store_window *window)
{
	struct windows_seen *seen = context;

	CHECK(window->start_ns >= seen->last_start_ns);
	CHECK_EQ(window->until_ns, window->start_ns + FIXTURE_WINDOW_NS);
	CHECK_EQ(window->idle_ns, 200);
	CHECK_EQ(window->steal_ns, 20);
	seen->windows++;
	seen->busy_ns += window->busy_ns;
	seen->sampled_ns += window->sampled_ns;
	seen->cpus += window->online_cpu_count;
	seen->last_start_ns = window->start_ns;
	seen->received_at_ns = window->received_at_ns;
	snprintf(seen->text, sizeof(seen->text), "%.*s %.*s %.*s", (int)window->host.length,
		window->host.text, (int)window->kernel_release.length, window->kernel_release.text,
		(int)window->collector_version.length, window->collector_version.text);
	return seen->windows == 100 ? -ECANCELED : 0;
}

static struct windows_seen visit_windows(
	struct profile_store *store, uint64_t from_ns, uint64_t until_ns, const char *host)
{
	struct profile_store_filter filter = {.host = host};
	struct windows_seen seen = {0};

	CHECK_EQ(profile_store_visit_windows(store, from_ns, until_ns, &filter, see_window, &seen),
		0);
	return seen;
}

static void windows_are_visited_without_their_samples(void)
{
	struct profile_store_config config = fixture_config(work_path("windows"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	struct windows_seen seen;

	for (uint64_t i = 0; i < 20; i++)
		CHECK_EQ(append_with_cpus(store, i % 2 ? "b" : "a", i, &answers), 0);
	/* The same batch once more. */
	CHECK_EQ(append_with_cpus(store, "a", 4, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	for (int opened = 0; opened < 2; opened++) {
		seen = visit_windows(store, 0, UINT64_MAX, NULL);
		CHECK_EQ(seen.windows, 20);
		CHECK_EQ(seen.busy_ns, 20 * 2000 + 2 * 190);
		CHECK_EQ(seen.sampled_ns, 20 * 15);
		CHECK_EQ(seen.cpus, 40);
		CHECK(seen.received_at_ns == fixture_now_ns);
		CHECK_STR(seen.text, "b 6.1.0-18-amd64 cairn 0.7");
		/* Each whole, wherever the range ends. */
		seen = visit_windows(store, FIXTURE_START_NS + 1, FIXTURE_START_NS + 2, NULL);
		CHECK_EQ(seen.busy_ns, 2000);
		seen = visit_windows(store, 0, UINT64_MAX, "b");
		CHECK_EQ(seen.windows, 10);
		CHECK_EQ(seen.busy_ns, 10 * 2000 + 2 * 100);
		profile_store_close(store);
		store = fixture_open(&config, NULL);
	}
	profile_store_close(store);
}

struct grower {
	struct profile_store *store;
	struct fixture_answers answers;
	uint64_t next;
	int visited;
};

static int append_one_more(void *context, const struct profile *profile)
{
	struct grower *grower = context;

	(void)profile;
	grower->visited++;
	CHECK_EQ(fixture_append(grower->store, "a", 1, grower->next++, 5, &grower->answers), 0);
	CHECK_EQ(profile_store_flush(grower->store), 0);
	return 0;
}

static void a_visit_sees_what_was_there_when_it_began(void)
{
	struct profile_store_config config = fixture_config(work_path("grow"));
	struct profile_store *store = fixture_open(&config, NULL);
	/* An hour on: in a part of the index that the visit has not come to yet. */
	struct grower grower = {.store = store, .next = 400};

	for (uint64_t i = 0; i < 3; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 5, &grower.answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(profile_store_visit(store, 0, UINT64_MAX, NULL, append_one_more, &grower), 0);
	CHECK_EQ(grower.visited, 3);
	CHECK_EQ(fixture_visit_all(store).profiles, 6);
	profile_store_close(store);
}

struct sums {
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t count;
	int64_t value;
};

static int add_parts(void *context, const struct profile *profile)
{
	struct sums *sums = context;
	struct sample_range range;

	sample_range_init(&range, profile, sums->from_ns, sums->until_ns);
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; j < table->row_count; j++) {
			struct sample_part part = sample_range_part(&range, table, &table->rows[j]);

			sums->count += part.count;
			sums->value += part.value;
		}
	}
	return 0;
}

static struct sums sum_range(struct profile_store *store, uint64_t from_ns, uint64_t until_ns)
{
	struct sums sums = {.from_ns = from_ns, .until_ns = until_ns};

	CHECK_EQ(profile_store_visit(store, from_ns, until_ns, NULL, add_parts, &sums), 0);
	return sums;
}

/* A window whose values are no multiples of their counts, and a table without slots. */
static void append_odd_window(struct profile_store *store, uint64_t start_ns)
{
	struct fixture_answers answers = {0};
	struct batch_key key = fixture_key(2, start_ns);
	struct fake_host host = fake_small_host("odd");
	struct profile *profile = fake_profile(&host, start_ns, 3 * NS_PER_S + 7 * NS_PER_MS, 1);
	struct sample_table *table;
	uint32_t slots[] = {150, 3, 3};

	profile->types[0].rows[0].value += 12345;
	CHECK_EQ(profile_add_type(profile, "odd:odd:bytes::", 0, true, &table), 0);
	CHECK_EQ(sample_table_add_row(
			 table, &(struct sample_row){.count = 3, .value = 1000001}, slots),
		0);
	CHECK_EQ(profile_add_type(profile, "odd:spread:bytes::", 0, false, &table), 0);
	CHECK_EQ(sample_table_add_row(
			 table, &(struct sample_row){.count = 77, .value = -1000003}, NULL),
		0);
	CHECK_EQ(profile_seal(profile), 0);
	CHECK_EQ(profile_store_append(store, &key, profile, fixture_done, &answers), 0);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers.stored, 1);
	profile_free(profile);
}

static void parts_of_adjacent_ranges_sum_to_their_union(void)
{
	static const uint64_t grids[] = {1, NS_PER_MS, PROFILE_SLOT_NS, NS_PER_S, 10 * NS_PER_S};
	struct profile_store_config config = fixture_config(work_path("adjacent"));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};
	uint64_t random = 3, from_ns = FIXTURE_START_NS - NS_PER_S;
	uint64_t until_ns = FIXTURE_START_NS + 70 * NS_PER_S;
	struct sums whole;

	for (uint64_t i = 0; i < 6; i++)
		CHECK_EQ(fixture_append(store, "a", 1, i, 60, &answers), 0);
	append_odd_window(store, FIXTURE_START_NS + 11 * NS_PER_S + 20 * NS_PER_MS);
	whole = sum_range(store, from_ns, until_ns);
	CHECK_EQ(whole.count, 7 * 60 + 3 + 77);
	for (int round = 0; round < 300; round++) {
		uint64_t grid = grids[fake_random(&random) % 5];
		struct sums sum = {0};

		for (uint64_t at = from_ns; at < until_ns;) {
			uint64_t next =
				at + (fake_random(&random) % (20 * NS_PER_S / grid) + 1) * grid;
			struct sums part;

			next = next < until_ns ? next : until_ns;
			part = sum_range(store, at, next);
			sum.count += part.count;
			sum.value += part.value;
			at = next;
		}
		CHECK_EQ(sum.count, whole.count);
		CHECK_EQ(sum.value, whole.value);
	}
	profile_store_close(store);
}

int main(void)
{
	RUN(only_overlapping_windows_are_visited);
	RUN(windows_come_by_time_whatever_the_order_of_their_arrival);
	RUN(hosts_and_types_leave_blocks_out);
	RUN(a_visitor_may_end_the_visit);
	RUN(lives_are_visited_without_the_rest);
	RUN(windows_are_visited_without_their_samples);
	RUN(a_visit_sees_what_was_there_when_it_began);
	RUN(parts_of_adjacent_ranges_sum_to_their_union);
	return 0;
}
