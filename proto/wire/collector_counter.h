/* SPDX-License-Identifier: Apache-2.0 */
/* Collector counters: what a collector counts, by the names that its batches carry.
 *
 * What it is   one table in the order of a sample's way, made of X-lists: that of the kernel side
 *              (bpf/abi/counter.h, and bpf/abi/stop.h: how user stacks end), and the two here. The
 *              collector expands the lists to what it counts, and names it by the table; the server
 *              tells by the table what the numbers of a batch mean. A new counter is one line in
 *              one list.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none: a name that a server does not know comes last and without a meaning.
 */
#pragma once

#include <stdint.h>

#include "bpf/abi/counter.h"

/* X(name, meaning): what is counted between the ring buffers and the sink; `collector_` stands
 * before the names. Those that say "now" are levels; all others only rise. In samples: received =
 * counted + dropped + held now, and counted = handed to the sink + lost with their window + in the
 * window now. Received plus the kernel side's malformed is never below samples_due. */
#define TALLY_LIST(X)                                                                             \
	X(samples_due,                                                                            \
		"samples that the kernel side had passed when its rings were last emptied; "      \
		"all of them came")                                                               \
	X(samples_received, "samples that came from the kernel side")                             \
	X(samples_held, "samples that wait to be put in order, now")                              \
	X(samples_counted, "samples that stand in a window, each with its whole weight")          \
	X(samples_late, "samples older than their window; counted in the first slot of the next") \
	X(samples_dropped, "samples lost because memory or a table of the window was exhausted")  \
	X(samples_held_full,                                                                      \
		"times that the buffer for ordering samples was full and drained "                \
		"early")                                                                          \
	X(samples_in_window, "samples in the window that is being filled or closed, now")         \
	X(samples_window_dropped, "samples lost with their window, for lack of memory")           \
	X(user_frames, "frames of user stacks")                                                   \
	X(user_frames_unmapped,                                                                   \
		"user frames outside of every known mapping; sent as absolute "                   \
		"addresses")                                                                      \
	X(user_frames_anonymous,                                                                  \
		"user frames in memory without a file (JIT code); sent as "                       \
		"absolute addresses unless they are named")                                       \
	X(jit_frames_named, "of these, frames that a perf map names, in closed windows")          \
	X(jit_frames_unnamed, "of these, frames that none names, in closed windows")              \
	X(jit_answers_late, "questions for such names that were answered after their window")     \
	X(jit_maps_read, "perf maps that were found and read")                                    \
	X(jit_maps_refused,                                                                       \
		"processes whose perf map was not opened: somebody else's, a link, not a file, "  \
		"no privilege")                                                                   \
	X(jit_maps_replaced, "perf maps read anew because they did not go on as they were")       \
	X(jit_maps_evicted, "perf maps forgotten for lack of room; read again when sampled")      \
	X(jit_lines_malformed, "lines of perf maps that make no sense")                           \
	X(jit_entries_dropped, "lines of perf maps forgotten: one process has too many")          \
	X(jit_bytes_read, "bytes read of perf maps")                                              \
	X(jit_bytes_held, "bytes of memory that perf maps take, now")                             \
	X(user_frames_unread,                                                                     \
		"user frames in a file that could not be read; sent with its name "               \
		"and the file offset, without build-ID")                                          \
	X(kernel_frames, "frames of kernel stacks")                                               \
	X(kernel_frames_unknown,                                                                  \
		"kernel frames outside of the kernel and its modules (BPF and "                   \
		"other generated code), or while kernel addresses are hidden")                    \
	X(stacks_continued,                                                                       \
		"user stacks that the kernel side could not finish and user space went on with, " \
		"by a copy of their memory")                                                      \
	X(stacks_completed, "of these, stacks whose root was reached")                            \
	X(stacks_cut, "user stacks cut off because the mappings changed while they were walked")  \
	X(unwind_tables_built, "unwind tables made")                                              \
	X(unwind_tables_evicted,                                                                  \
		"unwind tables taken back because the memory for them was used up")               \
	X(unwind_tables_no_room,                                                                  \
		"unwind tables refused because those in use take all the memory for them; tried " \
		"again ten seconds later")                                                        \
	X(unwind_tables_none, "files without call frame information")                             \
	X(unwind_tables_failed,                                                                   \
		"unwind tables that could not be made; tried again a minute later")               \
	X(unwind_rows, "rows of the unwind tables made")                                          \
	X(unwind_functions_broken, "functions whose call frame information makes no sense")       \
	X(unwind_processes_refused,                                                               \
		"processes whose mappings found no room beside the unwind tables")                \
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
	X(lives_unnamed,                                                                          \
		"starts and ends of processes counted as [other]: the kernel side's table of "    \
		"names was full")                                                                 \
	X(lives_unnoted,                                                                          \
		"ends of processes counted with the CPU time of their beginning, which lacks a "  \
		"few milliseconds: too many waited for their parent, or the kernel did not tell " \
		"that it freed them")                                                             \
	X(lives_dropped,                                                                          \
		"windows that lack some or all starts and ends of processes: for lack of memory " \
		"or because the kernel did not give them")                                        \
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
	X(control_requests, "requests on the control sockets")                                    \
	X(log_errors, "lines of level error in the collector's log")                              \
	X(log_warnings, "lines of level warning in the collector's log")                          \
	X(log_left_out, "lines left out of it because too many of their kind were written")       \
	X(log_lost, "lines of it lost because standard error could not take them at once")

