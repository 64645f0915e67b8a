/* SPDX-License-Identifier: Apache-2.0 */
/* Parked uploads: what came of uploads that broke, until their sender goes on.
 *
 * What it is   a few files of the spool, each with what its header said: it goes on only for the
 *              same collector, the same file and the same length.
 * Ownership    owns the files that are parked; borrows the spool.
 * Threads      any.
 * Errors       -ERANGE: nothing is parked that could go on there.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "symbolizer-server/symbol/symbolizer.h"
#include "symbolizer-server/symbol/upload_spool.h"

/* Connections break together: as many as a server takes uploads at a time. */
#define PARKED_COUNT_MAX 64
/* A host that was started anew is back by then. */
#define PARKED_IDLE_NS (UINT64_C(600) * NS_PER_S)

struct parked_upload {
	struct symbol_upload_request request; /* offset: as much is there */
	struct symbol_origin origin; /* request.origin does not count */
	struct upload_file file;
	uint64_t parked_at_ns;
};

struct parked_uploads {
	pthread_mutex_t lock;
	struct upload_spool *spool;
	struct parked_upload uploads[PARKED_COUNT_MAX];
	uint32_t count;
};

void parked_uploads_init(struct parked_uploads *parked, struct upload_spool *spool);
/* Removes all files. */
void parked_uploads_done(struct parked_uploads *parked);
/* Takes the file over. The one that was parked longest ago goes if there is no room. */
void parked_uploads_put(struct parked_uploads *parked, const struct symbol_upload_request *request,
	const struct upload_file *file, uint64_t now_ns);
/* How much of ID is there from ORIGIN; 0: nothing. */
uint64_t parked_uploads_offset(struct parked_uploads *parked, const struct build_id *id,
	const struct symbol_origin *origin);
/* Gives the file that REQUEST goes on with. Whatever else of that id is parked is removed. */
int parked_uploads_take(struct parked_uploads *parked, const struct symbol_upload_request *request,
	struct upload_file *ret_file);
/* Removes what nobody came back for. */
void parked_uploads_expire(struct parked_uploads *parked, uint64_t now_ns);
