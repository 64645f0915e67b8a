/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "collector/control.h"
#include "collector/features.h"
#include "collector/identity.h"
#include "collector/jit/jit_desk.h"
#include "collector/jit/jit_frames.h"
#include "collector/kernel/lives.h"
#include "collector/kernel/sampler.h"
#include "collector/kernel_side.h"
#include "collector/pipeline.h"
#include "collector/privilege.h"
#include "collector/process/task_events.h"
#include "collector/sample/life_row.h"
#include "collector/sink/rpc_sink.h"
#include "collector/status.h"
#include "collector/upload/upload_desk.h"
#include "collector/watch.h"
#include "store/base/cleanup.h"
#include "store/base/fault.h"

/* The kernel shall end us before what we watch. */
#define OOM_SCORE "900"
/* Walks wait for what we write down: on a host whose CPUs are all taken, stacks of new programs stay
 * without their roots for as long as we wait for one. We take a few thousandths of a CPU. */
#define NICENESS (-15)
/* Windows that wait for the server get this long at the end. */
#define FLUSH_NS (5 * NS_PER_S)
/* After a loss of records all of /proc is read; a host that loses them all the time must not make
 * us read all the time. */
#define RESCAN_INTERVAL_NS (10 * NS_PER_S)
/* Drains of one round: each makes room for HOLD_BYTES_MAX more. */
#define DRAIN_COUNT_MAX 16
#define FOLLOW_UP_NS (PIPELINE_SLACK_NS + NS_PER_MS)

struct agent {
	const struct settings *settings;
	struct identity identity;
	struct tally tally;
	struct memory_plan memory;
	struct features features;
	uint64_t capabilities;
	struct clock clock;
	struct clock_reading started;
	struct cpu_times cpus_started;
	struct sampler *sampler;
	struct lives *lives; /* NULL: off */
	struct task_events *events; /* NULL: off */
	struct process_table processes;
	struct thread_names thread_names; /* of samples that don't say them */
	struct kernel_symbols kernel;
	struct unwinder unwinder;
	struct jit_desk *jit_desk; /* NULL: off */
	struct jit_frames jit_frames;
	struct pipeline pipeline;
	struct upload_desk *desk;
	struct rpc_sink *sink;
	struct control *control;
	struct watch watch;
	uint64_t kernel_counters[COUNTER_MAX];
	uint64_t sampled_ns;
	uint64_t tick_ns; /* the next round without being woken */
	int epoll_fd;
	int signal_fd;
	bool rescan_wanted;
	uint64_t rescan_at_ns; /* not before */
	bool is_ending;
};

/* What woke the loop. */
enum source { SOURCE_SIGNAL, SOURCE_SAMPLER, SOURCE_RECORDS, SOURCE_WANTS, SOURCE_CONTROL };

static uint64_t now_ns(const struct agent *agent)
{
	return clock_read(&agent->clock).monotonic_ns;
}

/* --- status and counters --------------------------------------------------------------- */

static struct status_view view_status(struct agent *agent)
{
	struct status_view view = {
		.settings = agent->settings,
		.identity = &agent->identity,
		.features = &agent->features,
		.memory = &agent->memory,
		.tally = &agent->tally,
		.uptime_ns = now_ns(agent) - agent->started.monotonic_ns,
		.period_ns = sampler_period_ns(agent->sampler),
		.last_window_samples = agent->pipeline.last_window_samples,
		.busy_ns = agent->pipeline.busy_ns,
		.sampled_ns = agent->sampled_ns,
		.online_cpu_count = agent->pipeline.online_cpu_count,
		.process_count = agent->processes.count,
		.binary_count = agent->processes.binaries.count,
	};
	struct log_counts lines;

	log_read_counts(&lines);
	tally_set(&agent->tally, TALLY_log_errors, lines.errors);
	tally_set(&agent->tally, TALLY_log_warnings, lines.warnings);
	tally_set(&agent->tally, TALLY_log_left_out, lines.left_out);
	tally_set(&agent->tally, TALLY_log_lost, lines.lost);
	tally_set(&agent->tally, TALLY_samples_held, hold_count(&agent->pipeline.hold));
	tally_set(&agent->tally, TALLY_samples_in_window, agent->pipeline.window.sample_count);
	/* Without new ones the last are told. */
	sampler_counters(agent->sampler, agent->kernel_counters);
	memcpy(view.kernel_counters, agent->kernel_counters, sizeof(view.kernel_counters));
	sink_read_counters(rpc_sink_sink(agent->sink), view.sink_counters);
	return view;
}

