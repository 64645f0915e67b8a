/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   pid -> bucket -> process -> process           running ones, also in order of last use
 *                       | mappings (shared after fork) -> binaries
 *                       | place -> container, pod, unit
 *   ended -> process -> process                   kept until their last samples are through
 *
 * A sample finds its process by pid and start time: a pid alone may mean its next owner.
 */
#include "collector/process/process_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/process/vdso.h"
#include "store/base/clock.h"
#include "store/base/hash.h"
#include "store/base/must.h"

#define BUCKET_COUNT 8192u
/* /proc/PID/cgroup has a line for each hierarchy, sixteen at most, with a path in each. */
#define CGROUP_TEXT_BYTES 8192

int process_table_init(struct process_table *table, const struct process_table_config *config)
{
	int r;

	*table = (struct process_table){
		.proc = {-1},
		.tally = config->tally,
		.count_max =
			config->process_count_max ? config->process_count_max : PROCESS_COUNT_MAX,
		.tick_ns = proc_tick_ns(),
		.clock = config->clock.read ? config->clock : clock_system(),
	};
	r = proc_root_init(&table->proc, config->proc_folder ? config->proc_folder : "/proc");
	if (r == 0)
		r = binary_table_init(&table->binaries, &table->proc, table->tally);
	if (r == 0)
		r = cgroup_table_init(
			&table->cgroups, config->root_folder ? config->root_folder : "");
	if (r == 0) {
		table->buckets = calloc(BUCKET_COUNT, sizeof(struct process *));
		r = table->buckets ? 0 : -ENOMEM;
	}
	if (r < 0) {
		process_table_done(table);
		return r;
	}
	table->pool = (struct mapping_pool){.binaries = &table->binaries};
	return 0;
}

void process_table_watch(struct process_table *table, process_forget_fn *forget_process,
	void (*forget_tree)(void *context, struct mapping_set *set), void *context)
{
	table->forget_process = forget_process;
	table->watch_context = context;
	table->pool.forget_tree = forget_tree;
	table->pool.context = context;
}

static void process_free(struct process_table *table, struct process *process)
{
	if (table->forget_process)
		table->forget_process(table->watch_context, process);
	mapping_set_release(&table->pool, process->mappings);
	cgroup_release(&table->cgroups, process->place);
	free(process);
}

void process_table_done(struct process_table *table)
{
	struct process *next;

	for (struct process *process = table->newest; process; process = next) {
		next = process->older;
		process_free(table, process);
	}
	for (struct process *process = table->ended; process; process = next) {
		next = process->next_in_bucket;
		process_free(table, process);
	}
	table->newest = NULL;
	table->ended = NULL;
	free(table->buckets);
	table->buckets = NULL;
	cgroup_table_done(&table->cgroups);
	binary_table_done(&table->binaries);
	proc_root_done(&table->proc);
}

/* --- the records and their order ---------------------------------------------------------------
 */

static struct process **bucket_of(struct process_table *table, uint32_t pid)
{
	return &table->buckets[hash_pair(pid, 0) % BUCKET_COUNT];
}

static struct process *find(struct process_table *table, uint32_t pid)
{
	struct process *process = *bucket_of(table, pid);

	while (process && process->pid != pid)
		process = process->next_in_bucket;
	return process;
}

static void order_remove(struct process_table *table, struct process *process)
{
	if (process->newer)
		process->newer->older = process->older;
	else
		table->newest = process->older;
	if (process->older)
		process->older->newer = process->newer;
	else
		table->oldest = process->newer;
}

static void order_add(struct process_table *table, struct process *process)
{
	process->newer = NULL;
	process->older = table->newest;
	if (table->newest)
		table->newest->newer = process;
	else
		table->oldest = process;
	table->newest = process;
}

static void unlink_process(struct process_table *table, struct process *process)
{
	struct process **link = bucket_of(table, process->pid);

	while (*link != process)
		link = &(*link)->next_in_bucket;
	*link = process->next_in_bucket;
	order_remove(table, process);
	table->count--;
}

static void end_process(struct process_table *table, struct process *process, uint64_t time_ns)
{
	unlink_process(table, process);
	process->exited_at_ns = time_ns;
	process->next_in_bucket = table->ended;
	table->ended = process;
}

