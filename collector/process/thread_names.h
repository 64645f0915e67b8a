/* SPDX-License-Identifier: Apache-2.0 */
/* Thread names: what the threads of this host are called, for samples that do not say it.
 *
 * What it is   follows the kernel's records of names and forks, and reads /proc for a thread that
 *              it does not know. A table of fixed size in which a newer thread takes an older one's
 *              place: what was forgotten is read again.
 * Ownership    owns the table.
 * Threads      one owner.
 * Errors       -ENOMEM. A thread that is gone before its name is read goes by that of its process,
 *              else by none.
 */
#pragma once

#include "bpf/abi/event.h"
#include "collector/process/proc_reader.h"
#include "collector/process/task_record.h"

struct thread_name {
	uint32_t tid; /* 0: empty */
	char name[COMM_BYTES];
};

struct thread_names {
	struct proc_root proc;
	struct thread_name *names;
	bool pids_are_ours;
};

/* PROC_FOLDER of NULL is /proc. Where PIDS_ARE_OURS is false, numbers mean other threads than in
 * /proc, and all stay nameless. */
int thread_names_init(struct thread_names *names, const char *proc_folder, bool pids_are_ours);
void thread_names_done(struct thread_names *names);

/* Records and samples come in order of time. */
void thread_names_apply(struct thread_names *names, const struct task_record *record);
/* Writes the name into SAMPLE. */
void thread_names_fill(struct thread_names *names, struct event_sample *sample);
