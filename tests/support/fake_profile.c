/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/fake_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

#define MODULE_COUNT 12 /* of one process: its own, and libraries that all share */
#define FUNCTION_COUNT 400 /* of one module */
#define CALLEE_COUNT 6
#define NEW_PATH_EVERY 8
#define KERNEL_MODULE (MODULE_COUNT - 1)

static const char *const module_names[MODULE_COUNT] = {"", "libc.so.6", "libstdc++.so.6.0.30",
	"libm.so.6", "libcrypto.so.3", "libz.so.1.2.13", "libpthread.so.0", "libglib-2.0.so.0",
	"libpython3.11.so.1.0", "libsqlite3.so.0.8.6", "ld-linux-x86-64.so.2", "[kernel]"};

uint64_t fake_random(uint64_t *state)
{
	uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);

	value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
	return value ^ (value >> 31);
}

/* A fixed random number that belongs to three others. */
static uint64_t fixed(uint64_t seed, uint64_t one, uint64_t other)
{
	uint64_t state = seed ^ one * UINT64_C(0xff51afd7ed558ccd) ^ other << 17;

	return fake_random(&state);
}

/* 0 is as likely as all the rest: what a hot path looks like. */
static uint32_t skewed(uint64_t *state, uint32_t count)
{
	uint32_t pick = (uint32_t)__builtin_ctzll(fake_random(state) | UINT64_C(1) << 40);

	return pick < count ? pick : (uint32_t)(fake_random(state) % count);
}

struct fake_host fake_small_host(const char *name)
{
	return (struct fake_host){.name = name,
		.seed = 1,
		.process_count = 3,
		.thread_count = 2,
		.cpu_count = 4,
		.depth = 8,
		.sample_count = 60};
}

