/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/binary_table.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct tally tally;
static struct proc_root proc;
static struct binary_table table;
static const struct binary_mapping nowhere = {0, 0, 0, 0};

static void set_up(void)
{
	CHECK_EQ(proc_root_init(&proc, "/proc"), 0);
	CHECK_EQ(binary_table_init(&table, &proc, &tally), 0);
}

static void tear_down(void)
{
	binary_table_done(&table);
	proc_root_done(&proc);
}

static struct build_id id_of(const char *name)
{
	struct build_id build_id;
	int fd = work_open(name);

	CHECK_EQ(note_build_id(fd, &build_id), 0);
	close(fd);
	return build_id;
}

static struct binary_key key_by_id(const char *path, const struct build_id *build_id)
{
	return (struct binary_key){
		.build_id = *build_id, .path = path, .path_length = strlen(path)};
}

static struct binary_key key_by_inode(const char *path)
{
	struct stat file;

	CHECK_EQ(stat(path, &file), 0);
	return (struct binary_key){
		.dev_major = major(file.st_dev),
		.dev_minor = minor(file.st_dev),
		.inode = file.st_ino,
		.path = path,
		.path_length = strlen(path),
	};
}

static struct binary *get(const struct binary_key *key)
{
	struct binary *binary;

	CHECK_EQ(binary_get(&table, key, &binary), 0);
	return binary;
}

static void what_the_mapping_says_tells_binaries_apart(void)
{
	struct binary_key key = {.dev_major = 8, .inode = 5, .path = "/a", .path_length = 2};
	struct binary_key other;
	struct binary *binary;

	set_up();
	binary = get(&key);
	CHECK_STR(binary->base_name, "a");
	CHECK(get(&key) == binary);
	other = key;
	other.path = "/a (deleted)";
	other.path_length = strlen(other.path);
	CHECK(get(&other) == binary);
	other = key;
	other.inode = 6;
	CHECK(get(&other) != binary);
	other = key;
	other.dev_minor = 1;
	CHECK(get(&other) != binary);
	other = key;
	other.generation = 3;
	CHECK(get(&other) == binary);
	other.generation = 4;
	CHECK(get(&other) != binary);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "x", 1, &other.build_id), 0);
	CHECK(get(&other) != binary);
	tear_down();
}

static void unused_binaries_are_kept_until_there_are_too_many(void)
{
	struct binary *first = NULL;
	char path[32];

	set_up();
	for (unsigned i = 0; i <= BINARY_IDLE_MAX; i++) {
		struct binary_key key = {.inode = i + 1, .path = path};
		struct binary *binary;

		key.path_length = (size_t)snprintf(path, sizeof(path), "/%u", i);
		binary = get(&key);
		if (i == 0)
			first = binary;
		else
			binary_release(&table, binary);
	}
	CHECK_EQ(table.idle_count, BINARY_IDLE_MAX);
	binary_release(&table, first);
	CHECK_EQ(table.idle_count, BINARY_IDLE_MAX);
	CHECK_EQ(table.count, BINARY_IDLE_MAX);
	CHECK_EQ(tally_value(&tally, TALLY_binaries_evicted), 1);
	tear_down();
}

static void a_full_table_refuses(void)
{
	char path[32];
	struct binary_key key = {.path = path};
	struct binary *binary;

	set_up();
	for (key.inode = 1; key.inode <= BINARY_COUNT_MAX; key.inode++) {
		key.path_length = (size_t)snprintf(
			path, sizeof(path), "/%llu", (unsigned long long)key.inode);
		binary = get(&key);
	}
	CHECK_EQ(binary_get(&table, &key, &binary), -E2BIG);
	binary_release(&table, binary);
	CHECK_EQ(binary_get(&table, &key, &binary), 0);
	tear_down();
}

static void a_file_is_read_once_by_its_path(void)
{
	struct binary_key key;
	struct binary *binary;
	struct build_id build_id;

	set_up();
	work_run("echo 'int main(void){return 0;}' > a.c && gcc -Wl,--build-id=sha1 -o a a.c");
	build_id = id_of("a");
	key = key_by_id(work_path("a"), &build_id);
	binary = get(&key);
	CHECK_EQ(binary->state, BINARY_UNREAD);
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_READ);
	CHECK(binary->segments->count > 0);

	key = key_by_inode(work_path("a"));
	binary = get(&key);
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_READ);
	CHECK(build_id_equal(&binary->build_id, &build_id));
	tear_down();
}

