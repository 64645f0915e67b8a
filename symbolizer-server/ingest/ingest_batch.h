/* SPDX-License-Identifier: Apache-2.0 */
/* Ingest batch: what one upload tells of one window of time, on its way into the store.
 *
 * What it is   a profile under construction, with the rules that hold for every format in one
 *              place: which labels make a series, how deep a stack may be, what becomes of names
 *              that are too long and of values that are negative. A reader of a format adds frames,
 *              stacks and samples; what could not be kept as it came is counted in drops.
 * Ownership    the batch owns its profile until ingest_batch_take; texts given to it are copied.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: more frames, stacks, series, types or samples than a profile
 *              holds; -EOVERFLOW: a sum of values leaves 63 bits. After an error only
 *              ingest_batch_done may follow.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/profile/profile.h"
#include "symbolizer-server/ingest/ingest_fault.h"

/* Deeper stacks keep their leaf part behind a marker `[truncated]`. Deep recursion in Python and
 * Java ends at about a thousand calls by default; generous for the rest. */
#define INGEST_DEPTH_MAX 4096u
/* Of a label's key and value; Pyroscope's own limits. What is longer is cut and counted. */
#define INGEST_LABEL_KEY_BYTES_MAX 1024u
#define INGEST_LABEL_VALUE_BYTES_MAX 2048u
/* A five-part type: each part comes from the sender. */
#define INGEST_TYPE_BYTES_MAX 1024u

/* A piece of text that need not end with a NUL. */
struct ingest_text {
	const char *text;
	size_t length;
};

struct ingest_label {
	struct ingest_text key;
	struct ingest_text value;
};

/* A frame that its sender named. */
struct ingest_name {
	enum frame_kind kind;
	struct ingest_text module; /* base name or path; empty: none */
	struct ingest_text function; /* empty: `[unknown]` */
	struct ingest_text file; /* empty: not known */
	uint32_t line; /* 0: not known */
};

/* A frame that is to be named here. */
struct ingest_address {
	struct build_id id; /* may be unknown */
	struct ingest_text module; /* base name or path; empty: none */
	uint64_t address; /* ELF virtual; absolute where there is no module */
	bool in_file; /* address is an offset in the module's file */
	bool is_kernel;
};

/* X(name, meaning): what is not kept as it came. */
#define INGEST_DROPS(X)                                                                          \
	X(names_cut, "names of functions, files and modules longer than 64 KiB, cut")            \
	X(labels_cut, "keys and values of labels that were too long, cut")                       \
	X(labels_dropped, "labels left out: more than 64, or reserved")                          \
	X(numbers_dropped, "labels left out because they are numbers")                           \
	X(stacks_cut, "stacks deeper than 4096 frames, cut at the root")                         \
	X(lines_skipped, "lines left out: without a value")                                      \
	X(broken,                                                                                \
		"texts, functions and frames that a profile names and does not have: empty, or " \
		"[unknown]")                                                                     \
	X(negative, "values left out because they are negative")                                 \
	X(empty, "values of zero, which weigh nothing")                                          \
	X(sleeping, "samples of CPU time whose thread slept, left out")

struct ingest_drops {
#define INGEST_DROP(name, meaning) uint64_t name;
	INGEST_DROPS(INGEST_DROP)
#undef INGEST_DROP
};

struct ingest_batch {
	struct profile *profile;
	struct label base[LABEL_COUNT_MAX]; /* of every series */
	uint32_t base_count;
	struct ingest_drops drops;
	char *scratch; /* STRING_BYTES_MAX bytes */
};

/* A window [START_NS, UNTIL_NS) of epoch time. One that is empty or goes backwards, as some clients
 * send it, covers what lies between and at least one slot; the grid of slots widens it, too. */
int ingest_batch_init(struct ingest_batch *batch, uint64_t start_ns, uint64_t until_ns);
void ingest_batch_done(struct ingest_batch *batch);

/* A label of every series that is made afterwards; the last of equal keys wins. In keys all but
 * letters, digits, `_` and `.` becomes `_`; keys that begin with two underscores are the server's
 * and are left out. */
int ingest_batch_label(struct ingest_batch *batch, struct ingest_label label);
/* The series with the labels of the batch and these; those of the batch go before. PID, TID and name
 * of THREAD, which may be NULL, are columns of its rows. */
int ingest_batch_series(struct ingest_batch *batch, const struct ingest_label *labels,
	uint32_t label_count, const struct thread *thread, uint32_t *ret_series);
/* A text for struct thread. */
int ingest_batch_text(struct ingest_batch *batch, struct ingest_text text, uint32_t *ret_string);

int ingest_batch_named(
	struct ingest_batch *batch, const struct ingest_name *name, uint32_t *ret_frame);
int ingest_batch_address(
	struct ingest_batch *batch, const struct ingest_address *place, uint32_t *ret_frame);
/* The stack of COUNT frames, LEAF first. */
int ingest_batch_stack_leaf_first(
	struct ingest_batch *batch, const uint32_t *frames, uint32_t count, uint32_t *ret_stack);
/* The stack of COUNT frames, ROOT first. */
int ingest_batch_stack_root_first(
	struct ingest_batch *batch, const uint32_t *frames, uint32_t count, uint32_t *ret_stack);

/* The rows of TYPE (five parts); PERIOD is what one sample stands for, 0 if it varies. The pointer
 * stays valid as long as the batch. */
int ingest_batch_type(struct ingest_batch *batch, const char *type, int64_t period,
	struct sample_table **ret_table);
/* COUNT samples that sum to VALUE. Nothing is added for a value of 0 or less. */
int ingest_batch_sample(struct ingest_batch *batch, struct sample_table *table, uint32_t stack,
	uint32_t series, uint64_t count, int64_t value);
/* The same for a whole row; its count is at least 1. */
int ingest_batch_row(
	struct ingest_batch *batch, struct sample_table *table, const struct sample_row *row);

/* The profile, sealed; the batch has none afterwards. Its window may be longer than a profile's may
 * be, and a sum too large: profile_list_take sees to both. */
int ingest_batch_take(struct ingest_batch *batch, struct profile **ret_profile);
/* Adds. */
void ingest_drops_add(struct ingest_drops *to, const struct ingest_drops *drops);
