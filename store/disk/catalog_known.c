/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_known.h"

#include <errno.h>
#include <stdlib.h>

int catalog_known_init(struct catalog_known *known)
{
	known->places = calloc(CATALOG_KNOWN_COUNT, sizeof(*known->places));
	return known->places ? 0 : -ENOMEM;
}

void catalog_known_done(struct catalog_known *known)
{
	free(known->places);
	known->places = NULL;
}

/* An empty place is 0: a fingerprint of 0 is never known, which only costs a look. */
bool catalog_known_has(const struct catalog_known *known, uint64_t fingerprint)
{
	return fingerprint != 0 &&
		atomic_load_explicit(&known->places[fingerprint % CATALOG_KNOWN_COUNT],
			memory_order_relaxed) == fingerprint;
}

void catalog_known_add(struct catalog_known *known, uint64_t fingerprint)
{
	atomic_store_explicit(&known->places[fingerprint % CATALOG_KNOWN_COUNT], fingerprint,
		memory_order_relaxed);
}

void catalog_known_clear(struct catalog_known *known)
{
	for (uint32_t i = 0; i < CATALOG_KNOWN_COUNT; i++)
		atomic_store_explicit(&known->places[i], 0, memory_order_relaxed);
}
