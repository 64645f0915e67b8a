/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/mapping_set.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"

static struct tally tally;
static struct proc_root proc;
static struct binary_table binaries;
static struct mapping_pool pool;

static void set_up(void)
{
	CHECK_EQ(proc_root_init(&proc, "/proc"), 0);
	CHECK_EQ(binary_table_init(&binaries, &proc, &tally), 0);
	pool = (struct mapping_pool){.binaries = &binaries};
}

static void tear_down(void)
{
	CHECK_EQ(pool.mapping_count, 0);
	CHECK_EQ(binaries.idle_count, binaries.count);
	binary_table_done(&binaries);
	proc_root_done(&proc);
}

static struct binary *binary(const char *path)
{
	struct binary_key key = {.inode = 1, .path = path, .path_length = strlen(path)};
	struct binary *made;

	CHECK_EQ(binary_get(&binaries, &key, &made), 0);
	return made;
}

static int insert(
	struct mapping_set **set, uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
	struct mapping mapping = {start, end, offset, path ? binary(path) : NULL, 0};

	return mapping_set_insert(&pool, set, &mapping);
}

static void expect(const struct mapping_set *set, uint64_t address, uint64_t start, uint64_t end,
	uint64_t offset, const char *path)
{
	const struct mapping *mapping = mapping_set_find(set, address);

	CHECK(mapping);
	CHECK(mapping->start == start && mapping->end == end && mapping->offset == offset);
	CHECK((path == NULL) == (mapping->binary == NULL));
	if (path)
		CHECK_STR(mapping->binary->path, path);
}

static void addresses_are_found_in_their_mapping_only(void)
{
	struct mapping_set *set = NULL;

	set_up();
	CHECK(!mapping_set_find(set, 0));
	CHECK_EQ(insert(&set, 0x3000, 0x4000, 0, "/b"), 0);
	CHECK_EQ(insert(&set, 0x1000, 0x2000, 0x7000, "/a"), 0);
	expect(set, 0x1000, 0x1000, 0x2000, 0x7000, "/a");
	expect(set, 0x1fff, 0x1000, 0x2000, 0x7000, "/a");
	expect(set, 0x3fff, 0x3000, 0x4000, 0, "/b");
	CHECK(!mapping_set_find(set, 0xfff));
	CHECK(!mapping_set_find(set, 0x2000));
	CHECK(!mapping_set_find(set, 0x4000));
	mapping_set_release(&pool, set);
	tear_down();
}

static void a_new_mapping_takes_the_place_of_what_it_covers(void)
{
	struct mapping_set *set = NULL;

	set_up();
	CHECK_EQ(insert(&set, 0x1000, 0x9000, 0, "/a"), 0);
	CHECK_EQ(insert(&set, 0x3000, 0x5000, 0x100000, "/b"), 0);
	CHECK_EQ(set->count, 3);
	expect(set, 0x2000, 0x1000, 0x3000, 0, "/a");
	expect(set, 0x4000, 0x3000, 0x5000, 0x100000, "/b");
	expect(set, 0x5000, 0x5000, 0x9000, 0x4000, "/a");

	CHECK_EQ(insert(&set, 0x2000, 0x6000, 0, "/c"), 0);
	CHECK_EQ(set->count, 3);
	expect(set, 0x1000, 0x1000, 0x2000, 0, "/a");
	expect(set, 0x2000, 0x2000, 0x6000, 0, "/c");
	expect(set, 0x6000, 0x6000, 0x9000, 0x5000, "/a");

	CHECK_EQ(insert(&set, 0, 0x10000, 0, NULL), 0);
	CHECK_EQ(set->count, 1);
	mapping_set_release(&pool, set);
	tear_down();
}

static void the_same_twice_changes_nothing(void)
{
	struct mapping_set *set = NULL, *shared;

	set_up();
	CHECK_EQ(insert(&set, 0x1000, 0x2000, 0, "/a"), 0);
	shared = mapping_set_share(set);
	CHECK_EQ(insert(&set, 0x1000, 0x2000, 0, "/a"), 0);
	CHECK(set == shared);
	mapping_set_release(&pool, shared);
	mapping_set_release(&pool, set);
	tear_down();
}

