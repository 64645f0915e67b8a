/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/retention.h"

#include <stdbool.h>

uint64_t retention_edge_ns(const struct retention_limits *limits)
{
	return limits->now_ns > limits->age_ns ? limits->now_ns - limits->age_ns : 0;
}

static struct retention_file *oldest_kept(struct retention_file *files, size_t file_count)
{
	struct retention_file *oldest = NULL;

	for (size_t i = 0; i < file_count; i++) {
		if (files[i].verdict == RETENTION_KEEP &&
			(!oldest || files[i].newest_ns < oldest->newest_ns))
			oldest = &files[i];
	}
	return oldest;
}

void retention_decide(
	struct retention_file *files, size_t file_count, const struct retention_limits *limits)
{
	uint64_t edge_ns = retention_edge_ns(limits), bytes = 0, record_count = 0;

	for (size_t i = 0; i < file_count; i++) {
		bool expired = edge_ns > 0 && files[i].newest_ns <= edge_ns;

		files[i].verdict = expired ? RETENTION_EXPIRED : RETENTION_KEEP;
		if (expired)
			continue;
		bytes += files[i].bytes;
		record_count += files[i].record_count;
	}
	/* Few are ever evicted in one round: a round comes every few minutes. */
	while (bytes > limits->bytes || record_count > limits->record_count) {
		struct retention_file *oldest = oldest_kept(files, file_count);

		if (!oldest)
			return;
		oldest->verdict = RETENTION_EVICTED;
		bytes -= oldest->bytes;
		record_count -= oldest->record_count;
	}
}
