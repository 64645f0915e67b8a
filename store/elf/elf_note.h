/* SPDX-License-Identifier: Apache-2.0 */
/* ELF notes: the build-ID of a file in all its forms.
 *
 * What it is   one order of choice for both programs: the GNU build-ID note (program headers first,
 *              then note sections); else Go's id; else a hash of head, tail and length. An empty or
 *              all-zero id is none, and neither is Go's placeholder `redacted`.
 * Ownership    the file stays the caller's.
 * Threads      no shared state.
 * Errors       -EBADMSG: not an ELF file or a damaged one; -ENOENT: no such id in it; -EIO and
 *              other read errors.
 */
#pragma once

#include "store/elf/elf_image.h"
#include "store/profile/build_id.h"

/* The build-ID of the file behind FD, by the order above. It reads a few pages only. */
int note_build_id(int fd, struct build_id *ret_id);
/* The same for a file that is open already. */
int note_build_id_of_image(const struct image *image, struct build_id *ret_id);
/* Only the note of this kind (BUILD_ID_GNU or BUILD_ID_GO). */
int note_find(const struct image *image, enum build_id_kind kind, struct build_id *ret_id);
/* Only the content hash; the file need not be ELF. */
int note_content_hash(int fd, struct build_id *ret_id);
/* The build-ID in a span of notes without a file around it, such as /sys/kernel/notes. ALIGNMENT is
 * 4 or 8; notes have the byte order of this machine. */
int note_find_in_span(
	const void *bytes, size_t byte_count, unsigned alignment, struct build_id *ret_id);
