/* SPDX-License-Identifier: Apache-2.0 */
/* Compaction: which files to put together into one segment, decided purely; done elsewhere.
 *
 * What it is   the rule: files are put together by when their data were received, in periods that
 *              are over: first those of ten minutes, then of an hour, of six hours and of a day. What
 *              was received late therefore lies with what was received together with it. A segment
 *              whose slots are all past their time is written again without them.
 * Ownership    values only.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The shortest period: logs end with it. */
#define COMPACTION_PERIOD_NS_MIN (UINT64_C(600) * 1000000000)
/* A file is deleted whole, when its newest data are too old: it may hold so much of the retention
 * and no more. */
#define COMPACTION_PERIODS_PER_AGE 8

struct compaction_file {
	uint64_t number;
	uint64_t bytes;
	uint64_t received_ns; /* when its latest data were, epoch */
	uint64_t
		slots_until_ns; /* of a segment: the latest end of what has slots; 0: nothing has */
	bool is_segment;
	bool unfit; /* is left as it is */
	bool picked; /* answer */
};

struct compaction_limits {
	uint64_t now_ns; /* epoch */
	uint64_t age_ns; /* of the retention */
	uint64_t grace_ns; /* a period is over so long after its end */
	uint64_t hot_ns; /* slots are kept so long */
	uint64_t bytes_max; /* of the files that go into one */
};

/* Whether any period is short enough for a retention of AGE_NS. */
bool compaction_is_worth_it(uint64_t age_ns);
/* Sets each file's `picked`; FILES rise by number. 0: nothing is to be done. Once what is picked has
 * become one segment, the next call picks something else, and in the end nothing. */
size_t compaction_pick(
	struct compaction_file *files, size_t file_count, const struct compaction_limits *limits);
