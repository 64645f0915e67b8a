/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog set: a label set as bytes, equal for equal sets.
 *
 * What it is   varint count; then for each pair in order of the names' bytes: varint length and
 *              bytes of the name, varint length and bytes of the value.
 * Ownership    spans are borrowed.
 * Threads      any.
 * Errors       -EUCLEAN: no such bytes; a writer's as bytes.h has it.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"
#include "store/profile/label.h"

/* Of a series, and its host. */
#define CATALOG_PAIR_COUNT_MAX (LABEL_COUNT_MAX + 1)

struct catalog_text {
	const char *bytes;
	size_t byte_count;
};

struct catalog_pair {
	struct catalog_text name, value;
};

struct catalog_set {
	struct catalog_pair pairs[CATALOG_PAIR_COUNT_MAX];
	uint32_t count;
};

/* Sorts SET; its names differ. */
void catalog_set_write(struct catalog_set *set, struct bytes_writer *writer);
int catalog_set_read(const void *bytes, size_t byte_count, struct catalog_set *ret_set);
/* As memcmp, then the shorter one first. */
int catalog_text_compare(struct catalog_text one, struct catalog_text other);
