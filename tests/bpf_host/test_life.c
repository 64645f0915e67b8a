/* SPDX-License-Identifier: Apache-2.0 */
/* Processes counted by the programs of bpf/life, run as plain C. */
#include "bpf/life/life.bpf.h"

#include <errno.h>
#include <stdbool.h>

#include "tests/support/check.h"

/* --- a kernel of plain variables ---------------------------------------------------------------- */

struct table {
	struct life_key keys[LIFE_ROWS_MAX];
	struct life_values values[LIFE_ROWS_MAX];
	uint32_t count;
};

static struct table tables[2];
static uint64_t ending_ids[LIFE_ENDINGS_MAX];
static struct life_ending endings[LIFE_ENDINGS_MAX];
static uint32_t ending_count;
static bool endings_are_full;
static uint64_t now_ns;

static struct table *table_of(const void *map)
{
	CHECK(map == &life_rows_0 || map == &life_rows_1);
	return &tables[map == &life_rows_1];
}

static uint32_t find_ending(const void *key)
{
	uint64_t id;

	memcpy(&id, key, sizeof(id));
	for (uint32_t i = 0; i < ending_count; i++)
		if (ending_ids[i] == id)
			return i;
	return ending_count;
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	uint32_t place;

	if (map == &life_endings) {
		place = find_ending(key);
		return place < ending_count ? &endings[place] : NULL;
	}
	for (uint32_t i = 0; i < table_of(map)->count; i++)
		if (memcmp(&table_of(map)->keys[i], key, sizeof(struct life_key)) == 0)
			return &table_of(map)->values[i];
	return NULL;
}

long bpf_map_update_elem(void *map, const void *key, const void *value, uint64_t flags)
{
	struct table *table;
	uint32_t place;

	if (map == &life_endings) {
		CHECK_EQ(flags, BPF_NOEXIST);
		if (endings_are_full)
			return -E2BIG;
		place = find_ending(key);
		CHECK_EQ(place, ending_count++);
		memcpy(&ending_ids[place], key, sizeof(ending_ids[place]));
		memcpy(&endings[place], value, sizeof(endings[place]));
		return 0;
	}
	CHECK_EQ(flags, BPF_NOEXIST);
	table = table_of(map);
	if (table->count == LIFE_ROWS_MAX)
		return -E2BIG;
	memcpy(&table->keys[table->count], key, sizeof(struct life_key));
	memcpy(&table->values[table->count++], value, sizeof(struct life_values));
	return 0;
}

long bpf_map_delete_elem(void *map, const void *key)
{
	uint32_t place = find_ending(key);

	CHECK(map == &life_endings && place < ending_count);
	ending_ids[place] = ending_ids[--ending_count];
	endings[place] = endings[ending_count];
	return 0;
}

uint64_t bpf_ktime_get_ns(void)
{
	return now_ns;
}

long bpf_probe_read_kernel_str(void *buffer, uint32_t byte_count, const void *address)
{
	size_t length = strnlen(address, byte_count - 1);

	memcpy(buffer, address, length);
	((char *)buffer)[length] = '\0';
	return (long)length + 1;
}

/* --- processes ---------------------------------------------------------------------------------- */

static struct signal_struct signals[3];
static struct task_struct shell, child, helper;

static void name(struct task_struct *task, const char *text)
{
	/* As the kernel does it: what stood there before stays behind the NUL. */
	memcpy(task->comm, text, strlen(text) + 1);
}

static void make(struct task_struct *task, int pid, struct task_struct *parent)
{
	*task = (struct task_struct){.pid = pid,
		.tgid = pid,
		.group_leader = task,
		.real_parent = parent,
		.flags = PF_FORKNOEXEC,
		.start_time = now_ns,
		.signal = &signals[pid - 1]};
	memset(task->comm, 'x', sizeof(task->comm) - 1);
	signals[pid - 1] = (struct signal_struct){.live = {1}};
}