static void tell_status(void *context, struct json_writer *json)
{
	struct status_view view = view_status(context);

	status_write(&view, json);
}

static int add_status(void *context, struct profile *profile)
{
	struct agent *agent = context;
	struct status_view view;

	/* What it could not take is counted. */
	if (agent->lives)
		lives_take(agent->lives, agent->pipeline.next.end_ns, life_row_add, profile);
	view = view_status(agent);
	return status_add_to_profile(&view, profile);
}

/* --- windows --------------------------------------------------------------------------- */

static void watch_for_silence(struct agent *agent)
{
	struct watch_counts counts = {
		.ticks = agent->kernel_counters[COUNTER_received],
		.passed = agent->kernel_counters[COUNTER_passed],
		.received = tally_value(&agent->tally, TALLY_samples_received),
		.counted = tally_value(&agent->tally, TALLY_samples_counted),
		.busy_ns = agent->pipeline.busy_ns,
		.idle_ns = agent->pipeline.idle_ns,
	};
	const char *stage = watch_look(&agent->watch, &counts, now_ns(agent));

	if (stage)
		log_warning(0, "no sample in the last minute although the host is busy: %s", stage);
}

static void send_window(void *context, struct profile *profile)
{
	struct agent *agent = context;
	int r;

	for (uint32_t i = 0; i < profile->cpu_count; i++)
		agent->sampled_ns += profile->cpus[i].sampled_ns;
	r = sink_send(rpc_sink_sink(agent->sink), profile);
	tally_add(&agent->tally, r < 0 ? TALLY_windows_dropped : TALLY_windows_sent, 1);
	watch_for_silence(agent);
	kernel_symbols_refresh(&agent->kernel);
}

/* --- start ----------------------------------------------------------------------------- */

static void prepare_process(void)
{
	SCOPED_FD int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* A batch in the making is large and short-lived: from fixed thresholds on, memory goes
	 * back to the kernel when it is freed, and one arena serves all threads. */
	/* NOLINTBEGIN(concurrency-mt-unsafe): no other thread has begun. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	mallopt(M_TRIM_THRESHOLD, 128 * 1024);
	/* NOLINTEND(concurrency-mt-unsafe) */
	/* Refused without the privilege: then we are as likely to be ended as others. */
	if (fd >= 0 && write(fd, OOM_SCORE, strlen(OOM_SCORE)) < 0)
		log_debug("oom_score_adj stays as it is");
	if (setpriority(PRIO_PROCESS, 0, NICENESS) < 0)
		log_debug("the niceness stays as it is");
}

static int watch_fd(struct agent *agent, int fd, enum source source, uint32_t how)
{
	struct epoll_event event = {.events = EPOLLIN | how, .data.u32 = source};

	return epoll_ctl(agent->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Before any thread starts, so that every thread has them blocked. */
static int start_signals(struct agent *agent)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGPIPE);
	if (pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0)
		return -EINVAL;
	sigdelset(&signals, SIGPIPE);
	agent->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	agent->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (agent->epoll_fd < 0 || agent->signal_fd < 0)
		return -errno;
	return watch_fd(agent, agent->signal_fd, SOURCE_SIGNAL, 0);
}

static void note_kernel_side(struct agent *agent)
{
	struct kernel_side side = {
		.abilities = sampler_abilities(agent->sampler),
		.capabilities = agent->capabilities,
		.hz = agent->settings->hz,
		.period_ns = sampler_period_ns(agent->sampler),
		.stack_bytes_per_s = agent->settings->stack_bytes_per_s,
	};

	side.refusal = sampler_refusal(agent->sampler, &side.refusal_error);
	kernel_side_note(&side, &agent->features);
}

