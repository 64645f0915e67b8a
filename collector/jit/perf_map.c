/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/perf_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/jit/perf_map_line.h"

#define CHUNK_BYTES (32 * 1024)
/* Names from before the map was first opened are told apart by time as far back as this. */
#define BASE_BEFORE_NS (3600 * NS_PER_S)
#define NAMES_BYTES_FIRST 1024

_Static_assert(CHUNK_BYTES > PERF_MAP_LINE_BYTES_MAX, "a whole line must fit");

void perf_map_init(struct perf_map *map, uint32_t entry_count_max, uint64_t now_ns)
{
	*map = (struct perf_map){.base_ns = now_ns > BASE_BEFORE_NS ? now_ns - BASE_BEFORE_NS : 0};
	code_index_init(&map->index, entry_count_max);
}

void perf_map_done(struct perf_map *map)
{
	code_index_done(&map->index);
	free(map->names);
	map->names = NULL;
}

uint64_t perf_map_memory(const struct perf_map *map)
{
	return (uint64_t)map->index.capacity * sizeof(struct code_entry) + map->name_capacity;
}

/* In milliseconds, which hold for 49 days; of what is older, the last word counts. */
static uint32_t index_time(const struct perf_map *map, uint64_t monotonic_ns)
{
	uint64_t passed_ms =
		monotonic_ns > map->base_ns ? (monotonic_ns - map->base_ns) / NS_PER_MS : 0;

	return passed_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)passed_ms;
}

static void forget_names(struct perf_map *map)
{
	for (uint32_t i = 0; i < map->index.count; i++)
		map->index.entries[i].name = CODE_NAME_NONE;
	free(map->names);
	map->names = NULL;
	map->name_bytes = map->name_capacity = 0;
}

static void begin_anew(struct perf_map *map)
{
	forget_names(map);
	code_index_clear(&map->index);
	map->byte_count = map->read_to = map->tail_length = 0;
	map->changed_at_ns = 0;
	map->skips_line = map->is_stale = false;
}

/* --- reading -----------------------------------------------------------------------------------
 */

/* True if FD still shows what was read of it. */
static bool goes_on(const struct perf_map *map, int fd, const struct stat *stat)
{
	char tail[PERF_MAP_TAIL_BYTES];

	if (stat->st_dev != map->device || stat->st_ino != map->inode ||
		(uint64_t)stat->st_size < map->read_to)
		return false;
	return pread(fd, tail, map->tail_length, map->read_to - map->tail_length) ==
		(ssize_t)map->tail_length &&
		memcmp(tail, map->tail, map->tail_length) == 0;
}

static void keep_tail(struct perf_map *map, const char *text, size_t length)
{
	size_t kept = length < PERF_MAP_TAIL_BYTES ? length : PERF_MAP_TAIL_BYTES;

	/* Shorter than a tail only where the file is, or where lines are hardly any. */
	memcpy(map->tail, text + length - kept, kept);
	map->tail_length = (uint32_t)kept;
}

static int take_line(struct perf_map *map, const char *text, size_t length, uint32_t seen_at,
	struct perf_map_counts *counts)
{
	struct code_entry entry = {.line_at = map->read_to, .seen_at = seen_at};
	struct perf_map_line line;

	if (length == 0)
		return 0;
	if (perf_map_parse_line(text, length, &line) < 0) {
		counts->malformed++;
		return 0;
	}
	entry.start = line.start;
	entry.size = line.size;
	return code_index_add(&map->index, &entry);
}

/* Takes the whole lines of TEXT, which stands at read_to. */
static int take_lines(struct perf_map *map, const char *text, size_t length, uint32_t seen_at,
	struct perf_map_counts *counts)
{
	const char *at = text, *end = text + length, *line_end;
	int r = 0;

	while (r == 0 && (line_end = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		if (!map->skips_line)
			r = take_line(map, at, (size_t)(line_end - at), seen_at, counts);
		if (r < 0)
			break;
		map->skips_line = false;
		map->read_to += (uint32_t)(line_end + 1 - at);
		at = line_end + 1;
	}
	if (r == 0 && end - at > PERF_MAP_LINE_BYTES_MAX) {
		counts->malformed += map->skips_line ? 0 : 1;
		map->skips_line = true;
		map->read_to += (uint32_t)(end - at);
		at = end;
	}
	if (at > text)
		keep_tail(map, text, (size_t)(at - text));
	return r;
}

static int read_on(struct perf_map *map, int fd, uint32_t seen_at, uint64_t *bytes_left,
	struct perf_map_counts *counts)
{
	char text[CHUNK_BYTES];

