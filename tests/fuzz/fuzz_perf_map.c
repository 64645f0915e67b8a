/* SPDX-License-Identifier: Apache-2.0 */
/* A file that grows says in the end what it says when it is read at once. The first byte says where
 * it is cut. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/jit/perf_map.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

#define ENTRIES_MAX 1000

static void follow(struct perf_map *map, int fd)
{
	struct clock_reading now = {.monotonic_ns = NS_PER_S, .realtime_ns = NS_PER_S};
	struct perf_map_counts counts = {0};
	uint64_t bytes_left = UINT64_MAX;

	must(perf_map_follow(map, fd, &now, &bytes_left, &counts) == 0);
	must(!map->is_behind);
	must(map->index.count == map->index.sorted_count && map->index.count <= ENTRIES_MAX);
}

static void write_all(int fd, const uint8_t *bytes, size_t byte_count)
{
	must(write(fd, bytes, byte_count) == (ssize_t)byte_count);
}

static void compare(struct perf_map *one, struct perf_map *other, int fd)
{
	must(one->index.count == other->index.count);
	for (uint32_t i = 0; i < one->index.count; i++) {
		uint64_t start = one->index.entries[i].start;
		const char *name = perf_map_name(one, fd, start, NS_PER_S);

		must(other->index.entries[i].start == start);
		must(name && strcmp(name, perf_map_name(other, fd, start, NS_PER_S)) == 0);
	}
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct perf_map one, other;
	size_t cut;
	int fd;

	if (byte_count < 1)
		return;
	cut = 1 + bytes[0] * (byte_count - 1) / 256;
	fd = memfd_create("map", MFD_CLOEXEC);
	must(fd >= 0);
	perf_map_init(&one, ENTRIES_MAX, 0);
	perf_map_init(&other, ENTRIES_MAX, 0);
	write_all(fd, bytes + 1, cut - 1);
	follow(&one, fd);
	write_all(fd, bytes + cut, byte_count - cut);
	follow(&one, fd);
	follow(&other, fd);
	compare(&one, &other, fd);
	perf_map_done(&one);
	perf_map_done(&other);
	close(fd);
}
