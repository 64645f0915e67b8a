/* SPDX-License-Identifier: Apache-2.0 */
/* Segment reader: one segment file, and profiles of it as coarse as a question allows.
 *
 * What it is   a segment holds what many log files held, in groups: one for each service_name (the
 *              empty text: rows without). A group is opened (its dictionary is decoded) and visited:
 *              it gives pieces, profiles whose tables are the group's, with sums over time where
 *              the question does not tell times apart. docs/format.md has the bytes.
 * Ownership    a reader owns its descriptor and its index; a group borrows its reader; what a visit
 *              hands out lives for that call.
 * Threads      a reader and a group never change after they were opened: any number of threads may
 *              use them at once, without locks. Nothing of the file is mapped: a disk that fails or a
 *              file that somebody cut is an error of a call, never a signal.
 * Errors       0, or a negative errno: -EBADMSG: damaged, -ENOTSUP: of a later version, -ENOMEM,
 *              errors of reading. Every section has a checksum, looked at when it is read; what is
 *              damaged costs its section.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/disk/batch_seen.h"
#include "store/profile/profile.h"

/* What segments are divided into by time, and what their sums reach over at least. */
#define SEGMENT_HOUR_NS (UINT64_C(3600) * NS_PER_S)

struct segment_reader;
struct segment_group;
struct segment_hours;

/* What a whole file says of itself. */
struct segment_summary {
	uint64_t number; /* that its writer was told */
	uint64_t byte_count;
	uint64_t from_ns; /* start of its first window, epoch; 0 if it has none */
	uint64_t until_ns; /* behind the last slot of its last window */
	uint64_t newest_received_ns;
	uint64_t window_count;
	uint64_t sample_count; /* of all types */
	uint64_t slot_bytes; /* of byte_count, sections of slots: 0 if it keeps none */
	uint64_t slots_until_ns; /* the latest end of a window that has slots */
	const uint64_t *replaced; /* numbers of the files that this one stands for, upwards */
	uint32_t replaced_count;
	uint32_t group_count;
	uint32_t hour_count; /* that have windows */
};

struct segment_group_summary {
	struct life_name service; /* bytes of any value, borrowed from the reader */
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t sample_count;
};

/* Takes FD, which must allow pread, also if it fails. Reads and checks trailer and index: two reads
 * however large the file is. */
int segment_reader_open(int fd, struct segment_reader **ret_reader);
/* Accepts NULL. */
void segment_reader_close(struct segment_reader *reader);
const struct segment_summary *segment_reader_summary(const struct segment_reader *reader);
/* Groups rise by the bytes of their service. INDEX is below the summary's group_count. */
struct segment_group_summary segment_reader_group(
	const struct segment_reader *reader, uint32_t index);
/* UINT32_MAX: there is no such group. */
uint32_t segment_reader_find_group(
	const struct segment_reader *reader, const char *service, size_t length);

/* Adds the keys of all batches in the file to SEEN. */
int segment_reader_keys(const struct segment_reader *reader, struct batch_seen *seen);

/* What one batch told beside its rows. Texts are bytes of any value. */
struct segment_window {
	struct life_name host, machine_id, boot_id, kernel_release, collector_version;
	uint64_t start_ns; /* epoch, on the grid of slots */
	uint64_t until_ns; /* epoch */
	uint64_t received_at_ns; /* epoch, by the server's clock */
	uint64_t sent_at_ns; /* epoch: when the window was closed, by the host's clock */
	uint64_t monotonic_ns; /* the host's CLOCK_MONOTONIC at that moment */
	uint64_t boottime_ns;
	uint32_t online_cpu_count;
	uint64_t busy_ns, idle_ns, steal_ns, sampled_ns; /* sums over the CPUs, cut off at 2^63 */
	uint64_t sample_count; /* of all types */
};

/* 0 goes on; anything else ends the visit and becomes its result. */
typedef int (*segment_window_fn)(void *context, const struct segment_window *window);
typedef int (*segment_lives_fn)(
	void *context, const struct segment_window *window, const struct life_table *lives);

/* Which windows: those that overlap [from_ns, until_ns). */
struct segment_range {
	uint64_t from_ns;
	uint64_t until_ns;
};

