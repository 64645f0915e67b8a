/* SPDX-License-Identifier: Apache-2.0 */
/* Task record: what the kernel tells about the life of processes.
 *
 * What it is   the bytes of one perf record -> mapping, name, fork, exit or loss; pure.
 * Ownership    texts are borrowed from the bytes.
 * Threads      no shared state.
 * Errors       -EBADMSG: sizes that disagree; -ENOMSG: a kind that says nothing about tasks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/profile/build_id.h"

/* The bits of perf_event_attr.sample_type that task_record_parse reads behind each record. */
#define TASK_RECORD_SAMPLE_TYPE PERF_SAMPLE_TIME

enum task_record_kind {
	TASK_MAPPED, /* executable memory, with or without a file */
	TASK_NAMED, /* a thread changed its name, or started another program */
	TASK_FORKED, /* a process or a thread was made */
	TASK_EXITED, /* a thread ended */
	TASK_LOST, /* the kernel had no room for records */
};

struct task_mapped {
	uint64_t start;
	uint64_t byte_count;
	uint64_t offset;
	struct build_id build_id; /* known if the kernel gave it; then the next four are 0 */
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t inode;
	uint64_t generation;
	const char *path; /* `//anon` for memory without a file; closed by NUL */
	size_t path_length;
};

struct task_named {
	const char *name; /* closed by NUL */
	bool is_exec;
};

struct task_record {
	enum task_record_kind kind;
	uint64_t time_ns;
	uint32_t pid;
	uint32_t tid;
	union {
		struct task_mapped mapped;
		struct task_named named;
		struct {
			uint32_t parent_pid; /* TASK_FORKED; equal to pid for a new thread */
			uint32_t parent_tid;
		};
		uint64_t lost_count;
	};
};

int task_record_parse(const void *bytes, size_t byte_count, struct task_record *ret_record);
/* The time of a record that is whole, or 0. */
uint64_t task_record_time(const void *bytes, size_t byte_count);
