/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/sample_profile.h"

#include "store/base/hash.h"
#include "tests/support/check.h"

#define PERIOD_NS (10 * (int64_t)NS_PER_MS)
/* The host of a sample profile has been up for this long. */
#define UPTIME_NS (UINT64_C(1000) * NS_PER_S)

struct profile *sample_profile_new(const char *host, uint64_t start_ns, uint64_t window_ns)
{
	struct profile *profile;
	struct profile_head *head;

	CHECK_EQ(start_ns % PROFILE_SLOT_NS, 0);
	CHECK_EQ(profile_new(&profile), 0);
	head = &profile->head;
	CHECK_EQ(profile_add_text(profile, host, &head->host), 0);
	CHECK_EQ(profile_add_text(profile, "6.1.0-test", &head->kernel_release), 0);
	CHECK_EQ(profile_add_text(profile, "0.1.0", &head->collector_version), 0);
	head->window_start_ns = UPTIME_NS;
	head->window_end_ns = UPTIME_NS + window_ns;
	head->clocks.monotonic_ns = head->window_end_ns;
	head->clocks.boottime_ns = head->window_end_ns;
	head->clocks.realtime_ns = start_ns + window_ns;
	head->online_cpu_count = 2;
	return profile;
}

struct build_id sample_profile_build_id(const char *name)
{
	struct hash128 hash = hash128_bytes(name, strlen(name));
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &hash, sizeof(hash), &id), 0);
	return id;
}

static uint32_t add_module(struct profile *profile, const char *text, size_t length)
{
	char name[128];
	struct module module;
	uint32_t index;

	CHECK(length < sizeof(name));
	memcpy(name, text, length);
	name[length] = '\0';
	module.build_id = sample_profile_build_id(name);
	CHECK_EQ(profile_add_text(profile, name, &module.name), 0);
	CHECK_EQ(module_table_add(&profile->modules, &module, &index), 0);
	return index;
}

static struct frame make_frame(struct profile *profile, const char *text, size_t length)
{
	const char *at = memchr(text, '@', length), *in_file = memchr(text, '%', length);
	struct frame frame = {.kind = FRAME_NATIVE};
	uint32_t name;

	if (in_file) {
		frame.module = add_module(profile, text, (size_t)(in_file - text));
		frame.address = strtoull(in_file + 1, NULL, 16);
		frame.flags = FRAME_FILE_OFFSET;
		return frame;
	}
	if (at) {
		frame.module = add_module(profile, text, (size_t)(at - text));
		frame.address = strtoull(at + 1, NULL, 16);
		if (text[0] == '[')
			frame.kind = FRAME_KERNEL;
		return frame;
	}
	if (length > 2 && memcmp(text, "0x", 2) == 0) {
		frame.address = strtoull(text, NULL, 16);
		return frame;
	}
	frame.kind = text[0] == '[' ? FRAME_MARKER : FRAME_TEXT;
	frame.flags = FRAME_NAMED;
	CHECK_EQ(string_table_add(&profile->strings, text, length, &name), 0);
	frame.address = name;
	return frame;
}

static uint32_t add_stack(struct profile *profile, const char *stack)
{
	uint32_t node = STACK_EMPTY;

	while (*stack) {
		size_t length = strcspn(stack, ";");
		struct frame frame = make_frame(profile, stack, length);
		uint32_t index;

		if (stack[length] && !(frame.flags & FRAME_NAMED))
			frame.flags |= FRAME_RETURN_ADDRESS;
		CHECK_EQ(frame_table_add(&profile->frames, &frame, &index), 0);
		CHECK_EQ(stack_table_add(&profile->stacks, node, index, &node), 0);
		stack += length + (stack[length] ? 1 : 0);
	}
	return node;
}

static uint32_t add_thread(struct profile *profile, const struct sample_profile_sample *sample)
{
	const char *process = sample->process ? sample->process : "app";
	struct thread thread = {.pid = sample->pid ? sample->pid : 100};
	struct label labels[2];
	uint32_t index;

	CHECK_EQ(profile_add_text(profile, "process", &labels[0].key), 0);
	CHECK_EQ(profile_add_text(profile, process, &labels[0].value), 0);
	CHECK_EQ(profile_add_text(profile, "service_name", &labels[1].key), 0);
	labels[1].value = labels[0].value;
	CHECK_EQ(
		label_table_add(&profile->labels, &profile->strings, labels, 2, &thread.labels), 0);
	thread.tid = sample->tid ? sample->tid : thread.pid;
	CHECK_EQ(profile_add_text(profile, sample->thread ? sample->thread : process, &thread.name),
		0);
	CHECK_EQ(thread_table_add(&profile->threads, &thread, &index), 0);
	return index;
}

void sample_profile_add(struct profile *profile, const struct sample_profile_sample *sample)
{
	struct sample_table *table;
	int64_t value = sample->value ? sample->value : PERIOD_NS;

	CHECK_EQ(profile_add_type(profile, sample->type ? sample->type : PROFILE_TYPE_ON_CPU,
			 PERIOD_NS, true, &table),
		0);
	CHECK_EQ(sample_table_add(table, add_stack(profile, sample->stack),
			 add_thread(profile, sample), sample->cpu, value, sample->slot),
		0);
}

void sample_profile_seal(struct profile *profile)
{
	const char *what = "";

	CHECK_EQ(profile_seal(profile), 0);
	if (profile_check(profile, &what) < 0)
		fprintf(stderr, "the profile is not sound: %s\n", what);
	CHECK_EQ(profile_check(profile, &what), 0);
}
