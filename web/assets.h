/* SPDX-License-Identifier: Apache-2.0 */
/* Assets: the built page, carried inside the server.
 *
 * What it is   a constant table of the page's files, already compressed, found by URL path.
 * Ownership    everything is static and lives as long as the program.
 * Threads      any; nothing here changes.
 * Errors       a path that is not there is NULL. Built with CAIRN_WEB=OFF the table is empty.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct web_asset {
	const char *path; /* begins with '/' */
	const char *content_type;
	const char *etag; /* quoted, as the header wants it; of the raw bytes */
	bool immutable; /* the name carries a hash of the content: may be cached for ever */
	const uint8_t *gzip_bytes;
	size_t gzip_byte_count;
	const uint8_t *raw_bytes; /* for the rare client that refuses gzip */
	size_t raw_byte_count;
};

/* Ends with a row whose path is NULL. */
extern const struct web_asset web_asset_table[];

/* Finds the file at PATH, which begins with '/'; "/" is the page itself. */
const struct web_asset *web_asset_find(const char *path);
