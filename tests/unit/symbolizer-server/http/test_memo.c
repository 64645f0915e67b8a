/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/memo.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static _Atomic int freed_count;

static void free_value(void *value)
{
	freed_count++;
	free(value);
}

static bool is_here(const void *context)
{
	(void)context;
	return false;
}

static bool is_gone(const void *context)
{
	(void)context;
	return true;
}

static struct memo_entry *take(struct memo *memo, const char *key, uint64_t version)
{
	struct memo_key of = {key, strlen(key), {version, 7}};
	struct memo_entry *entry;

	CHECK_EQ(memo_take(memo, &of, is_here, NULL, &entry), 0);
	return entry;
}

/* Takes the value of KEY, made if it must be; gives whether it had to be. */
static bool use(struct memo *memo, const char *key, uint64_t version, size_t byte_count)
{
	struct memo_entry *entry = take(memo, key, version);
	char *value = memo_value(entry);
	uint64_t dropped = 0;
	bool made = !value;

	if (made)
		value = strdup(key);
	CHECK_STR(value, key);
	memo_give_back(memo, entry, value, byte_count, &dropped);
	return made;
}

static void what_was_made_is_lent_again_for_as_long_as_its_version_holds(void)
{
	struct memo *memo;

	freed_count = 0;
	CHECK_EQ(memo_new(1000, free_value, &memo), 0);
	CHECK(use(memo, "a", 1, 10));
	CHECK(!use(memo, "a", 1, 10));
	CHECK(use(memo, "b", 1, 10));
	CHECK_EQ(memo_bytes(memo), 20);
	CHECK_EQ(freed_count, 0);
	CHECK(use(memo, "a", 2, 30));
	CHECK_EQ(freed_count, 1);
	CHECK(!use(memo, "a", 2, 30));
	CHECK_EQ(memo_bytes(memo), 40);
	memo_free(memo);
	CHECK_EQ(freed_count, 3);
}

static void what_was_not_asked_for_longest_goes_first(void)
{
	struct memo_entry *entry;
	struct memo *memo;
	uint64_t dropped = 0;

	CHECK_EQ(memo_new(100, free_value, &memo), 0);
	CHECK(use(memo, "a", 1, 40));
	CHECK(use(memo, "b", 1, 40));
	CHECK(!use(memo, "a", 1, 40));
	entry = take(memo, "c", 1);
	memo_give_back(memo, entry, strdup("c"), 40, &dropped);
	CHECK_EQ(dropped, 1);
	CHECK(!use(memo, "a", 1, 40));
	CHECK(!use(memo, "c", 1, 40));
	CHECK(use(memo, "b", 1, 40));
	/* What is too large by itself is not kept, nor does it drive out others for long. */
	CHECK(use(memo, "huge", 1, 101));
	CHECK(use(memo, "huge", 1, 101));
	CHECK(memo_bytes(memo) <= 100);
	memo_free(memo);
}

static void what_is_not_to_be_kept_is_the_borrowers(void)
{
	struct memo *memo;
	struct memo_entry *entry;
	uint64_t dropped = 0;

	freed_count = 0;
	CHECK_EQ(memo_new(100, free_value, &memo), 0);
	entry = take(memo, "a", 1);
	CHECK(!memo_value(entry));
	memo_give_back(memo, entry, NULL, 0, &dropped);
	CHECK_EQ(memo_bytes(memo), 0);
	CHECK(use(memo, "a", 1, 10));
	memo_free(memo);
	CHECK_EQ(freed_count, 1);
}

struct second {
	struct memo *memo;
	bool made;
};

static void *ask_too(void *context)
{
	struct second *second = context;

	second->made = use(second->memo, "a", 1, 10);
	return NULL;
}

static void who_asks_meanwhile_waits_and_gets_the_same(void)
{
	struct second second = {0};
	struct memo_key key = {"a", 1, {1, 7}};
	struct memo_entry *entry, *other;
	uint64_t dropped = 0;
	pthread_t thread;

	CHECK_EQ(memo_new(100, free_value, &second.memo), 0);
	entry = take(second.memo, "a", 1);
	/* Whoever is gone does not wait. */
	CHECK_EQ(memo_take(second.memo, &key, is_gone, NULL, &other), -ECANCELED);
	CHECK_EQ(pthread_create(&thread, NULL, ask_too, &second), 0);
	memo_give_back(second.memo, entry, strdup("a"), 10, &dropped);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK(!second.made);
	memo_free(second.memo);
}

int main(void)
{
	RUN(what_was_made_is_lent_again_for_as_long_as_its_version_holds);
	RUN(what_was_not_asked_for_longest_goes_first);
	RUN(what_is_not_to_be_kept_is_the_borrowers);
	RUN(who_asks_meanwhile_waits_and_gets_the_same);
	return 0;
}
