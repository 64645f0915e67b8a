/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_known.h"

#include "tests/support/check.h"

static void what_was_added_is_known_until_it_is_pushed_out(void)
{
	struct catalog_known known;

	CHECK_EQ(catalog_known_init(&known), 0);
	CHECK(!catalog_known_has(&known, 7));
	catalog_known_add(&known, 7);
	CHECK(catalog_known_has(&known, 7));
	CHECK(!catalog_known_has(&known, 7 + CATALOG_KNOWN_COUNT));
	catalog_known_add(&known, 7 + CATALOG_KNOWN_COUNT);
	CHECK(!catalog_known_has(&known, 7));
	CHECK(catalog_known_has(&known, 7 + CATALOG_KNOWN_COUNT));
	catalog_known_clear(&known);
	CHECK(!catalog_known_has(&known, 7 + CATALOG_KNOWN_COUNT));
	catalog_known_done(&known);
}

static void an_empty_place_is_no_fingerprint(void)
{
	struct catalog_known known;

	CHECK_EQ(catalog_known_init(&known), 0);
	CHECK(!catalog_known_has(&known, 0));
	catalog_known_add(&known, 0);
	CHECK(!catalog_known_has(&known, 0));
	catalog_known_done(&known);
}

int main(void)
{
	RUN(what_was_added_is_known_until_it_is_pushed_out);
	RUN(an_empty_place_is_no_fingerprint);
	return 0;
}
