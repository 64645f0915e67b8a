/* SPDX-License-Identifier: Apache-2.0 */
/* Lived store: a profile store that gets windows of two hosts as time goes by.
 *
 * What it is   a store under the fixture's clock, filled by minutes and days, and the question
 *              whether it still answers as before.
 * Ownership    the store is closed by the test.
 * Threads      the test's own; its counters of answers may be read by any.
 * Errors       what is not expected ends the test.
 */
#pragma once

#include "tests/support/store_fixture.h"

#define LIVED_MINUTE_NS (60 * NS_PER_S)
#define LIVED_HOUR_NS (60 * LIVED_MINUTE_NS)
/* A day begins here, and the life of each such store. */
#define LIVED_DAY_START_NS (UINT64_C(19700) * FIXTURE_DAY_NS)
/* Of each window. */
#define LIVED_SAMPLE_COUNT 12

struct lived_store {
	struct profile_store *store;
	struct profile_store_config config;
	struct fixture_answers answers;
	uint64_t sequence; /* windows appended so far */
};

/* Sets the clock; slots are kept for ever. */
struct lived_store lived_begin(const char *name);
/* Closes and opens it, by its config. */
void lived_reopen(struct lived_store *filled);
/* One window of HOST that ended just now, with lives. */
void lived_append(struct lived_store *filled, const char *host_name);
/* LENGTH_NS go by; two hosts send a window at once and every PERIOD_NS from then on. */
void lived_on(struct lived_store *filled, uint64_t length_ns, uint64_t period_ns);

struct profile_store_stats lived_stats(const struct lived_store *filled);
/* Files and batches are all accounted for. */
void lived_check_accounts(const struct lived_store *filled);
/* What it answers about its first days, for the caller to free. */
char *lived_answers(const struct lived_store *filled);
/* Shows the first line that differs. */
void lived_check_same(const char *one, const char *other);
/* It answers as BEFORE, now and when it was opened again. */
void lived_check_answers(struct lived_store *filled, const char *before);
/* How many files with this ending there are in the store of that NAME. */
int lived_file_count(const char *name, const char *ending);