/* Windows by hour of their start, then host, then start. HOST may be NULL: any. RET_DAMAGED: sections
 * that could not be read and were left out. Nothing but the windows is decoded. */
int segment_reader_windows(const struct segment_reader *reader, struct segment_range range,
	const char *host, segment_window_fn visit, void *context, uint64_t *ret_damaged);
/* The same, with what each window told of processes that started and ended: windows that told
 * nothing are left out. LIVES is sorted. */
int segment_reader_lives(const struct segment_reader *reader, struct segment_range range,
	const char *host, segment_lives_fn visit, void *context, uint64_t *ret_damaged);

/* How much of a group is decoded. */
enum segment_depth {
	SEGMENT_LABELS, /* label sets: enough for SEGMENT_SERIES and segment_group_series */
	SEGMENT_STACKS, /* all */
};

int segment_group_open(const struct segment_reader *reader, uint32_t index,
	enum segment_depth depth, struct segment_group **ret_group);
/* Accepts NULL. */
void segment_group_close(struct segment_group *group);
/* What it holds in memory, for a cache. */
size_t segment_group_bytes(const struct segment_group *group);

/* One series of the group: what the catalogue wants to know. */
struct segment_series {
	const struct profile *profile; /* strings and label sets */
	uint32_t type; /* string index of the profile type */
	uint32_t labels; /* index of the label set, `host` included */
	uint64_t from_ns; /* start of its first window, epoch */
	uint64_t until_ns; /* end of its last one */
	uint64_t sample_count;
};

typedef int (*segment_series_fn)(void *context, const struct segment_series *series);
int segment_group_series(const struct segment_group *group, segment_series_fn visit, void *context);

/* Values as those of enum profile_store_detail. */
enum segment_detail {
	SEGMENT_DETAIL_SLOTS = 0, /* windows as they came, slots included where they are kept */
	SEGMENT_DETAIL_ROWS, /* rows by stack, thread and CPU, summed over time */
	SEGMENT_DETAIL_STACKS, /* rows by stack and series, summed over time */
	SEGMENT_DETAIL_SERIES, /* rows by series: every row has the empty stack */
};

struct segment_request {
	enum segment_detail detail;
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t step_ns; /* 0: sums may reach over the whole range */
	uint64_t step_origin_ns; /* no sum reaches over origin + k x step */
	const char *type; /* five-part profile type; NULL: all */
	const char *host; /* leaves out what is not of this host; NULL: all */
	/* NULL, or what visits of several groups have in common: windows of a large fleet's hour need
	 * not be read for each of them. One thread's. */
	struct segment_hours *hours;
};

/* For visits of groups whose readers stay open until segment_hours_free, which accepts NULL. */
int segment_hours_new(struct segment_hours **ret_hours);
void segment_hours_free(struct segment_hours *hours);

/* What one visit read, for counters. */
struct segment_visited {
	uint64_t piece_count;
	uint64_t row_count; /* decoded */
	uint64_t sums_read; /* sections of sums over hours */
	uint64_t chunks_read; /* sections of rows of 10 s */
	uint64_t damaged; /* sections left out */
};

/* PROFILE is sealed and passed profile_check (but for the longest window; a type stands in it once
 * for each period that it was sampled with). Its head has no host: `host` is a label of each set.
 * Its window lies in the range and in one step, and all of it counts; pieces of one group have its
 * dictionary. But with SEGMENT_DETAIL_SLOTS it is a window as it came that overlaps the range, with
 * tables of its own. */
typedef int (*segment_piece_fn)(void *context, const struct profile *profile);

/* Gives the rows of GROUP in the range, each exactly once: what falls into the range or into a step
 * is what sample_range.h says of the windows as they came, with their slots where these are kept.
 * Pieces come in no order. */
int segment_group_visit(const struct segment_group *group, const struct segment_request *request,
	segment_piece_fn visit, void *context, struct segment_visited *ret_visited);

/* One thing that is wrong, for people. */
typedef void (*segment_problem_fn)(void *context, const char *what);

/* Reads everything: checksums, every value of every section, and whether the sums are those of the
 * rows. RET_PROBLEM_COUNT of them were told. Errors are those of this process alone. */
int segment_reader_verify(const struct segment_reader *reader, segment_problem_fn problem,
	void *context, uint64_t *ret_problem_count);
