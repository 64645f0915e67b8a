/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a file says of its segments: an offset inside of one that is alone there becomes the
 * address at the same distance from its start. */
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_map.h"
#include "tests/fuzz/file_input.h"
#include "tests/fuzz/fuzz.h"

static uint32_t holders(const struct load_map *map, uint64_t offset)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < map->count; i++)
		count += offset >= map->segments[i].offset &&
			offset - map->segments[i].offset < map->segments[i].file_bytes;
	return count;
}

static void check_offset(const struct load_map *map, uint32_t index, uint64_t distance)
{
	const struct load_segment *segment = &map->segments[index];
	uint64_t address;

	if (distance >= segment->file_bytes)
		return;
	must(load_map_address(map, segment->offset + distance, &address) == 0);
	if (holders(map, segment->offset + distance) == 1)
		must(address == segment->address + distance);
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FD int fd = file_input(bytes, byte_count);
	struct load_map map;

	if (load_map_read(fd, &map) < 0)
		return;
	must(map.count <= LOAD_SEGMENT_COUNT_MAX);
	for (uint32_t i = 0; i < map.count; i++) {
		check_offset(&map, i, 0);
		check_offset(&map, i, map.segments[i].file_bytes / 2);
		check_offset(&map, i, map.segments[i].file_bytes - 1);
	}
}
