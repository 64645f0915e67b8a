/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolizer: everything between "a batch named this module" and "this address is that function".
 *
 * What it is   the state of every module the fleet named: what is known of it, which source is
 *              asked next, which collector is to upload it; worker threads that fetch and index;
 *              and the door through which queries read names.
 * Ownership    owns its threads, its cache and its folder. Subscribers, uploads and readers belong
 *              to their caller until their release function; the symbolizer must outlive them.
 * Threads      every function may be called by any thread; none waits for the network or for a
 *              parser, except symbolizer_new, symbolizer_drain and symbolizer_free. One subscriber,
 *              upload or reader: one thread at a time.
 * Errors       0, or a negative errno; outputs are written on success only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/sandbox.h"
#include "symbolizer-server/symbol/symbol_counter.h"
#include "symbolizer-server/symbol/symbol_reader.h"
#include "symbolizer-server/symbol/symbol_source.h"
#include "symbolizer-server/symbol/symbol_types.h"

struct debuginfod_servers;
struct symbolizer;
struct symbol_subscriber;
struct symbol_upload;
struct symbol_hand;

struct symbolizer_options {
	const char *folder; /* made if absent; nobody else writes there */
	const char *const *folders; /* of files that people laid there */
	size_t folder_count;
	const char *debuginfod_urls; /* separated by spaces; NULL or empty: none */
	struct sandbox *sandbox; /* borrowed */
	struct clock clock;
	uint64_t cache_bytes_max; /* of indexes; 0: the default */
	uint64_t warm_bytes_max; /* of indexes in memory that nobody uses; 0: the default */
	uint64_t upload_bytes_max; /* of one upload as sent; 0: the default */
	uint64_t file_bytes_max; /* of files that are kept after they were read; 0: the default */
	/* Asked in place of debuginfod servers if it is there; then owned. */
	struct symbol_source *source;
};

/* Runs that the server starts of itself: the parser, and the check of a cache that was not closed
 * in order. Main calls it first, before it starts a thread or opens a file. The exit status of such
 * a run, or -1 if this is none. */
int symbolizer_hidden_main(int argc, char **argv);

/* Opens or repairs the cache and starts the workers. -EBUSY: another process uses the folder;
 * -EDESTADDRREQ: a debuginfod URL is no address of an HTTP server, or there are too many. */
int symbolizer_new(const struct symbolizer_options *options, struct symbolizer **ret_symbolizer);
/* Stops the workers, waits for them, and closes the cache. A fetch that is under way is given up
 * within a second or two; a parser that runs is ended with its wait. */
void symbolizer_free(struct symbolizer *symbolizer);

/* A batch of ORIGIN named this module. Cheap when it is known already. An unknown id is ignored.
 * -E2BIG: too many modules; the module stays unnamed and a counter tells. */
int symbolizer_note_module(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	const struct build_id *id, const char *name, enum symbol_what what);

/* ---- What collectors are asked for ---- */

/* Called, on any thread and with no lock held, when there may be something new to take. It must
 * return at once and must not call back into the symbolizer. */
typedef void (*symbol_wake_fn)(void *context);

/* A collector opened its Want stream. One subscriber an ORIGIN: an older one gets nothing more. */
int symbolizer_subscribe(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	symbol_wake_fn wake, void *context, struct symbol_subscriber **ret_subscriber);
/* The stream ended: what was offered to it and not yet uploaded is offered to others. After the
 * return WAKE is not called any more. Accepts NULL. */
void symbolizer_unsubscribe(struct symbol_subscriber *subscriber);
/* The next module that this collector named and the server lacks; it is this collector's turn from
 * now until it uploads, refuses, disconnects or lets the time pass. -ENOENT: nothing now. */
int symbolizer_take_want(struct symbol_subscriber *subscriber, struct symbol_want *ret_want);
/* The collector will not send this one. REASON is its text, shown in the status. */
void symbolizer_refuse(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	const struct build_id *id, const char *reason);

/* ---- Uploads ---- */

enum symbol_encoding {
	SYMBOL_ENCODING_NONE = 0,
	SYMBOL_ENCODING_ZSTD = 1,
};

struct symbol_upload_request {
	const struct symbol_origin
		*origin; /* NULL: given by hand, taken without having been wanted */
	struct build_id id;
	enum symbol_what what;
	enum symbol_encoding encoding;
	uint64_t byte_count; /* as sent; 0 if the sender does not say */
	/* Contents were left out (code, data), so a hash over the whole file cannot match its id.
	 */
	bool reduced;
	uint64_t offset; /* goes on where an upload broke: a symbol_want says where */
};

/* -ENOENT: not wanted from this origin.  -EEXIST: nothing better could come of it.
 * -EBUSY: another upload of it is running.  -EFBIG: too large.  -EINVAL: a request without id or
 * of an unknown kind.  -ENOSPC, -EIO and the like: the spool cannot be written. */
