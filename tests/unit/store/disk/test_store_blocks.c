/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_blocks.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/store_fixture.h"
#include "tests/support/work_dir.h"

#define BATCH_COUNT 12

struct given {
	uint64_t sequences[2 * BATCH_COUNT];
	uint64_t count;
	uint64_t stop_at;
};

static int take(void *context, const struct profile *profile, const struct batch_key *key)
{
	struct given *given = context;

	CHECK(profile->head.received_at_ns > 0);
	CHECK_EQ(profile_sample_count(profile), 20);
	given->sequences[given->count++] = key->sequence;
	return given->count == given->stop_at ? -ECANCELED : 0;
}

/* Three logs, a batch each ten minutes and each window earlier than the one before. */
static struct profile_store *filled_store(const char *name)
{
	struct profile_store_config config = fixture_config(work_path("%s", name));
	struct profile_store *store = fixture_open(&config, NULL);
	struct fixture_answers answers = {0};

	for (uint64_t i = 0; i < BATCH_COUNT; i++) {
		CHECK_EQ(fixture_append_at(store, "a", fixture_key(1, i),
				 FIXTURE_START_NS + (100 - i) * FIXTURE_WINDOW_NS, 20, &answers),
			0);
		CHECK_EQ(profile_store_flush(store), 0);
		if (i % 4 == 3)
			fixture_now_ns += 600 * NS_PER_S;
	}
	profile_store_retain(store);
	CHECK_EQ(answers.stored, BATCH_COUNT);
	return store;
}

static void list(struct store_blocks *blocks, struct profile_store *store, uint32_t first)
{
	pthread_mutex_lock(&store->lock);
	CHECK_EQ(store->file_count, 3);
	CHECK_EQ(store_blocks_list(blocks, store, store->files + first, 3 - first), 0);
	pthread_mutex_unlock(&store->lock);
}

static void records_come_as_they_were_written_however_often(void)
{
	struct profile_store *store = filled_store("order");
	struct store_blocks blocks;

	list(&blocks, store, 1);
	CHECK_EQ(blocks.entry_count, 8);
	for (int round = 0; round < 3; round++) {
		struct given given = {0};

		CHECK_EQ(store_blocks_give(&blocks, take, &given), 0);
		CHECK_EQ(given.count, 8);
		for (uint64_t i = 0; i < given.count; i++)
			CHECK_EQ(given.sequences[i], i + 4);
	}
	CHECK_EQ(blocks.bad_number, 0);
	store_blocks_done(&blocks);
	profile_store_close(store);
}

static void whoever_takes_them_may_stop(void)
{
	struct profile_store *store = filled_store("stop");
	struct given given = {.stop_at = 3};
	struct store_blocks blocks;

	list(&blocks, store, 0);
	CHECK_EQ(store_blocks_give(&blocks, take, &given), -ECANCELED);
	CHECK_EQ(given.count, 3);
	CHECK_EQ(blocks.bad_number, 0);
	store_blocks_done(&blocks);
	profile_store_close(store);
}

static void what_cannot_be_read_is_named(void)
{
	struct profile_store *store = filled_store("bad");
	struct store_blocks blocks;
	struct given given = {0};

	list(&blocks, store, 0);
	work_run("printf x | dd of=bad/profiles/0000000002.log bs=1 seek=700 conv=notrunc "
		 "status=none");
	CHECK_EQ(store_blocks_give(&blocks, take, &given), -EBADMSG);
	CHECK_EQ(blocks.bad_number, 2);
	CHECK(given.count >= 4);
	store_blocks_done(&blocks);
	list(&blocks, store, 0);
	work_run("rm bad/profiles/0000000001.log");
	CHECK_EQ(store_blocks_give(&blocks, take, &given), -ENOENT);
	CHECK_EQ(blocks.bad_number, 1);
	store_blocks_done(&blocks);
	profile_store_close(store);
}

int main(void)
{
	RUN(records_come_as_they_were_written_however_often);
	RUN(whoever_takes_them_may_stop);
	RUN(what_cannot_be_read_is_named);
	return 0;
}
