/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/time_cover.h"

#include <stdlib.h>

#include "store/profile/grow.h"
#include "store/profile/profile.h"

/* A hundred hosts tell a million windows in a day; with no gaps, joining leaves one stretch. */
#define STRETCH_COUNT_MAX (4u << 20)
#define JOIN_AT_FIRST 4096

void time_cover_init(struct time_cover *cover)
{
	*cover = (struct time_cover){.join_at = JOIN_AT_FIRST};
}

void time_cover_done(struct time_cover *cover)
{
	free(cover->stretches);
	*cover = (struct time_cover){0};
}

static int order_stretches(const void *one, const void *other)
{
	const struct time_range *a = one, *b = other;

	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

void time_cover_join(struct time_cover *cover)
{
	uint32_t kept = 0;

	if (cover->count == 0)
		return;
	qsort(cover->stretches, cover->count, sizeof(*cover->stretches), order_stretches);
	for (uint32_t i = 1; i < cover->count; i++) {
		struct time_range next = cover->stretches[i];
		struct time_range *last = &cover->stretches[kept];

		if (next.from_ns > last->until_ns + PROFILE_SLOT_NS)
			cover->stretches[++kept] = next;
		else if (next.until_ns > last->until_ns)
			last->until_ns = next.until_ns;
	}
	cover->count = kept + 1;
}

int time_cover_add(struct time_cover *cover, struct time_range stretch)
{
	int r;

	if (stretch.until_ns <= stretch.from_ns)
		return 0;
	if (cover->count >= cover->join_at) {
		time_cover_join(cover);
		/* What is left are gaps: joining again pays off after as many more. */
		if (cover->count >= cover->join_at / 2)
			cover->join_at *= 2;
	}
	r = grow_array(&cover->stretches, &cover->capacity, cover->count, STRETCH_COUNT_MAX);
	if (r == 0)
		cover->stretches[cover->count++] = stretch;
	return r;
}
