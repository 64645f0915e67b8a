/* SPDX-License-Identifier: Apache-2.0 */
/* Store fixture: a profile store under a test's own clock, filled with fake windows.
 *
 * What it is   opening, appending, visiting and counting in one line each.
 * Ownership    stores are closed by the test.
 * Threads      the clock may be moved from any.
 * Errors       what is not expected to fail and does ends the test.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "store/disk/profile_store.h"

#define FIXTURE_START_NS (UINT64_C(1700000000) * NS_PER_S)
#define FIXTURE_WINDOW_NS (10 * NS_PER_S)
#define FIXTURE_DAY_NS (UINT64_C(24) * 3600 * NS_PER_S)

/* What all clocks of the fixture's stores read; a day behind FIXTURE_START_NS at first. */
extern _Atomic uint64_t fixture_now_ns;

/* Answers to appends, by result. */
struct fixture_answers {
	_Atomic int stored, already, failed, last;
};

/* What a visit saw. */
struct fixture_seen {
	uint64_t profiles;
	uint64_t samples;
	uint64_t slots;
	uint64_t last_start_ns;
	uint64_t numbers[4]; /* bit N: window number N, for N below 256, was there */
	uint64_t twice; /* windows seen more than once */
};

struct profile_store_config fixture_config(const char *dir);
/* RET_REPORT may be NULL. */
struct profile_store *fixture_open(
	const struct profile_store_config *config, struct profile_store_report *ret_report);
struct batch_key fixture_key(uint8_t instance, uint64_t sequence);
void fixture_done(void *answers, int result);
/* Appends window NUMBER, which starts NUMBER windows behind FIXTURE_START_NS, of SAMPLE_COUNT
 * samples, as batch NUMBER of INSTANCE. */
int fixture_append(struct profile_store *store, const char *host, uint8_t instance, uint64_t number,
	uint32_t sample_count, struct fixture_answers *answers);
/* Likewise at any time. */
int fixture_append_at(struct profile_store *store, const char *host, struct batch_key key,
	uint64_t start_ns, uint32_t sample_count, struct fixture_answers *answers);
struct fixture_seen fixture_visit(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter);
struct fixture_seen fixture_visit_all(struct profile_store *store);
uint64_t fixture_counter(struct profile_store *store, enum profile_store_counter counter);
