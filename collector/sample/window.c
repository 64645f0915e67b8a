/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   root                                                                      leaf
 *   [truncated]  main  f  g  read()      entry_SYSCALL_64  ksys_read  copy_to_user
 *   ^ marker     ^ user part ......^     ^ kernel part ........................^
 *
 * Each part has one frame where the CPU was (its leaf); all others are return addresses.
 */
#include "collector/sample/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/process/locate.h"
#include "collector/sample/kernel_thread.h"
#include "collector/sample/series_label.h"
#include "collector/sample/stack_builder.h"

void window_init(struct window *window, const struct window_config *config)
{
	*window = (struct window){.config = *config};
}

void window_done(struct window *window)
{
	profile_free(window->profile);
	free(window->sampled_ns);
	*window = (struct window){0};
}

/* --- opening -----------------------------------------------------------------------------------
 */

static int add_lost_stack(struct window *window)
{
	struct stack_builder builder;

	stack_builder_begin(&builder, window);
	stack_builder_mark(&builder, "[lost]");
	return stack_builder_end(&builder, &window->lost_stack);
}

static int add_head(struct window *window)
{
	const struct window_config *config = &window->config;
	struct profile_head *head = &window->profile->head;
	const struct {
		const char *text;
		uint32_t *index;
	} texts[] = {
#define HEAD_TEXT(name) {config->name, &head->name},
		PROFILE_HEAD_TEXTS(HEAD_TEXT)
#undef HEAD_TEXT
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = texts[i].text ? texts[i].text : "";
		int r = profile_add_text(window->profile, text, texts[i].index);

		if (r < 0)
			return r;
	}
	return 0;
}

static int fill_profile(struct window *window)
{
	struct module hidden = {.name = 0};
	int r = add_head(window);

	if (r == 0)
		r = profile_add_type(window->profile, PROFILE_TYPE_ON_CPU,
			(int64_t)window->config.period_ns, true, &window->samples);
	if (r == 0)
		r = profile_add_text(window->profile, "[kernel]", &hidden.name);
	if (r == 0)
		r = module_table_add(&window->profile->modules, &hidden, &window->kernel_module);
	return r == 0 ? add_lost_stack(window) : r;
}

int window_open(struct window *window, const struct window_span *span)
{
	int r;

	profile_free(window->profile);
	window->profile = NULL;
	window->sample_count = 0;
	if (window->config.jit)
		jit_frames_drop(window->config.jit);
	r = profile_new(&window->profile);
	if (r < 0)
		return r;
	window->number++;
	window->span = *span;
	for (uint32_t i = 0; i < window->sampled_count; i++)
		window->sampled_ns[i] = 0;
	r = fill_profile(window);
	if (r < 0) {
		profile_free(window->profile);
		window->profile = NULL;
	}
	return r;
}

/* --- threads -----------------------------------------------------------------------------------
 */

static int labels_of(struct window *window, const struct event_sample *sample,
	struct process *process, uint32_t *ret_labels)
{
	struct series series = {.process = sample->comm};
	char name[KERNEL_THREAD_NAME_BYTES];
	int r;

	if (sample->flags & EVENT_KERNEL_THREAD) {
		kernel_thread_name(sample->comm, name);
		series.process = name;
		return series_label_add(window->profile, &series, ret_labels);
	}
	if (!process)
		return series_label_add(window->profile, &series, ret_labels);
	if (process->window != window->number) {
		if (process->name[0])
			series.process = process->name;
		series.place = process->place;
		r = series_label_add(window->profile, &series, &process->labels);
		if (r < 0)
			return r;
		process->window = window->number;
	}
	*ret_labels = process->labels;
	return 0;
}

static int add_thread(struct window *window, const struct event_sample *sample,
	struct process *process, uint32_t *ret_thread)
{
	struct thread thread = {.pid = sample->pid, .tid = sample->tid};
	int r = profile_add_text(window->profile, sample->comm, &thread.name);

	if (r == 0)
		r = labels_of(window, sample, process, &thread.labels);
	return r < 0 ? r : thread_table_add(&window->profile->threads, &thread, ret_thread);
}

/* --- samples -----------------------------------------------------------------------------------
 */

static struct process *find_process(struct window *window, const struct event_sample *sample)
{
	struct process_sighting sighting = {
		.pid = sample->pid,
		.started_at_ns = sample->process_started_at_ns,
		.cgroup_id = sample->cgroup_id,
		.taken_at_ns = sample->taken_at_ns,
	};