static struct process *add_process(struct process_table *table, uint32_t pid)
{
	struct process *process = calloc(1, sizeof(*process));
	struct process **bucket = bucket_of(table, pid);

	if (!process)
		return NULL;
	if (table->count >= table->count_max) {
		struct process *oldest = table->oldest;

		unlink_process(table, oldest);
		process_free(table, oldest);
		tally_add(table->tally, TALLY_processes_evicted, 1);
	}
	process->pid = pid;
	process->next_in_bucket = *bucket;
	*bucket = process;
	order_add(table, process);
	table->count++;
	return process;
}

void process_table_forget_ended(struct process_table *table, uint64_t time_ns)
{
	struct process **link = &table->ended;

	while (*link) {
		struct process *process = *link;

		if (process->exited_at_ns >= time_ns) {
			link = &process->next_in_bucket;
			continue;
		}
		*link = process->next_in_bucket;
		process_free(table, process);
	}
}

static void set_name(struct process *process, const char *name, size_t length)
{
	if (length > PROCESS_NAME_MAX)
		length = PROCESS_NAME_MAX;
	memcpy(process->name, name, length);
	process->name[length] = '\0';
}

static uint64_t now_ns(const struct process_table *table)
{
	return clock_read(&table->clock).monotonic_ns;
}

/* --- /proc -------------------------------------------------------------------------------------
 */

struct map_reading {
	struct process_table *table;
	struct mapping_set *mappings;
};

static int read_map(void *context, const struct maps_line *line)
{
	struct map_reading *reading = context;
	struct process_table *table = reading->table;
	struct mapping mapping = {line->start, line->end, line->offset, NULL, 0};
	struct binary_key key = {
		.dev_major = line->dev_major,
		.dev_minor = line->dev_minor,
		.inode = line->inode,
		.path = line->path,
		.path_length = line->path_length,
	};
	int r = 0;

	switch (maps_kind_of(line->path, line->path_length)) {
	case MAPS_FILE:
		r = binary_get(&table->binaries, &key, &mapping.binary);
		break;
	case MAPS_VDSO:
		if (vdso_is_ours(line->start))
			binary_get_vdso(&table->binaries, &mapping.binary);
		break;
	case MAPS_NONE:
		break;
	}
	if (r == 0)
		r = mapping_set_insert(&table->pool, &reading->mappings, &mapping);
	if (r < 0)
		tally_add(table->tally, TALLY_mappings_dropped, 1);
	return 0;
}

void process_table_read_mappings(struct process_table *table, struct process *process)
{
	struct map_reading reading = {.table = table};
	uint64_t malformed = 0;
	int r = proc_each_map(&table->proc, process->pid, read_map, &reading, &malformed);

	tally_add(table->tally, TALLY_maps_lines_malformed, malformed);
	process->mappings_read_at_ns = now_ns(table);
	/* A process that ended meanwhile shows no mappings; what is known of it is more. */
	if (r < 0 || !reading.mappings) {
		mapping_set_release(&table->pool, reading.mappings);
		return;
	}
	process->mappings_known = true;
	if (mapping_set_carry_over(process->mappings, reading.mappings)) {
		mapping_set_release(&table->pool, reading.mappings);
		return;
	}
	mapping_set_release(&table->pool, process->mappings);
	process->mappings = reading.mappings;
}

static void read_name(struct process_table *table, struct process *process, const char *fallback)
{
	char path[PATH_MAX];
	const char *name = fallback;
	size_t length = strlen(fallback);

	if (proc_read_exe(&table->proc, process->pid, path) == 0)
		name = maps_base_name(path, strlen(path), &length);
	set_name(process, name, length);
	process->name_pending = false;
}

/* True if a start time that is known to one tick of /proc, or exactly, can be that of a sample. */
static bool is_same_start(
	const struct process_table *table, uint64_t known_ns, uint64_t started_at_ns)
{
	return known_ns == 0 || started_at_ns == 0 ||
		known_ns / table->tick_ns == started_at_ns / table->tick_ns;
}

/* Reads what /proc knows of PID into the table; NULL if it is gone or has no user memory. */
static struct process *read_process(struct process_table *table, uint32_t pid)
{
	struct process *process = find(table, pid);
	uint64_t read_at_ns = now_ns(table);
	struct proc_stat stat;

