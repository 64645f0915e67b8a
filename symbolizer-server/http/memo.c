/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/memo.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/base/clock.h"
#include "store/base/must.h"

/* How often a waiter asks whether it still needs to. */
#define WAIT_NS (50 * NS_PER_MS)

struct memo_entry {
	struct memo_entry *next; /* asked for before this one */
	struct memo_entry *previous;
	void *key;
	size_t key_bytes;
	uint64_t versions[2];
	void *value;
	size_t byte_count;
	bool lent;
};

struct memo {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	struct memo_entry *first; /* asked for last */
	struct memo_entry *last;
	size_t byte_count;
	size_t bytes_max;
	memo_free_fn free_value;
};

int memo_new(size_t bytes_max, memo_free_fn free_value, struct memo **ret_memo)
{
	struct memo *memo = calloc(1, sizeof(*memo));
	pthread_condattr_t attributes;

	if (!memo)
		return -ENOMEM;
	memo->bytes_max = bytes_max;
	memo->free_value = free_value;
	pthread_mutex_init(&memo->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&memo->returned, &attributes);
	pthread_condattr_destroy(&attributes);
	*ret_memo = memo;
	return 0;
}

static void free_entry(const struct memo *memo, struct memo_entry *entry)
{
	if (entry->value)
		memo->free_value(entry->value);
	free(entry->key);
	free(entry);
}

void memo_free(struct memo *memo)
{
	if (!memo)
		return;
	while (memo->first) {
		struct memo_entry *entry = memo->first;

		must(!entry->lent);
		memo->first = entry->next;
		free_entry(memo, entry);
	}
	pthread_cond_destroy(&memo->returned);
	pthread_mutex_destroy(&memo->lock);
	free(memo);
}

static void unlink_entry(struct memo *memo, struct memo_entry *entry)
{
	*(entry->previous ? &entry->previous->next : &memo->first) = entry->next;
	*(entry->next ? &entry->next->previous : &memo->last) = entry->previous;
}

static void link_first(struct memo *memo, struct memo_entry *entry)
{
	entry->previous = NULL;
	entry->next = memo->first;
	*(memo->first ? &memo->first->previous : &memo->last) = entry;
	memo->first = entry;
}

/* Trees are large: there are a few dozen at most. */
static struct memo_entry *find(const struct memo *memo, const struct memo_key *key)
{
	struct memo_entry *entry = memo->first;

	while (entry &&
		(entry->key_bytes != key->byte_count ||
			memcmp(entry->key, key->bytes, key->byte_count) != 0))
		entry = entry->next;
	return entry;
}

static struct memo_entry *add(struct memo *memo, const struct memo_key *key)
{
	struct memo_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->key = malloc(key->byte_count);
	if (!entry->key) {
		free(entry);
		return NULL;
	}
	memcpy(entry->key, key->bytes, key->byte_count);
	entry->key_bytes = key->byte_count;
	memcpy(entry->versions, key->versions, sizeof(entry->versions));
	link_first(memo, entry);
	return entry;
}

static void wait_a_little(struct memo *memo)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)WAIT_NS;
	if (until.tv_nsec >= (long)NS_PER_S) {
		until.tv_sec++;
		until.tv_nsec -= (long)NS_PER_S;
	}
	pthread_cond_timedwait(&memo->returned, &memo->lock, &until);
}

/* Under the lock: the entry of KEY once nobody has it, made if there is none. */
static int find_free(struct memo *memo, const struct memo_key *key, memo_gone_fn gone,
	const void *context, struct memo_entry **ret_entry)
{
	struct memo_entry *entry = find(memo, key);

	while (entry && entry->lent) {
		if (gone(context))
			return -ECANCELED;
		wait_a_little(memo);
		entry = find(memo, key);
	}
	if (!entry)
		entry = add(memo, key);
	if (!entry)
		return -ENOMEM;
	*ret_entry = entry;
	return 0;
}

int memo_take(struct memo *memo, const struct memo_key *key, memo_gone_fn gone, const void *context,
	struct memo_entry **ret_entry)
{
	struct memo_entry *entry;
	void *outdated = NULL;
	int r;

	pthread_mutex_lock(&memo->lock);
	r = find_free(memo, key, gone, context, &entry);
	if (r == 0) {
		entry->lent = true;
		memo->byte_count -= entry->byte_count;
		entry->byte_count = 0;
		if (memcmp(entry->versions, key->versions, sizeof(entry->versions)) != 0) {
			outdated = entry->value;
			entry->value = NULL;
			memcpy(entry->versions, key->versions, sizeof(entry->versions));
		}
		*ret_entry = entry;
	}
	pthread_mutex_unlock(&memo->lock);
	if (outdated)
		memo->free_value(outdated);
	return r;
}

void *memo_value(const struct memo_entry *entry)
{
	return entry->value;
}

/* Takes out what was not asked for longest, until the rest fits; gives a list of it. */
static struct memo_entry *take_surplus(struct memo *memo, uint64_t *dropped_count)
{
	struct memo_entry *surplus = NULL, *entry = memo->last;

	while (entry && memo->byte_count > memo->bytes_max) {
		struct memo_entry *previous = entry->previous;

		if (!entry->lent) {
			unlink_entry(memo, entry);
			memo->byte_count -= entry->byte_count;
			entry->next = surplus;
			surplus = entry;
			(*dropped_count)++;
		}
		entry = previous;
	}
	return surplus;
}

void memo_give_back(struct memo *memo, struct memo_entry *entry, void *value, size_t byte_count,
	uint64_t *dropped_count)
{
	struct memo_entry *surplus;

	pthread_mutex_lock(&memo->lock);
	entry->lent = false;
	entry->value = value;
	unlink_entry(memo, entry);
	if (value) {
		entry->byte_count = byte_count;
		memo->byte_count += byte_count;
		link_first(memo, entry);
	}
	surplus = take_surplus(memo, dropped_count);
	pthread_cond_broadcast(&memo->returned);
	pthread_mutex_unlock(&memo->lock);
	if (!value)
		free_entry(memo, entry);
	while (surplus) {
		struct memo_entry *next = surplus->next;

		free_entry(memo, surplus);
		surplus = next;
	}
}

size_t memo_bytes(struct memo *memo)
{
	size_t byte_count;

	pthread_mutex_lock(&memo->lock);
	byte_count = memo->byte_count;
	pthread_mutex_unlock(&memo->lock);
	return byte_count;
}
