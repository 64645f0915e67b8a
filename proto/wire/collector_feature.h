/* SPDX-License-Identifier: Apache-2.0 */
/* Collector features: what a collector can do only where its privileges, its kernel or its settings
 * allow it, by the names that its batches carry.
 *
 * What it is   one X-list. The collector expands it to what it may have to do without, the server
 *              to what that costs. Batches carry name and state, and for what is off why and what
 *              to do about it.
 * Ownership    nothing is kept.
 * Threads      any.
 * Errors       none: a name that a server does not know is shown without what it costs.
 */
#pragma once

/* X(name, what is lost while it is off). Names are sent: never change one. */
#define FEATURE_LIST(X)                                                                        \
	X(task_records, "new mappings are only seen when /proc is read again")                 \
	X(processes, "samples go by the name of their thread, addresses stay absolute")        \
	X(other_processes, "processes of other users that ran before keep absolute addresses") \
	X(mapped_files, "deleted files and those in containers may stay without build-ID")     \
	X(private_files, "files that only their owner may read stay without build-ID")         \
	X(kernel_symbols, "kernel frames stay absolute addresses")                             \
	X(control_socket, "the status can't be asked for there")

/* Of what is off; longer ones are cut. */
#define FEATURE_REASON_BYTES_MAX 159
#define FEATURE_REMEDY_BYTES_MAX 159

/* Values are sent: never renumber. A receiver takes an unknown one for off. */
enum feature_state {
	FEATURE_ON = 0,
	FEATURE_OFF = 1,
};