	if (proc_read_stat(&table->proc, pid, &stat) < 0 || stat.is_kernel_thread)
		return NULL;
	if (process &&
		!is_same_start(
			table, process->started_at_ns, stat.started_at_ticks * table->tick_ns)) {
		end_process(table, process, read_at_ns);
		process = NULL;
	}
	if (!process)
		process = add_process(table, pid);
	if (!process)
		return NULL;
	if (process->started_at_ns == 0)
		process->started_at_ns = stat.started_at_ticks * table->tick_ns;
	process->parent_pid = stat.parent_pid;
	process->thread_count = stat.thread_count;
	process->read_at_ns = read_at_ns;
	process->scan = table->scan;
	process_table_read_mappings(table, process);
	read_name(table, process, stat.name);
	tally_add(table->tally, TALLY_processes_read, 1);
	return process;
}

static int scan_process(void *context, uint32_t pid)
{
	read_process(context, pid);
	return 0;
}

int process_table_scan(struct process_table *table)
{
	struct process *older;
	int r;

	table->scan++;
	r = proc_each_pid(&table->proc, scan_process, table);
	if (r < 0)
		return r;
	/* What the scan did not meet has ended unnoticed. */
	for (struct process *process = table->newest; process; process = older) {
		older = process->older;
		if (process->scan != table->scan)
			end_process(table, process, now_ns(table));
	}
	return 0;
}

/* --- the kernel's records ----------------------------------------------------------------------
 */

static void apply_mapped(
	struct process_table *table, struct process *process, const struct task_mapped *mapped)
{
	struct mapping mapping = {
		mapped->start, mapped->start + mapped->byte_count, mapped->offset, NULL, 0};
	struct binary_key key = {
		.build_id = mapped->build_id,
		.dev_major = mapped->dev_major,
		.dev_minor = mapped->dev_minor,
		.inode = mapped->inode,
		.generation = mapped->generation,
		.path = mapped->path,
		.path_length = mapped->path_length,
	};
	enum maps_kind kind = maps_kind_of(mapped->path, mapped->path_length);
	int r = 0;

	if (kind == MAPS_VDSO && vdso_is_ours(mapped->start))
		binary_get_vdso(&table->binaries, &mapping.binary);
	else if (kind == MAPS_FILE)
		r = binary_get(&table->binaries, &key, &mapping.binary);
	if (r == 0)
		r = mapping_set_insert(&table->pool, &process->mappings, &mapping);
	if (r < 0)
		tally_add(table->tally, TALLY_mappings_dropped, 1);
	if (kind == MAPS_FILE && process->name_pending) {
		size_t length;
		const char *base = maps_base_name(mapped->path, mapped->path_length, &length);

		set_name(process, base, length);
		process->name_pending = false;
	}
}

static void apply_exec(
	struct process_table *table, struct process *process, const struct task_record *record)
{
	mapping_set_release(&table->pool, process->mappings);
	process->mappings = NULL;
	process->mappings_known = true;
	process->thread_count = 1;
	process->name_pending = true;
	/* The series may be another one from here on. */
	process->window = 0;
	set_name(process, record->named.name, strlen(record->named.name));
	tally_add(table->tally, TALLY_execs, 1);
}

static void apply_fork(struct process_table *table, const struct task_record *record)
{
	struct process *parent = find(table, record->parent_pid);
	struct process *child = find(table, record->pid);

	if (record->pid == record->parent_pid) {
		if (parent && record->time_ns > parent->read_at_ns)
			parent->thread_count++;
		return;
	}
	tally_add(table->tally, TALLY_forks, 1);
	if (child && record->time_ns <= child->read_at_ns)
		return;
	if (child)
		end_process(table, child, record->time_ns);
	child = add_process(table, record->pid);
	/* Adding may have forgotten the parent for lack of room. */
	parent = find(table, record->parent_pid);
	if (!child)
		return;
	child->parent_pid = record->parent_pid;
	child->thread_count = 1;
	child->read_at_ns = record->time_ns;
	child->scan = table->scan;
	if (!parent)
		return;
	child->mappings = mapping_set_share(parent->mappings);
	child->mappings_known = parent->mappings_known;
	child->place = cgroup_share(parent->place);
	memcpy(child->name, parent->name, sizeof(child->name));
}

