/* SPDX-License-Identifier: Apache-2.0 */
/* Segment file: a header, sections one behind the other, and a trailer that finds the last of them.
 *
 * What it is   each section is one zstd frame, named by offset, size and checksum; whoever names one
 *              has been read from another section, so that from the trailer on everything is held to
 *              a checksum before it is looked at. Read by pread, not mapped: a bad place on the disk
 *              is an error of one call (mapped, it would end the program).
 * Ownership    descriptors are the caller's; bytes that are read are malloc'ed for the caller.
 * Threads      writing: one owner; reading: any number.
 * Errors       -EBADMSG: damaged or cut off; -ENOTSUP: of a later version; errors of reading and
 *              writing; -ENOMEM; -EFBIG: a section would be larger than a reader takes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "store/base/bytes.h"

/* One section, decompressed. Writers stay far below it. */
#define SEGMENT_SECTION_BYTES_MAX ((size_t)256 << 20)

/* Where a section lies. byte_count 0: there is none. */
struct segment_ref {
	uint64_t offset;
	uint64_t byte_count; /* compressed */
	uint64_t checksum; /* of these */
};

struct segment_output {
	int fd;
	uint64_t offset;
};

int segment_output_begin(struct segment_output *output, int fd, uint64_t number);
int segment_output_section(struct segment_output *output, const struct bytes_writer *bytes,
	struct segment_ref *ret_ref);
/* The last section was INDEX. */
int segment_output_end(struct segment_output *output, const struct segment_ref *index);

struct segment_file {
	int fd;
	uint64_t byte_count;
	uint64_t number;
	struct segment_ref index;
};

int segment_file_open(int fd, struct segment_file *ret_file);
int segment_file_read(const struct segment_file *file, const struct segment_ref *ref,
	uint8_t **ret_bytes, size_t *ret_byte_count);

void segment_ref_write(struct bytes_writer *writer, const struct segment_ref *ref);
struct segment_ref segment_ref_read(struct bytes_reader *reader);
