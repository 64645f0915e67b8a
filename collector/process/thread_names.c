/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/thread_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"

/* 320 KB. Threads are numbered one after another, so that those of a short time rarely meet. */
#define NAME_COUNT 16384u

/* What stands for a thread that is gone without a name. */
#define NAMELESS "[unknown]"

int thread_names_init(struct thread_names *names, const char *proc_folder, bool pids_are_ours)
{
	int r;

	*names = (struct thread_names){.proc = {-1}, .pids_are_ours = pids_are_ours};
	r = proc_root_init(&names->proc, proc_folder ? proc_folder : "/proc");
	if (r < 0)
		return r;
	names->names = calloc(NAME_COUNT, sizeof(*names->names));
	if (names->names)
		return 0;
	thread_names_done(names);
	return -ENOMEM;
}

void thread_names_done(struct thread_names *names)
{
	if (!names->names)
		return;
	proc_root_done(&names->proc);
	free(names->names);
	names->names = NULL;
}

static struct thread_name *place_of(struct thread_names *names, uint32_t tid)
{
	return &names->names[hash_pair(tid, 0) % NAME_COUNT];
}

static const char *find(struct thread_names *names, uint32_t tid)
{
	const struct thread_name *place = place_of(names, tid);

	return tid != 0 && place->tid == tid ? place->name : NULL;
}

static void set(struct thread_names *names, uint32_t tid, const char *name)
{
	struct thread_name *place = place_of(names, tid);

	place->tid = tid;
	/* It may be a name of this very table. */
	(void)memmove(place->name, name, strnlen(name, COMM_BYTES - 1) + 1);
	place->name[COMM_BYTES - 1] = '\0';
}

void thread_names_apply(struct thread_names *names, const struct task_record *record)
{
	const char *parent;

	if (record->kind == TASK_NAMED) {
		set(names, record->tid, record->named.name);
	} else if (record->kind == TASK_FORKED) {
		parent = find(names, record->parent_tid);
		if (parent)
			set(names, record->tid, parent);
		else
			place_of(names, record->tid)->tid = 0;
	}
}

/* What the kernel adds to the names of its workers in /proc tells what they did last. */
static void cut_worker(char *name)
{
	if (strncmp(name, "kworker/", 8) == 0)
		name[strcspn(name, "-+")] = '\0';
}

static int read_name(struct thread_names *names, uint32_t pid, uint32_t tid, char *ret_name)
{
	char file[48], text[96];
	size_t length;
	int r;

	(void)snprintf(file, sizeof(file), "task/%u/comm", tid);
	r = proc_read_text(&names->proc, pid, file, text, sizeof(text), &length);
	if (r < 0)
		return r;
	text[strcspn(text, "\n")] = '\0';
	cut_worker(text);
	length = strnlen(text, COMM_BYTES - 1);
	memcpy(ret_name, text, length);
	ret_name[length] = '\0';
	return length > 0 ? 0 : -ENOENT;
}

static const char *find_or_read(struct thread_names *names, uint32_t pid, uint32_t tid)
{
	const char *known = find(names, tid);
	char name[COMM_BYTES];

	if (known || read_name(names, pid, tid, name) < 0)
		return known;
	set(names, tid, name);
	return find(names, tid);
}

void thread_names_fill(struct thread_names *names, struct event_sample *sample)
{
	const char *name = NULL;

	if (names->pids_are_ours && sample->tid == 0 && (sample->flags & EVENT_KERNEL_THREAD)) {
		(void)snprintf(sample->comm, sizeof(sample->comm), "swapper/%u", sample->cpu);
		return;
	}
	if (names->pids_are_ours && sample->tid != 0) {
		name = find_or_read(names, sample->pid, sample->tid);
		if (!name)
			name = find(names, sample->pid);
	}
	if (!name)
		name = NAMELESS;
	memcpy(sample->comm, name, strlen(name) + 1);
}
