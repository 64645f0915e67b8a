/* SPDX-License-Identifier: Apache-2.0 */
/* Store check: is everything in a data folder as it was written?
 *
 * What it is   reads every log and every segment from its start to its end, every checksum and
 *              every value, and tells what is wrong and what it costs. Nothing is changed, no lock is
 *              taken: a server may use the folder meanwhile.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       those of this process, with a text for people; what is wrong with a file is no error
 *              but a finding.
 */
#pragma once

#include <stdint.h>

struct store_check_finding {
	const char *file; /* below the folder: `profiles/0000000001.log` */
	const char *what; /* for people, one line */
	uint64_t bytes; /* that are lost by it; 0: none, or not known */
};

typedef void (*store_check_fn)(void *context, const struct store_check_finding *finding);

struct store_check_summary {
	uint64_t log_count;
	uint64_t segment_count;
	uint64_t record_count; /* batches that can be read */
	uint64_t byte_count; /* of all files looked at */
	uint64_t damage_count; /* findings that tell of damage */
	uint64_t note_count; /* other findings: left by a crash, mended by the next start */
	char problem[256]; /* after a failure */
};

/* -ENOENT, -ENOTDIR, -EACCES, ...: not a data folder, or not readable.  -ENOTSUP: of another
 * format.  -ENOMEM, -EMFILE. */
int store_check(const char *path, store_check_fn found, void *context,
	struct store_check_summary *ret_summary);
