/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_map.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

/* Prints, for the function `hot`, what a collector would see of it: its address, and start and file
 * offset of the mapping that holds it. */
static const char program[] =
	"#include <stdio.h>\n"
	"#include <stdint.h>\n"
	"__attribute__((noinline)) int hot(int n) { volatile int s = 0;\n"
	"	for (int i = 0; i < n; i++) s += i; return s; }\n"
	"int report(void) {\n"
	"	unsigned long low, high, offset, ip = (unsigned long)(uintptr_t)hot;\n"
	"	char line[4096], flags[8];\n"
	"	FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n"
	"	while (fgets(line, sizeof(line), maps))\n"
	"		if (sscanf(line, \"%lx-%lx %7s %lx\", &low, &high, flags, &offset) == 4 "
	"&&\n"
	"			ip >= low && ip < high)\n"
	"			printf(\"%lu\\n\", ip - low + offset);\n"
	"	return hot(3) != 3; }\n";

static uint64_t number(const char *text, int base)
{
	return strtoull(text, NULL, base);
}

/* FILE is what the mapping shows, RUN the command that prints the offset. */
static void check_program(const char *file, const char *run)
{
	SCOPED_FREE char *offset = work_output("%s", run);
	SCOPED_FREE char *address = work_output("nm %s | awk '$3 == \"hot\" { print $1 }'", file);
	SCOPED_FD int fd = work_open(file);
	struct load_map map;
	uint64_t found = 0;

	CHECK_EQ(load_map_read(fd, &map), 0);
	CHECK_EQ(load_map_address(&map, number(offset, 10), &found), 0);
	if (found != number(address, 16))
		fprintf(stderr, "%s\n", file);
	CHECK_EQ(found, number(address, 16));
}

static void every_way_to_link_gives_the_address_of_the_symbol_table(void)
{
	static const struct {
		const char *name;
		const char *compile;
	} ways[] = {
		{"fixed", "gcc -O1 -no-pie"},
		{"pie", "gcc -O1 -pie -fPIE"},
		{"static", "gcc -O1 -static"},
		{"staticpie", "gcc -O1 -static-pie -fPIE"},
		{"lld", "clang-14 -O1 -fuse-ld=lld -pie -fPIE"},
		{"lldfixed", "clang-14 -O1 -fuse-ld=lld -no-pie"},
		{"noseparate", "gcc -O1 -pie -fPIE -Wl,-z,noseparate-code"},
		{"hugepage", "gcc -O1 -pie -fPIE -Wl,-z,max-page-size=0x200000"},
		{"prelinked", "gcc -O1 -no-pie -Wl,-Ttext-segment=0x7000000"},
	};
	char command[64];

	work_write_text("hot.c", program);
	work_write_text("main.c", "int report(void); int main(void) { return report(); }\n");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		work_run("%s -o %s hot.c main.c", ways[i].compile, ways[i].name);
		snprintf(command, sizeof(command), "./%s", ways[i].name);
		check_program(ways[i].name, command);
	}
}

static void a_library_gives_the_address_of_its_symbol_table(void)
{
	work_run("gcc -O1 -shared -fPIC -o libhot.so hot.c");
	work_run("gcc -O1 -o uses main.c ./libhot.so");
	check_program("libhot.so", "./uses");
	work_run("clang-14 -O1 -shared -fPIC -fuse-ld=lld -o libhotlld.so hot.c");
	work_run("gcc -O1 -o useslld main.c ./libhotlld.so");
	check_program("libhotlld.so", "./useslld");
}

static void lld_moves_addresses_away_from_offsets(void)
{
	SCOPED_FD int fd = work_open("lld");
	struct load_map map;
	bool moved = false;

	CHECK_EQ(load_map_read(fd, &map), 0);
	for (uint32_t i = 0; i < map.count; i++)
		moved |= map.segments[i].executable &&
			map.segments[i].offset != map.segments[i].address;
	CHECK(moved);
}

static const struct load_map two_segments = {
	.segments =
		{
			{.offset = 0, .file_bytes = 0x1800, .address = 0x400000},
			{.offset = 0x1800,
				.file_bytes = 0x700,
				.address = 0x402800,
				.executable = true},
		},
	.count = 2,
};

static void the_segment_that_holds_the_offset_wins_over_its_neighbour_s_padding(void)
{
	uint64_t address;

	CHECK_EQ(load_map_address(&two_segments, 0x17ff, &address), 0);
	CHECK_EQ(address, 0x4017ff);
	CHECK_EQ(load_map_address(&two_segments, 0x1800, &address), 0);
	CHECK_EQ(address, 0x402800);
	/* Behind both: the padding of the executable one. */
	CHECK_EQ(load_map_address(&two_segments, 0x1f00, &address), 0);
	CHECK_EQ(address, 0x402f00);
}

static void where_segments_overlap_the_executable_one_wins(void)
{
	struct load_map map = two_segments;
	uint64_t address;

	map.segments[0].file_bytes = 0x2000;
	CHECK_EQ(load_map_address(&map, 0x1900, &address), 0);
	CHECK_EQ(address, 0x402900);
}

static void an_offset_far_from_every_segment_has_no_address(void)
{
	uint64_t address = 77;

	CHECK_EQ(load_map_address(&two_segments, 0x100000, &address), -ENOENT);
	CHECK_EQ(load_map_address(&(struct load_map){0}, 0, &address), -ENOENT);
	CHECK_EQ(address, 77);
}

static int read_tiny(struct tiny_elf *elf, struct load_map *ret_map)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = tiny_elf_finish(elf, &byte_count);
	SCOPED_FD int fd = -1;

	work_write("tiny", bytes, byte_count);
	fd = work_open("tiny");
	return load_map_read(fd, ret_map);
}

static void segments_that_wrap_around_are_refused(void)
{
	struct load_map map;
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	tiny_elf_segment(&elf,
		&(struct tiny_segment){.type = PT_LOAD, .offset = UINT64_MAX - 1, .file_bytes = 2});
	CHECK_EQ(read_tiny(&elf, &map), -EBADMSG);
	tiny_elf_init(&elf);
	tiny_elf_segment(&elf,
		&(struct tiny_segment){
			.type = PT_LOAD, .address = UINT64_MAX - 1, .memory_bytes = 2});
	CHECK_EQ(read_tiny(&elf, &map), -EBADMSG);
}

static void files_of_32_bits_are_read(void)
{
	struct load_map map;
	struct tiny_elf elf;
	uint64_t address;

	tiny_elf_init(&elf);
	elf.is_32 = true;
	tiny_elf_segment(&elf,
		&(struct tiny_segment){.type = PT_LOAD,
			.flags = PF_X,
			.offset = 0x1000,
			.address = 0x8049000,
			.file_bytes = 0x500,
			.memory_bytes = 0x500});
	CHECK_EQ(read_tiny(&elf, &map), 0);
	CHECK_EQ(map.count, 1);
	CHECK_EQ(load_map_address(&map, 0x1234, &address), 0);
	CHECK_EQ(address, 0x8049234);
}

int main(void)
{
	RUN(every_way_to_link_gives_the_address_of_the_symbol_table);
	RUN(a_library_gives_the_address_of_its_symbol_table);
	RUN(lld_moves_addresses_away_from_offsets);
	RUN(the_segment_that_holds_the_offset_wins_over_its_neighbour_s_padding);
	RUN(where_segments_overlap_the_executable_one_wins);
	RUN(an_offset_far_from_every_segment_has_no_address);
	RUN(segments_that_wrap_around_are_refused);
	RUN(files_of_32_bits_are_read);
	return 0;
}
