/* SPDX-License-Identifier: Apache-2.0 */
/* Listing: what exists in a range, with how much of it there is.
 *
 * What it is   rows of up to three texts (a host; a process, its service and its host; a type; a
 *              label's value) with the samples and values that a query takes of each.
 * Ownership    owns its rows and texts; borrows the selector until listing_done.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many rows, or a regular expression took too many steps.
 */
#pragma once

#include <stdint.h>

#include "store/disk/profile_store.h"
#include "store/profile/profile.h"
#include "symbolizer-server/query/row_filter.h"

/* A host starts a few thousand threads a minute when it builds. */
#define LISTING_ROW_COUNT_MAX (1u << 20)
#define LISTING_TEXT_COUNT_MAX 3

struct listing_row {
	uint32_t texts[LISTING_TEXT_COUNT_MAX]; /* string indices */
	uint64_t sample_count;
	int64_t value;
	/* Of hosts: where its first window begins and its last one ends. */
	uint64_t first_seen_ns;
	uint64_t last_seen_ns;
	uint64_t received_at_ns; /* of hosts: the last batch, by the server's clock */
	/* Of hosts: of what came last. String indices. */
	uint32_t kernel_release;
	uint32_t collector_version;
};

struct listing {
	struct row_filter filter;
	struct string_table strings;
	struct listing_row *rows;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	struct sample_part *threads; /* scratch: of each thread of the profile at hand */
	uint32_t thread_capacity;
};

int listing_init(struct listing *listing, const struct selector *selector, struct time_range range);
void listing_done(struct listing *listing);

/* Each adds what the query takes of PROFILE, which must have passed profile_check. */
/* {type}; only types with samples. */
int listing_add_types(struct listing *listing, const struct profile *profile);
/* The labels NAMES of each thread, as many as LISTING_TEXT_COUNT_MAX; NULL names are empty. */
int listing_add_labels(struct listing *listing, const struct profile *profile,
	const char *const names[LISTING_TEXT_COUNT_MAX]);
/* {name} of every label that some row has. */
int listing_add_label_names(struct listing *listing, const struct profile *profile);

/* {host}: when it was seen and what it is. It need not have samples. */
int listing_add_window(struct listing *listing, const struct profile_store_window *window);

/* By falling value, then samples, then texts. */
void listing_sort(struct listing *listing);
const char *listing_text(const struct listing *listing, uint32_t row, uint32_t text);
