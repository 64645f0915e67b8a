/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/locate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* The same loop linked in every way that moves addresses; each program says at run time where its
 * function is, and `nm` says where the file says that it is. */

static struct tally tally;
static struct process_table table;

static const char source[] =
	"#include <stdio.h>\n"
	"#include <unistd.h>\n"
	"__attribute__((noinline)) int hot(volatile int n) { int s = 0; while (n--) s += n; "
	"return s; }\n"
	"int main(void) { char c; printf(\"%p\\n\", (void *)hot); fflush(stdout); "
	"if (read(0, &c, 1) < 0) return 1; return hot(3) == 0; }\n";

static const char loader_source[] =
	"#include <dlfcn.h>\n"
	"#include <stdio.h>\n"
	"#include <unistd.h>\n"
	"int main(int n, char **v) { char c; void *h = dlopen(v[n - 1], RTLD_NOW); "
	"if (!h) { puts(dlerror()); return 1; } printf(\"%p\\n\", dlsym(h, \"hot\")); "
	"fflush(stdout); if (read(0, &c, 1) < 0) return 1; return 0; }\n";

struct running {
	pid_t pid;
	int stdin_fd;
	uint64_t hot;
};

static void start(const char *program, const char *argument, struct running *ret_running)
{
	int in[2], out[2];
	char text[64] = {0};

	CHECK_EQ(pipe(in), 0);
	CHECK_EQ(pipe(out), 0);
	ret_running->pid = fork();
	CHECK(ret_running->pid >= 0);
	if (ret_running->pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[1]);
		execl(program, program, argument, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	CHECK(read(out[0], text, sizeof(text) - 1) > 2);
	close(out[0]);
	ret_running->stdin_fd = in[1];
	ret_running->hot = strtoull(text, NULL, 16);
	CHECK(ret_running->hot != 0);
}

static void stop(const struct running *running)
{
	close(running->stdin_fd);
	CHECK_EQ(waitpid(running->pid, NULL, 0), running->pid);
}

static struct place locate_hot(const struct running *running, uint64_t offset, bool is_return)
{
	struct process_sighting sighting = {.pid = (uint32_t)running->pid};
	struct process *process = process_table_see(&table, &sighting);

	CHECK(process);
	return locate(&table, process, running->hot + offset, is_return, true, NS_PER_S);
}

static struct build_id id_of(const char *name)
{
	struct build_id build_id;
	int fd = work_open(name);

	CHECK_EQ(note_build_id(fd, &build_id), 0);
	close(fd);
	return build_id;
}

static uint64_t address_of_hot(const char *file)
{
	char *text = work_output("nm %s | awk '$3 == \"hot\" { print $1 }'", file);
	uint64_t address = strtoull(text, NULL, 16);

	free(text);
	CHECK(address != 0);
	return address;
}

static void expect_hot(const struct running *running, const char *file)
{
	struct build_id build_id = id_of(file);
	uint64_t address = address_of_hot(file);
	struct place place = locate_hot(running, 0, false);

	CHECK_EQ(place.kind, PLACE_BINARY);
	CHECK(place.address == address);
	CHECK(build_id_equal(&place.binary->build_id, &build_id));
	CHECK_STR(place.binary->base_name, file);
	place = locate_hot(running, 7, true);
	CHECK_EQ(place.kind, PLACE_BINARY);
	CHECK(place.address == address + 7);
}

static void set_up(void)
{
	struct process_table_config config = {.tally = &tally};

	CHECK_EQ(process_table_init(&table, &config), 0);
}

static void every_way_to_link_gives_the_address_of_the_file(void)
{
	static const char *const ways[][2] = {
		{"nopie", "gcc -O1 -no-pie -Wl,--build-id=sha1"},
		{"pie", "gcc -O1 -fPIE -pie -Wl,--build-id=sha1"},
		{"static_pie", "gcc -O1 -fPIE -static-pie -Wl,--build-id=sha1"},
		{"static", "gcc -O1 -static -Wl,--build-id=sha1"},
		{"one_segment", "gcc -O1 -fPIE -pie -Wl,-z,noseparate-code"},
		{"one_segment_nopie", "gcc -O1 -no-pie -Wl,-z,noseparate-code"},
		{"lld_pie", "clang-14 -O1 -fPIE -pie -fuse-ld=lld -Wl,--build-id=sha1"},
		{"lld_nopie", "clang-14 -O1 -no-pie -fuse-ld=lld -Wl,--build-id=sha1"},
		{"no_id", "gcc -O1 -fPIE -pie -Wl,--build-id=none"},
	};

	set_up();
	work_write_text("hot.c", source);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct running running;

		work_run("%s -o %s hot.c", ways[i][1], ways[i][0]);
		start(work_path("%s", ways[i][0]), NULL, &running);
		expect_hot(&running, ways[i][0]);
		stop(&running);
		printf("ok as %s\n", ways[i][0]);
	}
	process_table_done(&table);
}

static void libraries_opened_later_are_found(void)
{
	struct running running;

	set_up();
	work_write_text("loader.c", loader_source);
	work_run("gcc -o loader loader.c -ldl && gcc -O1 -shared -fPIC -o libhot.so hot.c && "
		 "clang-14 -O1 -shared -fPIC -fuse-ld=lld -Wl,--build-id -o liblld.so hot.c");
	for (int i = 0; i < 2; i++) {
		const char *library = i == 0 ? "libhot.so" : "liblld.so";
		char path[512];

		snprintf(path, sizeof(path), "%s", work_path("%s", library));
		start(work_path("loader"), path, &running);
		expect_hot(&running, library);
		stop(&running);
	}
	process_table_done(&table);
}

