/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/table_store.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/unwind_memory.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"
#define NOW (1000 * NS_PER_S)
/* When nothing of NOW is in use any more. */
#define LATER (NOW + 200 * NS_PER_S)

static struct unwind_memory_fixture memory;
static struct node_pool pool;
static struct rule_set rules;
static struct table_store store;
static struct tally tally;

static void set_up(void)
{
	struct node_pool_config config = {
		.shard_count_max = 1, .make_shard = unwind_memory_make_shard, .context = &memory};

	tally = (struct tally){{0}};
	unwind_memory_init(&memory);
	node_pool_init(&pool, &config);
	CHECK_EQ(rule_set_init(&rules, memory.rules), 0);
	CHECK_EQ(table_store_init(&store, &pool, &rules, memory.tables, &tally), 0);
}

static void tear_down(void)
{
	while (table_store_evict(&store, UNWIND_TABLES_MAX, 0, LATER))
		;
	CHECK_EQ(pool.node_count, 0);
	table_store_done(&store);
	rule_set_done(&rules);
	node_pool_done(&pool);
	unwind_memory_done(&memory);
}

static uint32_t number_of(uint8_t name)
{
	struct build_id id;
	uint32_t number;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &name, 1, &id), 0);
	CHECK_EQ(table_store_number(&store, &id, &number), 0);
	return number;
}

static void build(uint32_t number, const char *path, uint64_t now_ns)
{
	SCOPED_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	table_store_build(&store, number, fd < 0 ? -errno : fd, now_ns);
}

static void a_build_has_one_number(void)
{
	set_up();
	CHECK_EQ(number_of(1), 0);
	CHECK_EQ(number_of(2), 1);
	CHECK_EQ(number_of(1), 0);
	tear_down();
}

static void a_table_is_built_once(void)
{
	uint32_t number;

	set_up();
	number = number_of(1);
	CHECK(table_store_wants(&store, number, NOW));
	build(number, LIBC, NOW);
	CHECK_EQ(memory.tables[number].state, UNWIND_TABLE_ready);
	CHECK(!table_store_wants(&store, number, NOW));
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_built), 1);
	CHECK(tally_value(&tally, TALLY_unwind_rows) > 20000);
	tear_down();
}

/* A file with one segment of code and SECTION as its .eh_frame, if there are bytes of it. */
static int made_file(const uint8_t *section, size_t byte_count)
{
	struct tiny_segment code = {.type = PT_LOAD,
		.flags = PF_R | PF_X,
		.offset = 0x1000,
		.address = 0x2000,
		.file_bytes = 0x800,
		.memory_bytes = 0x800};
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct tiny_elf elf;
	uint8_t *bytes;
	size_t file_bytes;

	tiny_elf_init(&elf);
	tiny_elf_segment(&elf, &code);
	if (byte_count > 0)
		tiny_elf_section(
			&elf, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x1000, section, byte_count);
	bytes = tiny_elf_finish(&elf, &file_bytes);
	CHECK(fd >= 0);
	CHECK_EQ(write(fd, bytes, file_bytes), file_bytes);
	free(bytes);
	return fd;
}

static void a_file_without_call_frame_information_goes_by_frame_pointers(void)
{
	SCOPED_FD int fd = made_file(NULL, 0);
	uint32_t number;

	set_up();
	number = number_of(1);
	table_store_build(&store, number, fd, NOW);
	CHECK_EQ(memory.tables[number].state, UNWIND_TABLE_none);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_none), 1);
	CHECK(!table_store_wants(&store, number, NOW + TABLE_RETRY_NS));
	tear_down();
}

static void functions_that_make_no_sense_are_counted(void)
{
	/* A common entry, a function of 32 bytes at 0x2000 with an instruction that does not exist,
	 * and the closing entry. */
	static const uint8_t section[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1,
		0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0, 16, 0, 0, 0, 28, 0, 0, 0, 0xe0, 0x0f, 0, 0, 32, 0,
		0, 0, 0, 0x41, 0x3f, 0, 0, 0, 0, 0};
	SCOPED_FD int fd = made_file(section, sizeof(section));
	uint32_t number;

	set_up();
	number = number_of(1);
	table_store_build(&store, number, fd, NOW);
	CHECK_EQ(memory.tables[number].state, UNWIND_TABLE_ready);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_functions_broken), 1);
	tear_down();
}

static void a_file_that_can_not_be_read_is_tried_again_later(void)
{
	uint32_t number;

	set_up();
	number = number_of(1);
	build(number, "/there/is/no/file", NOW);
	CHECK_EQ(memory.tables[number].state, UNWIND_TABLE_absent);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_failed), 1);
	CHECK(!table_store_wants(&store, number, NOW + TABLE_RETRY_NS - 1));
	CHECK(table_store_wants(&store, number, NOW + TABLE_RETRY_NS));
	tear_down();
}

