/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/process_table.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* Processes are files below a folder that each test makes; time is what the test says. */

static struct tally tally;
static uint64_t now_ns;

static struct clock_reading read_clock(void *context)
{
	(void)context;
	return (struct clock_reading){now_ns, now_ns, now_ns};
}

static struct process_table table;
static const char *folder;

static void set_up(const char *name, uint32_t process_count_max)
{
	struct process_table_config config = {
		.tally = &tally,
		.clock = {read_clock, NULL},
		.process_count_max = process_count_max,
	};

	tally = (struct tally){{0}};
	now_ns = 1000;
	folder = name;
	work_run("mkdir -p %s", name);
	config.proc_folder = work_path("%s", name);
	CHECK_EQ(process_table_init(&table, &config), 0);
}

static void tear_down(void)
{
	process_table_done(&table);
	CHECK_EQ(table.pool.mapping_count, 0);
}

/* A process that started at TICKS with one mapping of /bin/EXE at 0x1000. */
static void make_proc(
	uint32_t pid, uint32_t parent, uint32_t threads, uint64_t ticks, const char *exe)
{
	work_run(
		"mkdir -p %s/%u && cd %s/%u && "
		"echo '%u (comm) S %u 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 %u 0 %llu 0' > stat && "
		"echo '1000-2000 r-xp 00000000 08:01 %u /bin/%s' > maps && "
		"echo '0::/system.slice/%s.service' > cgroup && ln -sfn /bin/%s exe",
		folder, pid, folder, pid, pid, parent, threads, (unsigned long long)ticks, pid, exe,
		exe, exe);
}

static void remove_proc(uint32_t pid)
{
	work_run("rm -r %s/%u", folder, pid);
}

static struct process *see(uint32_t pid, uint64_t started_ticks)
{
	struct process_sighting sighting = {
		.pid = pid,
		.started_at_ns = started_ticks * table.tick_ns + 5,
		.cgroup_id = 1,
		.taken_at_ns = now_ns,
	};

	return process_table_see(&table, &sighting);
}

static void apply(struct task_record record)
{
	now_ns += 10;
	record.time_ns = now_ns;
	process_table_apply(&table, &record);
}

static void fork_process(uint32_t parent, uint32_t child)
{
	apply((struct task_record){
		.kind = TASK_FORKED, .pid = child, .tid = child, .parent_pid = parent});
}

static void fork_thread(uint32_t pid, uint32_t tid)
{
	apply((struct task_record){.kind = TASK_FORKED, .pid = pid, .tid = tid, .parent_pid = pid});
}

static void exit_thread(uint32_t pid, uint32_t tid)
{
	apply((struct task_record){.kind = TASK_EXITED, .pid = pid, .tid = tid});
}

static void exec(uint32_t pid, const char *comm)
{
	apply((struct task_record){
		.kind = TASK_NAMED, .pid = pid, .tid = pid, .named = {comm, true}});
}

static void map(uint32_t pid, uint64_t start, uint64_t end, const char *path)
{
	apply((struct task_record){.kind = TASK_MAPPED,
		.pid = pid,
		.tid = pid,
		.mapped = {.start = start,
			.byte_count = end - start,
			.inode = 77,
			.path = path,
			.path_length = strlen(path)}});
}

static const char *path_at(const struct process *process, uint64_t address)
{
	const struct mapping *mapping = mapping_set_find(process->mappings, address);

	return mapping && mapping->binary ? mapping->binary->path : "";
}

static void a_scan_finds_what_runs(void)
{
	struct process *process;

	set_up("scan", 0);
	make_proc(10, 1, 3, 500, "server");
	make_proc(11, 1, 1, 600, "other");
	work_run("mkdir -p scan/12 && echo '12 (kthread) S 2 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 "
		 "1 0 5 0' > scan/12/stat && touch scan/12/maps");
	CHECK_EQ(process_table_scan(&table), 0);
	CHECK_EQ(table.count, 2);
	process = see(10, 500);
	CHECK(process);
	CHECK_STR(process->name, "server");
	CHECK_STR(path_at(process, 0x1000), "/bin/server");
	CHECK_STR(process->place->service, "server");
	CHECK_EQ(process->thread_count, 3);
	CHECK_EQ(tally_value(&tally, TALLY_processes_read), 2);
	CHECK_EQ(tally_value(&tally, TALLY_cgroups_read), 1);
	tear_down();
}