static void another_build_at_the_same_path_is_not_taken(void)
{
	struct binary_key by_id, by_inode;
	struct binary *with_id, *with_inode;
	struct build_id old;
	char path[256];

	set_up();
	work_run("echo 'int main(void){return 1;}' > b.c && gcc -Wl,--build-id=sha1 -o b b.c && "
		 "gcc -Wl,--build-id=0x1234 -o b.new b.c");
	snprintf(path, sizeof(path), "%s", work_path("b"));
	old = id_of("b");
	by_id = key_by_id(path, &old);
	by_inode = key_by_inode(path);
	with_id = get(&by_id);
	with_inode = get(&by_inode);
	work_run("mv b b.old && mv b.new b");
	binary_read(&table, with_id, &nowhere, NS_PER_S);
	binary_read(&table, with_inode, &nowhere, NS_PER_S);
	CHECK_EQ(with_id->state, BINARY_UNREAD);
	CHECK_EQ(with_inode->state, BINARY_UNREAD);
	CHECK_EQ(tally_value(&tally, TALLY_binaries_replaced), 2);
	CHECK_EQ(binary_open(&table, with_id, &nowhere), -ESTALE);

	/* Tried again later, and through another process at once. */
	work_run("mv b.old b");
	binary_read(&table, with_id, &nowhere, NS_PER_S + 1);
	CHECK_EQ(with_id->state, BINARY_UNREAD);
	binary_read(&table, with_id, &nowhere, 3 * NS_PER_S);
	CHECK_EQ(with_id->state, BINARY_READ);
	binary_read(&table, with_inode, &(struct binary_mapping){.pid = 1}, NS_PER_S + 1);
	CHECK_EQ(with_inode->state, BINARY_READ);
	tear_down();
}

/* `cp new old` keeps the inode. The process that maps it next runs the new build. */
static void a_file_that_was_written_to_is_read_again(void)
{
	struct binary_key key;
	struct binary *binary;
	struct build_id old, new;
	uint64_t read_count;

	set_up();
	work_run("echo 'int main(void){return 4;}' > e.c && gcc -Wl,--build-id=sha1 -o e e.c && "
		 "gcc -Wl,--build-id=0x1234 -o e.new e.c");
	old = id_of("e");
	new = id_of("e.new");
	key = key_by_inode(work_path("e"));
	binary = get(&key);
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK(build_id_equal(&binary->build_id, &old));
	read_count = tally_value(&tally, TALLY_binaries_read);
	CHECK(get(&key) == binary);
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK_EQ(tally_value(&tally, TALLY_binaries_read), read_count);

	work_run("cat e.new > e");
	binary->window = 7;
	CHECK(get(&key) == binary);
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_READ);
	CHECK(build_id_equal(&binary->build_id, &new));
	CHECK_EQ(binary->window, 0);

	work_run("rm e");
	CHECK(get(&key) == binary);
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_UNREAD);
	CHECK_EQ(tally_value(&tally, TALLY_binaries_unread), 1);
	tear_down();
}

static void a_file_that_is_not_elf_is_known_for_that(void)
{
	struct binary_mapping own = {.pid = (uint32_t)getpid()};
	struct binary_key key;
	struct binary *binary;
	void *memory;
	int fd;

	set_up();
	work_run("head -c 4096 /dev/zero > text");
	fd = work_open("text");
	memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(memory != MAP_FAILED);
	own.start = (uint64_t)(uintptr_t)memory;
	own.end = own.start + 4096;
	key = key_by_inode(work_path("text"));
	binary = get(&key);
	binary_read(&table, binary, &own, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_NOT_ELF);
	munmap(memory, 4096);
	close(fd);
	tear_down();
}

static void a_deleted_file_is_read_through_its_mapping(void)
{
	struct binary_mapping own = {.pid = (uint32_t)getpid()};
	struct binary_key key;
	struct binary *binary;
	struct build_id build_id;
	void *memory;
	int fd;

	set_up();
	work_run("echo 'int main(void){return 2;}' > c.c && gcc -Wl,--build-id=sha1 -o c c.c");
	build_id = id_of("c");
	fd = work_open("c");
	memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(memory != MAP_FAILED);
	close(fd);
	own.start = (uint64_t)(uintptr_t)memory;
	own.end = own.start + 4096;
	key = key_by_inode(work_path("c"));
	binary = get(&key);
	work_run("rm c && gcc -Wl,--build-id=0x99 -o c c.c");
	binary_read(&table, binary, &own, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_READ);
	CHECK(build_id_equal(&binary->build_id, &build_id));
	fd = binary_open(&table, binary, &own);
	CHECK(fd >= 0);
	close(fd);
	munmap(memory, 4096);
	tear_down();
}

