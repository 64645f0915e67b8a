/* SPDX-License-Identifier: Apache-2.0 */
/* Module registry: what is known of every module the fleet named, and what is to be done next.
 *
 * What it is   the decisions of the symbolizer without its threads, files and network: for each
 *              module, whether debuginfod is to be asked, whose turn it is to upload, and when a
 *              "no" is to be tried again. Time is passed in.
 * Ownership    owns its modules; a borrowed module lives as long as the registry, since modules
 *              are never removed.
 * Threads      one owner, or the caller's lock.
 * Errors       0, or a negative errno.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/base/clock.h"
#include "store/base/index_map.h"
#include "store/profile/build_id.h"
#include "symbolizer-server/sandbox/sandbox_fault.h"
#include "symbolizer-server/sandbox/symbol_index.h"
#include "symbolizer-server/symbol/symbol_types.h"

/* A fleet runs some thousands of distinct binaries. */
#define MODULE_REGISTRY_COUNT_MAX (64u << 10)
/* Collectors remembered as able to upload a module; one is enough. */
#define MODULE_ORIGINS_MAX 8
#define MODULE_NOTE_TEXT_MAX 96

/* A collector that was asked has so long to begin, counted from its last sign of life. */
#define OFFER_TIMEOUT_NS (UINT64_C(120) * NS_PER_S)
/* Requests that a collector holds at a time: it uploads one after the other, and what waits longer
 * there could come from another meanwhile. */
#define OFFERS_PER_ORIGIN_MAX 4
/* Uploads of one module that broke off before it is left alone for a while. */
#define UPLOAD_TRIES_MAX 3

/* How long an answer holds. A debug file that is not there may be published any moment; a file that
 * was read does not get better. */
#define RETRY_FAILED_NS (UINT64_C(30) * NS_PER_S) /* doubled at each failure, up to the next */
#define RETRY_FAILED_MAX_NS (UINT64_C(3600) * NS_PER_S)
#define RETRY_NOT_FOUND_NS (UINT64_C(600) * NS_PER_S) /* likewise */
#define RETRY_NOT_FOUND_MAX_NS (UINT64_C(24) * 3600 * NS_PER_S)
/* Whether a folder has a file costs nothing but a look. */
#define RETRY_LOCAL_NS (UINT64_C(60) * NS_PER_S)
#define RETRY_BETTER_NS (UINT64_C(24) * 3600 * NS_PER_S) /* what is there is not the best kind */
#define RETRY_UPLOAD_NS (UINT64_C(7) * 24 * 3600 * NS_PER_S)
#define RETRY_REFUSED_NS (UINT64_C(3600) * NS_PER_S)
#define RETRY_BROKEN_NS (UINT64_C(600) * NS_PER_S)

enum fetch_state {
	FETCH_NONE, /* nobody was asked since the start */
	FETCH_DUE,
	FETCH_RUNNING,
	FETCH_LATER, /* debuginfod not before fetch_at_ns, this machine not before local_at_ns */
};

enum upload_state {
	UPLOAD_NONE, /* not wanted */
	UPLOAD_WANTED,
	UPLOAD_OFFERED, /* to offered_to, until offered_until_ns */
	UPLOAD_RECEIVING, /* from offered_to, or by hand */
	UPLOAD_INDEXING,
	UPLOAD_LATER, /* not before upload_at_ns */
};

struct module_origin {
	struct symbol_origin origin;
	bool refused;
};

struct module_record {
	struct build_id id;
	char name[SYMBOL_MODULE_NAME_MAX];
	uint8_t what; /* enum symbol_what */
	uint8_t quality; /* enum symbol_quality, of the index that is there */
	bool stale; /* that index was made by another version of the parser */
	bool kept; /* a file of it is kept that was not read by this version of the parser */
	bool storing; /* the symbolizer's: an index of it is on its way into the cache */
	uint16_t
		hand_count; /* the symbolizer's: files given by hand that wait to be read, or are */
	uint8_t fetch_state;
	uint8_t upload_state;
	uint8_t fetch_tries; /* since the last success */
	uint8_t upload_tries;
	uint8_t origin_count;
	uint8_t origin_next; /* replaced next when full */
	uint32_t function_count;
	uint64_t fetch_at_ns;
	uint64_t local_at_ns;
	uint64_t upload_at_ns;
	uint64_t offered_until_ns;
	struct symbol_origin offered_to;
	bool refused_by_all; /* why UPLOAD_LATER */
	struct module_origin origins[MODULE_ORIGINS_MAX];
	/* Of the program that was uploaded: what it calls its debug file. NULL: not known. */
	char *link_name;
	uint32_t link_crc;
	/* A file that its DWARF refers to and that is not to be had yet; unknown: none. */
	struct build_id supplementary_id;
	char fetch_note[MODULE_NOTE_TEXT_MAX]; /* how the last question to debuginfod ended */
	char upload_note[MODULE_NOTE_TEXT_MAX]; /* how the last upload or request for one ended */
};

