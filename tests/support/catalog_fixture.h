/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog fixture: tables filled with series that a test names.
 *
 * What it is   what every test of the catalogue's parts begins with, and a list as one text.
 * Ownership    the test opens and closes.
 * Threads      one.
 * Errors       a failed CHECK.
 */
#pragma once

#include "store/disk/catalog_write.h"
#include "store/disk/profile_store_labels.h"

/* An hour in the middle of time, the first of its day. */
#define CATALOG_FIXTURE_HOUR (UINT32_C(19000) * CATALOG_DAY_HOURS)

struct catalog_fixture {
	struct catalog_tables tables;
	struct catalog_writer writer;
};

void catalog_fixture_open(struct catalog_fixture *fixture, const char *folder);
void catalog_fixture_close(struct catalog_fixture *fixture);
/* Notes a series of host `h` with these labels (`a=1,b=2`) in one hour. TYPE NULL: time on CPU. */
void catalog_fixture_add(
	struct catalog_fixture *fixture, uint32_t hour, const char *type, const char *labels);
/* Takes the days before DAY out. */
void catalog_fixture_trim(struct catalog_fixture *fixture, uint32_t day);
/* Entries of a table. */
uint64_t catalog_fixture_count(struct catalog_fixture *fixture, uint32_t table);

/* A list, each with a space behind it, and one `+` if there is more. */
struct catalog_fixture_list {
	char text[4096];
};

/* A profile_store_label_fn. */
int catalog_fixture_put(void *list, const char *text, size_t length);
