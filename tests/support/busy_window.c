/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/busy_window.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/random.h"

#define FUNCTION_COUNT 800u
#define SITE_COUNT 5u
#define HOT_COUNT 6u /* places in a function where it is found interrupted */
#define PATH_MAX 100u
#define LIBRARY_COUNT 3u
#define KERNEL_DEPTH 9u
#define ENTRY_COUNT 40u /* system calls and interrupts */
#define PERIOD_NS(host) ((int64_t)(NS_PER_S / (host)->samples_per_second))

struct site {
	uint32_t offset;
	uint32_t binary;
	uint32_t function;
};

struct function {
	uint64_t start;
	uint32_t byte_count;
	struct site sites[SITE_COUNT];
};

struct binary {
	uint32_t module;
	uint8_t kind;
	struct function functions[FUNCTION_COUNT];
};

/* The calls that a program was in when it was last seen. */
struct path {
	uint32_t count;
	struct {
		uint32_t node; /* before this function */
		uint32_t binary;
		uint32_t function;
	} steps[PATH_MAX];
};

/* Binary 0 is the kernel, then come the libraries, then one program a process. */
struct maker {
	const struct busy_host *host;
	struct random random;
	struct profile *profile;
	struct binary *binaries;
	uint32_t *first_threads;
	uint32_t *thread_counts;
	struct path *paths; /* one a process */
};

static uint32_t text(struct maker *maker, const char *words)
{
	uint32_t index;

	CHECK_EQ(profile_add_text(maker->profile, words, &index), 0);
	return index;
}

static void add_module(struct maker *maker, struct binary *binary, const char *name)
{
	struct module module = {.name = text(maker, name)};
	uint8_t id[20];

	for (size_t i = 0; i < sizeof(id); i++)
		id[i] = (uint8_t)random_next(&maker->random);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, id, sizeof(id), &module.build_id), 0);
	CHECK_EQ(module_table_add(&maker->profile->modules, &module, &binary->module), 0);
}

/* Functions call such that stand behind them, most often near ones; programs also call libraries.
 */
static void add_functions(struct maker *maker, uint32_t index)
{
	struct binary *binary = &maker->binaries[index];
	struct random *random = &maker->random;
	uint64_t at = 0x1000 + 16 * random_below(random, 100000);

	for (uint32_t i = 0; i < FUNCTION_COUNT; i++) {
		struct function *function = &binary->functions[i];

		function->start = at;
		function->byte_count = 48 + random_skewed(random, 4000);
		at += (function->byte_count + 15u) / 16 * 16 + 16 * random_skewed(random, 2000);
		for (uint32_t j = 0; j < SITE_COUNT; j++) {
			struct site *site = &function->sites[j];
			bool leaves = index > LIBRARY_COUNT && random_chance(random, 25);

			site->offset = 5 + random_below(random, function->byte_count - 5);
			site->binary = leaves ? 1 + random_below(random, LIBRARY_COUNT) : index;
			site->function = random_chance(random, 60)
				? random_below(random, FUNCTION_COUNT / 16)
				: (i + 1 + random_skewed(random, 300)) % FUNCTION_COUNT;
		}
	}
}

static void add_binaries(struct maker *maker)
{
	uint32_t count = 1 + LIBRARY_COUNT + maker->host->process_count;

	maker->binaries = calloc(count, sizeof(*maker->binaries));
	CHECK(maker->binaries);
	for (uint32_t i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), i > LIBRARY_COUNT ? "program-%u" : "lib%u.so.6", i);
		add_module(maker, &maker->binaries[i], i == 0 ? "[kernel]" : name);
		maker->binaries[i].kind = i == 0 ? FRAME_KERNEL : FRAME_NATIVE;
		add_functions(maker, i);
	}
}

static void add_threads(struct maker *maker)
{
	struct random *random = &maker->random;
	uint32_t pid = 1000;

	maker->first_threads = calloc(maker->host->process_count, sizeof(uint32_t));
	maker->thread_counts = calloc(maker->host->process_count, sizeof(uint32_t));
	maker->paths = calloc(maker->host->process_count, sizeof(*maker->paths));
	CHECK(maker->first_threads && maker->thread_counts && maker->paths);
	for (uint32_t i = 0; i < maker->host->process_count; i++) {
		struct label labels[2];
		struct thread thread = {.pid = pid += 1 + random_skewed(random, 2000)};
		char name[32];
		uint32_t index;

		snprintf(name, sizeof(name), "program-%u", i + LIBRARY_COUNT + 1);
		labels[0] = (struct label){text(maker, "process"), text(maker, name)};
		labels[1] = (struct label){text(maker, "service_name"), text(maker, name)};
		CHECK_EQ(label_table_add(&maker->profile->labels, &maker->profile->strings, labels,
				 2, &thread.labels),
			0);
		maker->first_threads[i] = maker->profile->threads.count;
		maker->thread_counts[i] = 1 + random_skewed(random, 12);
		for (uint32_t j = 0; j < maker->thread_counts[i]; j++) {
			snprintf(name, sizeof(name), j == 0 ? "program-%u" : "worker-%u", j);
			thread.tid = thread.pid + j;
			thread.name = text(maker, name);
			CHECK_EQ(thread_table_add(&maker->profile->threads, &thread, &index), 0);
		}
	}
}

