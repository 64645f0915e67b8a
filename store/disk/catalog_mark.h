/* SPDX-License-Identifier: Apache-2.0 */
/* Catalog mark: what lets a catalogue be trusted at the next start.
 *
 * What it is   a small file beside the catalogue's own, written when it was closed in order: its
 *              version, the checksum of all its bytes, and how far it follows the store. LMDB has
 *              no page checksums, and a damaged map may end the process that reads it; so nothing
 *              is ever opened that is not, byte for byte, what was closed.
 * Ownership    values only.
 * Threads      one owner of the folder.
 * Errors       -ENOENT: no mark, or none that fits; else a negative errno.
 */
#pragma once

#include <stdint.h>

struct catalog_mark {
	uint64_t watermark; /* of the store: what it would call its next file */
	uint64_t byte_count; /* of the data file */
	uint64_t hash; /* likewise */
};

/* Reads the mark and takes it away, durably: whoever dies from here on leaves none. */
int catalog_mark_take(const char *folder, struct catalog_mark *ret_mark);
/* Reads the whole data file. 0: it is what MARK was left with. */
int catalog_mark_verify(const char *folder, const struct catalog_mark *mark);
/* The data file must be closed, and synced. */
int catalog_mark_leave(const char *folder, uint64_t watermark);
/* Deletes the catalogue in FOLDER, which itself stays. */
void catalog_mark_wipe(const char *folder);
