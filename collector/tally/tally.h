/* SPDX-License-Identifier: Apache-2.0 */
/* Tally: everything that the collector itself counts, in user space.
 *
 * What it is   one X-list, expanded to the enum, the names and their meanings; counters since the
 *              program started. What the kernel side counts stands in bpf/abi/counter.h.
 * Ownership    values only; the program owns the one tally and lends it to its parts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define TALLY_LIST(X)                                                                             \
	X(samples_received, "samples that came from the kernel side")                             \
	X(samples_counted, "samples that stand in a window, each with its whole weight")          \
	X(samples_late, "samples older than their window; counted in the first slot of the next") \
	X(samples_dropped, "samples lost because memory or a table of the window was exhausted")  \
	X(samples_held_full,                                                                      \
		"times that the buffer for ordering samples was full and drained "                \
		"early")                                                                          \
	X(user_frames, "frames of user stacks")                                                   \
	X(user_frames_unmapped,                                                                   \
		"user frames outside of every known mapping; sent as absolute "                   \
		"addresses")                                                                      \
	X(user_frames_anonymous,                                                                  \
		"user frames in memory without a file (JIT code); sent as "                       \
		"absolute addresses")                                                             \
	X(user_frames_unread,                                                                     \
		"user frames in a file that could not be read; sent with its name "               \
		"and the file offset, without build-ID")                                          \
	X(kernel_frames, "frames of kernel stacks")                                               \
	X(kernel_frames_unknown,                                                                  \
		"kernel frames outside of the kernel and its modules (BPF and "                   \
		"other generated code), or while kernel addresses are hidden")                    \
	X(stacks_incomplete, "samples whose stack has a marker where its root is missing")        \
	X(windows_sent, "windows handed over for sending")                                        \
	X(windows_closed_early, "windows closed early because a clock was set or the host slept") \
	X(windows_dropped,                                                                        \
		"windows lost with all their samples, for lack of memory or of a "                \
		"place in the queue")                                                             \
	X(task_records, "kernel records about mappings, names, forks and exits")                  \
	X(task_records_lost, "such records that the kernel could not deliver")                    \
	X(task_records_malformed, "such records that make no sense")                              \
	X(rescans, "readings of all of /proc because such records were lost")                     \
	X(execs, "programs started")                                                              \
	X(forks, "processes made")                                                                \
	X(exits, "processes ended")                                                               \
	X(processes_read, "processes read from /proc")                                            \
	X(processes_unknown,                                                                      \
		"samples of a process that nothing is known about: it had ended "                 \
		"before /proc could be read")                                                     \
	X(processes_reused, "pids found to belong to a new process although no record said so")   \
	X(processes_evicted, "processes forgotten for lack of room; read again when sampled")     \
	X(mappings_dropped, "mappings beyond the limit of one process or of all together")        \
	X(mappings_read_again, "readings of a process's mappings because an address had none")    \
	X(maps_lines_malformed, "lines of /proc/PID/maps that make no sense")                     \
	X(binaries_read, "files whose build-ID and segments were read")                           \
	X(binaries_unread, "attempts to read such a file that failed")                            \
	X(binaries_replaced, "files found to be another build than the one that is mapped")       \
	X(binaries_evicted, "files forgotten for lack of room; read again when sampled")          \
	X(cgroups_read, "readings of a process's cgroup")                                         \
	X(cgroups_inherited, "processes gone before their cgroup was read; the parent's holds")   \
	X(kernel_symbol_refreshes, "readings of the list of kernel modules")                      \
	X(wants_received, "build-IDs that the server asked for")                                  \
	X(wants_dropped, "requests dropped because too many were waiting")                        \
	X(uploads_done, "files and symbol lists uploaded")                                        \
	X(uploads_refused, "requests refused: by settings, or the file is not there")             \
	X(uploads_failed, "uploads broken off by an error")                                       \
	X(upload_bytes, "bytes of uploads")                                                       \
	X(control_requests, "requests on the control sockets")

#define TALLY_ENUM_ITEM(name, meaning) TALLY_##name,

enum tally_counter { TALLY_LIST(TALLY_ENUM_ITEM) TALLY_MAX };

#undef TALLY_ENUM_ITEM

struct tally {
	_Atomic uint64_t values[TALLY_MAX];
};

static inline void tally_add(struct tally *tally, enum tally_counter counter, uint64_t count)
{
	atomic_fetch_add_explicit(&tally->values[counter], count, memory_order_relaxed);
}

static inline uint64_t tally_value(const struct tally *tally, enum tally_counter counter)
{
	return atomic_load_explicit(&tally->values[counter], memory_order_relaxed);
}

/* In snake_case; COUNTER must be below TALLY_MAX. */
const char *tally_name(enum tally_counter counter);
/* One phrase for an operator. */
const char *tally_meaning(enum tally_counter counter);