static int start_sampler(struct agent *agent)
{
	struct sampler_config config = {
		.way = (enum sampler_way)agent->settings->sampler,
		.hz = (uint32_t)agent->settings->hz,
		.stack_bytes_per_s = agent->settings->stack_bytes_per_s,
		.rings_bytes_max = agent->memory.ring_bytes_max,
	};
	struct sampler_reason reason = {{0}};
	int r = sampler_open(&config, &reason, &agent->sampler);

	if (r < 0) {
		const char *lacking = privilege_lacking_to_sample(agent->capabilities);

		log_error(0, "can't sample: %s%s%s", lacking, lacking[0] ? " missing: " : "",
			reason.text[0] ? reason.text : fault_text(r));
		return r;
	}
	/* Edges only: what a round leaves (the last 20 ms) must not wake at once again. */
	return watch_fd(agent, sampler_poll_fd(agent->sampler), SOURCE_SAMPLER, EPOLLET);
}

/* An object of its own: a kernel that refuses it samples all the same. */
static void start_lives(struct agent *agent)
{
	struct sampler_reason reason = {{0}};
	int r = lives_open(NULL, &agent->tally, &reason, &agent->lives);

	if (r < 0) {
		agent->lives = NULL;
		features_switch_off(&agent->features, FEATURE_process_lives,
			"run it on a kernel that lets it attach to the tracepoints of processes",
			"%s", reason.text);
	}
}

/* Records first, so that nothing happens unseen between reading /proc and the first record. */
static int start_processes(struct agent *agent)
{
	struct process_table_config config = {.tally = &agent->tally};
	struct task_events_config events_config = {.tally = &agent->tally};
	int r = process_table_init(&agent->processes, &config);

	if (r < 0)
		return log_error(r, "can't read /proc");
	if (!agent->identity.pids_are_initial) {
		features_switch_off(&agent->features, FEATURE_processes,
			"run it in the host's, as with --pid=host",
			"this is not the host's pid namespace");
		return 0;
	}
	r = task_events_new(&events_config, &agent->events);
	if (r < 0) {
		agent->events = NULL;
		features_switch_off(&agent->features, FEATURE_task_records,
			r == -ENOBUFS
				? "raise the limit of locked memory (ulimit -l, LimitMEMLOCK=) or "
				  "kernel.perf_event_mlock_kb"
				: "look at kernel.perf_event_paranoid and the limit of open files",
			"the kernel refuses them: %s",
			r == -ENOBUFS ? "too much memory is locked already" : fault_text(r));
	} else {
		if (!task_events_have_build_ids(agent->events)) {
			features_switch_off(&agent->features, FEATURE_record_build_ids,
				"run Linux 5.12 or newer",
				"this kernel's records of mappings carry no build-IDs");
		}
		r = watch_fd(agent, task_events_poll_fd(agent->events), SOURCE_RECORDS, EPOLLET);
		if (r < 0)
			return r;
	}
	r = process_table_scan(&agent->processes);
	return r < 0 ? log_error(r, "can't read /proc") : 0;
}

static void start_kernel_symbols(struct agent *agent)
{
	int r = kernel_symbols_init(&agent->kernel, NULL, NULL, &agent->tally);
	bool privileged = privilege_has(agent->capabilities, PRIVILEGE_SYSLOG);

	if (agent->kernel.state == KERNEL_SYMBOLS_HIDDEN) {
		features_switch_off(&agent->features, FEATURE_kernel_symbols,
			privileged ? "set kernel.kptr_restrict to 0 or 1"
				   : PRIVILEGE_REMEDY("CAP_SYSLOG"),
			"/proc/kallsyms shows no addresses: %s",
			privileged ? "kernel.kptr_restrict is 2" : "CAP_SYSLOG is missing");
	} else if (agent->kernel.state == KERNEL_SYMBOLS_MISSING) {
		features_switch_off(&agent->features, FEATURE_kernel_symbols,
			"use a kernel that was built with CONFIG_KALLSYMS",
			"this kernel has no /proc/kallsyms");
	} else if (r < 0) {
		log_warning(r, "can't read the list of kernel modules; ignoring");
	}
}

