/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_board.h"

#include "tests/support/check.h"
#include "tests/support/sample_profile.h"

#define START (UINT64_C(1700000000) * NS_PER_S)

/* The host has been up for so long, and a bit, when the window begins. */
static void set_uptime(struct profile *profile, uint64_t uptime_ns)
{
	struct profile_head *head = &profile->head;

	head->window_start_ns += uptime_ns;
	head->window_end_ns += uptime_ns;
	head->clocks.monotonic_ns += uptime_ns;
	head->clocks.boottime_ns += uptime_ns;
}

/* A window of one second whose two CPUs were busy for BUSY_MS and sampled for SAMPLED_MS. */
static void note(struct host_board *board, const char *host, uint64_t start_ns, uint64_t busy_ms,
	uint64_t sampled_ms)
{
	struct profile *profile = sample_profile_new(host, start_ns, NS_PER_S);

	set_uptime(profile, start_ns - START);
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

/* Window NUMBER of a host, by a clock that is SKEW_NS ahead. */
static void note_skewed(
	struct host_board *board, uint64_t number, int64_t skew_ns, const char *boot_id)
{
	struct profile *profile =
		sample_profile_new("h", START + number * NS_PER_S + (uint64_t)skew_ns, NS_PER_S);
	struct profile_cpu cpu = {.busy_ns = NS_PER_S, .sampled_ns = NS_PER_S};

	set_uptime(profile, number * NS_PER_S);
	CHECK_EQ(profile_add_text(profile, boot_id, &profile->head.boot_id), 0);
	CHECK_EQ(profile_add_cpu(profile, &cpu), 0);
	sample_profile_add(profile, &(struct sample_profile_sample){.stack = "f"});
	sample_profile_seal(profile);
	CHECK_EQ(host_board_note(board, profile, START + (number + 1) * NS_PER_S), 0);
	profile_free(profile);
}

static struct host_entry look(struct host_board *board)
{
	struct host_snapshot snapshot;
	struct host_entry entry;

	CHECK_EQ(host_board_snapshot(board, &snapshot), 0);
	CHECK_EQ(snapshot.count, 1);
	entry = snapshot.entries[0];
	host_snapshot_done(&snapshot);
	return entry;
}

/* A host that came from the future and was set right must not look dead until the future comes. */
static void a_clock_that_was_set_back_hides_nothing(void)
{
	const int64_t day_ns = 24 * 3600 * (int64_t)NS_PER_S;
	struct host_board *board;
	struct host_window recent;
	struct host_entry entry;

	CHECK_EQ(host_board_new(&board), 0);
	for (uint64_t i = 0; i < 3; i++)
		note_skewed(board, i, day_ns, "boot");
	entry = look(board);
	CHECK_EQ(entry.clock_skew_ns, day_ns);
	CHECK_EQ(entry.last_seen_ns, START + (uint64_t)day_ns + 3 * NS_PER_S);
	CHECK_EQ(entry.received_at_ns, START + 3 * NS_PER_S);
	recent = host_entry_recent(&entry, START + 3 * NS_PER_S);
	CHECK_EQ(recent.busy_ns, 3 * NS_PER_S);
	note_skewed(board, 3, 0, "boot");
	entry = look(board);
	CHECK_EQ(entry.last_seen_ns, START + 4 * NS_PER_S);
	CHECK_EQ(entry.received_at_ns, START + 4 * NS_PER_S);
	/* Half of what is known says so first. */
	CHECK_EQ(entry.clock_skew_ns, day_ns);
	for (uint64_t i = 4; i < 8; i++)
		note_skewed(board, i, 0, "boot");
	CHECK_EQ(look(board).clock_skew_ns, 0);
	host_board_free(board);
}

static void a_host_that_started_anew_has_a_new_clock(void)
{
	struct host_board *board;

	CHECK_EQ(host_board_new(&board), 0);
	for (uint64_t i = 0; i < 10; i++)
		note_skewed(board, i, -7200 * (int64_t)NS_PER_S, "first");
	CHECK_EQ(look(board).clock_skew_ns, -7200 * (int64_t)NS_PER_S);
	/* Less time since its boot than before. */
	note_skewed(board, 2, 0, "second");
	CHECK_EQ(look(board).clock_skew_ns, 0);
	CHECK_EQ(look(board).last_seen_ns, START + 3 * NS_PER_S);
	host_board_free(board);
}

int main(void)
{
	RUN(a_clock_that_was_set_back_hides_nothing);
	RUN(a_host_that_started_anew_has_a_new_clock);
	RUN(the_newest_batch_speaks_for_its_host);
	RUN(coverage_is_of_the_last_windows_only);
	RUN(hosts_beyond_the_limit_push_out_the_oldest);
	return 0;
}
