/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"
#include "tests/support/work_dir.h"

/* A small queue is soon full. */
#define QUEUE_BYTES_MAX ((size_t)1 << 20)
#define START_NS (CATALOG_FIXTURE_HOUR * CATALOG_HOUR_NS)

static struct catalog *open_catalog(const char *name, uint64_t watermark, bool expected_whole)
{
	struct catalog *catalog;
	bool whole = !expected_whole;

	CHECK_EQ(catalog_new(work_path("%s", name), QUEUE_BYTES_MAX, &catalog), 0);
	CHECK_EQ(catalog_open(catalog, watermark, &whole), 0);
	CHECK_EQ(whole, expected_whole);
	return catalog;
}

static struct catalog_note *note_of(
	struct catalog *catalog, uint64_t start_ns, int first, int count)
{
	struct profile *profile = labelled_profile_new("h", start_ns);
	struct catalog_note *note;

	for (int i = first; i < first + count; i++) {
		char labels[64];

		snprintf(labels, sizeof(labels), "id=%06d", i);
		labelled_profile_add(profile, NULL, labels);
	}
	labelled_profile_seal(profile);
	CHECK_EQ(catalog_note_new(catalog_known(catalog), profile, &note), 0);
	profile_free(profile);
	return note;
}

static int list_ids(struct catalog *catalog, struct catalog_fixture_list *list)
{
	struct profile_store_label_query query = {
		.from_ns = START_NS, .until_ns = UINT64_MAX, .limit = 3};
	bool more;

	list->text[0] = '\0';
	return catalog_values(catalog, "id", &query, catalog_fixture_put, list, &more);
}

static void apply(struct catalog *catalog, bool expected_lost)
{
	bool lost = !expected_lost;

	CHECK_EQ(catalog_apply(catalog, 0, &lost), 0);
	CHECK_EQ(lost, expected_lost);
}

static void nothing_is_listed_that_it_does_not_reach(void)
{
	struct catalog *catalog = open_catalog("reach", 1, false);
	struct catalog_fixture_list list;

	catalog_feed(catalog, note_of(catalog, START_NS, 0, 2));
	catalog_feed(catalog, NULL);
	apply(catalog, false);
	CHECK_EQ(list_ids(catalog, &list), -EAGAIN);
	catalog_set_reach(catalog, START_NS + 1);
	CHECK_EQ(list_ids(catalog, &list), -EAGAIN);
	catalog_set_reach(catalog, START_NS);
	CHECK_EQ(list_ids(catalog, &list), 0);
	CHECK_STR(list.text, "000000 000001 ");
	/* Known now. */
	CHECK(!note_of(catalog, START_NS, 0, 2));
	catalog_free(catalog, 2);
	/* It did not reach to the beginning. */
	catalog_free(open_catalog("reach", 2, false), 3);
}

static void what_was_whole_is_taken_up_by_its_watermark(void)
{
	struct catalog *catalog = open_catalog("whole", 1, false);
	struct catalog_fixture_list list;

	catalog_set_reach(catalog, 0);
	/* Written at the end. */
	catalog_feed(catalog, note_of(catalog, START_NS, 5, 1));
	catalog_free(catalog, 2);
	catalog = open_catalog("whole", 2, true);
	CHECK_EQ(list_ids(catalog, &list), 0);
	CHECK_STR(list.text, "000005 ");
	catalog_free(catalog, 3);
	catalog_free(open_catalog("whole", 4, false), 4);
	catalog_free(NULL, 0);
}

static void a_queue_that_is_full_loses_notes_and_says_so(void)
{
	struct catalog *catalog = open_catalog("full", 1, false);
	struct catalog_fixture_list list;
	size_t size = 0;
	int fed = 0;

	catalog_set_reach(catalog, 0);
	while (size <= QUEUE_BYTES_MAX) {
		struct catalog_note *note = note_of(catalog, START_NS, fed++ * 1000, 1000);

		size += catalog_note_size(note);
		catalog_feed(catalog, note);
	}
	CHECK_EQ(list_ids(catalog, &list), -EAGAIN);
	/* Before that was told nothing counts as whole. */
	catalog_set_reach(catalog, 0);
	CHECK_EQ(list_ids(catalog, &list), -EAGAIN);
	apply(catalog, true);
	apply(catalog, false);
	catalog_set_reach(catalog, 0);
	CHECK_EQ(list_ids(catalog, &list), 0);
	CHECK_STR(list.text, "000000 000001 000002 ");
	catalog_free(catalog, 2);
}

static void trim(struct catalog *catalog, uint64_t edge_ns)
{
	bool done = false;

	while (!done)
		CHECK_EQ(catalog_trim(catalog, edge_ns, &done), 0);
}

static void trimming_forgets_what_was_known(void)
{
	struct catalog *catalog = open_catalog("trim", 1, false);
	struct catalog_fixture_list list;

	catalog_set_reach(catalog, 0);
	catalog_feed(catalog, note_of(catalog, START_NS, 0, 1));
	apply(catalog, false);
	trim(catalog, START_NS + 23 * CATALOG_HOUR_NS);
	CHECK_EQ(list_ids(catalog, &list), 0);
	CHECK_STR(list.text, "000000 ");
	trim(catalog, START_NS + 24 * CATALOG_HOUR_NS);
	CHECK_EQ(list_ids(catalog, &list), 0);
	CHECK_STR(list.text, "");
	catalog_feed(catalog, note_of(catalog, START_NS, 0, 1));
	apply(catalog, false);
	CHECK_EQ(list_ids(catalog, &list), 0);
	CHECK_STR(list.text, "000000 ");
	catalog_free(catalog, 2);
}

static void a_folder_that_cannot_be_made_is_refused(void)
{
	struct catalog *catalog;

	CHECK_EQ(catalog_new(work_path("no/such/folder"), QUEUE_BYTES_MAX, &catalog), -ENOENT);
}

int main(void)
{
	RUN(nothing_is_listed_that_it_does_not_reach);
	RUN(what_was_whole_is_taken_up_by_its_watermark);
	RUN(a_queue_that_is_full_loses_notes_and_says_so);
	RUN(trimming_forgets_what_was_known);
	RUN(a_folder_that_cannot_be_made_is_refused);
	return 0;
}