static void what_was_not_used_for_longest_makes_room(void)
{
	uint32_t count = 0, ready = 0;

	set_up();
	/* One shard holds ten tables of the C library. */
	for (uint8_t name = 1; name <= 14; name++) {
		uint32_t number = number_of(name);

		build(number, LIBC, NOW + name * 10 * NS_PER_S);
		CHECK_EQ(memory.tables[number].state, UNWIND_TABLE_ready);
		count++;
		/* The first one is used all the time. */
		memory.tables[0].used_at = UNWIND_USE_TIME(NOW + name * 10 * NS_PER_S);
	}
	for (uint32_t i = 0; i < count; i++)
		ready += memory.tables[i].state == UNWIND_TABLE_ready;
	CHECK_EQ(memory.tables[0].state, UNWIND_TABLE_ready);
	CHECK_EQ(memory.tables[1].state, UNWIND_TABLE_absent);
	CHECK_EQ(memory.tables[13].state, UNWIND_TABLE_ready);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_evicted), count - ready);
	CHECK(table_store_wants(&store, 1, NOW));
	tear_down();
}

/* Fills the memory with tables that walks use; gives the number of the one that found no room. */
static uint32_t fill(uint64_t now_ns)
{
	uint32_t number = 0;

	for (uint8_t name = 1; memory.tables[number].state != UNWIND_TABLE_no_room; name++) {
		CHECK(name < 20);
		number = number_of(name);
		build(number, LIBC, now_ns);
	}
	return number;
}

static void tables_in_use_stay_and_the_new_one_waits(void)
{
	uint32_t late;

	set_up();
	late = fill(NOW);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_no_room), 1);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_evicted), 0);
	CHECK(!table_store_wants(&store, late, NOW + TABLE_NO_ROOM_RETRY_NS - 1));
	CHECK(table_store_wants(&store, late, NOW + TABLE_NO_ROOM_RETRY_NS));
	/* All but the last one are used on. */
	for (uint32_t i = 0; i + 1 < late; i++)
		memory.tables[i].used_at = UNWIND_USE_TIME(NOW + TABLE_NO_ROOM_RETRY_NS);
	build(late, LIBC, NOW + TABLE_NO_ROOM_RETRY_NS);
	CHECK_EQ(memory.tables[late].state, UNWIND_TABLE_ready);
	CHECK_EQ(memory.tables[late - 1].state, UNWIND_TABLE_absent);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_evicted), 1);
	tear_down();
}

/* A small program beside a compiler: in use or not, the compiler's table goes, but not every time. */
static void a_much_smaller_table_gets_the_memory_of_a_large_one(void)
{
	uint32_t late;

	set_up();
	late = fill(NOW);
	store.entries[late - 2].source_bytes *= 10;
	build(late, LIBC, NOW);
	CHECK_EQ(memory.tables[late].state, UNWIND_TABLE_ready);
	CHECK_EQ(memory.tables[late - 2].state, UNWIND_TABLE_absent);
	store.entries[late - 1].source_bytes *= 10;
	build(late - 2, LIBC, NOW + TABLE_LARGER_INTERVAL_NS - 1);
	CHECK_EQ(memory.tables[late - 2].state, UNWIND_TABLE_no_room);
	build(late - 2, LIBC, NOW + TABLE_LARGER_INTERVAL_NS);
	CHECK_EQ(memory.tables[late - 2].state, UNWIND_TABLE_ready);
	CHECK_EQ(memory.tables[late - 1].state, UNWIND_TABLE_absent);
	tear_down();
}

/* A walk is later than the round that user space is in, and its use is no use of 19 hours ago. */
static void a_use_in_a_moment_is_the_newest_of_all(void)
{
	uint64_t later = NOW + 20 * NS_PER_S;
	uint32_t late;

	set_up();
	late = fill(NOW);
	for (uint32_t i = 0; i < late; i++)
		memory.tables[i].used_at = (uint16_t)(UNWIND_USE_TIME(later) + 1);
	memory.tables[3].used_at = UNWIND_USE_TIME(NOW);
	build(late, LIBC, later);
	CHECK_EQ(memory.tables[late].state, UNWIND_TABLE_ready);
	CHECK_EQ(memory.tables[3].state, UNWIND_TABLE_absent);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_evicted), 1);
	tear_down();
}

static void a_table_larger_than_the_cap_leaves_the_others_gone_but_counted(void)
{
	uint32_t small, large;

	set_up();
	small = number_of(1);
	large = number_of(2);
	build(small, LIBC, NOW);
	/* Python has more code than what then is left. */
	for (uint32_t i = 0; i < UNWIND_SHARD_NODES - 100; i++) {
		struct unwind_reference reference;

		CHECK_EQ(node_pool_take(&pool, &reference), 0);
	}
	build(large, "/usr/bin/python3", LATER);
	CHECK_EQ(memory.tables[small].state, UNWIND_TABLE_absent);
	CHECK_EQ(memory.tables[large].state, UNWIND_TABLE_no_room);
	CHECK_EQ(tally_value(&tally, TALLY_unwind_tables_no_room), 1);
	pool.node_count -= UNWIND_SHARD_NODES - 100;
	tear_down();
}

int main(void)
{
	RUN(a_build_has_one_number);
	RUN(a_table_is_built_once);
	RUN(a_file_without_call_frame_information_goes_by_frame_pointers);
	RUN(functions_that_make_no_sense_are_counted);
	RUN(a_file_that_can_not_be_read_is_tried_again_later);
	RUN(what_was_not_used_for_longest_makes_room);
	RUN(tables_in_use_stay_and_the_new_one_waits);
	RUN(a_much_smaller_table_gets_the_memory_of_a_large_one);
	RUN(a_use_in_a_moment_is_the_newest_of_all);
	RUN(a_table_larger_than_the_cap_leaves_the_others_gone_but_counted);
	return 0;
}