/* dlclose() and dlopen(): the next library often gets the place of the one before. */
static void another_file_in_the_same_place_is_not_taken(void)
{
	static const char *const others[] = {"f.new", "f.txt"};
	struct binary_key key;
	struct binary *binary;

	set_up();
	work_run("echo 'int main(void){return 5;}' > f.c && gcc -Wl,--build-id=none -o f f.c && "
		 "gcc -Wl,--build-id=0x77 -o f.new f.c && head -c 4096 /dev/zero > f.txt");
	key = key_by_inode(work_path("f"));
	work_run("mv f f.old");
	binary = get(&key);
	for (uint64_t i = 0; i < 2; i++) {
		struct binary_mapping own = {.pid = (uint32_t)getpid()};
		int fd = work_open(others[i]);
		void *memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

		CHECK(memory != MAP_FAILED);
		close(fd);
		own.start = (uint64_t)(uintptr_t)memory;
		own.end = own.start + 4096;
		binary_read(&table, binary, &own, (i + 1) * 10 * NS_PER_S);
		CHECK_EQ(binary->state, BINARY_UNREAD);
		munmap(memory, 4096);
	}
	tear_down();
}

/* A compiler in a container has ended before anybody looked; the shell that ran it is still there.
 */
static void a_parent_shows_the_files_of_a_child_that_is_gone(void)
{
	struct binary_mapping gone = {.pid = 0x7ffffff0, .parent_pid = (uint32_t)getpid()};
	struct binary_key key;
	struct binary *binary;
	struct build_id build_id;
	struct proc_root fake;

	set_up();
	work_run("mkdir -p fake/%d/root/inside && echo 'int main(void){return 3;}' > d.c && "
		 "gcc -Wl,--build-id=sha1 -o fake/%d/root/inside/d d.c",
		getpid(), getpid());
	CHECK_EQ(proc_root_init(&fake, work_path("fake")), 0);
	table.proc = &fake;
	build_id = id_of(work_path("fake/%d/root/inside/d", getpid()) + strlen(work_dir()) + 1);
	key = key_by_id("/inside/d", &build_id);
	binary = get(&key);
	binary_read(&table, binary, &gone, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_READ);
	table.proc = &proc;
	proc_root_done(&fake);
	tear_down();
}

static void the_vdso_is_a_binary_like_others(void)
{
	struct binary *binary, *again;
	int fd;

	set_up();
	CHECK_EQ(binary_get_vdso(&table, &binary), 0);
	CHECK_EQ(binary_get_vdso(&table, &again), 0);
	CHECK(binary == again);
	CHECK_STR(binary->base_name, "[vdso]");
	binary_read(&table, binary, &nowhere, NS_PER_S);
	CHECK_EQ(binary->state, BINARY_READ);
	fd = binary_open(&table, binary, &nowhere);
	CHECK(fd >= 0);
	close(fd);
	tear_down();
}

static void binaries_are_found_by_build_id(void)
{
	struct binary_key one, two;
	struct build_id build_id, unknown;
	struct binary *first, *second;

	set_up();
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "same", 4, &build_id), 0);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "none", 4, &unknown), 0);
	one = key_by_id("/one", &build_id);
	two = key_by_id("/two", &build_id);
	get(&one);
	get(&two);
	first = binary_find(&table, &build_id, NULL);
	CHECK(first);
	second = binary_find(&table, &build_id, first);
	CHECK(second && second != first);
	CHECK(!binary_find(&table, &build_id, second));
	CHECK(!binary_find(&table, &unknown, NULL));
	tear_down();
}

int main(void)
{
	RUN(what_the_mapping_says_tells_binaries_apart);
	RUN(unused_binaries_are_kept_until_there_are_too_many);
	RUN(a_full_table_refuses);
	RUN(a_file_is_read_once_by_its_path);
	RUN(another_build_at_the_same_path_is_not_taken);
	RUN(a_file_that_was_written_to_is_read_again);
	RUN(a_file_that_is_not_elf_is_known_for_that);
	RUN(a_deleted_file_is_read_through_its_mapping);
	RUN(another_file_in_the_same_place_is_not_taken);
	RUN(a_parent_shows_the_files_of_a_child_that_is_gone);
	RUN(the_vdso_is_a_binary_like_others);
	RUN(binaries_are_found_by_build_id);
	return 0;
}