static void a_shared_set_is_copied_before_it_changes(void)
{
	struct mapping_set *parent = NULL, *child;

	set_up();
	CHECK_EQ(insert(&parent, 0x1000, 0x2000, 0, "/a"), 0);
	child = mapping_set_share(parent);
	CHECK_EQ(insert(&child, 0x1000, 0x2000, 0, "/b"), 0);
	CHECK(child != parent);
	expect(parent, 0x1000, 0x1000, 0x2000, 0, "/a");
	expect(child, 0x1000, 0x1000, 0x2000, 0, "/b");
	mapping_set_release(&pool, parent);
	expect(child, 0x1000, 0x1000, 0x2000, 0, "/b");
	mapping_set_release(&pool, child);
	tear_down();
}

static void neighbouring_memory_without_file_is_one_piece(void)
{
	struct mapping_set *set = NULL;

	set_up();
	CHECK_EQ(insert(&set, 0x1000, 0x2000, 0, NULL), 0);
	CHECK_EQ(insert(&set, 0x3000, 0x4000, 0, NULL), 0);
	CHECK_EQ(insert(&set, 0x2000, 0x3000, 0, NULL), 0);
	CHECK_EQ(set->count, 1);
	expect(set, 0x2000, 0x1000, 0x4000, 0, NULL);
	CHECK_EQ(insert(&set, 0x1800, 0x2000, 0, "/a"), 0);
	CHECK_EQ(set->count, 3);
	mapping_set_release(&pool, set);
	tear_down();
}

static void too_many_mappings_are_refused_and_the_set_stays(void)
{
	struct mapping_set *set = NULL;
	uint32_t count = 0;

	set_up();
	while (insert(&set, 0x1000 + count * UINT64_C(0x2000), 0x2000 + count * UINT64_C(0x2000), 0,
		       "/a") == 0)
		count++;
	CHECK_EQ(count, MAPPING_COUNT_MAX);
	CHECK_EQ(insert(&set, 0x2000, 0x2800, 0, "/b"), -E2BIG);
	expect(set, 0x1000, 0x1000, 0x2000, 0, "/a");
	CHECK(!mapping_set_find(set, 0x2000));
	mapping_set_release(&pool, set);
	tear_down();
}

#define PAGE_COUNT 64

/* One letter and file page a page of address space, painted by hand. */
struct picture {
	char letter[PAGE_COUNT];
	uint64_t file_page[PAGE_COUNT];
};

static void compare(const struct mapping_set *set, const struct picture *picture)
{
	for (uint64_t page = 0; page < PAGE_COUNT; page++) {
		const struct mapping *mapping = mapping_set_find(set, page * 4096);

		CHECK((mapping != NULL) == (picture->letter[page] != '\0'));
		if (!mapping)
			continue;
		CHECK_EQ(mapping->binary ? mapping->binary->path[1] : '-', picture->letter[page]);
		if (mapping->binary)
			CHECK_EQ((page * 4096 - mapping->start + mapping->offset) / 4096,
				picture->file_page[page]);
	}
	for (uint32_t i = 1; set && i < set->count; i++)
		CHECK(set->mappings[i - 1].end <= set->mappings[i].start);
}

static void any_order_of_mappings_looks_like_painting_them(void)
{
	static const char *const paths[] = {"/a", "/b", "/c", NULL};
	unsigned seed = 7;

	set_up();
	for (int round = 0; round < 200; round++) {
		struct picture picture = {{0}, {0}};
		struct mapping_set *set = NULL;

		for (int step = 0; step < 40; step++) {
			uint64_t first = (uint64_t)rand_r(&seed) % PAGE_COUNT;
			uint64_t count = 1 + (uint64_t)rand_r(&seed) % (PAGE_COUNT - first);
			uint64_t file_page = (uint64_t)rand_r(&seed) % 1000;
			const char *path = paths[rand_r(&seed) % 4];

			CHECK_EQ(insert(&set, first * 4096, (first + count) * 4096,
					 file_page * 4096, path),
				0);
			for (uint64_t i = 0; i < count; i++) {
				picture.letter[first + i] = (char)(path ? path[1] : '-');
				picture.file_page[first + i] = file_page + i;
			}
			compare(set, &picture);
		}
		mapping_set_release(&pool, set);
	}
	tear_down();
}

int main(void)
{
	RUN(addresses_are_found_in_their_mapping_only);
	RUN(a_new_mapping_takes_the_place_of_what_it_covers);
	RUN(the_same_twice_changes_nothing);
	RUN(a_shared_set_is_copied_before_it_changes);
	RUN(neighbouring_memory_without_file_is_one_piece);
	RUN(too_many_mappings_are_refused_and_the_set_stays);
	RUN(any_order_of_mappings_looks_like_painting_them);
	return 0;
}