static uint32_t push(struct maker *maker, uint32_t node, const struct binary *binary,
	uint64_t address, uint8_t flags)
{
	struct frame frame = {address, binary->module, binary->kind, flags};
	uint32_t index;

	CHECK_EQ(frame_table_add(&maker->profile->frames, &frame, &index), 0);
	CHECK_EQ(stack_table_add(&maker->profile->stacks, node, index, &node), 0);
	return node;
}

/* Calls on from the last step of PATH, until it is DEPTH frames deep or about so; returns the stack
 * of the function where it is interrupted. */
static uint32_t walk(struct maker *maker, struct path *path, uint32_t depth)
{
	struct random *random = &maker->random;

	for (;;) {
		uint32_t last = path->count - 1, binary = path->steps[last].binary;
		const struct binary *in = &maker->binaries[binary];
		const struct function *at = &in->functions[path->steps[last].function];
		const struct site *site = &at->sites[random_skewed(random, SITE_COUNT)];

		if (path->count == PATH_MAX ||
			(path->count > depth / 2 && random_below(random, depth / 2) == 0)) {
			return push(maker, path->steps[last].node, in,
				at->start +
					at->byte_count * random_skewed(random, HOT_COUNT) /
						HOT_COUNT,
				0);
		}
		path->steps[path->count].node = push(maker, path->steps[last].node, in,
			at->start + site->offset, FRAME_RETURN_ADDRESS);
		path->steps[path->count].binary = site->binary;
		path->steps[path->count++].function = site->function;
	}
}

/* Most often a program is found near where it was before: some of its innermost calls are over. */
static uint32_t find_program(struct maker *maker, uint32_t process)
{
	struct path *path = &maker->paths[process];

	if (path->count == 0 || random_chance(&maker->random, 3)) {
		path->count = 1;
		path->steps[0].node = STACK_EMPTY;
		path->steps[0].binary = 1 + LIBRARY_COUNT + process;
		path->steps[0].function = 0;
	} else {
		path->count -= random_skewed(&maker->random, path->count);
	}
	return walk(maker, path, maker->host->depth);
}

static uint32_t enter_kernel(struct maker *maker, uint32_t node)
{
	struct path path = {.count = 1};

	path.steps[0].node = node;
	path.steps[0].function = random_skewed(&maker->random, ENTRY_COUNT);
	return walk(maker, &path, KERNEL_DEPTH);
}

static void add_samples(struct maker *maker)
{
	const struct busy_host *host = maker->host;
	struct random *random = &maker->random;
	uint32_t count = host->window_seconds * host->samples_per_second * host->cpu_count;
	uint32_t slots = (uint32_t)(host->window_seconds * NS_PER_S / PROFILE_SLOT_NS);
	struct sample_table *table;

	CHECK_EQ(profile_add_type(
			 maker->profile, PROFILE_TYPE_ON_CPU, PERIOD_NS(host), true, &table),
		0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t process = random_skewed(random, host->process_count);
		uint32_t thread = maker->first_threads[process] +
			random_skewed(random, maker->thread_counts[process]);
		uint32_t node = find_program(maker, process);

		if (random_chance(random, 25))
			node = enter_kernel(maker, node);
		CHECK_EQ(sample_table_add(table, node, thread, i % host->cpu_count, PERIOD_NS(host),
				 (uint32_t)((uint64_t)i * slots / count)),
			0);
	}
}

static void fill_head(struct maker *maker)
{
	struct profile_head *head = &maker->profile->head;
	uint64_t window_ns = maker->host->window_seconds * NS_PER_S;

	head->host = text(maker, "web-17.example.net");
	head->machine_id = text(maker, "4a1f7d2c9be04c0fa0b1c2d3e4f50617");
	head->boot_id = text(maker, "0b7e5c1a-91d4-4e7b-8a53-6f1c2d9e0a44");
	head->kernel_release = text(maker, "6.1.0-13-amd64");
	head->collector_version = text(maker, "0.1.0");
	head->window_start_ns = UINT64_C(86400) * NS_PER_S;
	head->window_end_ns = head->window_start_ns + window_ns;
	head->clocks.monotonic_ns = head->window_end_ns + 123456;
	head->clocks.boottime_ns = head->clocks.monotonic_ns + 777;
	head->clocks.realtime_ns = UINT64_C(1700000000) * NS_PER_S + 654321;
	head->online_cpu_count = maker->host->cpu_count;
	for (uint32_t i = 0; i < maker->host->cpu_count; i++) {
		uint64_t busy_ns = window_ns - random_below(&maker->random, 90000000);
		struct profile_cpu cpu = {
			i, busy_ns, window_ns - busy_ns, 0, window_ns - i * 10000};

		CHECK_EQ(profile_add_cpu(maker->profile, &cpu), 0);
	}
	for (uint32_t i = 0; i < 60; i++) {
		char name[48];

		snprintf(name, sizeof(name), "stage_%u_samples_dropped_reason_%u", i / 10, i);
		CHECK_EQ(profile_add_counter(
				 maker->profile, name, random_skewed(&maker->random, 1u << 30)),
			0);
	}
}

struct profile *busy_window(const struct busy_host *host)
{
	struct maker maker = {.host = host, .random = {host->seed}};

	CHECK_EQ(profile_new(&maker.profile), 0);
	add_binaries(&maker);
	add_threads(&maker);
	add_samples(&maker);
	fill_head(&maker);
	CHECK_EQ(profile_seal(maker.profile), 0);
	free(maker.binaries);
	free(maker.first_threads);
	free(maker.thread_counts);
	free(maker.paths);
	return maker.profile;
}