int symbolizer_upload_begin(struct symbolizer *symbolizer,
	const struct symbol_upload_request *request, struct symbol_upload **ret_upload);
/* -EFBIG: more than announced or allowed. After an error only symbolizer_upload_abort may follow.
 */
int symbolizer_upload_append(struct symbol_upload *upload, const void *bytes, size_t byte_count);
/* Ends the upload in any case. On success the file waits for the indexer; whether it was of use
 * shows in symbolizer_module_state. -EBADMSG: fewer bytes than announced, or none. */
int symbolizer_upload_finish(struct symbol_upload *upload);
/* The sender went away: the module is offered again, and what came of it is kept for a while, so
 * that the same sender can go on. Accepts NULL. */
void symbolizer_upload_break(struct symbol_upload *upload);
/* It broke the rules. Accepts NULL. */
void symbolizer_upload_abort(struct symbol_upload *upload);

/* ---- Files given by hand ---- */

struct symbol_hand_request {
	struct build_id id;
	const char *name; /* of the module, for people; NULL: not said */
	bool package; /* .dwp of the program that has this id */
	uint64_t offset; /* where the part begins that is sent now; 0: a file begins */
	uint64_t byte_count; /* of the whole file; 0: its end will tell */
};

/* -ERANGE: the next byte wanted is RET_OFFSET.  -EBUSY: another connection sends this file.
 * -EAGAIN: too many files are under way.  -EFBIG: too large.  -ENOSPC and the like. */
int symbolizer_hand_begin(struct symbolizer *symbolizer, const struct symbol_hand_request *request,
	uint64_t *ret_offset, struct symbol_hand **ret_hand);
/* -EFBIG: more than announced or allowed. */
int symbolizer_hand_append(struct symbol_hand *hand, const void *bytes, size_t byte_count);
/* The part is whole. Ends the hand in any case. 0: the file is whole, is what it was said to be and
 * will be read.  -EINPROGRESS: another part is awaited.  -EBADMSG: RET_FAULT is wrong with it.
 * Waits for a look at the file in the sandbox. */
int symbolizer_hand_finish(struct symbol_hand *hand, enum sandbox_fault *ret_fault);
/* The connection broke: the sender may go on where it ended, for ten minutes. Accepts NULL. */
void symbolizer_hand_close(struct symbol_hand *hand);
/* How much is there of a file that is under way; 0: nothing. */
uint64_t symbolizer_hand_offset(
	struct symbolizer *symbolizer, const struct build_id *id, bool package);

/* ---- Files for debuggers ---- */

/* Calls VISIT with the word of each kind of file that is kept under ID: shelf_kind of file_shelf.h. */
typedef void (*symbol_kept_fn)(void *context, const char *kind);
void symbolizer_visit_kept(struct symbolizer *symbolizer, const struct build_id *id,
	symbol_kept_fn visit, void *context);

/* Opens a file that is kept. -ENOENT: none is. */
int symbolizer_open_file(struct symbolizer *symbolizer, const struct build_id *id,
	enum symbol_file file, int *ret_fd, uint64_t *ret_byte_count);

/* ---- Names for queries ---- */

/* Opens the best index that is there now; a query opens each of its modules once.
 * -ENOENT: none yet (symbolizer_module_state says why).  -EUCLEAN: it was damaged and is dropped;
 * it will be made again. */
int symbolizer_open(struct symbolizer *symbolizer, const struct build_id *id,
	struct symbol_reader **ret_reader);
/* Rises whenever any module gets other names than before: what was derived from an earlier value
 * must be asked anew. */
uint64_t symbolizer_generation(const struct symbolizer *symbolizer);

/* ---- Status ---- */

/* -ENOENT: no batch named it since the start, and nothing is stored of it. */
int symbolizer_module_state(struct symbolizer *symbolizer, const struct build_id *id,
	struct symbol_module_state *ret_state);
/* Called with a lock held: it must only copy. False ends the walk. */
typedef bool (*symbol_module_fn)(void *context, const struct symbol_module_state *state);
void symbolizer_visit_modules(struct symbolizer *symbolizer, symbol_module_fn visit, void *context);

/* The debuginfod servers, for their state and for other questions to them; NULL: none are set. They
 * live as long as the symbolizer. */
struct debuginfod_servers *symbolizer_servers(struct symbolizer *symbolizer);

void symbolizer_read_counters(
	struct symbolizer *symbolizer, uint64_t ret_values[SYMBOL_COUNTER_COUNT]);

/* Waits until no fetch and no index job is queued or running, at most TIMEOUT_NS: for tests and for
 * an orderly stop. -ETIMEDOUT. */
int symbolizer_drain(struct symbolizer *symbolizer, uint64_t timeout_ns);