static uint32_t text(struct profile *profile, const char *format, uint64_t number)
{
	char words[64];
	uint32_t index;

	/* The formats are this file's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(words, sizeof(words), format, number);
#pragma GCC diagnostic pop
	CHECK_EQ(profile_add_text(profile, words, &index), 0);
	return index;
}

static uint32_t add_module(
	struct profile *profile, const struct fake_host *host, uint32_t process, uint32_t number)
{
	uint64_t id[3];
	struct module module = {0};
	uint32_t index;

	for (uint32_t i = 0; i < 3; i++)
		id[i] = fixed(number == 0 ? host->seed + process : 7, number, i);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, id, 20, &module.build_id), 0);
	module.name = number == 0 ? text(profile, "service-%" PRIu64, process)
				  : text(profile, module_names[number], 0);
	CHECK_EQ(module_table_add(&profile->modules, &module, &index), 0);
	return index;
}

static uint32_t add_frame(struct profile *profile, const struct fake_host *host, uint32_t process,
	uint32_t function, uint32_t callee, bool leaf)
{
	uint32_t number = function / FUNCTION_COUNT;
	struct frame frame = {
		.address = 0x1000 + (uint64_t)(function % FUNCTION_COUNT) * 700 +
			fixed(host->seed, function, callee) % 600,
		.module = add_module(profile, host, process, number),
		.kind = number == KERNEL_MODULE ? FRAME_KERNEL : FRAME_NATIVE,
		.flags = leaf ? 0 : FRAME_RETURN_ADDRESS,
	};
	uint32_t index;

	CHECK_EQ(frame_table_add(&profile->frames, &frame, &index), 0);
	return index;
}

static uint32_t add_stack(
	struct profile *profile, const struct fake_host *host, uint32_t process, uint64_t *random)
{
	uint32_t function = 0, node = STACK_EMPTY;

	for (;;) {
		bool leaf = fake_random(random) % host->depth == 0;
		uint32_t callee = leaf ? CALLEE_COUNT + (uint32_t)(fake_random(random) % 8)
				       : skewed(random, CALLEE_COUNT);
		uint32_t frame = add_frame(profile, host, process, function, callee, leaf);

		CHECK_EQ(stack_table_add(&profile->stacks, node, frame, &node), 0);
		if (leaf)
			return node;
		function = (uint32_t)(fixed(host->seed + process, function, callee) %
			(MODULE_COUNT * FUNCTION_COUNT));
	}
}

static uint32_t add_thread(
	struct profile *profile, const struct fake_host *host, uint32_t process, uint32_t thread)
{
	struct label labels[] = {
		{text(profile, "host", 0), profile->head.host},
		{text(profile, "process", 0), text(profile, "service-%" PRIu64, process)},
		{text(profile, "service_name", 0), text(profile, "service-%" PRIu64, process)},
	};
	uint32_t pid = 1000 + process * 100, index;
	struct thread wanted = {.pid = pid, .tid = pid + thread};

	(void)host;
	wanted.name = text(profile, "worker-%" PRIu64, thread);
	CHECK_EQ(
		label_table_add(&profile->labels, &profile->strings, labels, 3, &wanted.labels), 0);
	CHECK_EQ(thread_table_add(&profile->threads, &wanted, &index), 0);
	return index;
}

static void fill_head(struct profile *profile, const struct fake_host *host, uint64_t start_ns,
	uint64_t window_ns)
{
	struct profile_head *head = &profile->head;

	CHECK_EQ(profile_add_text(profile, host->name, &head->host), 0);
	head->machine_id = text(profile, "machine", 0);
	head->kernel_release = text(profile, "6.1.0-18-amd64", 0);
	head->collector_version = text(profile, "0.1.0", 0);
	head->window_start_ns = UINT64_C(5000) * NS_PER_S;
	head->window_end_ns = head->window_start_ns + window_ns;
	head->clocks.monotonic_ns = head->window_end_ns + 3 * NS_PER_MS;
	head->clocks.boottime_ns = head->clocks.monotonic_ns;
	head->clocks.realtime_ns = start_ns + window_ns + 3 * NS_PER_MS;
	head->online_cpu_count = host->cpu_count;
	for (uint32_t i = 0; i < host->cpu_count; i++) {
		struct profile_cpu cpu = {i, window_ns / 3, window_ns - window_ns / 3, 0, 12345};

		CHECK_EQ(profile_add_cpu(profile, &cpu), 0);
	}
	CHECK_EQ(profile_add_counter(profile, "samples", 12345), 0);
	CHECK_EQ(profile_add_feature(profile, "names", 1, "none here", "ask"), 0);
}

struct profile *fake_profile(
	const struct fake_host *host, uint64_t start_ns, uint64_t window_ns, uint64_t number)
{
	uint64_t random = host->seed + number * 1000003;
	uint32_t new_path_every = host->new_path_every ? host->new_path_every : NEW_PATH_EVERY;
	struct sample_table *table;
	struct profile *profile;
	const char *what = "";

	CHECK_EQ(profile_new(&profile), 0);
	fill_head(profile, host, start_ns, window_ns);
	CHECK_EQ(profile_add_type(profile, PROFILE_TYPE_ON_CPU, FAKE_PERIOD_NS, true, &table), 0);
	for (uint32_t i = 0; i < host->sample_count; i++) {
		uint32_t process = skewed(&random, host->process_count);
		uint32_t thread = skewed(&random, host->thread_count);
		/* Few paths through a program are hot: most samples take one of them. */
		uint64_t path = fixed(host->seed, process, skewed(&random, 24));
		uint64_t *walk = fake_random(&random) % new_path_every ? &path : &random;
		uint32_t stack = add_stack(profile, host, process, walk);

		CHECK_EQ(sample_table_add(table, stack, add_thread(profile, host, process, thread),
				 (uint32_t)(fake_random(&random) % host->cpu_count), FAKE_PERIOD_NS,
				 (uint32_t)(fake_random(&random) % profile_slot_count(profile))),
			0);
	}
	CHECK_EQ(profile_seal(profile), 0);
	if (profile_check(profile, &what) < 0)
		fprintf(stderr, "fake profile: %s\n", what);
	CHECK_EQ(profile_check(profile, &what), 0);
	return profile;
}