/* X(NAME, text name, meaning). Those that say "now" are levels; all others only rise. In samples:
 * received = encoded + dropped unencoded + unencoded now, and encoded = acknowledged + duplicate +
 * dropped by one of the other reasons + queued now. In batches: sent = acknowledged + duplicate +
 * refused + deferred + unanswered + under way now. A reading is of one moment. */
#define SINK_COUNTERS(X)                                                                         \
	X(WINDOWS_RECEIVED, "sink_windows_received", "windows handed to the sink")               \
	X(SAMPLES_RECEIVED, "sink_samples_received", "samples in these windows")                 \
	X(BATCHES_ENCODED, "sink_batches_encoded", "batches made of them")                       \
	X(SAMPLES_ENCODED, "sink_samples_encoded", "samples in these batches")                   \
	X(SAMPLES_UNENCODED, "sink_samples_unencoded",                                           \
		"samples in windows that are not encoded yet, now")                              \
	X(BATCHES_QUEUED, "sink_batches_queued", "batches not yet acknowledged, now")            \
	X(SAMPLES_QUEUED, "sink_samples_queued", "samples not yet acknowledged, now")            \
	X(BYTES_QUEUED, "sink_bytes_queued", "bytes of these batches, now")                      \
	X(BATCHES_SENT, "sink_batches_sent", "batches sent, those sent again included")          \
	X(BATCHES_RESENT, "sink_batches_resent", "of these, sent again")                         \
	X(BYTES_SENT, "sink_bytes_sent", "bytes of batches sent")                                \
	X(BATCHES_UNDER_WAY, "sink_batches_under_way", "batches sent and not answered, now")     \
	X(BATCHES_ACKNOWLEDGED, "sink_batches_acknowledged", "batches durable at the server")    \
	X(SAMPLES_ACKNOWLEDGED, "sink_samples_acknowledged", "samples durable at the server")    \
	X(SAMPLES_DUPLICATE, "sink_samples_duplicate",                                           \
		"samples that the server had already, from before a break")                      \
	X(BATCHES_DUPLICATE, "sink_batches_duplicate", "batches of these")                       \
	X(BATCHES_DEFERRED, "sink_batches_deferred", "answers `not now`; the batch was kept")    \
	X(BATCHES_UNANSWERED, "sink_batches_unanswered",                                         \
		"batches whose stream ended before their answer; they are sent again")           \
	X(BATCHES_REFUSED, "sink_batches_refused", "batches that the server will never take")    \
	X(DROPPED_FULL, "sink_samples_dropped_queue_full",                                       \
		"samples dropped, oldest first: the queue was full")                             \
	X(DROPPED_REFUSED, "sink_samples_dropped_refused",                                       \
		"samples dropped: the server will never take their batch")                       \
	X(DROPPED_UNENCODED, "sink_samples_dropped_unencoded",                                   \
		"samples dropped: no batch could be made of their window")                       \
	X(STREAMS_OPENED, "sink_streams_opened", "streams that the server accepted")             \
	X(STREAMS_FAILED, "sink_streams_failed", "attempts that got no welcome from a server")   \
	X(STREAMS_BROKEN, "sink_streams_broken", "streams that broke after their welcome")       \
	X(VERSIONS_REFUSED, "sink_versions_refused", "attempts that the server's version ended") \
	X(WANTS_RECEIVED, "sink_wants_received", "modules that the server asked for")            \
	X(UPLOADS_SENT, "sink_uploads_sent", "uploads that the server took whole")               \
	X(UPLOADS_FAILED, "sink_uploads_failed", "uploads that broke or were refused")           \
	X(UPLOADS_DROPPED, "sink_uploads_dropped", "uploads dropped: too many waited")           \
	X(UPLOAD_BYTES, "sink_upload_bytes", "bytes of uploads sent")

enum tally_counter {
#define TALLY_ENUM(name, meaning) TALLY_##name,
	TALLY_LIST(TALLY_ENUM)
#undef TALLY_ENUM
		TALLY_MAX
};

enum sink_counter {
#define SINK_COUNTER_ENUM(name, text, meaning) SINK_COUNTER_##name,
	SINK_COUNTERS(SINK_COUNTER_ENUM)
#undef SINK_COUNTER_ENUM
		SINK_COUNTER_COUNT
};

/* The place of a counter in the table: an enum counter is its own, the others follow. */
#define COLLECTOR_RANK_OF_TALLY COUNTER_MAX
#define COLLECTOR_RANK_OF_SINK (COLLECTOR_RANK_OF_TALLY + TALLY_MAX)
#define COLLECTOR_COUNTER_COUNT (COLLECTOR_RANK_OF_SINK + SINK_COUNTER_COUNT)
#define COLLECTOR_COUNTER_UNKNOWN UINT32_MAX

/* The place of NAME, or COLLECTOR_COUNTER_UNKNOWN. */
uint32_t collector_counter_rank(const char *name);
/* Both are empty from COLLECTOR_COUNTER_COUNT on. */
const char *collector_counter_name(uint32_t rank);
const char *collector_counter_meaning(uint32_t rank);
