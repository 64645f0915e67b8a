/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/ingest_desk.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

static struct ingest_desk *desk;
static struct profile_store *store;
static _Atomic int answers, result;

static void on_done(void *context, int r)
{
	(void)context;
	atomic_store(&result, r);
	atomic_fetch_add(&answers, 1);
}

static struct profile *window_at(uint64_t start_ns)
{
	struct ingest_batch batch;
	const struct ingest_name name = {.kind = FRAME_TEXT, .function = {"f", 1}};
	struct sample_table *table;
	struct profile *profile;
	uint32_t frame, stack, series;

	CHECK_EQ(ingest_batch_init(&batch, start_ns, start_ns + FIXTURE_WINDOW_NS), 0);
	CHECK_EQ(ingest_batch_named(&batch, &name, &frame), 0);
	CHECK_EQ(ingest_batch_stack_leaf_first(&batch, &frame, 1, &stack), 0);
	CHECK_EQ(ingest_batch_series(&batch, NULL, 0, NULL, &series), 0);
	CHECK_EQ(ingest_batch_type(&batch, PROFILE_TYPE_ON_CPU, 1, &table), 0);
	CHECK_EQ(ingest_batch_sample(&batch, table, stack, series, 5, 50), 0);
	CHECK_EQ(ingest_batch_take(&batch, &profile), 0);
	ingest_batch_done(&batch);
	return profile;
}

static int submit(const uint64_t *starts_ns, uint32_t count)
{
	struct profile **profiles = calloc(count + 1, sizeof(struct profile *));

	CHECK(profiles);
	for (uint32_t i = 0; i < count; i++)
		profiles[i] = window_at(starts_ns[i]);
	atomic_store(&answers, 0);
	ingest_desk_submit(desk, profiles, count, on_done, NULL);
	CHECK_EQ(profile_store_flush(store), 0);
	CHECK_EQ(answers, 1);
	return result;
}

struct wanted {
	const char *name;
	uint64_t value;
};

static void find(void *context, const struct counted *counted)
{
	struct wanted *wanted = context;

	if (strcmp(counted->name, wanted->name) == 0)
		wanted->value = counted->value;
}

static uint64_t counter(const char *name)
{
	struct wanted wanted = {name, UINT64_MAX};

	ingest_desk_visit_counters(desk, find, &wanted);
	CHECK(wanted.value != UINT64_MAX);
	return wanted.value;
}

static void profiles_become_durable_and_equal_ones_add_up(void)
{
	const uint64_t starts_ns[] = {FIXTURE_START_NS, FIXTURE_START_NS, FIXTURE_START_NS};

	CHECK_EQ(submit(starts_ns, 3), 0);
	CHECK_EQ(submit(starts_ns, 1), 0);
	CHECK_EQ(fixture_visit_all(store).samples, 20);
	CHECK_EQ(counter("client_profiles_stored"), 4);
	CHECK_EQ(counter("client_samples_stored"), 20);
}

static void nothing_is_answered_at_once(void)
{
	CHECK_EQ(submit(NULL, 0), 0);
}

static void what_is_too_old_is_told(void)
{
	const uint64_t starts_ns[] = {FIXTURE_START_NS, 1};

	CHECK_EQ(submit(starts_ns, 2), -ESTALE);
	CHECK_EQ(counter("client_profiles_stale"), 1);
	CHECK_EQ(counter("client_profiles_stored"), 5);
}

static void drops_are_added_up(void)
{
	const struct ingest_drops drops = {
		.names_cut = 2, .empty = 3, .numbers_dropped = 1, .broken = 1, .sleeping = 2};

	ingest_desk_note_drops(desk, &drops);
	ingest_desk_note_drops(desk, &drops);
	CHECK_EQ(counter("client_names_cut"), 4);
	CHECK_EQ(counter("client_empty"), 6);
	CHECK_EQ(counter("client_numbers_dropped"), 2);
	CHECK_EQ(counter("client_broken"), 2);
	CHECK_EQ(counter("client_sleeping"), 4);
	ingest_desk_count(desk, INGEST_UPLOADS, 2);
	CHECK_EQ(counter("client_uploads"), 2);
}

static void what_comes_again_is_known_up_to_a_number(void)
{
	const struct hash128 key = {1, 2};

	CHECK_EQ(ingest_desk_begin(desk, &key, 1), REPEAT_NEW);
	ingest_desk_end(desk, &key, true);
	CHECK_EQ(ingest_desk_begin(desk, &key, 2), REPEAT_STORED);
	CHECK_EQ(counter("client_uploads_repeated"), 1);
	CHECK_EQ(counter("client_repeats_forgotten"), 0);
	for (uint64_t i = 0; i < 2 * REPEAT_COUNT_MAX; i++)
		CHECK_EQ(ingest_desk_begin(desk, &(struct hash128){i, 3}, 3), REPEAT_NEW);
	CHECK_EQ(counter("client_repeats_forgotten"), REPEAT_COUNT_MAX);
}

static void bodies_hold_no_more_than_they_may_but_one_alone_may(void)
{
	ingest_desk_set_held_max(desk, 100);
	CHECK(ingest_desk_hold(desk, 0, 60));
	CHECK(ingest_desk_hold(desk, 0, 40));
	CHECK_EQ(counter("client_body_bytes"), 100);
	CHECK(!ingest_desk_hold(desk, 60, 1));
	CHECK(!ingest_desk_hold(desk, 0, 1));
	CHECK_EQ(counter("client_uploads_crowded"), 2);
	ingest_desk_let_go(desk, 40);
	/* Nobody else is there. */
	CHECK(ingest_desk_hold(desk, 60, 1000));
	CHECK(!ingest_desk_hold(desk, 0, 1));
	ingest_desk_let_go(desk, 1060);
	CHECK_EQ(counter("client_body_bytes"), 0);
	CHECK(ingest_desk_hold(desk, 0, 1));
	ingest_desk_let_go(desk, 1);
}

static void *read_large(void *read_count)
{
	ingest_desk_read_begin(desk, INGEST_LARGE_BYTES);
	atomic_fetch_add((atomic_int *)read_count, 1);
	ingest_desk_read_end(desk, INGEST_LARGE_BYTES);
	return NULL;
}

static void of_large_bodies_one_is_read_at_a_time(void)
{
	atomic_int read_count = 0;
	pthread_t thread;

	ingest_desk_read_begin(desk, INGEST_LARGE_BYTES);
	CHECK_EQ(pthread_create(&thread, NULL, read_large, &read_count), 0);
	/* Small ones wait for nobody. */
	ingest_desk_read_begin(desk, INGEST_LARGE_BYTES - 1);
	ingest_desk_read_end(desk, INGEST_LARGE_BYTES - 1);
	usleep(10000);
	CHECK_EQ(read_count, 0);
	ingest_desk_read_end(desk, INGEST_LARGE_BYTES);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(read_count, 1);
}

int main(void)
{
	struct profile_store_config config = fixture_config(work_path("store"));

	config.retain_ns = 365 * FIXTURE_DAY_NS;
	store = fixture_open(&config, NULL);
	CHECK_EQ(ingest_desk_new(store, NULL, NULL, &desk), 0);
	RUN(profiles_become_durable_and_equal_ones_add_up);
	RUN(nothing_is_answered_at_once);
	RUN(what_is_too_old_is_told);
	RUN(drops_are_added_up);
	RUN(what_comes_again_is_known_up_to_a_number);
	RUN(bodies_hold_no_more_than_they_may_but_one_alone_may);
	RUN(of_large_bodies_one_is_read_at_a_time);
	profile_store_close(store);
	ingest_desk_free(desk);
	return 0;
}
