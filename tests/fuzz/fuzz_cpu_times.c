/* SPDX-License-Identifier: Apache-2.0 */
/* Any text of /proc/stat either is refused, or gives times that print to one which parses to the
 * same; against themselves nothing has passed. */
#include <inttypes.h>
#include <stdio.h>

#include "collector/sample/cpu_times.h"
#include "store/base/bytes.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

#define TEXT_BYTES_MAX ((size_t)4 << 20)

static void print_times(const struct cpu_times *times, struct bytes_writer *writer)
{
	char line[128];

	bytes_writer_init(writer, TEXT_BYTES_MAX);
	for (uint32_t i = 0; i < times->count; i++) {
		const struct cpu_time *time = &times->items[i];
		int length = snprintf(line, sizeof(line),
			"cpu%" PRIu32 " 0 0 %" PRIu64 " %" PRIu64 " 0 0 0 %" PRIu64 " 0 0\n",
			time->cpu, time->busy_ns, time->idle_ns, time->steal_ns);

		bytes_write_span(writer, line, (size_t)length);
	}
	must(bytes_writer_fault(writer) == 0);
}

static void check_same(const struct cpu_times *one, const struct cpu_times *other)
{
	must(one->count == other->count);
	for (uint32_t i = 0; i < one->count; i++) {
		const struct cpu_time *a = &one->items[i], *b = &other->items[i];

		must(a->cpu == b->cpu && a->busy_ns == b->busy_ns);
		must(a->idle_ns == b->idle_ns && a->steal_ns == b->steal_ns);
	}
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct cpu_times times = {0}, again = {0};
	struct bytes_writer printed;

	if (cpu_times_parse(&times, (const char *)bytes, byte_count, 1) == 0) {
		struct cpu_time none = cpu_time_since(&times, &times.items[0]);

		must(none.busy_ns == 0 && none.idle_ns == 0 && none.steal_ns == 0);
		print_times(&times, &printed);
		must(cpu_times_parse(&again, (const char *)printed.bytes, printed.byte_count, 1) ==
			0);
		check_same(&times, &again);
		bytes_writer_done(&printed);
	} else {
		must(times.count == 0);
	}
	cpu_times_done(&times);
	cpu_times_done(&again);
}
