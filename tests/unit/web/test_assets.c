/* SPDX-License-Identifier: Apache-2.0 */
#include "web/assets.h"

#include "tests/support/check.h"

static void slash_is_the_page_if_there_is_one(void)
{
	CHECK(web_asset_find("/") == web_asset_find("/index.html"));
	if (web_asset_table[0].path) {
		CHECK(web_asset_find("/"));
		CHECK(!web_asset_find("/")->immutable);
	}
}

static void unknown_paths_are_not_found(void)
{
	CHECK(!web_asset_find(""));
	CHECK(!web_asset_find("index.html"));
	CHECK(!web_asset_find("/../etc/passwd"));
}

static void every_file_is_complete_and_found_by_its_path(void)
{
	for (const struct web_asset *asset = web_asset_table; asset->path; asset++) {
		CHECK(web_asset_find(asset->path) == asset);
		CHECK(asset->content_type[0]);
		CHECK_EQ(asset->etag[0], '"');
		CHECK(asset->raw_byte_count > 0);
		CHECK(asset->gzip_byte_count > 2);
		CHECK_EQ(asset->gzip_bytes[0], 0x1f);
		CHECK_EQ(asset->gzip_bytes[1], 0x8b);
	}
}

int main(void)
{
	RUN(slash_is_the_page_if_there_is_one);
	RUN(unknown_paths_are_not_found);
	RUN(every_file_is_complete_and_found_by_its_path);
	return 0;
}
