/* SPDX-License-Identifier: Apache-2.0 */
/* Parts: what of the collector works, and what does not and why.
 *
 * What it is   one X-list of named parts, each working or not; whoever finds that one does not says
 *              so here, once, and the collector goes on without it.
 * Ownership    values only.
 * Threads      one owner.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>

/* X(name, what is lost without it) */
#define PART_LIST(X)                                                                           \
	X(task_records, "new mappings are only seen when /proc is read again")                 \
	X(processes, "samples go by the name of their thread, addresses stay absolute")        \
	X(other_processes, "processes of other users that ran before keep absolute addresses") \
	X(mapped_files, "deleted files and those in containers may stay without build-ID")     \
	X(private_files, "files that only their owner may read stay without build-ID")         \
	X(kernel_symbols, "kernel frames stay absolute addresses")                             \
	X(control_socket, "the status can't be asked for there")                               \
	X(control_port, "the status can't be asked for there")

#define PART_ENUM_ITEM(name, loss) PART_##name,

enum part { PART_LIST(PART_ENUM_ITEM) PART_MAX };

#undef PART_ENUM_ITEM

#define PART_REASON_MAX 255

struct parts {
	char reasons[PART_MAX][PART_REASON_MAX + 1]; /* empty: it works */
};

/* Notes that PART does not work and logs it; saying the same again does nothing. */
void parts_switch_off(struct parts *parts, enum part part, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
const char *part_name(enum part part);
const char *part_loss(enum part part);
