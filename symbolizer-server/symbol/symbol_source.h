/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol source: where a file that gives names to a module can be had.
 *
 * What it is   one of the two interfaces of this system: a question by build-ID, a file as answer.
 *              debuginfod servers are one (debuginfod_source.h), folders of this machine another
 *              (folder_source.h); a test gives its own. Uploads
 *              come unasked by a thread of their own (symbol_upload.c).
 * Ownership    whoever made the source frees it, after the last answer was released.
 * Threads      fetch and release: each WORKER number by one thread at a time; stop: any.
 * Errors       of fetch: -ENOENT: the source does not have it; -EBADMSG: what it has is no such
 *              file; -EAGAIN: a part of the source rests, the rest does not have it; -ECANCELED:
 *              stopped meanwhile; anything else: it could not be asked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/profile/build_id.h"

#define SYMBOL_WORKERS_MAX 16

/* Sources whose misses are remembered. Values are stored: never renumber. */
enum symbol_miss_source {
	SYMBOL_MISS_DEBUGINFOD = 1,
	SYMBOL_MISS_UPLOAD = 2,
	SYMBOL_MISS_SUPPLEMENTARY = 3, /* of debuginfod, for files beside others */
	SYMBOL_MISS_SERVER =
		4, /* of one debuginfod server: under a hash of its address and question */
};

enum symbol_file {
	SYMBOL_FILE_DEBUGINFO,
	SYMBOL_FILE_EXECUTABLE,
	SYMBOL_FILE_PACKAGE, /* .dwp; asked of no server */
};

/* What is known of the module whose file is asked for. */
struct symbol_question {
	struct build_id id;
	enum symbol_file file;
	const char *name; /* the module's base name; may be empty */
	bool kernel; /* of the kernel: its name is `[kernel]`, or that of a module in brackets */
	/* How its program calls its debug file (.gnu_debuglink), and the CRC of that; NULL: it does
	 * not. */
	const char *link_name;
	uint32_t link_crc;
	uint32_t
		skip; /* 0, or the next of the last answer: that file turned out to be another one */
	uint64_t hold_ns; /* so long a "not found" holds */
};

struct symbol_fetched {
	int fd;
	uint64_t byte_count;
	bool matched; /* it was chosen by its CRC: it need not carry the id */
	uint32_t next; /* as skip of the same question it gives another file; 0: there is none */
};

struct symbol_source {
	const char *name;
	/* Waits for the network, or the disk. */
	int (*fetch)(struct symbol_source *source, unsigned worker,
		const struct symbol_question *question, struct symbol_fetched *ret_fetched);
	/* The file is not needed any more. */
	void (*release)(struct symbol_source *source, struct symbol_fetched *fetched);
	/* When the question is worth to be put, in monotonic time; 0: now. NULL: always now. */
	uint64_t (*rests_until_ns)(
		struct symbol_source *source, const struct symbol_question *question);
	/* Fetches that run return soon, later ones at once. */
	void (*stop)(struct symbol_source *source);
	void (*free)(struct symbol_source *source);
};