static void apply_exit(
	struct process_table *table, struct process *process, const struct task_record *record)
{
	if (process->thread_count > 1) {
		process->thread_count--;
		return;
	}
	end_process(table, process, record->time_ns);
	tally_add(table->tally, TALLY_exits, 1);
}

void process_table_apply(struct process_table *table, const struct task_record *record)
{
	struct process *process;

	if (record->kind == TASK_LOST)
		return;
	if (record->kind == TASK_FORKED) {
		apply_fork(table, record);
		return;
	}
	process = find(table, record->pid);
	/* Of a process that is not known, nothing is gained from a single record: it is read as a
	 * whole when it is sampled. What was read already holds all records of before. */
	if (!process || record->time_ns <= process->read_at_ns)
		return;
	if (record->kind == TASK_MAPPED)
		apply_mapped(table, process, &record->mapped);
	else if (record->kind == TASK_NAMED && record->named.is_exec)
		apply_exec(table, process, record);
	else if (record->kind == TASK_EXITED)
		apply_exit(table, process, record);
}

/* --- samples -----------------------------------------------------------------------------------
 */

static void read_place(struct process_table *table, struct process *process, uint64_t cgroup_id)
{
	char text[CGROUP_TEXT_BYTES];
	struct cgroup_place place;
	struct cgroup *cgroup;
	struct process *parent;
	size_t length;

	process->is_place_known = true;
	process->cgroup_id = cgroup_id;
	process->window = 0;
	if (proc_read_text(&table->proc, process->pid, "cgroup", text, sizeof(text), &length) ==
		0) {
		tally_add(table->tally, TALLY_cgroups_read, 1);
		cgroup_parse(text, length, &place);
		if (cgroup_get(&table->cgroups, &place, &cgroup) == 0) {
			cgroup_release(&table->cgroups, process->place);
			process->place = cgroup;
		}
		return;
	}
	tally_add(table->tally, TALLY_cgroups_inherited, 1);
	parent = find(table, process->parent_pid);
	if (!process->place && parent)
		process->place = cgroup_share(parent->place);
}

static struct process *find_ended(
	struct process_table *table, const struct process_sighting *sighting)
{
	struct process *process = table->ended;

	while (process &&
		(process->pid != sighting->pid ||
			!is_same_start(table, process->started_at_ns, sighting->started_at_ns)))
		process = process->next_in_bucket;
	return process;
}

/* The running process if it is the sample's, else one that ended, else what /proc says now. */
static struct process *find_or_read(
	struct process_table *table, const struct process_sighting *sighting)
{
	struct process *process = find(table, sighting->pid);
	struct process *ended;

	if (process && is_same_start(table, process->started_at_ns, sighting->started_at_ns))
		return process;
	ended = find_ended(table, sighting);
	if (ended)
		return ended;
	if (process && process->started_at_ns > sighting->started_at_ns)
		return NULL;
	if (process) {
		tally_add(table->tally, TALLY_processes_reused, 1);
		end_process(table, process, sighting->taken_at_ns);
	}
	process = read_process(table, sighting->pid);
	if (process && is_same_start(table, process->started_at_ns, sighting->started_at_ns))
		return process;
	return NULL;
}

struct process *process_table_see(
	struct process_table *table, const struct process_sighting *sighting)
{
	struct process *process = find_or_read(table, sighting);

	if (!process) {
		tally_add(table->tally, TALLY_processes_unknown, 1);
		return NULL;
	}
	if (sighting->started_at_ns != 0)
		process->started_at_ns = sighting->started_at_ns;
	if (process->exited_at_ns == 0) {
		order_remove(table, process);
		order_add(table, process);
	}
	/* A child whose parent was not known inherited nothing. */
	if (!process->mappings_known && process->exited_at_ns == 0 &&
		process->mappings_read_at_ns == 0) {
		process_table_read_mappings(table, process);
		read_name(table, process, "");
	}
	if (!process->is_place_known || process->cgroup_id != sighting->cgroup_id)
		read_place(table, process, sighting->cgroup_id);
	return process;
}
