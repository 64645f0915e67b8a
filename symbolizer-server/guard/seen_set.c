/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/guard/seen_set.h"

#include <errno.h>
#include <stdlib.h>

#define PLACE_COUNT_MIN 64u

/* An empty place is 0, so no fingerprint is. */
static uint64_t as_stored(uint64_t fingerprint)
{
	return fingerprint ? fingerprint : 1;
}

static uint32_t find_place(const uint64_t *places, uint32_t place_count, uint64_t stored)
{
	uint32_t at = (uint32_t)(stored ^ stored >> 32) & (place_count - 1);

	while (places[at] != 0 && places[at] != stored)
		at = (at + 1) & (place_count - 1);
	return at;
}

void seen_set_init(struct seen_set *set, uint32_t count_max)
{
	*set = (struct seen_set){.count_max = count_max};
}

void seen_set_done(struct seen_set *set)
{
	free(set->places);
	*set = (struct seen_set){.count_max = set->count_max};
}

void seen_set_clear(struct seen_set *set)
{
	seen_set_done(set);
}

bool seen_set_has(const struct seen_set *set, uint64_t fingerprint)
{
	uint64_t stored = as_stored(fingerprint);

	return set->place_count > 0 &&
		set->places[find_place(set->places, set->place_count, stored)] == stored;
}

/* COUNTS, unless it is NULL, has as many places and grows with them. */
static int reserve(struct seen_set *set, uint32_t **counts)
{
	uint32_t place_count = set->place_count ? set->place_count * 2 : PLACE_COUNT_MIN;
	uint64_t *places;
	uint32_t *moved = NULL;

	/* Half of it stays empty. */
	if (set->count < set->place_count / 2)
		return 0;
	places = calloc(place_count, sizeof(*places));
	if (counts)
		moved = calloc(place_count, sizeof(*moved));
	if (!places || (counts && !moved)) {
		free(places);
		free(moved);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < set->place_count; i++) {
		uint32_t at;

		if (set->places[i] == 0)
			continue;
		at = find_place(places, place_count, set->places[i]);
		places[at] = set->places[i];
		if (counts)
			moved[at] = (*counts)[i];
	}
	free(set->places);
	set->places = places;
	set->place_count = place_count;
	if (counts) {
		free(*counts);
		*counts = moved;
	}
	return 0;
}

static int add(struct seen_set *set, uint32_t **counts, uint64_t fingerprint)
{
	int r;

	if (seen_set_has(set, fingerprint))
		return 0;
	if (set->count >= set->count_max)
		return -E2BIG;
	r = reserve(set, counts);
	if (r < 0)
		return r;
	set->places[find_place(set->places, set->place_count, as_stored(fingerprint))] =
		as_stored(fingerprint);
	set->count++;
	return 0;
}

int seen_set_add(struct seen_set *set, uint64_t fingerprint)
{
	return add(set, NULL, fingerprint);
}

uint32_t seen_set_count(const struct seen_set *set)
{
	return set->count;
}

void seen_counts_init(struct seen_counts *counts, uint32_t key_count_max)
{
	seen_set_init(&counts->keys, key_count_max);
	counts->counts = NULL;
}

void seen_counts_done(struct seen_counts *counts)
{
	seen_set_done(&counts->keys);
	free(counts->counts);
	counts->counts = NULL;
}

void seen_counts_clear(struct seen_counts *counts)
{
	seen_counts_done(counts);
}

uint32_t seen_counts_get(const struct seen_counts *counts, uint64_t key)
{
	const struct seen_set *keys = &counts->keys;
	uint32_t at;

	if (keys->place_count == 0)
		return 0;
	at = find_place(keys->places, keys->place_count, as_stored(key));
	return keys->places[at] == 0 ? 0 : counts->counts[at];
}

int seen_counts_add(struct seen_counts *counts, uint64_t key)
{
	struct seen_set *keys = &counts->keys;
	int r = add(keys, &counts->counts, key);

	if (r == 0)
		counts->counts[find_place(keys->places, keys->place_count, as_stored(key))]++;
	return r;
}