static void print_frame(FILE *out, const struct profile *profile, uint32_t index)
{
	const struct frame *frame = &profile->frames.frames[index];
	const struct module *module = &profile->modules.modules[frame->module];
	char id[BUILD_ID_TEXT_MAX];

	build_id_format(&module->build_id, id);
	fprintf(out, "%u/%u:%s(%s)", frame->kind, frame->flags,
		string_table_text(&profile->strings, module->name), id);
	if (frame->flags & FRAME_NAMED)
		fprintf(out, "%s", string_table_text(&profile->strings, (uint32_t)frame->address));
	else
		fprintf(out, "+%" PRIx64, frame->address);
}

static void print_row(FILE *out, const struct profile *profile, const struct sample_table *table,
	const struct sample_row *row)
{
	const struct thread *thread = &profile->threads.threads[row->thread];
	const struct label_set *set = &profile->labels.sets[thread->labels];

	fprintf(out, "%s %" PRId64 " %d %u/%u %s cpu %u: %u = %" PRId64,
		string_table_text(&profile->strings, table->type), table->period, table->has_slots,
		thread->pid, thread->tid, string_table_text(&profile->strings, thread->name),
		row->cpu, row->count, row->value);
	for (uint32_t i = 0; i < set->count; i++) {
		const struct label *label = &profile->labels.labels[set->first + i];

		fprintf(out, " %s=%s", string_table_text(&profile->strings, label->key),
			string_table_text(&profile->strings, label->value));
	}
	for (uint32_t i = 0; table->has_slots && i < row->count; i++)
		fprintf(out, "%c%u", i ? ',' : ' ', sample_table_slots(table, row)[i]);
	for (uint32_t node = row->stack; node != STACK_EMPTY;
		node = profile->stacks.nodes[node].parent) {
		fprintf(out, ";");
		print_frame(out, profile, profile->stacks.nodes[node].frame);
	}
}

static int line_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

/* One line for each row, sorted. */
static void print_rows(FILE *out, const struct profile *profile)
{
	size_t count = 0, at = 0;
	char **lines;

	for (uint32_t i = 0; i < profile->type_count; i++)
		count += profile->types[i].row_count;
	lines = calloc(count + 1, sizeof(*lines));
	CHECK(lines);
	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++) {
			size_t length;
			FILE *line = open_memstream(&lines[at++], &length);

			CHECK(line);
			print_row(line, profile, &profile->types[i], &profile->types[i].rows[j]);
			CHECK_EQ(fclose(line), 0);
		}
	}
	qsort(lines, count, sizeof(*lines), line_compare);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

char *fake_profile_text(const struct profile *profile)
{
	const struct profile_head *head = &profile->head;
	const uint32_t texts[] = {head->host, head->machine_id, head->boot_id, head->kernel_release,
		head->collector_version};
	size_t length;
	char *words;
	FILE *out = open_memstream(&words, &length);

	CHECK(out);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		fprintf(out, "%s ", string_table_text(&profile->strings, texts[i]));
	fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n",
		head->clocks.monotonic_ns, head->clocks.boottime_ns, head->clocks.realtime_ns,
		head->window_start_ns, head->window_end_ns, head->online_cpu_count);
	for (uint32_t i = 0; i < profile->cpu_count; i++) {
		const struct profile_cpu *cpu = &profile->cpus[i];

		fprintf(out, "cpu %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cpu->cpu,
			cpu->busy_ns, cpu->idle_ns, cpu->steal_ns, cpu->sampled_ns);
	}
	for (uint32_t i = 0; i < profile->counter_count; i++) {
		fprintf(out, "%s %" PRIu64 "\n",
			string_table_text(&profile->strings, profile->counters[i].name),
			profile->counters[i].value);
	}
	print_rows(out, profile);
	CHECK_EQ(fclose(out), 0);
	return words;
}
