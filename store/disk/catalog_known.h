/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog known: which series the catalogue has surely noted for an hour, asked in front of it.
 *
 * What it is   a table of fingerprints of fixed size, each at its one place: a new one takes the
 *              place of an old one. "No" costs a look into the catalogue, "yes" is certain but for
 *              two equal fingerprints of 64 bits.
 * Ownership    owns its table.
 * Threads      any thread may ask and add; init and done belong to one owner.
 * Errors       -ENOMEM.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* 4 MiB: a fleet of 100,000 series of three types, hour by hour, has few in one place. */
#define CATALOG_KNOWN_COUNT (1u << 19)

struct catalog_known {
	_Atomic uint64_t *places;
};

int catalog_known_init(struct catalog_known *known);
void catalog_known_done(struct catalog_known *known);
bool catalog_known_has(const struct catalog_known *known, uint64_t fingerprint);
void catalog_known_add(struct catalog_known *known, uint64_t fingerprint);
void catalog_known_clear(struct catalog_known *known);