static void reset(void)
{
	memset(tables, 0, sizeof(tables));
	ending_count = 0;
	endings_are_full = false;
	now_ns = 1000;
	life_shared = (struct life_shared){.turn = LIFE_TURN(UINT64_MAX, 0)};
	make(&shell, 1, &shell);
	name(&shell, "sh");
	make(&child, 2, &shell);
	name(&child, "sh");
	make(&helper, 2, &shell);
	helper.pid = 3;
	helper.group_leader = &child;
	name(&helper, "helper");
}

static void run(int (*program)(const uint64_t *), const void *first, const void *second)
{
	const uint64_t context[3] = {(uintptr_t)first, (uintptr_t)second};

	CHECK_EQ(program(context), 0);
}

static struct life_values row(uint32_t side, const char *parent, const char *command)
{
	struct life_key key = {.flags = 0};
	struct life_values *found;

	snprintf(key.parent, sizeof(key.parent), "%s", parent);
	snprintf(key.command, sizeof(key.command), "%s", command);
	found = bpf_map_lookup_elem(side ? &life_rows_1 : &life_rows_0, &key);
	return found ? *found : (struct life_values){0};
}

/* CPU_NS: when it is over; the kernel books the last 3 late. */
static void end(struct task_struct *task, uint64_t cpu_ns)
{
	task->signal->live.counter = 0;
	task->se.sum_exec_runtime = cpu_ns - 3;
	run(life_exit, task, NULL);
	task->signal->sum_sched_runtime = cpu_ns;
	task->se.sum_exec_runtime = cpu_ns;
}

static void a_life_is_counted_from_fork_to_end(void)
{
	struct life_values made, started;

	reset();
	run(life_fork, &shell, &child);
	name(&child, "ps");
	child.flags &= ~(unsigned)PF_FORKNOEXEC;
	run(life_exec, &child, NULL);
	now_ns = 5000;
	end(&child, 700);
	CHECK_EQ(row(0, "sh", "ps").exits, 1);
	CHECK_EQ(row(0, "sh", "ps").cpu_ns, 0);
	now_ns = 9000;
	run(life_free, &child, NULL);
	made = row(0, "sh", "sh");
	started = row(0, "sh", "ps");
	CHECK_EQ(made.forks, 1);
	CHECK_EQ(made.exits + made.execs, 0);
	CHECK_EQ(started.execs, 1);
	CHECK_EQ(started.exits, 1);
	CHECK_EQ(started.bare_exits, 0);
	CHECK_EQ(started.cpu_ns, 700);
	CHECK_EQ(started.lifetime_ns, 4000);
	CHECK_EQ(tables[0].count, 2);
	CHECK_EQ(ending_count, 0);
}

static void a_fork_that_starts_nothing_is_bare(void)
{
	reset();
	run(life_fork, &shell, &child);
	end(&child, 5);
	run(life_free, &child, NULL);
	CHECK_EQ(row(0, "sh", "sh").forks, 1);
	CHECK_EQ(row(0, "sh", "sh").bare_exits, 1);
	CHECK_EQ(row(0, "sh", "sh").exits, 1);
}

static void threads_are_no_processes(void)
{
	reset();
	child.signal->live.counter = 1;
	run(life_fork, &child, &helper);
	run(life_exit, &helper, NULL);
	run(life_free, &helper, NULL);
	CHECK_EQ(tables[0].count + ending_count, 0);
}

/* Whichever thread is last, the process goes by its main thread; two that are last are one end. */
static void the_last_thread_ends_the_process(void)
{
	reset();
	child.signal->live.counter = 0;
	run(life_exit, &helper, NULL);
	run(life_exit, &child, NULL);
	run(life_free, &helper, NULL);
	CHECK_EQ(row(0, "sh", "sh").exits, 1);
	CHECK_EQ(row(0, "sh", "sh").cpu_ns, 0);
	/* The main thread left its CPU after its parent had taken it away. */
	child.signal->sum_sched_runtime = 40;
	child.se.sum_exec_runtime = 60;
	run(life_free, &child, NULL);
	CHECK_EQ(row(0, "sh", "sh").exits, 1);
	CHECK_EQ(row(0, "sh", "sh").cpu_ns, 60);
	CHECK_EQ(ending_count, 0);
}

