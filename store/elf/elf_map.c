/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_map.h"

#include <elf.h>
#include <errno.h>

/* The kernel maps whole pages: what stands beside a segment in its first and last page is seen
 * through its mapping, too. Large pages of other machines included. */
#define PAGE_BYTES_MAX (UINT64_C(64) << 10)

int load_map_of_image(const struct image *image, struct load_map *ret_map)
{
	struct load_map map = {0};

	for (uint32_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (segment->type != PT_LOAD)
			continue;
		if (map.count == LOAD_SEGMENT_COUNT_MAX)
			return -E2BIG;
		if (segment->offset + segment->file_bytes < segment->offset ||
			segment->address + segment->memory_bytes < segment->address)
			return -EBADMSG;
		map.segments[map.count++] = (struct load_segment){
			.offset = segment->offset,
			.file_bytes = segment->file_bytes,
			.address = segment->address,
			.executable = segment->flags & PF_X,
		};
	}
	*ret_map = map;
	return 0;
}

int load_map_read(int fd, struct load_map *ret_map)
{
	struct image image;
	int r = image_open(fd, false, &image);

	if (r < 0)
		return r;
	r = load_map_of_image(&image, ret_map);
	image_done(&image);
	return r;
}

/* How well a segment explains OFFSET; 0: not at all. */
static int rank(const struct load_segment *segment, uint64_t offset)
{
	uint64_t end = segment->offset + segment->file_bytes;
	bool inside = offset >= segment->offset && offset < end;
	bool beside = offset >= segment->offset - segment->offset % PAGE_BYTES_MAX &&
		offset < end + (PAGE_BYTES_MAX - end % PAGE_BYTES_MAX) % PAGE_BYTES_MAX;

	if (inside)
		return segment->executable ? 4 : 3;
	if (beside && segment->file_bytes > 0)
		return segment->executable ? 2 : 1;
	return 0;
}

int load_map_address(const struct load_map *map, uint64_t offset, uint64_t *ret_address)
{
	const struct load_segment *best = NULL;
	int best_rank = 0;

	for (uint32_t i = 0; i < map->count; i++) {
		int segment_rank = rank(&map->segments[i], offset);

		if (segment_rank > best_rank) {
			best = &map->segments[i];
			best_rank = segment_rank;
		}
	}
	if (!best)
		return -ENOENT;
	/* Wraps as intended when the offset stands before the segment. */
	*ret_address = offset - best->offset + best->address;
	return 0;
}