	if ((sample->flags & EVENT_KERNEL_THREAD) || !window->config.pids_are_ours)
		return NULL;
	return process_table_see(window->config.processes, &sighting);
}

static uint32_t slot_of(struct window *window, const struct event_sample *sample)
{
	uint64_t taken_at_ns = sample->taken_at_ns;

	if (taken_at_ns < window->span.start_ns) {
		tally_add(window->config.tally, TALLY_samples_late, 1);
		taken_at_ns = window->span.start_ns;
	}
	if (taken_at_ns >= window->span.end_ns)
		taken_at_ns = window->span.end_ns - 1;
	return (uint32_t)((taken_at_ns - window->span.start_ns) / PROFILE_SLOT_NS);
}

static int count_on_cpu(struct window *window, uint32_t cpu, uint64_t weight_ns)
{
	if (cpu >= PROFILE_CPU_COUNT_MAX)
		return -E2BIG;
	if (cpu >= window->sampled_count) {
		uint32_t count = (cpu / 64 + 1) * 64;
		uint64_t *sampled = realloc(window->sampled_ns, count * sizeof(*sampled));

		if (!sampled)
			return -ENOMEM;
		memset(sampled + window->sampled_count, 0,
			(count - window->sampled_count) * sizeof(*sampled));
		window->sampled_ns = sampled;
		window->sampled_count = count;
	}
	window->sampled_ns[cpu] += weight_ns;
	return 0;
}

void window_add(struct window *window, const struct event_sample *sample, uint64_t now_ns)
{
	struct process *process;
	uint32_t thread, stack;
	int r;

	if (!window->profile) {
		tally_add(window->config.tally, TALLY_samples_dropped, 1);
		return;
	}
	process = find_process(window, sample);
	if (window->config.unwinder)
		sample = unwinder_complete(window->config.unwinder, sample, process, now_ns);
	if (stack_build(window, sample, process, now_ns, &stack) < 0)
		stack = window->lost_stack;
	r = add_thread(window, sample, process, &thread);
	if (r == 0)
		r = sample_table_add(window->samples, stack, thread, sample->cpu,
			(int64_t)sample->weight_ns, slot_of(window, sample));
	if (r < 0) {
		tally_add(window->config.tally, TALLY_samples_dropped, 1);
		return;
	}
	window->sample_count++;
	tally_add(window->config.tally, TALLY_samples_counted, 1);
	/* Only the coverage of that CPU suffers when this fails. */
	count_on_cpu(window, sample->cpu, sample->weight_ns);
}

void window_turn(struct window *window, uint64_t now_ns)
{
	if (window->profile && window->config.jit)
		jit_frames_turn(window->config.jit, window->profile, now_ns);
}

/* --- closing -----------------------------------------------------------------------------------
 */

static int add_cpus(struct window *window, const struct window_end *end)
{
	for (uint32_t i = 0; i < end->after->count; i++) {
		const struct cpu_time *now = &end->after->items[i];
		struct cpu_time passed = cpu_time_since(end->before, now);
		struct profile_cpu cpu = {
			.cpu = now->cpu,
			.busy_ns = passed.busy_ns,
			.idle_ns = passed.idle_ns,
			.steal_ns = passed.steal_ns,
			.sampled_ns =
				now->cpu < window->sampled_count ? window->sampled_ns[now->cpu] : 0,
		};
		int r = profile_add_cpu(window->profile, &cpu);

		if (r < 0)
			return r;
	}
	return 0;
}

int window_close(struct window *window, const struct window_end *end, window_status_fn status,
	void *context, struct profile **ret_profile)
{
	struct profile *profile = window->profile;
	int r;

	if (!profile)
		return -ENOMEM;
	profile->head.clocks = end->clocks;
	profile->head.window_start_ns = window->span.start_ns;
	profile->head.window_end_ns = end->end_ns;
	profile->head.online_cpu_count = end->online_cpu_count;
	r = add_cpus(window, end);
	if (r == 0 && window->config.jit)
		r = jit_frames_close(window->config.jit, profile);
	if (r == 0)
		r = status(context, profile);
	if (r == 0)
		r = profile_seal(profile);
	window->profile = NULL;
	if (r < 0) {
		profile_free(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}
