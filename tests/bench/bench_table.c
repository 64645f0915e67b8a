/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the unwind table of a file as the collector does, and prints `name value` lines. */
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "collector/unwind/frame_source.h"
#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/unwind_memory.h"

#define SHARD_COUNT 64

static double cpu_ms(void)
{
	struct timespec time;

	CHECK_EQ(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Of this program alone: getrusage counts what ran here before it, too. */
static double peak_mb(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long peak_kb = 0;
	char line[128];

	CHECK(status != NULL);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %lu", &peak_kb) == 1)
			break;
	CHECK_EQ(fclose(status), 0);
	CHECK(peak_kb > 0);
	return (double)peak_kb * 1024 / 1e6;
}

int main(int argc, char **argv)
{
	struct unwind_memory_fixture memory;
	struct node_pool_config config = {.shard_count_max = SHARD_COUNT,
		.make_shard = unwind_memory_make_shard,
		.context = &memory};
	struct frame_source source;
	struct table_counts counts;
	struct unwind_table table;
	struct node_pool pool;
	struct rule_set rules;
	double began_ms, before_mb;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0) {
		fprintf(stderr, "usage: bench_table FILE\n");
		return 2;
	}
	unwind_memory_init(&memory);
	node_pool_init(&pool, &config);
	CHECK_EQ(rule_set_init(&rules, memory.rules), 0);
	before_mb = peak_mb();
	began_ms = cpu_ms();
	CHECK_EQ(frame_source_read(fd, &source), 0);
	CHECK_EQ(table_build(&source.table, &pool, &rules, &table, &counts), 0);
	frame_source_done(&source);
	printf("cpu_ms %.2f\npeak_mb %.2f\nfile_mb %.1f\n", cpu_ms() - began_ms,
		peak_mb() - before_mb, (double)lseek(fd, 0, SEEK_END) / 1e6);
	printf("functions %" PRIu64 "\nrows %" PRIu64 "\ntable_mb %.2f\n", counts.function_count,
		counts.row_count, (double)counts.node_count * UNWIND_NODE_BYTES / 1e6);
	table_free(&pool, &table);
	rule_set_done(&rules);
	node_pool_done(&pool);
	unwind_memory_done(&memory);
	close(fd);
	return 0;
}
