/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolizer state: what the files that make up the symbolizer share; nobody else includes this.
 *
 * What it is   the one structure behind symbolizer.h, and the steps that its threads have in
 *              common: symbolizer.c opens and closes, symbol_fetch.c asks the source,
 *              symbol_upload.c deals with collectors, symbol_store.c turns a file into an index.
 * Ownership    as in symbolizer.h.
 * Threads      LOCK guards the registry, the subscribers and the numbers of jobs; it is never held
 *              over a system call that may wait. WAKE_LOCK is taken after LOCK was left.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "store/base/queue.h"
#include "store/disk/symbol_cache.h"
#include "symbolizer-server/symbol/file_shelf.h"
#include "symbolizer-server/symbol/module_registry.h"
#include "symbolizer-server/symbol/parked_uploads.h"
#include "symbolizer-server/symbol/symbol_source.h"
#include "symbolizer-server/symbol/symbol_warm.h"
#include "symbolizer-server/symbol/symbolizer.h"
#include "symbolizer-server/symbol/unread_marks.h"
#include "symbolizer-server/symbol/upload_spool.h"

/* Questions that wait for the network at a time. */
#define FETCH_WORKER_COUNT 4
/* Parsers at a time: each may take the sandbox's limit of memory. */
#define PARSER_COUNT_MAX 2
/* Uploads that are whole and wait for a parser. */
#define INDEX_JOBS_MAX 256
#define UPLOADS_OPEN_MAX 64
/* Files given by hand that are not whole. */
#define HANDS_MAX 64

struct symbol_subscriber {
	struct symbol_subscriber *next;
	struct symbolizer *symbolizer;
	struct symbol_origin origin;
	symbol_wake_fn wake;
	void *context;
	bool replaced; /* by a newer one of the same origin */
	bool wake_due;
};

struct symbol_upload {
	struct symbolizer *symbolizer;
	struct module_record *module;
	struct upload_file file;
	struct symbol_origin origin;
	bool has_origin;
	bool by_hand; /* no request of the registry stands behind it */
	uint64_t began_at; /* of its bytes: where an upload that broke went on */
	bool shelf_tried; /* it is kept, or is not going to be */
	bool marked; /* as unread, by this number */
	uint32_t mark;
	bool reduced;
	bool has_facts;
	struct file_facts facts;
	enum symbol_what what;
	enum symbol_encoding encoding;
	uint64_t announced_bytes;
	uint64_t kept_alive_at_ns;
};

struct symbolizer {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_mutex_t wake_lock;
	struct module_registry registry;
	struct symbol_subscriber *subscribers;
	struct symbol_hand *hands;
	uint32_t hand_count;
	uint32_t hand_serial;
	uint32_t uploads_open;
	uint32_t jobs_running; /* fetches and index jobs, queued ones not among them */
	uint32_t jobs_queued; /* index jobs */
	bool stopping;

	struct symbol_cache *cache;
	struct symbol_warm *warm; /* what was read of the cache */
	struct debuginfod_servers *servers; /* NULL: none */
	struct symbol_source *source; /* debuginfod; NULL: none */
	struct symbol_source *folders; /* NULL: none */
	struct upload_spool spool;
	struct parked_uploads parked;
	struct file_shelf shelf;
	struct unread_marks unread;
	struct sandbox *sandbox;
	struct clock clock;
	sem_t parsers;
	struct queue index_jobs; /* struct symbol_upload */
	int folder_fd;
	int lock_fd;
	atomic_ullong generation;
	atomic_ullong counters[SYMBOL_COUNTER_COUNT];

	int cancel_fd; /* readable once the symbolizer stops */
	pthread_t fetch_threads[FETCH_WORKER_COUNT];
	pthread_t index_threads[PARSER_COUNT_MAX];
	pthread_t keeper_thread;
	uint32_t fetch_threads_started;
	uint32_t fetch_workers_numbered;
	uint32_t index_threads_started;
	bool has_keeper_thread;
};

static inline void symbol_count(
	struct symbolizer *symbolizer, enum symbol_counter counter, uint64_t by)
{
	atomic_fetch_add_explicit(&symbolizer->counters[counter], by, memory_order_relaxed);
}

