/* SPDX-License-Identifier: Apache-2.0 */
/* Segment windows: what the batches of one hour told of host and time, and of processes.
 *
 * What it is   one window for each batch that started in the hour, as columns, ordered by host, then
 *              start: rows of all groups name a window by its place in this order. Lives stand in a
 *              section of their own.
 * Ownership    a list owns its windows and their texts, which never move.
 * Threads      one owner; what was read may be read by any.
 * Errors       -ENOMEM; -EBADMSG: not such a section; -E2BIG: too many windows.
 */
#pragma once

#include <stdint.h>

#include "store/base/bytes.h"
#include "store/disk/segment_reader.h"
#include "store/profile/string_table.h"

/* Of one hour: 10,000 hosts with windows of 10 s are 3.6 M. */
#define SEGMENT_WINDOW_COUNT_MAX (8u << 20)

struct segment_windows {
	struct segment_window *windows;
	uint32_t count;
	uint32_t capacity;
	struct string_table texts;
};

int segment_windows_init(struct segment_windows *list);
void segment_windows_done(struct segment_windows *list);
/* Takes copies of the texts. */
int segment_windows_add(struct segment_windows *list, const struct segment_window *window);
/* By host, then start, then length; else as they came. RET_PLACES[i] is where window i went. */
int segment_windows_sort(struct segment_windows *list, uint32_t *ret_places);
/* LIST is sorted. */
int segment_windows_write(struct bytes_writer *writer, const struct segment_windows *list);
/* LIST is as segment_windows_init made it. All windows start in HOUR. */
int segment_windows_read(struct bytes_reader *reader, uint64_t hour, struct segment_windows *list);

/* Slots that start in the window, at least 1: as profile_slot_count. */
uint32_t segment_window_slot_count(const struct segment_window *window);
/* Behind its last slot. */
uint64_t segment_window_slots_end_ns(const struct segment_window *window);
/* What a decoded block tells; texts are borrowed from PROFILE. */
struct segment_window segment_window_of(const struct profile *profile);

/* LIVES of the window at PLACE; places rise from call to call, BEFORE is the last one's place + 1, or
 * 0. */
void segment_lives_write(struct bytes_writer *writer, uint32_t place, uint32_t before,
	const struct life_table *lives);
/* The next one's place, and its lives in the empty table LIVES. */
int segment_lives_read(struct bytes_reader *reader, uint32_t before, uint32_t window_count,
	uint32_t *ret_place, struct life_table *lives);