static void what_of_a_mapping_cannot_be_kept_is_counted(void)
{
	set_up("overfull", 0);
	make_proc(10, 1, 1, 500, "server");
	work_run("echo 'no mapping at all' >> overfull/10/maps");
	CHECK_EQ(process_table_scan(&table), 0);
	CHECK(see(10, 500));
	CHECK_EQ(tally_value(&tally, TALLY_maps_lines_malformed), 1);
	/* No room for one more page: every mapping has one of its own. */
	for (uint64_t page = 1; page <= MAPPING_COUNT_MAX + 2; page++)
		map(10, page << 32, (page << 32) + 0x1000, "/lib/one.so");
	CHECK(tally_value(&tally, TALLY_mappings_dropped) >= 2);
	tear_down();
}

static void a_child_has_what_its_parent_has_until_it_starts_a_program(void)
{
	struct process *child;

	set_up("fork", 0);
	make_proc(10, 1, 1, 500, "shell");
	CHECK_EQ(process_table_scan(&table), 0);
	CHECK(see(10, 500));
	fork_process(10, 20);
	child = see(20, 700);
	CHECK(child);
	CHECK_STR(child->name, "shell");
	CHECK_STR(path_at(child, 0x1000), "/bin/shell");
	CHECK_STR(child->place->service, "shell");
	CHECK_EQ(tally_value(&tally, TALLY_cgroups_inherited), 1);

	exec(20, "cc1");
	CHECK_STR(path_at(child, 0x1000), "");
	CHECK_STR(child->name, "cc1");
	map(20, 0x5000, 0x6000, "/usr/libexec/gcc/cc1");
	map(20, 0x8000, 0x9000, "/lib/ld.so");
	map(20, 0xa000, 0xb000, "//anon");
	child = see(20, 700);
	CHECK_STR(child->name, "cc1");
	CHECK_STR(path_at(child, 0x5800), "/usr/libexec/gcc/cc1");
	CHECK_STR(path_at(child, 0x8000), "/lib/ld.so");
	CHECK(mapping_set_find(child->mappings, 0xa000) &&
		!mapping_set_find(child->mappings, 0xa000)->binary);
	CHECK_STR(path_at(see(10, 500), 0x1000), "/bin/shell");
	CHECK_EQ(tally_value(&tally, TALLY_execs), 1);
	CHECK_EQ(tally_value(&tally, TALLY_forks), 1);
	/* All of this without another look at /proc. */
	CHECK_EQ(tally_value(&tally, TALLY_processes_read), 1);
	tear_down();
}

static void a_process_ends_with_its_last_thread_and_stays_for_late_samples(void)
{
	set_up("exit", 0);
	make_proc(10, 1, 1, 500, "server");
	CHECK_EQ(process_table_scan(&table), 0);
	fork_thread(10, 11);
	fork_thread(10, 12);
	exit_thread(10, 10);
	exit_thread(10, 11);
	CHECK_EQ(table.count, 1);
	remove_proc(10);
	exit_thread(10, 12);
	CHECK_EQ(table.count, 0);
	CHECK_EQ(tally_value(&tally, TALLY_exits), 1);
	CHECK(see(10, 500));
	CHECK_STR(see(10, 500)->name, "server");
	process_table_forget_ended(&table, now_ns);
	CHECK(see(10, 500));
	process_table_forget_ended(&table, now_ns + 1);
	CHECK(!see(10, 500));
	CHECK_EQ(tally_value(&tally, TALLY_processes_unknown), 1);
	tear_down();
}

static void a_pid_is_not_mistaken_for_its_last_owner(void)
{
	struct process *process;

	set_up("reuse", 0);
	make_proc(10, 1, 1, 500, "old");
	make_proc(1, 0, 1, 1, "init");
	CHECK_EQ(process_table_scan(&table), 0);
	CHECK_STR(see(10, 500)->name, "old");

	/* With records: the child of another process gets the pid. */
	exit_thread(10, 10);
	fork_process(1, 10);
	CHECK_STR(see(10, 800)->name, "init");
	CHECK_STR(see(10, 500)->name, "old");

	/* Without records: the start time tells. */
	make_proc(10, 1, 1, 900, "newest");
	process = see(10, 900);
	CHECK(process);
	CHECK_STR(process->name, "newest");
	CHECK_EQ(tally_value(&tally, TALLY_processes_reused), 1);
	CHECK_STR(see(10, 500)->name, "old");

	/* A sample whose process left no trace finds none, not today's owner. */
	CHECK(!see(10, 850));
	tear_down();
}

static void a_process_nobody_told_of_is_read_when_sampled(void)
{
	struct process *process;

	set_up("late", 0);
	make_proc(10, 1, 1, 500, "server");
	process = see(10, 500);
	CHECK(process);
	CHECK_STR(process->name, "server");
	CHECK_STR(process->place->place.unit, "server.service");
	CHECK(!see(11, 500));

	/* So is the child of a parent that nobody knew. */
	make_proc(21, 20, 1, 700, "child");
	fork_process(20, 21);
	process = see(21, 700);
	CHECK_STR(process->name, "child");
	CHECK_STR(path_at(process, 0x1000), "/bin/child");
	tear_down();
}

