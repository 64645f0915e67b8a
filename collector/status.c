/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/wire/collector_counter.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"

static void write_identity(const struct status_view *view, struct json_writer *json)
{
	char instance[2 * IDENTITY_INSTANCE_BYTES + 1];

	for (size_t i = 0; i < IDENTITY_INSTANCE_BYTES; i++)
		snprintf(instance + 2 * i, 3, "%02x", view->identity->instance[i]);
	json_string(json_key(json, "program"), "cairn-collector");
	json_string(json_key(json, "version"), CAIRN_VERSION);
	json_string(json_key(json, "instance"), instance);
	json_string(json_key(json, "host"), view->settings->host_name);
	json_string(json_key(json, "machine_id"), view->identity->machine_id);
	json_string(json_key(json, "boot_id"), view->identity->boot_id);
	json_string(json_key(json, "kernel"), view->identity->kernel_release);
	json_unsigned(json_key(json, "pid"), (uint64_t)getpid());
	json_unsigned(json_key(json, "uptime_s"), view->uptime_ns / NS_PER_S);
	json_string(json_key(json, "server"), view->settings->server);
	json_unsigned(json_key(json, "hz"), view->settings->hz);
	json_unsigned(json_key(json, "period_ns"), view->period_ns);
	json_unsigned(json_key(json, "window_s"), view->settings->window_seconds);
}

static void write_host(const struct status_view *view, struct json_writer *json)
{
	json_unsigned(json_key(json, "online_cpus"), view->online_cpu_count);
	json_unsigned(json_key(json, "processes"), view->process_count);
	json_unsigned(json_key(json, "binaries"), view->binary_count);
	json_unsigned(json_key(json, "last_window_samples"), view->last_window_samples);
	/* Coverage is the second over the first. */
	json_unsigned(json_key(json, "busy_ns"), view->busy_ns);
	json_unsigned(json_key(json, "sampled_ns"), view->sampled_ns);
}

/* A line `Name:   123 kB` of /proc/self/status. */
static uint64_t memory_bytes(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
}

/* What the collector itself costs. */
static void write_own(struct json_writer *json)
{
	SCOPED_FILE FILE *file = fopen("/proc/self/status", "re");
	struct rusage usage = {0};
	char text[8192] = "";

	if (file)
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	getrusage(RUSAGE_SELF, &usage);
	json_begin_object(json_key(json, "own"));
	json_unsigned(json_key(json, "cpu_us"),
		(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
	json_unsigned(json_key(json, "rss_bytes"), memory_bytes(text, "VmRSS:"));
	json_unsigned(json_key(json, "rss_anonymous_bytes"), memory_bytes(text, "RssAnon:"));
	json_end_object(json);
}

/* What may grow up to which size, and who goes first when memory ends. */
static void write_memory(const struct status_view *view, struct json_writer *json)
{
	const struct memory_plan *plan = view->memory;
	SCOPED_FILE FILE *file = fopen("/proc/self/oom_score_adj", "re");
	char text[32] = "";

	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	json_begin_object(json_key(json, "memory"));
	/* 0: none. */
	json_unsigned(
		json_key(json, "limit_bytes"), plan->limit == MEMORY_UNLIMITED ? 0 : plan->limit);
	json_unsigned(json_key(json, "unwind_bytes_max"), plan->unwind_bytes_max);
	json_unsigned(json_key(json, "queue_bytes_max"), plan->queue_bytes_max);
	json_unsigned(json_key(json, "hold_bytes_max"), plan->hold_bytes_max);
	json_unsigned(json_key(json, "jit_bytes_max"), plan->jit_bytes_max);
	json_signed(json_key(json, "oom_score_adj"), strtol(text, NULL, 10));
	json_end_object(json);
}

static void write_features(const struct status_view *view, struct json_writer *json)
{
	json_begin_array(json_key(json, "features"));
	for (int i = 0; i < FEATURE_COUNT; i++) {
		const struct feature_fault *fault = &view->features->faults[i];
		bool is_on = features_is_on(view->features, (enum feature)i);

		json_begin_object(json);
		json_string(json_key(json, "name"), feature_name((uint32_t)i));
		json_string(json_key(json, "state"), is_on ? "on" : "off");
		if (!is_on) {
			json_string(json_key(json, "reason"), fault->reason);
			json_string(json_key(json, "loss"), feature_loss((uint32_t)i));
			json_string(json_key(json, "remedy"), fault->remedy);
		}
		json_end_object(json);
	}
	json_end_array(json);
}

static uint64_t counter_value(const struct status_view *view, uint32_t rank)
{
	if (rank < COLLECTOR_RANK_OF_TALLY)
		return view->kernel_counters[rank];
	if (rank < COLLECTOR_RANK_OF_SINK)
		return tally_value(
			view->tally, (enum tally_counter)(rank - COLLECTOR_RANK_OF_TALLY));
	return view->sink_counters[rank - COLLECTOR_RANK_OF_SINK];
}

/* In the order of a sample's way. */
static void write_counters(const struct status_view *view, struct json_writer *json)
{
	json_begin_array(json_key(json, "counters"));
	for (uint32_t i = 0; i < COLLECTOR_COUNTER_COUNT; i++) {
		json_begin_object(json);
		json_string(json_key(json, "name"), collector_counter_name(i));
		json_unsigned(json_key(json, "value"), counter_value(view, i));
		json_string(json_key(json, "meaning"), collector_counter_meaning(i));
		json_end_object(json);
	}
	json_end_array(json);
}

void status_write(const struct status_view *view, struct json_writer *json)
{
	json_begin_object(json);
	write_identity(view, json);
	write_host(view, json);
	write_own(json);
	write_memory(view, json);
	write_features(view, json);
	write_counters(view, json);
	json_end_object(json);
}

static int add_feature(
	const struct status_view *view, enum feature feature, struct profile *profile)
{
	const struct feature_fault *fault = &view->features->faults[feature];
	bool is_on = features_is_on(view->features, feature);

	return profile_add_feature(profile, feature_name(feature), is_on ? FEATURE_ON : FEATURE_OFF,
		fault->reason, fault->remedy);
}

int status_add_to_profile(const struct status_view *view, struct profile *profile)
{
	int r = 0;

	for (int i = 0; r == 0 && i < FEATURE_COUNT; i++)
		r = add_feature(view, (enum feature)i, profile);
	for (uint32_t i = 0; r == 0 && i < COLLECTOR_COUNTER_COUNT; i++)
		r = profile_add_counter(profile, collector_counter_name(i), counter_value(view, i));
	return r;
}
