/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/pipeline.h"

#include <errno.h>

/* Where the first window's CPU time begins. */
static int read_cpus_started(struct pipeline *pipeline)
{
	struct cpu_times *cpus = pipeline->config.cpus_started;

	if (!cpus)
		return cpu_times_read(&pipeline->before, pipeline->config.stat_path);
	pipeline->before = *cpus;
	*cpus = (struct cpu_times){0};
	return 0;
}

int pipeline_init(struct pipeline *pipeline, const struct pipeline_config *config)
{
	int r;

	*pipeline = (struct pipeline){.config = *config};
	hold_init(&pipeline->hold);
	if (config->hold_bytes_max)
		pipeline->hold.bytes_max = config->hold_bytes_max;
	window_init(&pipeline->window, &config->window);
	pipeline->clocks = config->started;
	pipeline->last = pipeline->clocks;
	pipeline->span = window_span_first(&pipeline->clocks, config->window_ns);
	r = read_cpus_started(pipeline);
	if (r == 0)
		r = window_open(&pipeline->window, &pipeline->span);
	if (r < 0)
		pipeline_done(pipeline);
	return r;
}

void pipeline_done(struct pipeline *pipeline)
{
	hold_done(&pipeline->hold);
	window_done(&pipeline->window);
	cpu_times_done(&pipeline->before);
	cpu_times_done(&pipeline->after);
}

uint64_t pipeline_deadline_ns(const struct pipeline *pipeline)
{
	return pipeline->span.end_ns + PIPELINE_SLACK_NS;
}

void pipeline_begin(struct pipeline *pipeline)
{
	pipeline->last = pipeline->clocks;
	pipeline->clocks = clock_read(&pipeline->config.clock);
}

int pipeline_add(void *context, const struct event_sample *sample)
{
	struct pipeline *pipeline = context;
	struct tally *tally = pipeline->config.window.tally;
	int r = hold_add(&pipeline->hold, sample);

	if (r == -ENOBUFS) {
		tally_add(tally, TALLY_samples_held_full, 1);
		return r;
	}
	tally_add(tally, TALLY_samples_received, 1);
	if (r < 0)
		tally_add(tally, TALLY_samples_dropped, 1);
	return 0;
}

/* --- in order of time ------------------------------------------------------------------------- */

static void apply_records(struct pipeline *pipeline, uint64_t until_ns)
{
	struct task_record record;

	while (pipeline->config.next_record &&
		pipeline->config.next_record(pipeline->config.record_context, until_ns, &record) ==
			1) {
		if (record.kind == TASK_LOST)
			pipeline->records_lost = true;
		process_table_apply(pipeline->config.window.processes, &record);
		if (pipeline->config.thread_names)
			thread_names_apply(pipeline->config.thread_names, &record);
	}
}

/* Works off what happened before UNTIL_NS. */
static void work_until(struct pipeline *pipeline, uint64_t until_ns)
{
	struct event_sample *sample;

	while ((sample = hold_next(&pipeline->hold, until_ns)) != NULL) {
		apply_records(pipeline, sample->taken_at_ns);
		if (pipeline->config.thread_names)
			thread_names_fill(pipeline->config.thread_names, sample);
		window_add(&pipeline->window, sample, pipeline->clocks.monotonic_ns);
	}
	apply_records(pipeline, until_ns);
}

/* --- windows -----------------------------------------------------------------------------------
 */

static void sum_up_cpus(struct pipeline *pipeline)
{
	for (uint32_t i = 0; i < pipeline->after.count; i++) {
		struct cpu_time passed =
			cpu_time_since(&pipeline->before, &pipeline->after.items[i]);

		pipeline->busy_ns += passed.busy_ns;
		pipeline->idle_ns += passed.idle_ns;
	}
}

/* Closes the window at END_NS by CLOCKS and opens the one of NEXT. */
static void turn_over(struct pipeline *pipeline, uint64_t end_ns,
	const struct clock_reading *clocks, struct window_span next)
{
	struct tally *tally = pipeline->config.window.tally;
	struct window_end end = {
		.clocks = *clocks,
		.end_ns = end_ns,
		.online_cpu_count = pipeline->online_cpu_count,
		.before = &pipeline->before,
		.after = &pipeline->after,
	};
	struct cpu_times spare = pipeline->before;
	struct profile *profile;

	/* Without it this window and the next say nothing about busy and idle time. */
	cpu_times_read(&pipeline->after, pipeline->config.stat_path);
	sum_up_cpus(pipeline);
	pipeline->next = next;
	pipeline->last_window_samples = pipeline->window.sample_count;
	if (window_close(&pipeline->window, &end, pipeline->config.add_status,
		    pipeline->config.context, &profile) == 0) {
		pipeline->config.emit(pipeline->config.context, profile);
	} else {
		tally_add(tally, TALLY_windows_dropped, 1);
		tally_add(tally, TALLY_samples_window_dropped, pipeline->last_window_samples);
	}
	pipeline->before = pipeline->after;
	pipeline->after = spare;
	pipeline->span = next;
	/* If it fails, samples are counted as dropped until the next window. */
	window_open(&pipeline->window, &pipeline->span);
}

/* The clocks moved against each other since the last round: what came before the step is told by
 * the clocks of before. */
static void close_early(struct pipeline *pipeline, uint64_t horizon_ns)
{
	struct clock_reading horizon = pipeline->clocks;
	uint64_t cut_ns;

	horizon.realtime_ns -= pipeline->clocks.monotonic_ns - horizon_ns;
	horizon.monotonic_ns = horizon_ns;
	cut_ns = window_cut(&horizon, pipeline->span.start_ns);
	if (cut_ns > pipeline->span.end_ns)
		cut_ns = pipeline->span.end_ns;
	work_until(pipeline, cut_ns);
	turn_over(pipeline, cut_ns, &pipeline->last,
		window_span_next(cut_ns, &pipeline->clocks, pipeline->config.window_ns));
	tally_add(pipeline->config.window.tally, TALLY_windows_closed_early, 1);
}

void pipeline_end(struct pipeline *pipeline)
{
	uint64_t horizon_ns = pipeline->clocks.monotonic_ns - PIPELINE_SLACK_NS;

	if (window_clocks_stepped(&pipeline->last, &pipeline->clocks)) {
		if (window_host_slept(&pipeline->last, &pipeline->clocks))
			pipeline->host_slept = true;
		close_early(pipeline, horizon_ns);
		/* A second look in the same round must not see the step again. */
		pipeline->last = pipeline->clocks;
	}
	while (horizon_ns >= pipeline->span.end_ns) {
		uint64_t end_ns = pipeline->span.end_ns;

		work_until(pipeline, end_ns);
		turn_over(pipeline, end_ns, &pipeline->clocks,
			window_span_next(end_ns, &pipeline->clocks, pipeline->config.window_ns));
	}
	work_until(pipeline, horizon_ns);
	window_turn(&pipeline->window, pipeline->clocks.monotonic_ns);
	hold_compact(&pipeline->hold);
	if (pipeline->config.window.processes)
		process_table_forget_ended(
			pipeline->config.window.processes, horizon_ns - PIPELINE_EXITED_NS);
}

void pipeline_finish(struct pipeline *pipeline)
{
	uint64_t end_ns = pipeline->clocks.monotonic_ns;

	pipeline_end(pipeline);
	work_until(pipeline, UINT64_MAX);
	if (end_ns > pipeline->span.end_ns)
		end_ns = pipeline->span.end_ns;
	turn_over(pipeline, end_ns, &pipeline->clocks,
		window_span_next(end_ns, &pipeline->clocks, pipeline->config.window_ns));
}
