/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_ahead.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/check.h"

#define GROUP_COUNT 40u
#define BAD_GROUP 17u

/* These stand in front of the reader's own. */
struct segment_group {
	uint32_t index;
};

static _Atomic uint32_t open_count, close_count;
static _Atomic useconds_t open_us;

int segment_group_open(const struct segment_reader *reader, uint32_t index,
	enum segment_depth depth, struct segment_group **ret_group)
{
	struct segment_group *group;

	(void)reader;
	(void)depth;
	if (open_us > 0)
		usleep(open_us);
	if (index == BAD_GROUP)
		return -EBADMSG;
	group = malloc(sizeof(*group));
	CHECK(group);
	group->index = index;
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
	return 1;
}

static struct store_ahead_group groups[GROUP_COUNT];
static struct segment_cache cache;

static void begin(struct store_ahead *ahead, uint32_t group_count)
{
	open_count = close_count = 0;
	for (uint32_t i = 0; i < GROUP_COUNT; i++)
		groups[i].key = (struct segment_cache_key){1, i, SEGMENT_STACKS};
	/* Nothing stays that nobody uses. */
	segment_cache_init(&cache, 0);
	store_ahead_begin(ahead, &cache, groups, group_count);
}

static void end(struct store_ahead *ahead)
{
	store_ahead_end(ahead);
	segment_cache_done(&cache);
	CHECK_EQ(close_count, open_count);
}

static void take(struct store_ahead *ahead, uint32_t index)
{
	struct segment_cache_entry *entry = NULL;
	int r = store_ahead_take(ahead, &entry);

	if (index == BAD_GROUP) {
		CHECK_EQ(r, -EBADMSG);
		return;
	}
	CHECK_EQ(r, 0);
	CHECK_EQ(segment_cache_group(entry)->index, index);
	segment_cache_give(&cache, entry);
}

static void groups_come_in_order_whoever_is_slower(void)
{
	for (int slow = 0; slow < 2; slow++) {
		struct store_ahead ahead;

		open_us = slow ? 500 : 0;
		begin(&ahead, GROUP_COUNT);
		CHECK(ahead.has_thread);
		for (uint32_t i = 0; i < GROUP_COUNT; i++) {
			take(&ahead, i);
			if (!slow)
				usleep(500);
		}
		CHECK_EQ(open_count, GROUP_COUNT - 1);
		end(&ahead);
	}
	open_us = 0;
}

static void no_more_are_opened_than_may_wait(void)
{
	struct store_ahead ahead;

	begin(&ahead, GROUP_COUNT);
	for (int i = 0; i < 1000 && open_count < STORE_AHEAD_COUNT_MAX; i++)
		usleep(1000);
	usleep(20000);
	CHECK_EQ(open_count, STORE_AHEAD_COUNT_MAX);
	end(&ahead);
}

static void a_visit_may_end_at_any_group(void)
{
	for (uint32_t taken = 0; taken <= GROUP_COUNT; taken++) {
		struct store_ahead ahead;

		begin(&ahead, GROUP_COUNT);
		for (uint32_t i = 0; i < taken; i++)
			take(&ahead, i);
		end(&ahead);
	}
}

static void one_group_needs_no_thread(void)
{
	struct store_ahead ahead;

	begin(&ahead, 0);
	CHECK(!ahead.has_thread);
	end(&ahead);
	begin(&ahead, 1);
	CHECK(!ahead.has_thread);
	CHECK_EQ(open_count, 0);
	take(&ahead, 0);
	CHECK_EQ(open_count, 1);
	end(&ahead);
}

int main(void)
{
	RUN(groups_come_in_order_whoever_is_slower);
	RUN(no_more_are_opened_than_may_wait);
	RUN(a_visit_may_end_at_any_group);
	RUN(one_group_needs_no_thread);
	return 0;
}
