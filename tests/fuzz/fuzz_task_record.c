/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes of a ring buffer are refused, or make a record whose texts lie inside of the bytes. */
#include <string.h>

#include "collector/process/task_record.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

static void lies_inside(const char *text, const uint8_t *bytes, size_t byte_count)
{
	const char *first = (const char *)bytes;

	must(text >= first && text < first + byte_count);
	must(memchr(text, '\0', (size_t)(first + byte_count - text)) != NULL);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct task_record record;

	if (task_record_parse(bytes, byte_count, &record) < 0)
		return;
	must(record.time_ns == task_record_time(bytes, byte_count));
	if (record.kind == TASK_NAMED)
		lies_inside(record.named.name, bytes, byte_count);
	if (record.kind != TASK_MAPPED)
		return;
	lies_inside(record.mapped.path, bytes, byte_count);
	must(strlen(record.mapped.path) == record.mapped.path_length);
	must(record.mapped.start + record.mapped.byte_count > record.mapped.start);
}