static inline void symbol_count_less(
	struct symbolizer *symbolizer, enum symbol_counter level, uint64_t by)
{
	atomic_fetch_sub_explicit(&symbolizer->counters[level], by, memory_order_relaxed);
}

static inline uint64_t symbol_now_ns(const struct symbolizer *symbolizer)
{
	return clock_read(&symbolizer->clock).monotonic_ns;
}

/* Plans what comes next for a module and marks who is to be told. With LOCK held; if it answers
 * true, call symbolizer_tell after LOCK was left. */
bool symbolizer_plan(struct symbolizer *symbolizer, struct module_record *module);
/* Marks every subscriber as to be told. With LOCK held. */
void symbolizer_wake_all(struct symbolizer *symbolizer);
/* Calls the wake functions that are due. Without LOCK. */
void symbolizer_tell(struct symbolizer *symbolizer);

/* ---- symbol_store.c ---- */

struct symbol_file_request {
	struct build_id id;
	enum symbol_what what;
	bool zstd;
	bool reduced;
	bool matched; /* the file need not carry the id */
	const char *from; /* for the log */
	/* It came from the source by this worker, who may ask for what belongs beside it; NULL: no. */
	const unsigned *worker;
};

struct symbol_file_outcome {
	int error; /* this machine's fault: nothing is known about the file */
	enum sandbox_fault fault; /* the file's */
	enum sandbox_fault dwarf_fault;
	enum symbol_quality quality; /* of the file */
};

/* Reads a file in the sandbox and stores its index if that is better than what is there. Without
 * LOCK; waits for a free parser. */
struct symbol_file_outcome symbol_store_file(struct symbolizer *symbolizer,
	struct module_record *module, int fd, const struct symbol_file_request *request);

/* ---- symbol_fetch.c ---- */

/* Asks the source for the file ID that another one needs beside it, by the calling WORKER. What it
 * is known not to have is not asked for. -ENOENT and the source's other answers. */
int symbol_fetch_beside(struct symbolizer *symbolizer, unsigned worker, const struct build_id *id,
	struct symbol_fetched *ret_fetched);

/* ---- symbol_local.c ---- */

/* Reads what this machine has of a module, until there is nothing better to be had: what is KEPT and
 * was not read yet, and what lies in folders. */
void symbol_look_here(struct symbolizer *symbolizer, struct module_record *module, bool kept);
/* What an earlier run took in and did not come to read is read next. Before any batch is taken. */
int symbol_read_unread(struct symbolizer *symbolizer);
/* Whether there are names of QUALITY or better, by this version of the parser. */
bool symbol_has(struct symbolizer *symbolizer, const struct module_record *module,
	enum symbol_quality quality);
/* Whether nothing is better than what there is. */
bool symbol_has_best(struct symbolizer *symbolizer, const struct module_record *module);
/* A kernel_identify_fn; CONTEXT is the symbolizer. */
int symbol_identify(void *context, int fd, struct build_id *ret_id, bool *ret_has_dwarf);
/* A file for a debugger, or beside another one that is read. -ENOENT. */
int symbol_open_local(struct symbolizer *symbolizer, const struct symbol_question *question,
	int *ret_fd, uint64_t *ret_byte_count);
/* sandbox_describe, one of a few parsers at a time. */
int symbol_describe(struct symbolizer *symbolizer, int fd, const struct sandbox_request *request,
	enum sandbox_fault *ret_fault, struct file_facts *ret_facts);

/* ---- symbol_hand.c ---- */

/* Gives up files whose sender was not heard of for IDLE_NS; 0: all that nobody sends just now. */
void symbol_hand_expire(struct symbolizer *symbolizer, uint64_t idle_ns);
void symbol_hand_expire_old(struct symbolizer *symbolizer);

/* ---- Threads; each gets the symbolizer ---- */

void *symbol_fetch_run(void *context);
void *symbol_index_run(void *context);
/* Keeps a file of KIND. 0: it is kept, and no longer in the spool; its descriptor stays open. */
int symbol_upload_shelve(struct symbol_upload *upload, enum shelf_kind kind);
/* Throws away uploads that no parser will read any more. */
void symbol_upload_discard(struct symbol_upload *upload);
