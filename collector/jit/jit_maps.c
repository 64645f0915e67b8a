/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/jit/perf_map.h"
#include "collector/jit/perf_map_file.h"

/* Processes with generated code; most have no map. */
#define MAP_COUNT_MAX 1024
/* Reading costs some 3 ms a megabyte. A runtime that starts writes a few at once. */
#define READ_BYTES_PER_S (1u << 20)
#define READ_BYTES_BURST (8u << 20)
/* A map that is not there may come: after so long it is looked for again. */
#define RETRY_NS_FIRST NS_PER_S
#define RETRY_NS_MAX (10 * NS_PER_S)
/* What a process said last can be read when it is gone, if its file was open before. */
#define HELD_NS (10 * NS_PER_S)
#define HELD_COUNT_MAX 64

struct jit_map {
	struct jit_map *newer;
	struct jit_map *older;
	uint32_t pid;
	uint64_t started_at_ns;
	uint64_t retry_at_ns; /* not opened before */
	uint64_t retry_ns;
	bool was_refused;
	int fd; /* of the file that was read last; -1: none */
	uint64_t asked_at_ns;
	uint64_t bytes; /* as the total knows it */
	struct perf_map map;
};

void jit_maps_init(struct jit_maps *maps, const struct jit_maps_config *config)
{
	*maps = (struct jit_maps){
		.config = *config,
		.bytes_left = READ_BYTES_BURST,
		.refilled_at_ns = clock_read(&config->clock).monotonic_ns,
	};
}

/* --- which there are ---------------------------------------------------------------------------
 */

static void order_remove(struct jit_maps *maps, struct jit_map *map)
{
	if (map->newer)
		map->newer->older = map->older;
	else
		maps->newest = map->older;
	if (map->older)
		map->older->newer = map->newer;
	else
		maps->oldest = map->newer;
}

static void order_add(struct jit_maps *maps, struct jit_map *map)
{
	map->newer = NULL;
	map->older = maps->newest;
	if (maps->newest)
		maps->newest->newer = map;
	else
		maps->oldest = map;
	maps->newest = map;
}

static void let_go(struct jit_maps *maps, struct jit_map *map)
{
	if (map->fd < 0)
		return;
	close(map->fd);
	map->fd = -1;
	maps->held_count--;
}

static void drop(struct jit_maps *maps, struct jit_map *map)
{
	order_remove(maps, map);
	maps->count--;
	maps->bytes -= map->bytes;
	let_go(maps, map);
	perf_map_done(&map->map);
	free(map);
}

void jit_maps_done(struct jit_maps *maps)
{
	while (maps->newest)
		drop(maps, maps->newest);
}

/* All but the newest may go for it. */
static void keep_within(struct jit_maps *maps)
{
	while (maps->count > 1 &&
		(maps->bytes > maps->config.bytes_max || maps->count > MAP_COUNT_MAX)) {
		if (maps->oldest->map.index.count > 0)
			tally_add(maps->config.tally, TALLY_jit_maps_evicted, 1);
		drop(maps, maps->oldest);
	}
}

static struct jit_map *find_or_add(
	struct jit_maps *maps, const struct jit_question *question, uint64_t now_ns)
{
	struct jit_map *map = maps->newest;

	while (map && (map->pid != question->pid || map->started_at_ns != question->started_at_ns))
		map = map->older;
	if (map) {
		order_remove(maps, map);
		order_add(maps, map);
		return map;
	}
	map = calloc(1, sizeof(*map));
	if (!map)
		return NULL;
	map->pid = question->pid;
	map->started_at_ns = question->started_at_ns;
	map->retry_ns = RETRY_NS_FIRST;
	map->fd = -1;
	/* Half of all is for names, and for what memory grows by at a time. */
	perf_map_init(&map->map, (uint32_t)(maps->config.bytes_max / 2 / sizeof(struct code_entry)),
		now_ns);
	order_add(maps, map);
	maps->count++;
	return map;
}

/* --- reading -----------------------------------------------------------------------------------
 */

static void refill(struct jit_maps *maps, uint64_t now_ns)
{
	uint64_t passed_ms = (now_ns - maps->refilled_at_ns) / NS_PER_MS;

	maps->refilled_at_ns += passed_ms * NS_PER_MS;
	maps->bytes_left += passed_ms * READ_BYTES_PER_S / 1000;
	if (maps->bytes_left > READ_BYTES_BURST)
		maps->bytes_left = READ_BYTES_BURST;
}

/* Once a map, however often it is looked for: somebody may want to know why it has no names. */
static void note_refusal(struct jit_maps *maps, struct jit_map *map, int fault)
{
	if (map->was_refused || fault == -ENOENT || fault == -ESRCH)
		return;
	map->was_refused = true;
	tally_add(maps->config.tally, TALLY_jit_maps_refused, 1);
}