static int start_sink(struct agent *agent)
{
	const struct settings *settings = agent->settings;
	struct upload_desk_config desk_config = {
		.rules = {(enum upload_mode)settings->upload, settings->upload_bytes_max,
			settings->upload_deny.items, settings->upload_deny.count},
		.processes = &agent->processes,
		.kernel = &agent->kernel,
		.tally = &agent->tally,
	};
	struct rpc_sink_options options = {
		.server = settings->server,
		.host = settings->host_name,
		.program = CAIRN_VERSION,
		.random_seed = agent->identity.random_seed,
		.clock = agent->clock,
		.bytes_max = agent->memory.queue_bytes_max,
		.upload_mbps = (uint32_t)settings->upload_mbps,
		.want = upload_desk_want,
	};
	int r = upload_desk_new(&desk_config, &agent->desk);

	if (r < 0)
		return log_error(r, "can't start uploads");
	_Static_assert(sizeof(options.instance) == sizeof(agent->identity.instance), "instance");
	memcpy(options.instance, agent->identity.instance, sizeof(options.instance));
	options.want_context = agent->desk;
	r = rpc_sink_new(&options, &agent->sink);
	if (r < 0)
		return log_error(r, "can't send to %s", settings->server);
	return watch_fd(agent, upload_desk_poll_fd(agent->desk), SOURCE_WANTS, 0);
}

static int start_control(struct agent *agent)
{
	const struct settings *settings = agent->settings;
	uint16_t port;
	int r = control_new(tell_status, agent, &agent->tally, &agent->control);

	if (r < 0)
		return log_error(r, "can't make the control sockets");
	r = control_listen_unix(agent->control, settings->control_socket);
	if (r < 0) {
		features_switch_off(&agent->features, FEATURE_control_socket,
			"give it another --control-socket, where it may write", "%s: %s",
			settings->control_socket,
			r == -EADDRINUSE ? "another collector answers there" : fault_text(r));
	}
	if (settings->control) {
		r = control_listen_tcp(agent->control, settings->control, &port);
		if (r == -EINVAL || r == -EPERM) {
			log_error(0, "--control takes an ADDR:PORT on loopback, not \"%s\"",
				settings->control);
			return r;
		}
		if (r < 0)
			return log_error(r, "can't listen at %s", settings->control);
		log_info("listening control %.*s:%u",
			(int)(strrchr(settings->control, ':') - settings->control),
			settings->control, port);
	}
	return watch_fd(agent, control_poll_fd(agent->control), SOURCE_CONTROL, 0);
}

static int start_thread_names(struct agent *agent)
{
	int r;

	if (sampler_walks_in_kernel(agent->sampler))
		return 0;
	r = thread_names_init(&agent->thread_names, NULL, agent->identity.pids_are_initial);
	return r < 0 ? log_error(r, "can't read /proc") : 0;
}

static int next_record(void *context, uint64_t until_ns, struct task_record *ret_record)
{
	struct agent *agent = context;

	return agent->events ? task_events_next(agent->events, until_ns, ret_record) : 0;
}

static int start_unwinder(struct agent *agent)
{
	struct unwinder_config config = {
		.processes = &agent->processes,
		.tally = &agent->tally,
		.shard_count_max = (uint32_t)(agent->memory.unwind_bytes_max / UNWIND_SHARD_BYTES),
	};
	int r;

	sampler_lend_memory(agent->sampler, &config.memory);
	r = unwinder_init(&agent->unwinder, &config);
	return r < 0 ? log_error(r, "can't prepare to unwind stacks") : 0;
}

static int start_jit(struct agent *agent)
{
	struct jit_maps_config config = {
		.tally = &agent->tally,
		.clock = agent->clock,
		.bytes_max = agent->memory.jit_bytes_max,
	};
	int r;

	if (agent->settings->jit_names == JIT_NAMES_NEVER || !agent->identity.pids_are_initial)
		return 0;
	r = jit_desk_new(&config, NULL, &agent->jit_desk);
	if (r < 0)
		return log_error(r, "can't prepare to name generated code");
	jit_frames_init(&agent->jit_frames, agent->jit_desk, &agent->tally);
	return 0;
}

static int start_pipeline(struct agent *agent)
{
	struct pipeline_config config = {
		.window = {.host = agent->settings->host_name,
			.machine_id = agent->identity.machine_id,
			.boot_id = agent->identity.boot_id,
			.kernel_release = agent->identity.kernel_release,
			.collector_version = CAIRN_VERSION,
			.period_ns = sampler_period_ns(agent->sampler),
			.pids_are_ours = agent->identity.pids_are_initial,
			.processes = &agent->processes,
			.kernel = &agent->kernel,
			.unwinder = &agent->unwinder,
			.jit = agent->jit_desk ? &agent->jit_frames : NULL,
			.tally = &agent->tally},
		.window_ns = agent->settings->window_seconds * NS_PER_S,
		.hold_bytes_max = agent->memory.hold_bytes_max,
		.clock = agent->clock,
		.started = agent->started,
		.cpus_started = &agent->cpus_started,
		.thread_names = agent->thread_names.names ? &agent->thread_names : NULL,
		.next_record = next_record,
		.record_context = agent,
		.add_status = add_status,
		.emit = send_window,
		.context = agent,
	};
	int r = pipeline_init(&agent->pipeline, &config);

	if (r < 0)
		return log_error(r, "can't begin a window");
	if (agent->lives)
		lives_begin(agent->lives, agent->pipeline.span.end_ns);
	sampler_cpus_changed(agent->sampler, &agent->pipeline.online_cpu_count);
	watch_init(&agent->watch, now_ns(agent));
	return 0;
}

