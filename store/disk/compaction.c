/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   logs      |log|log|log| ...                       as they came
 *   segments  |  10 min   |  10 min   | ...           a few minutes later
 *             |              1 h              | ...
 *             |                           6 h                              | ...
 *             |                      24 h, four times as long              | ...
 *
 * Queries of the last hour are the most frequent, and logs the dearest to read: so logs live for
 * minutes only. A query of the last day reads at most three files of six hours, five of an hour and
 * five of ten minutes beside that of the day before: what it costs is mostly the dictionaries of the
 * files. Data are written five times in all; each time less of them, since equal stacks of more
 * windows meet.
 *
 * The longest period that is over is looked at first: what was left lying for a day is written once.
 */
#include "store/disk/compaction.h"

/* From the longest to the shortest. */
static const uint64_t periods_ns[] = {
	UINT64_C(86400) * 1000000000,
	UINT64_C(21600) * 1000000000,
	UINT64_C(3600) * 1000000000,
	COMPACTION_PERIOD_NS_MIN,
};

#define PERIOD_COUNT (sizeof(periods_ns) / sizeof(periods_ns[0]))

/* One period of one length. */
struct period {
	uint64_t length_ns;
	uint64_t index; /* since the epoch */
};

static bool is_worth_it(uint64_t length_ns, uint64_t age_ns)
{
	return age_ns / COMPACTION_PERIODS_PER_AGE >= length_ns;
}

bool compaction_is_worth_it(uint64_t age_ns)
{
	return is_worth_it(COMPACTION_PERIOD_NS_MIN, age_ns);
}

static bool is_over(const struct period *period, const struct compaction_limits *limits)
{
	return limits->now_ns > limits->grace_ns &&
		limits->now_ns - limits->grace_ns >= (period->index + 1) * period->length_ns;
}

static bool is_in(const struct compaction_file *file, const struct period *period)
{
	return !file->unfit && file->received_ns / period->length_ns == period->index;
}

/* Picks files of PERIOD from FIRST on, as many as fit; alone one is enough if it is a log. */
static size_t pick_from(struct compaction_file *files, size_t file_count, size_t first,
	const struct period *period, uint64_t bytes_max)
{
	uint64_t bytes = 0;
	size_t picked = 0;
	bool log = false;

	for (size_t i = first; i < file_count; i++) {
		if (!is_in(&files[i], period))
			continue;
		if (picked > 0 &&
			(files[i].bytes > bytes_max || bytes > bytes_max - files[i].bytes))
			break;
		bytes += files[i].bytes;
		log |= !files[i].is_segment;
		files[i].picked = true;
		picked++;
	}
	if (picked > 1 || log)
		return picked;
	for (size_t i = first; i < file_count; i++)
		files[i].picked = false;
	return 0;
}

static size_t pick_of_length(struct compaction_file *files, size_t file_count, uint64_t length_ns,
	const struct compaction_limits *limits)
{
	for (size_t i = 0; i < file_count; i++) {
		struct period period = {length_ns, files[i].received_ns / length_ns};
		size_t picked = 0;

		if (!files[i].unfit && is_over(&period, limits))
			picked = pick_from(files, file_count, i, &period, limits->bytes_max);
		if (picked > 0)
			return picked;
	}
	return 0;
}

static size_t pick_past_slots(
	struct compaction_file *files, size_t file_count, const struct compaction_limits *limits)
{
	for (size_t i = 0; i < file_count; i++) {
		uint64_t until_ns = files[i].slots_until_ns;

		if (files[i].unfit || until_ns == 0 || limits->now_ns < limits->hot_ns ||
			until_ns > limits->now_ns - limits->hot_ns)
			continue;
		files[i].picked = true;
		return 1;
	}
	return 0;
}

size_t compaction_pick(
	struct compaction_file *files, size_t file_count, const struct compaction_limits *limits)
{
	size_t picked = 0;

	for (size_t i = 0; i < file_count; i++)
		files[i].picked = false;
	for (size_t i = 0; picked == 0 && i < PERIOD_COUNT; i++) {
		if (is_worth_it(periods_ns[i], limits->age_ns))
			picked = pick_of_length(files, file_count, periods_ns[i], limits);
	}
	return picked > 0 ? picked : pick_past_slots(files, file_count, limits);
}