static void the_build_that_runs_counts_not_the_one_at_its_path(void)
{
	struct running running;
	struct place place;
	struct build_id old;
	const char *path;
	int fd;

	set_up();
	work_run("gcc -O1 -fPIE -pie -Wl,--build-id=sha1 -o victim hot.c");
	old = id_of("victim");
	start(work_path("victim"), NULL, &running);
	work_run("rm victim && gcc -O2 -fPIE -pie -Wl,--build-id=0xabcd -o victim hot.c");
	place = locate_hot(&running, 0, false);
	CHECK_EQ(place.kind, PLACE_BINARY);
	CHECK(build_id_equal(&place.binary->build_id, &old));
	fd = locate_file(&table, &old, &path);
	CHECK(fd >= 0);
	CHECK(strstr(path, "/victim"));
	close(fd);
	stop(&running);
	process_table_scan(&table);
	CHECK_EQ(locate_file(&table, &old, &path), -ESTALE);
	process_table_done(&table);
}

static void programs_in_memory_only_are_found(void)
{
	struct running running;
	struct build_id build_id;
	struct place place;
	char path[64];
	int fd, memory;
	char bytes[65536];
	ssize_t got;

	set_up();
	work_run("gcc -O1 -fPIE -pie -Wl,--build-id=sha1 -o in_memory hot.c");
	build_id = id_of("in_memory");
	fd = work_open("in_memory");
	memory = memfd_create("hidden", 0);
	CHECK(memory >= 0);
	while ((got = read(fd, bytes, sizeof(bytes))) > 0)
		CHECK_EQ(write(memory, bytes, (size_t)got), got);
	close(fd);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), memory);
	start(path, NULL, &running);
	place = locate_hot(&running, 0, false);
	CHECK_EQ(place.kind, PLACE_BINARY);
	CHECK(place.address == address_of_hot("in_memory"));
	CHECK(build_id_equal(&place.binary->build_id, &build_id));
	CHECK_STR(place.binary->base_name, "memfd:hidden");
	stop(&running);
	close(memory);
	process_table_done(&table);
}

static void addresses_without_a_file_stay_absolute(void)
{
	struct process_sighting sighting = {.pid = (uint32_t)getpid()};
	uint64_t vdso_address = 0;
	struct process *process;
	struct place place;
	void *code;

	set_up();
	process = process_table_see(&table, &sighting);
	CHECK(process);
	place = locate(&table, process, 0x1234, false, false, NS_PER_S);
	CHECK_EQ(place.kind, PLACE_UNMAPPED);
	CHECK(place.address == 0x1234);
	CHECK_EQ(tally_value(&tally, TALLY_mappings_read_again), 0);

	/* Code that was made after the process was read: certain to be there, so it is looked for,
	 * once. */
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(code != MAP_FAILED);
	place = locate(&table, process, (uint64_t)(uintptr_t)code, false, true,
		clock_monotonic_ns() + 61 * NS_PER_S);
	CHECK_EQ(place.kind, PLACE_ANONYMOUS);
	CHECK(place.address == (uint64_t)(uintptr_t)code);
	CHECK_EQ(tally_value(&tally, TALLY_mappings_read_again), 1);
	locate(&table, process, 0x1234, false, true, clock_monotonic_ns());
	CHECK_EQ(tally_value(&tally, TALLY_mappings_read_again), 1);
	munmap(code, 4096);

	/* The vDSO is a file like any other. */
	for (uint32_t i = 0; i < process->mappings->count; i++) {
		const struct mapping *mapping = &process->mappings->mappings[i];

		if (mapping->binary && mapping->binary->is_vdso)
			vdso_address = mapping->start + 0x321;
	}
	CHECK(vdso_address != 0);
	place = locate(&table, process, vdso_address, false, true, NS_PER_S);
	CHECK_EQ(place.kind, PLACE_BINARY);
	CHECK_EQ(place.address, 0x321);
	process_table_done(&table);
}

static void a_file_that_cannot_be_read_keeps_its_name_and_offset(void)
{
	struct task_record fork = {.kind = TASK_FORKED, .time_ns = 1, .pid = 0x7ffffff0};
	struct task_record map = {.kind = TASK_MAPPED, .time_ns = 2, .pid = 0x7ffffff0};
	struct process_sighting sighting = {.pid = 0x7ffffff0};
	struct process *process;
	struct place place;

	set_up();
	map.mapped = (struct task_mapped){.start = 0x10000,
		.byte_count = 0x4000,
		.offset = 0x2000,
		.inode = 5,
		.path = "/nowhere/program",
		.path_length = strlen("/nowhere/program")};
	process_table_apply(&table, &fork);
	process_table_apply(&table, &map);
	process = process_table_see(&table, &sighting);
	CHECK(process);
	place = locate(&table, process, 0x11234, false, true, NS_PER_S);
	CHECK_EQ(place.kind, PLACE_UNREAD);
	CHECK_EQ(place.address, 0x3234);
	CHECK_STR(place.binary->base_name, "program");
	/* The return address of a call that ends its mapping belongs to it. */
	CHECK_EQ(locate(&table, process, 0x14000, true, false, NS_PER_S).kind, PLACE_UNREAD);
	CHECK_EQ(locate(&table, process, 0x14000, false, false, NS_PER_S).kind, PLACE_UNMAPPED);
	process_table_done(&table);
}

int main(void)
{
	RUN(every_way_to_link_gives_the_address_of_the_file);
	RUN(libraries_opened_later_are_found);
	RUN(the_build_that_runs_counts_not_the_one_at_its_path);
	RUN(programs_in_memory_only_are_found);
	RUN(addresses_without_a_file_stay_absolute);
	RUN(a_file_that_cannot_be_read_keeps_its_name_and_offset);
	return 0;
}