/* Beyond the number of files that are held, those held longest are let go. */
static void hold(struct jit_maps *maps, struct jit_map *map, int fd)
{
	struct jit_map *oldest = maps->oldest;

	let_go(maps, map);
	while (maps->held_count >= HELD_COUNT_MAX && oldest != map) {
		let_go(maps, oldest);
		oldest = oldest->newer;
	}
	map->fd = fd;
	maps->held_count++;
}

/* The map's descriptor, or -1. */
static int open_map(struct jit_maps *maps, struct jit_map *map, bool is_last, uint64_t now_ns)
{
	int fd;

	if (now_ns < map->retry_at_ns && !is_last)
		return map->fd;
	fd = perf_map_open(maps->config.root, map->pid, map->started_at_ns);
	if (fd >= 0) {
		map->retry_ns = RETRY_NS_FIRST;
		hold(maps, map, fd);
		return fd;
	}
	note_refusal(maps, map, fd);
	if (fd != -ESRCH)
		let_go(maps, map);
	map->retry_at_ns = now_ns + map->retry_ns;
	map->retry_ns = map->retry_ns * 2 < RETRY_NS_MAX ? map->retry_ns * 2 : RETRY_NS_MAX;
	return map->fd;
}

static void follow(struct jit_maps *maps, struct jit_map *map, int fd)
{
	struct clock_reading now = clock_read(&maps->config.clock);
	uint64_t dropped = map->map.index.dropped_count;
	bool is_first = map->map.byte_count == 0;
	struct perf_map_counts counts = {0};
	struct tally *tally = maps->config.tally;

	/* What could not be read is read at the next question. */
	perf_map_follow(&map->map, fd, &now, &maps->bytes_left, &counts);
	tally_add(tally, TALLY_jit_maps_read, is_first && map->map.byte_count > 0);
	tally_add(tally, TALLY_jit_maps_replaced, counts.replaced);
	tally_add(tally, TALLY_jit_bytes_read, counts.bytes_read);
	tally_add(tally, TALLY_jit_lines_malformed, counts.malformed);
	tally_add(tally, TALLY_jit_entries_dropped, map->map.index.dropped_count - dropped);
}

static void measure(struct jit_maps *maps, struct jit_map *map)
{
	maps->bytes -= map->bytes;
	map->bytes = perf_map_memory(&map->map);
	maps->bytes += map->bytes;
	keep_within(maps);
	tally_set(maps->config.tally, TALLY_jit_bytes_held, maps->bytes);
}

static void answer_process(
	struct jit_maps *maps, struct jit_batch *batch, uint32_t first, uint32_t end)
{
	uint64_t now_ns = clock_read(&maps->config.clock).monotonic_ns;
	struct jit_map *map = find_or_add(maps, &batch->questions[first], now_ns);
	int fd;

	if (!map)
		return;
	map->asked_at_ns = now_ns;
	fd = open_map(maps, map, batch->is_last, now_ns);
	if (fd >= 0)
		follow(maps, map, fd);
	for (uint32_t i = first; i < end; i++) {
		struct jit_question *question = &batch->questions[i];
		const char *name =
			perf_map_name(&map->map, fd, question->address, question->taken_at_ns);

		if (name)
			jit_batch_answer(batch, question, name);
		question->is_early = !name && !batch->is_last && (fd < 0 || map->map.is_behind);
	}
	measure(maps, map);
}

static int compare_processes(const void *left, const void *right)
{
	const struct jit_question *one = left, *other = right;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return one->started_at_ns < other->started_at_ns
		? -1
		: one->started_at_ns > other->started_at_ns;
}

void jit_maps_let_go(struct jit_maps *maps)
{
	uint64_t now_ns = clock_read(&maps->config.clock).monotonic_ns;

	for (struct jit_map *map = maps->oldest; map; map = map->newer) {
		if (now_ns >= map->asked_at_ns + HELD_NS)
			let_go(maps, map);
	}
}

void jit_maps_answer(struct jit_maps *maps, struct jit_batch *batch)
{
	uint32_t first = 0;

	refill(maps, clock_read(&maps->config.clock).monotonic_ns);
	qsort(batch->questions, batch->count, sizeof(batch->questions[0]), compare_processes);
	for (uint32_t i = 0; i < batch->count; i++) {
		batch->questions[i].text = JIT_UNNAMED;
		batch->questions[i].is_early = false;
	}
	for (uint32_t i = 1; i <= batch->count; i++) {
		if (i < batch->count &&
			compare_processes(&batch->questions[first], &batch->questions[i]) == 0)
			continue;
		answer_process(maps, batch, first, i);
		first = i;
	}
	jit_maps_let_go(maps);
}