static int start(struct agent *agent)
{
	int r = identity_read(&agent->identity);

	if (r < 0)
		return log_error(r, "can't get random bytes");
	r = start_signals(agent);
	if (r < 0)
		return log_error(r, "can't watch for signals");
	/* Where the set can't be read, what fails is told without the capability that it lacks. */
	agent->capabilities = UINT64_MAX;
	privilege_read(&agent->capabilities);
	agent->memory = memory_plan_own(agent->settings->unwind_bytes_max);
	r = start_sampler(agent);
	if (r < 0)
		return r;
	/* Only now: what a collector lacks that does not run at all is one line, not five. */
	privilege_try_all(agent->capabilities, "/proc", &agent->features);
	note_kernel_side(agent);
	start_lives(agent);
	r = start_thread_names(agent);
	if (r == 0)
		r = start_processes(agent);
	if (r == 0) {
		start_kernel_symbols(agent);
		r = start_sink(agent);
	}
	if (r == 0)
		r = start_control(agent);
	if (r == 0)
		r = start_unwinder(agent);
	if (r == 0)
		r = start_jit(agent);
	return r < 0 ? r : start_pipeline(agent);
}

static void stop(struct agent *agent)
{
	control_free(agent->control);
	if (agent->sink)
		sink_free(rpc_sink_sink(agent->sink));
	upload_desk_free(agent->desk);
	pipeline_done(&agent->pipeline);
	jit_frames_done(&agent->jit_frames);
	jit_desk_free(agent->jit_desk);
	cpu_times_done(&agent->cpus_started);
	kernel_symbols_done(&agent->kernel);
	process_table_done(&agent->processes);
	thread_names_done(&agent->thread_names);
	unwinder_done(&agent->unwinder);
	task_events_free(agent->events);
	lives_free(agent->lives);
	sampler_free(agent->sampler);
	if (agent->signal_fd >= 0)
		close(agent->signal_fd);
	if (agent->epoll_fd >= 0)
		close(agent->epoll_fd);
}

/* --- the loop -------------------------------------------------------------------------- */

static void rescan(struct agent *agent)
{
	uint64_t now = agent->pipeline.clocks.monotonic_ns;
	int r;

	if (!agent->rescan_wanted || now < agent->rescan_at_ns || !agent->identity.pids_are_initial)
		return;
	agent->rescan_wanted = false;
	agent->rescan_at_ns = now + RESCAN_INTERVAL_NS;
	r = process_table_scan(&agent->processes);
	if (r < 0)
		log_warning(r, "can't read /proc again; ignoring");
	tally_add(&agent->tally, TALLY_rescans, 1);
}

static void follow_cpus(struct agent *agent)
{
	int r = sampler_cpus_changed(agent->sampler, &agent->pipeline.online_cpu_count);

	if (r < 0)
		log_debug("a CPU can't be sampled: %s", fault_text(r));
	if (!agent->events)
		return;
	r = agent->pipeline.host_slept ? task_events_restart(agent->events)
				       : task_events_cpus_changed(agent->events);
	if (agent->pipeline.host_slept)
		agent->rescan_wanted = true;
	agent->pipeline.host_slept = false;
	if (r < 0)
		log_debug("a CPU gives no records: %s", fault_text(r));
}

