/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_board.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)

/* A window of one second whose two CPUs were busy for BUSY_MS and sampled for SAMPLED_MS. */
static void note(struct host_board *board, const char *host, uint64_t start_ns, uint64_t busy_ms,
	uint64_t sampled_ms)
{
	struct profile *profile = sample_profile_new(host, start_ns, NS_PER_S);

	for (uint32_t i = 0; i < 2; i++) {
		struct profile_cpu cpu = {.cpu = i,
			.busy_ns = busy_ms * NS_PER_MS / 2,
			.idle_ns = NS_PER_S - busy_ms * NS_PER_MS / 2,
			.steal_ns = 1,
			.sampled_ns = sampled_ms * NS_PER_MS / 2};

		CHECK_EQ(profile_add_cpu(profile, &cpu), 0);
	}
	CHECK_EQ(profile_add_counter(profile, "a_newer_one", 1), 0);
	CHECK_EQ(profile_add_counter(profile, "collector_samples_received", 2), 0);
	CHECK_EQ(profile_add_counter(profile, "kernel_received", start_ns), 0);
	CHECK_EQ(profile_add_feature(profile, "a_newer_one", FEATURE_ON, "", ""), 0);
	CHECK_EQ(profile_add_feature(profile, "kernel_symbols", FEATURE_OFF, host, "do it"), 0);
	CHECK_EQ(profile_add_feature(profile, "processes", 7, "a newer state", ""), 0);
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "f"});
	sample_profile_seal(profile);
	CHECK_EQ(host_board_note(board, profile, start_ns + NS_PER_S + 5 * NS_PER_MS), 0);
	profile_free(profile);
}

static void the_newest_batch_speaks_for_its_host(void)
{
	struct host_board *board;
	struct host_snapshot snapshot;
	struct host_window recent;

	CHECK_EQ(host_board_new(&board), 0);
	note(board, "b", START, 100, 50);
	note(board, "a", START + 2 * NS_PER_S, 1000, 900);
	note(board, "a", START + NS_PER_S, 1000, 1000);
	CHECK_EQ(host_board_snapshot(board, &snapshot), 0);
	CHECK_EQ(snapshot.count, 2);
	CHECK_STR(snapshot.entries[0].name, "a");
	CHECK_STR(snapshot.entries[0].kernel_release, "6.1.0-test");
	CHECK_EQ(snapshot.entries[0].last_seen_ns, START + 3 * NS_PER_S);
	CHECK_EQ(snapshot.entries[0].counters[0].value, START + 2 * NS_PER_S);
	CHECK_STR(snapshot.entries[0].counters[0].name, "kernel_received");
	CHECK_STR(snapshot.entries[0].counters[2].name, "a_newer_one");
	CHECK_EQ(snapshot.entries[0].feature_count, 3);
	CHECK_STR(snapshot.entries[0].features[0].name, "processes");
	CHECK(!snapshot.entries[0].features[0].is_on);
	CHECK_STR(snapshot.entries[0].features[1].name, "kernel_symbols");
	CHECK_STR(snapshot.entries[0].features[1].reason, "a");
	CHECK_STR(snapshot.entries[0].features[1].remedy, "do it");
	CHECK_STR(snapshot.entries[0].features[2].name, "a_newer_one");
	CHECK(snapshot.entries[0].features[2].is_on);
	CHECK_EQ(snapshot.entries[0].clock_skew_ns, -5 * (int64_t)NS_PER_MS);
	CHECK_EQ(snapshot.entries[0].online_cpu_count, 2);
	CHECK_EQ(snapshot.entries[0].sample_count, 2);
	recent = host_entry_recent(&snapshot.entries[0], START + 4 * NS_PER_S);
	CHECK_EQ(recent.busy_ns, 2000 * NS_PER_MS);
	CHECK(host_window_coverage(&recent) > 0.949 && host_window_coverage(&recent) < 0.951);
	CHECK_EQ((int)(1000 * host_window_sample_rate(&recent)), 1000);
	host_snapshot_done(&snapshot);
	host_board_begin(board);
	CHECK_EQ(host_board_snapshot(board, &snapshot), 0);
	CHECK_EQ(snapshot.entries[0].sample_count, 0);
	CHECK_EQ(snapshot.entries[0].last_seen_ns, START + 3 * NS_PER_S);
	host_snapshot_done(&snapshot);
	host_board_free(board);
}

static void coverage_is_of_the_last_windows_only(void)
{
	struct host_board *board;
	struct host_snapshot snapshot;
	struct host_window recent;

	CHECK_EQ(host_board_new(&board), 0);
	for (uint64_t i = 0; i < 2 * HOST_BOARD_WINDOW_COUNT; i++)
		note(board, "a", START + i * NS_PER_S, 100, i < HOST_BOARD_WINDOW_COUNT ? 0 : 100);
	CHECK_EQ(host_board_snapshot(board, &snapshot), 0);
	recent = host_entry_recent(&snapshot.entries[0], START + 60 * NS_PER_S);
	CHECK_EQ(recent.busy_ns, 100 * NS_PER_MS * HOST_BOARD_WINDOW_COUNT);
	CHECK(host_window_coverage(&recent) == 1.0);
	recent = host_entry_recent(&snapshot.entries[0], START + 3600 * NS_PER_S);
	CHECK(host_window_coverage(&recent) < 0);
	host_snapshot_done(&snapshot);
	host_board_free(board);
}

static void hosts_beyond_the_limit_push_out_the_oldest(void)
{
	struct host_board *board;
	struct host_snapshot snapshot;

	CHECK_EQ(host_board_new(&board), 0);
	for (uint32_t i = 0; i <= HOST_BOARD_COUNT_MAX; i++) {
		char name[32];

		snprintf(name, sizeof(name), "host-%05u", i);
		note(board, name, START + i * NS_PER_S, 1, 1);
	}
	CHECK_EQ(host_board_snapshot(board, &snapshot), 0);
	CHECK_EQ(snapshot.count, HOST_BOARD_COUNT_MAX);
	CHECK_STR(snapshot.entries[0].name, "host-00001");
	host_snapshot_done(&snapshot);
	host_board_free(board);
	host_board_free(NULL);
}

int main(void)
{
	RUN(the_newest_batch_speaks_for_its_host);
	RUN(coverage_is_of_the_last_windows_only);
	RUN(hosts_beyond_the_limit_push_out_the_oldest);
	return 0;
}
