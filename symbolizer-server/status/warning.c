/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/warning.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/base/fault.h"

struct sayer {
	const char *host;
	warning_fn fn;
	void *context;
};

static void say(const struct sayer *sayer, bool is_error, const char *remedy, const char *format,
	...) __attribute__((format(printf, 4, 5)));

static void say(
	const struct sayer *sayer, bool is_error, const char *remedy, const char *format, ...)
{
	struct warning warning = {.is_error = is_error, .host = sayer->host, .remedy = remedy};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(warning.text, sizeof(warning.text), format, arguments);
	va_end(arguments);
	sayer->fn(sayer->context, &warning);
}

void warning_of_store(const struct profile_store_stats *stats, warning_fn fn, void *context)
{
	const struct sayer sayer = {NULL, fn, context};

	if (stats->full) {
		say(&sayer, true, "make room there; collectors keep what they have meanwhile",
			"the disk of the data folder is full, profiles are refused");
	} else if (stats->commit_error < 0) {
		say(&sayer, true, "look at the disk; collectors keep what they have meanwhile",
			"the last write to the disk failed: %s", fault_text(stats->commit_error));
	} else if (stats->disk_bytes > 0 && stats->disk_free_bytes < WARNING_DISK_FREE_BYTES) {
		say(&sayer, false, "make room there, or keep less (--retain-bytes)",
			"the disk of the data folder has %" PRIu64 " MiB left",
			stats->disk_free_bytes >> 20);
	}
	if (stats->compact_error < 0 && !stats->full) {
		say(&sayer, false,
			"make room for it, or look at the disk; it is tried again every minute",
			"logs could not be put together: %s; nothing is lost, but queries of old "
			"times take longer",
			fault_text(stats->compact_error));
	}
}

/* Whether what is lost here is lost for good, and told by no other stage. */
static bool loses_samples(const struct chain_stage *stage)
{
	return strcmp(stage->unit, "ticks") == 0 || strcmp(stage->unit, "samples") == 0 ||
		strcmp(stage->name, "receive") == 0;
}

static void warn_of_losses(const struct sayer *sayer, const struct chain_reading *reading)
{
	/* Idle ticks would make every loss small. */
	uint64_t whole = reading->sums[CHAIN_OUT] + reading->sums[CHAIN_LOST];

	for (uint32_t i = 0; reading->stage->terms[i].counter; i++) {
		const struct chain_term *term = &reading->stage->terms[i];
		double share = whole > 0 ? (double)reading->values[i] / (double)whole : 0;

		if (term->role != CHAIN_LOST || share < WARNING_LOST_SHARE)
			continue;
		say(sayer, false, term->remedy, "%.2g %% of all %s lost at `%s`: %s", 100 * share,
			reading->stage->unit, reading->stage->name, term->words);
	}
}

void warning_of_stage(
	const struct chain_reading *reading, const char *host, warning_fn fn, void *context)
{
	const struct sayer sayer = {host, fn, context};

	if (!reading->known)
		return;
	if (reading->unaccounted > 0) {
		say(&sayer, true,
			"this is a fault of Cairn's own: report it with what `cairn status --json` "
			"prints",
			"%" PRIu64 " %s unaccounted for at `%s`", reading->unaccounted,
			reading->stage->unit, reading->stage->name);
	}
	if (loses_samples(reading->stage))
		warn_of_losses(&sayer, reading);
}

void warning_of_labels(const struct label_guard_case *one, warning_fn fn, void *context)
{
	const struct sayer sayer = {NULL, fn, context};

	if (one->reason == LABEL_GUARD_TOTAL) {
		say(&sayer, false,
			"look which service has most of them (/api/v1/labels), or raise --series",
			"more than %" PRIu32
			" series came today: newer ones keep their service_name "
			"alone, other labels are [other]",
			one->limit);
	} else if (one->reason == LABEL_GUARD_SERIES) {
		say(&sayer, false,
			"leave out the label that varies most where it is made, or raise "
			"--service-series",
			"service %.64s has more than %" PRIu32
			" series today: newer ones keep their service_name alone",
			one->service, one->limit);
	} else if (!*one->service) {
		say(&sayer, false, "leave it out where it is made, or raise --label-values",
			"label %.64s has more than %" PRIu32
			" values today: newer ones are kept as [other]",
			one->label, one->limit);
	} else {
		say(&sayer, false, "leave it out where it is made, or raise --label-values",
			"label %.64s of service %.64s has more than %" PRIu32
			" values today: newer ones are kept as [other]",
			one->label, one->service, one->limit);
	}
}

static uint64_t last_window_ns(const struct host_entry *host)
{
	return host->window_count > 0
		? host->windows[(host->window_count - 1) % HOST_BOARD_WINDOW_COUNT].length_ns
		: 0;
}

void warning_of_host(const struct host_entry *host, uint64_t now_ns, warning_fn fn, void *context)
{
	const struct sayer sayer = {host->name, fn, context};
	struct host_window recent = host_entry_recent(host, now_ns);
	double coverage = host_window_coverage(&recent);
	double skew_s = (double)host->clock_skew_ns / (double)NS_PER_S;
	uint64_t silent_ns = now_ns > host->received_at_ns ? now_ns - host->received_at_ns : 0;

	if (silent_ns > WARNING_GONE_NS)
		return;
	if (silent_ns > 3 * last_window_ns(host) + WARNING_SILENT_NS) {
		say(&sayer, false, "is its collector running? look at the collector's log",
			"nothing came from it for %" PRIu64 " s", silent_ns / NS_PER_S);
	}
	if (skew_s * (double)NS_PER_S > (double)WARNING_SKEW_NS ||
		-skew_s * (double)NS_PER_S > (double)WARNING_SKEW_NS) {
		say(&sayer, false,
			"set its clock (NTP); until then look for its profiles at its own time",
			"its clock is %.1f s %s the server's", skew_s < 0 ? -skew_s : skew_s,
			skew_s < 0 ? "behind" : "ahead of");
	}
	if (recent.busy_ns >= WARNING_COVERAGE_BUSY_NS &&
		(coverage < WARNING_COVERAGE_LOW || coverage > WARNING_COVERAGE_HIGH)) {
		say(&sayer, false, "look at its stages `kernel` and `rings`",
			"its samples stand for %.0f %% of its busy time", 100 * coverage);
	}
}
