/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/catalog_fixture.h"

#include <string.h>

#include "tests/support/check.h"
#include "tests/support/labelled_profile.h"

void catalog_fixture_open(struct catalog_fixture *fixture, const char *folder)
{
	CHECK_EQ(catalog_tables_open(&fixture->tables, folder), 0);
	CHECK_EQ(catalog_writer_init(&fixture->writer, &fixture->tables), 0);
}

void catalog_fixture_close(struct catalog_fixture *fixture)
{
	catalog_tables_close(&fixture->tables);
}

void catalog_fixture_add(
	struct catalog_fixture *fixture, uint32_t hour, const char *type, const char *labels)
{
	struct profile *profile = labelled_profile_new("h", hour * CATALOG_HOUR_NS);
	struct catalog_known known;
	struct catalog_note *note;
	struct lmdb_txn *txn;

	CHECK_EQ(catalog_known_init(&known), 0);
	labelled_profile_add(profile, type, labels);
	labelled_profile_seal(profile);
	CHECK_EQ(catalog_note_new(&known, profile, &note), 0);
	CHECK_EQ(lmdb_write_begin(fixture->tables.env, &txn), 0);
	CHECK_EQ(catalog_write_note(&fixture->writer, txn, note), 0);
	CHECK_EQ(lmdb_write_commit(txn), 0);
	catalog_note_free(note);
	profile_free(profile);
	catalog_known_done(&known);
}

void catalog_fixture_trim(struct catalog_fixture *fixture, uint32_t day)
{
	uint32_t count = 1;

	while (count > 0) {
		struct lmdb_txn *txn;

		CHECK_EQ(lmdb_write_begin(fixture->tables.env, &txn), 0);
		CHECK_EQ(catalog_write_trim(&fixture->writer, txn, day, &count), 0);
		CHECK_EQ(lmdb_write_commit(txn), 0);
	}
}

uint64_t catalog_fixture_count(struct catalog_fixture *fixture, uint32_t table)
{
	struct lmdb_txn *txn;
	uint64_t count;

	CHECK_EQ(lmdb_read_begin(fixture->tables.env, &txn), 0);
	CHECK_EQ(lmdb_count(txn, table, &count), 0);
	lmdb_read_end(txn);
	return count;
}

int catalog_fixture_put(void *context, const char *text, size_t length)
{
	struct catalog_fixture_list *list = context;
	size_t at = strlen(list->text);

	CHECK(at + length + 2 < sizeof(list->text));
	memcpy(list->text + at, text, length);
	memcpy(list->text + at + length, " ", 2);
	return 0;
}
