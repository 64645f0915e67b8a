/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/warning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

#define NOW (UINT64_C(1700000000) * NS_PER_S)

static struct warning heard[8];
static char host_heard[64];
static uint32_t heard_count;

static void hear(void *context, const struct warning *warning)
{
	(void)context;
	CHECK(heard_count < 8);
	CHECK(warning->remedy && *warning->remedy);
	snprintf(host_heard, sizeof(host_heard), "%s", warning->host ? warning->host : "");
	heard[heard_count++] = *warning;
}

static void a_disk_that_is_full_failing_or_nearly_full_is_told(void)
{
	struct profile_store_stats stats = {
		.disk_bytes = UINT64_C(100) << 30, .disk_free_bytes = UINT64_C(50) << 30};

	heard_count = 0;
	warning_of_store(&stats, hear, NULL);
	CHECK_EQ(heard_count, 0);
	stats.disk_free_bytes = 100 << 20;
	warning_of_store(&stats, hear, NULL);
	CHECK_STR(heard[0].text, "the disk of the data folder has 100 MiB left");
	CHECK(!heard[0].is_error);
	stats.commit_error = -EIO;
	warning_of_store(&stats, hear, NULL);
	CHECK_STR(heard[1].text, "the last write to the disk failed: Input/output error");
	stats.full = true;
	warning_of_store(&stats, hear, NULL);
	CHECK(heard[2].is_error);
	CHECK_EQ(heard_count, 3);
	/* With a full disk there is no need to say so. */
	stats.compact_error = -EIO;
	warning_of_store(&stats, hear, NULL);
	CHECK_EQ(heard_count, 4);
	stats.full = false;
	stats.commit_error = 0;
	stats.disk_free_bytes = UINT64_C(50) << 30;
	heard_count = 0;
	warning_of_store(&stats, hear, NULL);
	CHECK_EQ(heard_count, 1);
	CHECK(strstr(heard[0].text, "could not be put together: Input/output error"));
	CHECK(!heard[0].is_error);
}

static struct chain_reading read_queue(uint64_t out, uint64_t lost)
{
	uint32_t count;
	const struct chain_stage *stage = chain_stages(&count);
	struct chain_reading reading = {.known = true};

	while (strcmp(stage->name, "queue") != 0)
		stage++;
	reading.stage = stage;
	reading.sums[CHAIN_OUT] = out;
	reading.sums[CHAIN_LOST] = lost;
	for (uint32_t i = 0; stage->terms[i].counter; i++) {
		reading.values[i] = strcmp(stage->terms[i].words ? stage->terms[i].words : "",
					    "queue full") == 0
			? lost
			: 0;
	}
	return reading;
}

static void a_loss_is_told_once_it_matters_with_its_share(void)
{
	struct chain_reading reading = read_queue(100000, 99);

	heard_count = 0;
	warning_of_stage(&reading, "h", hear, NULL);
	CHECK_EQ(heard_count, 0);
	reading = read_queue(750, 250);
	warning_of_stage(&reading, "h", hear, NULL);
	CHECK_EQ(heard_count, 1);
	CHECK_STR(heard[0].text, "25 % of all samples lost at `queue`: queue full");
	CHECK_STR(host_heard, "h");
}

static void what_is_unaccounted_for_is_an_error(void)
{
	struct chain_reading reading = read_queue(10, 0);

	heard_count = 0;
	reading.unaccounted = 3;
	warning_of_stage(&reading, NULL, hear, NULL);
	CHECK_EQ(heard_count, 1);
	CHECK(heard[0].is_error);
	CHECK_STR(heard[0].text, "3 samples unaccounted for at `queue`");
	reading.known = false;
	warning_of_stage(&reading, NULL, hear, NULL);
	CHECK_EQ(heard_count, 1);
}

static void a_host_is_told_by_silence_clock_and_coverage(void)
{
	struct host_entry *host = calloc(1, sizeof(*host));

	CHECK(host != NULL);
	snprintf(host->name, sizeof(host->name), "h");
	host->windows[0] = (struct host_window){.end_ns = NOW,
		.length_ns = 10 * NS_PER_S,
		.busy_ns = 40 * NS_PER_S,
		.sampled_ns = 39 * NS_PER_S};
	host->window_count = 1;
	host->received_at_ns = NOW;
	heard_count = 0;
	warning_of_host(host, NOW + 59 * NS_PER_S, hear, NULL);
	CHECK_EQ(heard_count, 0);
	warning_of_host(host, NOW + 61 * NS_PER_S, hear, NULL);
	CHECK_EQ(heard_count, 1);
	CHECK_STR(heard[0].text, "nothing came from it for 61 s");
	host->clock_skew_ns = -(int64_t)(3 * NS_PER_S);
	host->windows[0].sampled_ns = 20 * NS_PER_S;
	heard_count = 0;
	warning_of_host(host, NOW, hear, NULL);
	CHECK_EQ(heard_count, 2);
	CHECK_STR(heard[0].text, "its clock is 3.0 s behind the server's");
	CHECK_STR(heard[1].text, "its samples stand for 50 % of its busy time");
	heard_count = 0;
	warning_of_host(host, NOW + WARNING_GONE_NS + NS_PER_S, hear, NULL);
	CHECK_EQ(heard_count, 0);
	free(host);
}

static void labels_that_were_folded_are_told_by_service_and_label(void)
{
	struct label_guard_case one = {.service = "app",
		.label = "req",
		.reason = LABEL_GUARD_VALUES,
		.limit = 10000,
		.label_set_count = 7};

	heard_count = 0;
	warning_of_labels(&one, hear, NULL);
	CHECK_EQ(heard_count, 1);
	CHECK(!heard[0].is_error);
	CHECK_STR(heard[0].text,
		"label req of service app has more than 10000 values today: "
		"newer ones are kept as [other]");
	one.service = "";
	one.label = "service_name";
	warning_of_labels(&one, hear, NULL);
	CHECK_STR(heard[1].text,
		"label service_name has more than 10000 values today: "
		"newer ones are kept as [other]");
	one = (struct label_guard_case){
		.service = "app", .label = "", .reason = LABEL_GUARD_SERIES, .limit = 5};
	warning_of_labels(&one, hear, NULL);
	CHECK_STR(heard[2].text,
		"service app has more than 5 series today: newer ones keep their "
		"service_name alone");
	one.reason = LABEL_GUARD_TOTAL;
	heard_count = 0;
	warning_of_labels(&one, hear, NULL);
	CHECK_STR(heard[0].text,
		"more than 5 series came today: newer ones keep their "
		"service_name alone, other labels are [other]");
}

int main(void)
{
	RUN(labels_that_were_folded_are_told_by_service_and_label);
	RUN(a_disk_that_is_full_failing_or_nearly_full_is_told);
	RUN(a_loss_is_told_once_it_matters_with_its_share);
	RUN(what_is_unaccounted_for_is_an_error);
	RUN(a_host_is_told_by_silence_clock_and_coverage);
	return 0;
}