struct module_registry {
	struct module_record **modules;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
	bool has_debuginfod;
	bool has_folders; /* files that people laid there */
	uint32_t due_count;
	uint32_t fetch_cursor;
	uint32_t named_count;
	uint32_t wanted_count; /* in UPLOAD_WANTED or UPLOAD_OFFERED */
	uint32_t offered_count; /* in UPLOAD_OFFERED */
	uint64_t offers_met; /* an upload began; since the beginning, as the next */
	uint64_t offers_withdrawn; /* by module_registry_drop_origin */
};

void module_registry_init(struct module_registry *registry, bool has_debuginfod);
void module_registry_done(struct module_registry *registry);

/* The record of a module, made if absent. -E2BIG: too many; -ENOMEM. */
int module_registry_note(struct module_registry *registry, const struct symbol_origin *origin,
	const struct build_id *id, const char *name, enum symbol_what what,
	struct module_record **ret_module);
/* NULL: not noted. */
struct module_record *module_registry_find(
	const struct module_registry *registry, const struct build_id *id);

/* What stands in the cache about the module now. */
void module_registry_set_index(struct module_registry *registry, struct module_record *module,
	enum symbol_quality quality, uint32_t function_count, bool stale);

/* The index is lost: as if the module had never been looked for. What runs goes on. */
void module_registry_forget(struct module_registry *registry, struct module_record *module);

/* There is more to be read of it than was: a kept file gives better names than those that are
 * there, which stay until then. */
void module_registry_reread(struct module_registry *registry, struct module_record *module);
/* What the program of a module calls its debug file. No memory: it is not looked for by that name. */
void module_registry_set_link(struct module_record *module, const char *name, uint32_t crc);

enum module_plan {
	MODULE_PLAN_NOTHING = 0,
	MODULE_PLAN_FETCH = 1, /* now due: wake a fetcher */
	MODULE_PLAN_WANT = 2, /* now wanted: wake the subscribers */
};

/* Decides what comes next, by what is known and by the time. Gives what has changed by that. */
enum module_plan module_registry_plan(
	struct module_registry *registry, struct module_record *module, uint64_t now_ns);

/* ---- Files of this machine, and debuginfod ---- */

/* Whether files of this machine are to be looked through now. */
bool module_registry_local_due(const struct module_registry *registry,
	const struct module_record *module, uint64_t now_ns);
/* They were. */
void module_registry_local_done(struct module_record *module, uint64_t now_ns);
/* Whether debuginfod may be asked now. */
bool module_registry_fetch_due(const struct module_registry *registry,
	const struct module_record *module, uint64_t now_ns);
/* It was not asked this time: everything else about it stays. */
void module_registry_fetch_over(struct module_registry *registry, struct module_record *module);
/* The next due module, now FETCH_RUNNING; NULL if none is. */
struct module_record *module_registry_take_fetch(struct module_registry *registry);
/* The question is not to be put before AT_NS. NOTE says why. */
void module_registry_fetch_later(struct module_registry *registry, struct module_record *module,
	uint64_t at_ns, const char *note);
/* Next time after the try-th (from 0) answer of that kind. */
uint64_t module_retry_ns(uint64_t first_ns, uint64_t max_ns, unsigned try_count);

/* ---- Uploads ---- */

/* The next module whose turn it is to come from ORIGIN; NULL if there is none. */
struct module_record *module_registry_take_want(
	struct module_registry *registry, const struct symbol_origin *origin, uint64_t now_ns);
/* ORIGIN showed that it is alive: its requests wait longer. */
void module_registry_keep_offers(
	struct module_registry *registry, const struct symbol_origin *origin, uint64_t now_ns);
/* ORIGIN will not send it. False: it had not been asked. */
bool module_registry_refuse(struct module_registry *registry, const struct symbol_origin *origin,
	const struct build_id *id, const char *reason, uint64_t now_ns);
/* ORIGIN is gone: what it was asked for goes to others. Uploads that run end by themselves. */
void module_registry_drop_origin(
	struct module_registry *registry, const struct symbol_origin *origin);
/* Gives the number of requests that were let pass. */
uint32_t module_registry_expire_offers(struct module_registry *registry, uint64_t now_ns);
/* An upload may begin: -ENOENT not wanted from ORIGIN (NULL: by hand), -EEXIST nothing better could
 * come of it, -EBUSY one is running. */
int module_registry_begin_upload(struct module_registry *registry, struct module_record *module,
	const struct symbol_origin *origin, uint64_t now_ns);
/* It ended before it was whole. */
void module_registry_break_upload(
	struct module_registry *registry, struct module_record *module, uint64_t now_ns);
/* It is whole and waits for the indexer. */
void module_registry_finish_upload(struct module_registry *registry, struct module_record *module);
/* It was read, for good or ill; not to be asked for before AT_NS. */
void module_registry_upload_later(struct module_registry *registry, struct module_record *module,
	uint64_t at_ns, const char *note);

/* An upload of it is being received or read. */
bool module_upload_runs(const struct module_record *module);

/* ---- Status ---- */

bool module_pending(const struct module_record *module);
void module_describe(const struct module_record *module, struct symbol_module_state *ret_state);