static void drain(struct agent *agent)
{
	int r = -ENOBUFS;

	pipeline_begin(&agent->pipeline);
	/* What had passed before the rings are emptied has come afterwards, or it got lost on the
	 * way. Windows tell, so it is looked at when one is due. */
	if (agent->is_ending ||
		agent->pipeline.clocks.monotonic_ns >= pipeline_deadline_ns(&agent->pipeline))
		sampler_counters(agent->sampler, agent->kernel_counters);
	for (int i = 0; r == -ENOBUFS && i < DRAIN_COUNT_MAX; i++) {
		r = sampler_drain(agent->sampler, pipeline_add, &agent->pipeline);
		if (r >= 0)
			tally_set(&agent->tally, TALLY_samples_due,
				agent->kernel_counters[COUNTER_passed]);
		pipeline_end(&agent->pipeline);
	}
	if (r < 0 && r != -ENOBUFS)
		log_debug("ring buffers: %s", fault_text(r));
	if (agent->pipeline.records_lost || !agent->events)
		agent->rescan_wanted = true;
	agent->pipeline.records_lost = false;
	unwinder_rest(&agent->unwinder);
	rescan(agent);
}

static void serve(struct agent *agent, enum source source)
{
	struct signalfd_siginfo signal;

	switch (source) {
	case SOURCE_SIGNAL:
		while (read(agent->signal_fd, &signal, sizeof(signal)) == sizeof(signal))
			agent->is_ending |= signal.ssi_signo != SIGHUP;
		break;
	case SOURCE_WANTS:
		upload_desk_serve(agent->desk, agent->sink);
		break;
	case SOURCE_CONTROL:
		control_serve(agent->control, now_ns(agent));
		break;
	case SOURCE_SAMPLER:
	case SOURCE_RECORDS:
		drain(agent);
		/* What woke us is younger than what a round works off: the walks that wait for it
		 * shall not wait for a whole interval. */
		agent->tick_ns = agent->pipeline.clocks.monotonic_ns + FOLLOW_UP_NS;
		break;
	}
}

/* Milliseconds until TIME_NS, rounded up so that it has come then. */
static int milliseconds_until(uint64_t now, uint64_t time_ns)
{
	return time_ns <= now ? 0 : (int)((time_ns - now + NS_PER_MS - 1) / NS_PER_MS);
}

static int turn(struct agent *agent)
{
	struct epoll_event events[8];

	agent->tick_ns = now_ns(agent) + SAMPLER_INTERVAL_NS;
	while (!agent->is_ending) {
		uint64_t now = now_ns(agent);
		uint64_t deadline_ns = pipeline_deadline_ns(&agent->pipeline);
		uint64_t wake_ns = deadline_ns < agent->tick_ns ? deadline_ns : agent->tick_ns;
		int count;

		if (now >= wake_ns) {
			drain(agent);
			/* After a window's end the next tick is a whole interval away. */
			agent->tick_ns = now_ns(agent) + SAMPLER_INTERVAL_NS;
			follow_cpus(agent);
			control_serve(agent->control, now);
			continue;
		}
		count = epoll_wait(agent->epoll_fd, events, 8, milliseconds_until(now, wake_ns));
		if (count < 0 && errno != EINTR)
			return log_error(-errno, "can't wait for events");
		for (int i = 0; i < count; i++)
			serve(agent, (enum source)events[i].data.u32);
	}
	return 0;
}

static void finish(struct agent *agent)
{
	int r;

	/* Nothing passes any more that nobody would take. */
	sampler_halt(agent->sampler);
	drain(agent);
	pipeline_begin(&agent->pipeline);
	pipeline_finish(&agent->pipeline);
	r = sink_flush(rpc_sink_sink(agent->sink), FLUSH_NS);
	if (r < 0)
		log_warning(r, "not everything could be sent to %s before the end",
			agent->settings->server);
}

int agent_run(const struct settings *settings)
{
	struct agent agent = {
		.settings = settings,
		.clock = clock_system(),
		.epoll_fd = -1,
		.signal_fd = -1,
	};
	int r;

	prepare_process();
	agent.started = clock_read(&agent.clock);
	/* With it: the first window begins here, and getting ready may take a while on a busy host.
	 * If it fails, the first window says nothing about busy time. */
	cpu_times_read(&agent.cpus_started, NULL);
	r = start(&agent);
	if (r == 0) {
		log_info("sampling %u CPUs at %u Hz, sending to %s as %s",
			agent.pipeline.online_cpu_count,
			(unsigned)(NS_PER_S / sampler_period_ns(agent.sampler)), settings->server,
			settings->host_name);
		r = turn(&agent);
		finish(&agent);
	}
	stop(&agent);
	return r;
}
