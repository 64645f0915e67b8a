/* SPDX-License-Identifier: Apache-2.0 */
/* Collector features: what a collector can do only where its privileges, its kernel or its settings
 * allow it, by the names that its batches carry.
 *
 * What it is   one X-list, expanded to what the collector may have to do without and to what that
 *              costs, for both programs. Batches carry name and state, and for what is off why and
 *              what to do about it. A new feature is one line.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none: a name that a server does not know is shown without what it costs.
 */
#pragma once

#include <stdint.h>

/* X(name, what is lost while it is off). Names are sent: never change one. */
#define FEATURE_LIST(X)                                                                           \
	X(task_records, "new mappings are only seen when /proc is read again")                    \
	X(processes, "samples go by the name of their thread, addresses stay absolute")           \
	X(other_processes, "processes of other users that ran before keep absolute addresses")    \
	X(other_roots,                                                                            \
		"files of other users' processes that are deleted or in containers may stay "     \
		"without build-ID, and such a process goes by the name of its thread")            \
	X(mapped_files, "deleted files and those in containers may stay without build-ID")        \
	X(private_files,                                                                          \
		"files that only their owner may read, deleted files of other users, and kernel " \
		"modules stay without build-ID")                                                  \
	X(kernel_symbols, "kernel frames stay absolute addresses")                                \
	X(control_socket, "the status can't be asked for there")                                  \
	X(saved_registers,                                                                        \
		"the user's registers of samples in the kernel are looked for at the top of "     \
		"the kernel stack")                                                               \
	X(record_build_ids,                                                                       \
		"build-IDs come from files alone: a program that ends before its file is "        \
		"read for the first time has none")                                               \
	X(memory_cgroups, "containers of a host with cgroup v1 are not told apart")               \
	X(kernel_walks,                                                                           \
		"16 KiB of each stack are copied and walked in user space: a sample costs more, " \
		"and the root of deeper stacks is missing")                                       \
	X(full_rate, "samples are fewer than asked for, each of a greater weight")                \
	X(process_lives, "short-lived processes are not counted: cairn top --execs lacks them")

/* Of what is off; longer ones are cut. */
#define FEATURE_REASON_BYTES_MAX 159
#define FEATURE_REMEDY_BYTES_MAX 159

/* Values are sent: never renumber. A receiver takes an unknown one for off. */
enum feature_state {
	FEATURE_ON = 0,
	FEATURE_OFF = 1,
};

#define FEATURE_ENUM_ITEM(name, loss) FEATURE_##name,

enum feature { FEATURE_LIST(FEATURE_ENUM_ITEM) FEATURE_COUNT };

#undef FEATURE_ENUM_ITEM

#define FEATURE_UNKNOWN UINT32_MAX

/* The place of NAME in the list, which is its enum feature, or FEATURE_UNKNOWN. */
uint32_t feature_rank(const char *name);
/* Both are empty from FEATURE_COUNT on. */
const char *feature_name(uint32_t rank);
/* What is lost while it is off. */
const char *feature_loss(uint32_t rank);