	map->is_behind = false;
	while (map->read_to < PERF_MAP_BYTES_MAX - CHUNK_BYTES) {
		uint32_t before = map->read_to;
		ssize_t got = pread(fd, text, sizeof(text), before);
		int r;

		if (got <= 0)
			return got < 0 ? -errno : 0;
		counts->bytes_read += (uint64_t)got;
		r = take_lines(map, text, (size_t)got, seen_at, counts);
		/* Nothing but a line without its end is left. */
		if (r < 0 || map->read_to == before)
			return r;
		*bytes_left -= (uint64_t)got < *bytes_left ? (uint64_t)got : *bytes_left;
		if (*bytes_left == 0) {
			map->is_behind = true;
			return 0;
		}
	}
	return 0;
}

static bool is_as_before(
	const struct perf_map *map, const struct stat *stat, uint64_t changed_at_ns)
{
	return map->byte_count > 0 && !map->is_behind && !map->is_stale &&
		changed_at_ns == map->changed_at_ns && stat->st_dev == map->device &&
		stat->st_ino == map->inode && (uint64_t)stat->st_size == map->byte_count;
}

int perf_map_follow(struct perf_map *map, int fd, const struct clock_reading *now,
	uint64_t *bytes_left, struct perf_map_counts *counts)
{
	uint64_t real_to_monotonic_ns = now->realtime_ns - now->monotonic_ns;
	uint64_t seen_at_ns = now->monotonic_ns, changed_at_ns;
	struct stat stat;
	int r;

	if (fstat(fd, &stat) < 0)
		return -errno;
	changed_at_ns = (uint64_t)stat.st_mtim.tv_sec * NS_PER_S + (uint64_t)stat.st_mtim.tv_nsec;
	if (is_as_before(map, &stat, changed_at_ns)) {
		map->followed_at_ns = now->monotonic_ns;
		return 0;
	}
	if (map->is_stale || (map->byte_count > 0 && !goes_on(map, fd, &stat))) {
		counts->replaced++;
		begin_anew(map);
	}
	if (*bytes_left == 0) {
		map->is_behind = true;
		return 0;
	}
	map->device = stat.st_dev;
	map->inode = stat.st_ino;
	map->byte_count = stat.st_size > UINT32_MAX ? UINT32_MAX : (uint32_t)stat.st_size;
	map->changed_at_ns = changed_at_ns;
	map->followed_at_ns = now->monotonic_ns;
	/* All lines had been written by the time of the file; that of now is only a later bound. */
	if (changed_at_ns >= real_to_monotonic_ns &&
		changed_at_ns - real_to_monotonic_ns < seen_at_ns)
		seen_at_ns = changed_at_ns - real_to_monotonic_ns;
	r = read_on(map, fd, index_time(map, seen_at_ns), bytes_left, counts);
	if (r == 0)
		r = code_index_settle(&map->index);
	/* What could not be kept is read again. */
	map->is_behind |= r < 0;
	return r;
}

/* --- names -------------------------------------------------------------------------------------
 */

static int reserve(struct perf_map *map, uint32_t byte_count)
{
	uint32_t capacity = map->name_capacity ? map->name_capacity : NAMES_BYTES_FIRST;
	char *names;

	if (map->name_bytes + byte_count > PERF_MAP_NAMES_BYTES_MAX)
		forget_names(map);
	while (capacity < map->name_bytes + byte_count)
		capacity *= 2;
	if (map->name_capacity < capacity) {
		names = realloc(map->names, capacity);
		if (!names)
			return -ENOMEM;
		map->names = names;
		map->name_capacity = capacity;
	}
	/* Number 0 is none. */
	if (map->name_bytes == 0)
		map->names[map->name_bytes++] = '\0';
	return 0;
}

/* Reads the name from the line again, if that line is still there. */
static int fetch_name(struct perf_map *map, int fd, struct code_entry *entry)
{
	char text[PERF_MAP_LINE_BYTES_MAX + 1];
	ssize_t got = pread(fd, text, sizeof(text), entry->line_at);
	struct perf_map_line line;
	const char *end;
	int r;

	if (got < 0)
		return -errno;
	end = memchr(text, '\n', (size_t)got);
	if (!end || perf_map_parse_line(text, (size_t)(end - text), &line) < 0 ||
		line.start != entry->start || line.size != entry->size)
		return -ESTALE;
	r = reserve(map, PERF_MAP_NAME_BYTES_MAX + 2);
	if (r < 0)
		return r;
	memcpy(map->names + map->name_bytes, line.name, line.name_length);
	map->names[map->name_bytes + line.name_length] = '\0';
	entry->name = map->name_bytes;
	map->name_bytes += (uint32_t)line.name_length + 1;
	return 0;
}

const char *perf_map_name(struct perf_map *map, int fd, uint64_t address, uint64_t taken_at_ns)
{
	struct code_entry *entry =
		code_index_find(&map->index, address, index_time(map, taken_at_ns));

	if (!entry || (fd < 0 && taken_at_ns > map->followed_at_ns))
		return NULL;
	if (entry->name == CODE_NAME_NONE && fd >= 0)
		map->is_stale |= fetch_name(map, fd, entry) == -ESTALE;
	return entry->name == CODE_NAME_NONE ? NULL : map->names + entry->name;
}