static void records_older_than_what_was_read_change_nothing(void)
{
	struct process *process;

	set_up("order", 0);
	make_proc(10, 1, 2, 500, "server");
	now_ns = 5000;
	CHECK_EQ(process_table_scan(&table), 0);
	now_ns = 4000;
	exec(10, "older");
	fork_thread(10, 12);
	exit_thread(10, 11);
	exit_thread(10, 12);
	map(10, 0x1000, 0x2000, "/older");
	process = see(10, 500);
	CHECK_STR(process->name, "server");
	CHECK_EQ(process->thread_count, 2);
	CHECK_STR(path_at(process, 0x1000), "/bin/server");
	tear_down();
}

static void a_rescan_mends_what_was_missed(void)
{
	set_up("rescan", 0);
	make_proc(10, 1, 1, 500, "gone");
	make_proc(11, 1, 1, 500, "stays");
	make_proc(12, 1, 1, 500, "old");
	CHECK_EQ(process_table_scan(&table), 0);
	remove_proc(10);
	make_proc(11, 1, 4, 500, "stays");
	make_proc(12, 1, 1, 501, "new");
	make_proc(13, 1, 1, 600, "fresh");
	now_ns += 1000;
	CHECK_EQ(process_table_scan(&table), 0);
	CHECK_EQ(table.count, 3);
	CHECK_EQ(see(11, 500)->thread_count, 4);
	CHECK_STR(see(12, 501)->name, "new");
	CHECK_STR(see(12, 500)->name, "old");
	CHECK_STR(see(13, 600)->name, "fresh");
	CHECK_STR(see(10, 500)->name, "gone");
	tear_down();
}

static void beyond_the_limit_the_one_not_sampled_for_longest_is_forgotten(void)
{
	set_up("limit", 4);
	for (uint32_t pid = 10; pid < 14; pid++)
		make_proc(pid, 1, 1, 500, "server");
	CHECK_EQ(process_table_scan(&table), 0);
	for (uint32_t pid = 10; pid < 14; pid++)
		CHECK(see(pid, 500));
	CHECK(see(10, 500));
	fork_process(12, 20);
	CHECK_EQ(table.count, 4);
	CHECK_EQ(tally_value(&tally, TALLY_processes_evicted), 1);
	CHECK_EQ(tally_value(&tally, TALLY_processes_read), 4);
	CHECK(see(11, 500));
	CHECK_EQ(tally_value(&tally, TALLY_processes_read), 5);
	tear_down();
}

static void the_place_is_read_again_when_the_process_moved(void)
{
	struct process_sighting sighting = {.pid = 10, .cgroup_id = 2};

	set_up("moved", 0);
	make_proc(10, 1, 1, 500, "server");
	sighting.started_at_ns = 500 * table.tick_ns;
	CHECK_STR(process_table_see(&table, &sighting)->place->service, "server");
	work_run("echo '0::/system.slice/new.service' > moved/10/cgroup");
	CHECK_STR(process_table_see(&table, &sighting)->place->service, "server");
	sighting.cgroup_id = 3;
	CHECK_STR(process_table_see(&table, &sighting)->place->service, "new");
	work_run("echo '0::/' > moved/10/cgroup");
	sighting.cgroup_id = 4;
	CHECK(!process_table_see(&table, &sighting)->place);
	tear_down();
}

static void a_missing_proc_is_an_error(void)
{
	struct process_table_config config = {.proc_folder = "/nonexistent", .tally = &tally};

	CHECK_EQ(process_table_init(&table, &config), -ENOENT);
}

int main(void)
{
	RUN(a_scan_finds_what_runs);
	RUN(what_of_a_mapping_cannot_be_kept_is_counted);
	RUN(a_child_has_what_its_parent_has_until_it_starts_a_program);
	RUN(a_process_ends_with_its_last_thread_and_stays_for_late_samples);
	RUN(a_pid_is_not_mistaken_for_its_last_owner);
	RUN(a_process_nobody_told_of_is_read_when_sampled);
	RUN(records_older_than_what_was_read_change_nothing);
	RUN(a_rescan_mends_what_was_missed);
	RUN(beyond_the_limit_the_one_not_sampled_for_longest_is_forgotten);
	RUN(the_place_is_read_again_when_the_process_moved);
	RUN(a_missing_proc_is_an_error);
	return 0;
}
