/* SPDX-License-Identifier: Apache-2.0 */
/* What the collector's tables do when there is no memory. */
#include <errno.h>
#include <unistd.h>

#include "collector/process/cgroup_table.h"
#include "collector/process/process_table.h"
#include "collector/sample/cpu_times.h"
#include "collector/sample/hold.h"
#include "collector/sample/window.h"
#include "collector/sink/batch_queue.h"
#include "collector/sink/file_sink.h"
#include "collector/upload/upload_desk.h"
#include "collector/upload/upload_job.h"
#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/torture.h"
#include "tests/support/work_dir.h"

static struct tally tally;

static int binaries(void *context)
{
	struct binary_table table;
	int r = binary_table_init(&table, context, &tally);

	if (r < 0)
		return r;
	for (uint64_t i = 1; r == 0 && i < 20; i++) {
		struct binary_key key = {.inode = i, .path = "/a", .path_length = 2};
		struct binary *binary = NULL;

		r = binary_get(&table, &key, &binary);
		CHECK((r == 0) == (binary != NULL));
		CHECK_EQ(table.count, r == 0 ? i : i - 1);
		if (r == 0)
			binary_release(&table, binary);
	}
	binary_table_done(&table);
	return r;
}

/* CONTEXT: a table of binaries that is there. */
static int mappings(void *context)
{
	struct mapping_pool pool = {.binaries = context};
	struct mapping_set *set = NULL, *shared = NULL;
	int r = 0;

	for (uint64_t i = 1; r == 0 && i < 40; i++) {
		struct mapping mapping = {.start = i << 12, .end = (i << 12) + 100};
		uint32_t before = set ? set->count : 0;

		r = mapping_set_insert(&pool, &set, &mapping);
		CHECK_EQ(set ? set->count : 0, before + (r == 0));
		/* A holder of the set as it was keeps it so. */
		if (i == 20)
			shared = mapping_set_share(set);
	}
	CHECK(!shared || shared->count == 20);
	mapping_set_release(&pool, shared);
	mapping_set_release(&pool, set);
	CHECK_EQ(pool.mapping_count, 0);
	return r;
}

static int cgroups(void *context)
{
	struct cgroup_place place = {.unit = "nginx.service"};
	struct cgroup *cgroup = NULL;
	struct cgroup_table table;
	int r = cgroup_table_init(&table, work_dir());

	(void)context;
	if (r < 0)
		return r;
	r = cgroup_get(&table, &place, &cgroup);
	CHECK((r == 0) == (cgroup != NULL));
	cgroup_release(&table, cgroup);
	CHECK_EQ(table.count, 0);
	cgroup_table_done(&table);
	return r;
}

static int processes(void *context)
{
	struct process_table_config config = {.proc_folder = "/proc", .tally = &tally};
	struct process_sighting sighting = {.pid = (uint32_t)getpid()};
	struct process_table table;
	int r = process_table_init(&table, &config);

	(void)context;
	if (r < 0)
		return r;
	/* What does not fit is not known: its samples are. */
	(void)process_table_see(&table, &sighting);
	CHECK(table.count <= 1);
	process_table_done(&table);
	return r;
}

static int held_samples(void *context)
{
	struct event_sample sample = {.kind = EVENT_SAMPLE, .comm = "a"};
	struct hold hold;
	int r = 0;

	(void)context;
	hold_init(&hold);
	for (uint64_t i = 1; r == 0 && i < 400; i++) {
		sample.taken_at_ns = 1000 - i;
		r = hold_add(&hold, &sample);
		CHECK_EQ(hold_count(&hold), r == 0 ? i : i - 1);
	}
	if (r == 0)
		CHECK_EQ(hold_next(&hold, UINT64_MAX)->taken_at_ns, 601);
	hold_done(&hold);
	return r;
}

static int times(void *context)
{
	static const char text[] = "cpu  1 2 3\ncpu0 1 2 3 4 5 6 7 8\ncpu1 1 2 3 4 5 6 7 8\n";
	struct cpu_times given = {0};
	int r = cpu_times_parse(&given, text, strlen(text), 1);

	(void)context;
	CHECK_EQ(given.count, r == 0 ? 2 : 0);
	cpu_times_done(&given);
	return r;
}

static int windows(void *context)
{
	struct window_config config = {.host = "h",
		.machine_id = "m",
		.boot_id = "b",
		.kernel_release = "6.1",
		.collector_version = "0",
		.period_ns = 10000000,
		.tally = &tally};
	struct window_span span = {0};
	struct window window;
	int r;

	(void)context;
	window_init(&window, &config);
	r = window_open(&window, &span);
	CHECK((r == 0) == (window.profile != NULL));
	window_done(&window);
	return r;
}

static int queued(void *context)
{
	struct batch_queue queue;
	int r = 0;

	(void)context;
	batch_queue_init(&queue, 10, 1000);
	for (uint32_t i = 0; r == 0 && i < 3; i++) {
		struct profile_wire_body body = {
			.bytes = malloc(10), .byte_count = 10, .sample_count = 7};
		uint64_t dropped = 0;

		if (!body.bytes)
			r = -ENOMEM;
		else
			r = batch_queue_push(&queue, &body, &dropped);
		/* Samples that are not let in are counted. */
		if (r == -ENOMEM && body.bytes == NULL)
			CHECK(dropped == 0 || dropped == 7);
	}
	(void)batch_queue_clear(&queue);
	return r;
}

static int sinks(void *context)
{
	static const uint8_t instance[FILE_SINK_INSTANCE_BYTES] = {1};
	struct sink *sink = NULL;
	int r = file_sink_new(context, instance, &sink);

	CHECK((r == 0) == (sink != NULL));
	if (sink)
		sink->operations->free(sink);
	return r;
}

static int desks(void *context)
{
	struct upload_desk_config config = {.tally = &tally};
	struct upload_desk *desk = NULL;
	int r = upload_desk_new(&config, &desk);

	(void)context;
	CHECK((r == 0) == (desk != NULL));
	upload_desk_free(desk);
	return r;
}

static int jobs(void *context)
{
	struct upload_job *job = NULL;
	int r = upload_job_new_file(work_open("program"), true, &job);

	(void)context;
	CHECK((r == 0) == (job != NULL));
	upload_job_free(job);
	return r;
}

static void without_memory_no_process_is_half_known(void)
{
	struct binary_table table;
	struct proc_root proc;

	CHECK_EQ(proc_root_init(&proc, "/proc"), 0);
	torture(binaries, &proc, 20);
	CHECK_EQ(binary_table_init(&table, &proc, &tally), 0);
	torture(mappings, &table, 3);
	binary_table_done(&table);
	proc_root_done(&proc);
	torture(cgroups, NULL, 2);
	torture_tolerant(processes, NULL, 4);
}

static void without_memory_samples_are_refused_whole(void)
{
	torture(held_samples, NULL, 4);
	torture(times, NULL, 1);
	torture(windows, NULL, 5);
}

static void without_memory_nothing_is_half_sent(void)
{
	work_run("cp /bin/true program");
	torture(queued, NULL, 6);
	torture(sinks, (void *)(uintptr_t)work_path("out"), 1);
	torture(desks, NULL, 1);
	torture(jobs, NULL, 3);
}

int main(void)
{
	RUN(without_memory_no_process_is_half_known);
	RUN(without_memory_samples_are_refused_whole);
	RUN(without_memory_nothing_is_half_sent);
	return 0;
}