static void threads_of_the_kernel_are_left_out_and_told_as_parents(void)
{
	struct life_key key = {.command = "modprobe", .parent = "kworker/0:1"};

	reset();
	child.flags |= PF_KTHREAD;
	run(life_fork, &shell, &child);
	end(&child, 1);
	run(life_free, &child, NULL);
	CHECK_EQ(tables[0].count + ending_count, 0);
	child.flags = 0;
	shell.flags |= PF_KTHREAD;
	name(&shell, "kworker/0:1");
	name(&child, "modprobe");
	run(life_exec, &child, NULL);
	CHECK(!bpf_map_lookup_elem(&life_rows_0, &key));
	key.flags = LIFE_PARENT_IS_KERNEL;
	CHECK(bpf_map_lookup_elem(&life_rows_0, &key) != NULL);
}

static void what_happens_from_the_turn_on_goes_to_the_other_table(void)
{
	reset();
	life_shared.turn = LIFE_TURN(UINT64_C(2000), 1);
	run(life_exec, &child, NULL);
	now_ns = 1999;
	run(life_exec, &child, NULL);
	now_ns = 2000;
	run(life_exec, &child, NULL);
	CHECK_EQ(row(1, "sh", "sh").execs, 2);
	CHECK_EQ(row(0, "sh", "sh").execs, 1);
}

static void a_full_table_adds_to_the_nameless(void)
{
	reset();
	tables[0].count = LIFE_ROWS_MAX;
	memset(tables[0].keys, 'y', sizeof(tables[0].keys));
	run(life_exec, &child, NULL);
	run(life_fork, &shell, &child);
	CHECK_EQ(life_shared.other[0].execs, 1);
	CHECK_EQ(life_shared.other[0].forks, 1);
	CHECK_EQ(life_shared.other[1].execs, 0);
	CHECK_EQ(life_shared.unnamed, 2);
}

static void an_end_without_room_for_a_note_counts_with_the_time_so_far(void)
{
	reset();
	endings_are_full = true;
	now_ns = 4000;
	end(&child, 30);
	run(life_free, &child, NULL);
	CHECK_EQ(row(0, "sh", "sh").exits, 1);
	CHECK_EQ(row(0, "sh", "sh").cpu_ns, 27);
	CHECK_EQ(row(0, "sh", "sh").lifetime_ns, 3000);
	CHECK_EQ(life_shared.unnoted, 1);
}

/* A kernel that loses the last event of a process reuses its place for another. */
static void a_note_that_nobody_fetched_counts_when_its_place_is_taken(void)
{
	reset();
	name(&child, "lost");
	end(&child, 30);
	now_ns = 2000;
	make(&child, 2, &shell);
	name(&child, "next");
	now_ns = 2500;
	end(&child, 50);
	CHECK_EQ(row(0, "sh", "lost").exits, 1);
	CHECK_EQ(row(0, "sh", "lost").cpu_ns, 27);
	CHECK_EQ(life_shared.unnoted, 1);
	run(life_free, &child, NULL);
	CHECK_EQ(row(0, "sh", "next").exits, 1);
	CHECK_EQ(row(0, "sh", "next").cpu_ns, 50);
	CHECK_EQ(row(0, "sh", "next").lifetime_ns, 500);
	CHECK_EQ(ending_count, 0);
}

/* It ended before anybody looked. */
static void a_process_without_a_note_is_not_counted(void)
{
	reset();
	run(life_free, &child, NULL);
	CHECK_EQ(tables[0].count, 0);
	CHECK_EQ(life_shared.unnoted, 0);
}

int main(void)
{
	RUN(a_life_is_counted_from_fork_to_end);
	RUN(a_fork_that_starts_nothing_is_bare);
	RUN(threads_are_no_processes);
	RUN(the_last_thread_ends_the_process);
	RUN(threads_of_the_kernel_are_left_out_and_told_as_parents);
	RUN(what_happens_from_the_turn_on_goes_to_the_other_table);
	RUN(a_full_table_adds_to_the_nameless);
	RUN(an_end_without_room_for_a_note_counts_with_the_time_so_far);
	RUN(a_note_that_nobody_fetched_counts_when_its_place_is_taken);
	RUN(a_process_without_a_note_is_not_counted);
	return 0;
}
