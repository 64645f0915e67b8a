/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/segment_cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/support/check.h"

/* These stand in front of the reader's own: a group that weighs what the test says. */
struct segment_group {
	uint32_t index;
	enum segment_depth depth;
};

static _Atomic int open_count, close_count, open_error;
static _Atomic size_t group_bytes = 1000;
static _Atomic bool slow;

int segment_group_open(const struct segment_reader *reader, uint32_t index,
	enum segment_depth depth, struct segment_group **ret_group)
{
	struct segment_group *group;

	(void)reader;
	if (open_error)
		return open_error;
	if (slow)
		usleep(2000);
	group = malloc(sizeof(*group));
	CHECK(group);
	*group = (struct segment_group){index, depth};
	open_count++;
	*ret_group = group;
	return 0;
}

void segment_group_close(struct segment_group *group)
{
	close_count += group != NULL;
	free(group);
}

size_t segment_group_bytes(const struct segment_group *group)
{
	(void)group;
	return group_bytes;
}

static void begin(void)
{
	open_count = close_count = open_error = 0;
	group_bytes = 1000;
}

static struct segment_cache_entry *take(
	struct segment_cache *cache, uint64_t number, uint32_t index, enum segment_depth depth)
{
	struct segment_cache_key key = {number, index, depth};
	struct segment_cache_entry *entry = NULL;

	CHECK_EQ(segment_cache_take(cache, &key, NULL, &entry), 0);
	CHECK_EQ(segment_cache_group(entry)->index, index);
	CHECK(segment_cache_group(entry)->depth >= depth);
	return entry;
}

static void use(
	struct segment_cache *cache, uint64_t number, uint32_t index, enum segment_depth depth)
{
	segment_cache_give(cache, take(cache, number, index, depth));
}

static void a_group_is_decoded_once(void)
{
	struct segment_cache cache;

	begin();
	segment_cache_init(&cache, 1 << 20);
	for (int i = 0; i < 5; i++) {
		use(&cache, 1, 0, SEGMENT_STACKS);
		use(&cache, 1, 1, SEGMENT_STACKS);
		use(&cache, 2, 0, SEGMENT_STACKS);
		/* What is deeper serves as well. */
		use(&cache, 2, 0, SEGMENT_LABELS);
	}
	CHECK_EQ(open_count, 3);
	CHECK_EQ(cache.decoded_count, 3);
	CHECK_EQ(cache.reused_count, 17);
	use(&cache, 3, 0, SEGMENT_LABELS);
	use(&cache, 3, 0, SEGMENT_STACKS);
	CHECK_EQ(open_count, 5);
	segment_cache_done(&cache);
	CHECK_EQ(close_count, 5);
}

static void those_used_longest_ago_go_when_there_are_too_many(void)
{
	struct segment_cache cache;

	begin();
	segment_cache_init(&cache, 10 * 1200);
	for (uint32_t i = 0; i < 10; i++)
		use(&cache, 1, i, SEGMENT_STACKS);
	CHECK_EQ(close_count, 0);
	use(&cache, 1, 0, SEGMENT_STACKS);
	use(&cache, 1, 10, SEGMENT_STACKS);
	use(&cache, 1, 11, SEGMENT_STACKS);
	CHECK(close_count > 0);
	CHECK(cache.byte_count <= cache.bytes_max);
	open_count = 0;
	use(&cache, 1, 0, SEGMENT_STACKS);
	CHECK_EQ(open_count, 0);
	use(&cache, 1, 1, SEGMENT_STACKS);
	CHECK_EQ(open_count, 1);
	segment_cache_done(&cache);
}

static void what_is_in_use_stays_however_large_it_is(void)
{
	struct segment_cache cache;
	struct segment_cache_entry *entry, *again;

	begin();
	segment_cache_init(&cache, 10);
	entry = take(&cache, 1, 0, SEGMENT_STACKS);
	again = take(&cache, 1, 0, SEGMENT_STACKS);
	use(&cache, 1, 1, SEGMENT_STACKS);
	CHECK(entry == again);
	CHECK_EQ(open_count, 2);
	CHECK_EQ(close_count, 1);
	segment_cache_give(&cache, entry);
	CHECK_EQ(close_count, 1);
	segment_cache_give(&cache, again);
	CHECK_EQ(close_count, 2);
	CHECK_EQ(cache.byte_count, 0);
	segment_cache_done(&cache);
}

static void a_segment_is_forgotten_with_its_groups(void)
{
	struct segment_cache cache;

	begin();
	segment_cache_init(&cache, 1 << 20);
	for (uint32_t i = 0; i < 40; i++)
		use(&cache, 1 + i % 2, i, SEGMENT_STACKS);
	segment_cache_forget(&cache, 1);
	CHECK_EQ(close_count, 20);
	segment_cache_forget(&cache, 7);
	CHECK_EQ(close_count, 20);
	use(&cache, 2, 1, SEGMENT_STACKS);
	CHECK_EQ(open_count, 40);
	segment_cache_done(&cache);
	CHECK_EQ(close_count, 40);
}

static void what_cannot_be_decoded_is_not_kept(void)
{
	struct segment_cache_key key = {1, 0, SEGMENT_STACKS};
	struct segment_cache_entry *entry = NULL;
	struct segment_cache cache;

	begin();
	segment_cache_init(&cache, 1 << 20);
	open_error = -EBADMSG;
	CHECK_EQ(segment_cache_take(&cache, &key, NULL, &entry), -EBADMSG);
	CHECK(!entry);
	open_error = 0;
	use(&cache, 1, 0, SEGMENT_STACKS);
	CHECK_EQ(cache.decoded_count, 1);
	segment_cache_done(&cache);
}

static void *use_many(void *context)
{
	for (uint32_t i = 0; i < 200; i++)
		use(context, i % 3, i % 7, i % 2 ? SEGMENT_STACKS : SEGMENT_LABELS);
	return NULL;
}

static void threads_share_what_they_use(void)
{
	struct segment_cache cache;
	pthread_t threads[4];

	begin();
	slow = true;
	segment_cache_init(&cache, 9 * 1200);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, use_many, &cache), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	slow = false;
	CHECK(cache.byte_count <= cache.bytes_max);
	segment_cache_done(&cache);
	CHECK_EQ(open_count, close_count);
}

int main(void)
{
	RUN(a_group_is_decoded_once);
	RUN(those_used_longest_ago_go_when_there_are_too_many);
	RUN(what_is_in_use_stays_however_large_it_is);
	RUN(a_segment_is_forgotten_with_its_groups);
	RUN(what_cannot_be_decoded_is_not_kept);
	RUN(threads_share_what_they_use);
	return 0;
}
