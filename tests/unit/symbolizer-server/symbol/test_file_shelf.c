/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/file_shelf.h"

#include <errno.h>
#include <fcntl.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_contents.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static uint64_t now_ns = UINT64_C(1000000) * NS_PER_S;

static struct clock_reading read_now(void *context)
{
	(void)context;
	return (struct clock_reading){.monotonic_ns = now_ns, .realtime_ns = now_ns};
}

static struct build_id id_of(uint8_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, 1, &id), 0);
	return id;
}

static struct file_shelf open_shelf(uint64_t bytes_max)
{
	struct file_shelf shelf;

	work_run("mkdir -p shelf");
	CHECK_EQ(file_shelf_init(
			 &shelf, work_path("shelf"), bytes_max, (struct clock){.read = read_now}),
		0);
	return shelf;
}

static int put(struct file_shelf *shelf, uint8_t n, enum shelf_kind kind, const char *text)
{
	struct build_id id = id_of(n);
	SCOPED_FD int folder = open(work_dir(), O_RDONLY | O_DIRECTORY);
	SCOPED_FD int fd = -1;

	work_write_text("incoming", text);
	fd = work_open("incoming");
	now_ns += NS_PER_S;
	return file_shelf_take(shelf, &id, kind, folder, "incoming", fd);
}

/* What is found under an id, or `-`. */
static const char *find(struct file_shelf *shelf, uint8_t n, enum symbol_file file)
{
	static char text[64];
	struct build_id id = id_of(n);
	enum shelf_kind kind;
	SCOPED_FD int fd = -1;
	uint64_t byte_count;
	int r = file_shelf_find(shelf, &id, file, &fd, &byte_count, &kind);

	if (r < 0) {
		CHECK_EQ(r, -ENOENT);
		return "-";
	}
	memset(text, 0, sizeof(text));
	CHECK_EQ(read(fd, text, sizeof(text) - 1), (ssize_t)byte_count);
	return text;
}

static void debuggers_get_what_they_ask_for(void)
{
	struct file_shelf shelf = open_shelf(1000);

	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_DEBUGINFO), "-");
	CHECK_EQ(put(&shelf, 1, SHELF_TABLE, "table"), 0);
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_DEBUGINFO), "table");
	/* Without code it is no program. */
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "-");
	CHECK_EQ(put(&shelf, 1, SHELF_DEBUG, "debug"), 0);
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_DEBUGINFO), "debug");
	CHECK_EQ(put(&shelf, 1, SHELF_CODE, "code"), 0);
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "code");
	CHECK_EQ(put(&shelf, 2, SHELF_WHOLE, "whole"), 0);
	CHECK_STR(find(&shelf, 2, SYMBOL_FILE_EXECUTABLE), "whole");
	CHECK_STR(find(&shelf, 2, SYMBOL_FILE_DEBUGINFO), "whole");
	CHECK_STR(find(&shelf, 2, SYMBOL_FILE_PACKAGE), "-");
	CHECK_EQ(put(&shelf, 2, SHELF_PACKAGE, "package"), 0);
	CHECK_STR(find(&shelf, 2, SYMBOL_FILE_PACKAGE), "package");
	file_shelf_done(&shelf);
	work_run("rm -r shelf");
}

static void the_better_file_replaces_the_worse(void)
{
	struct file_shelf shelf = open_shelf(1000);
	struct build_id id = id_of(1);

	CHECK_EQ(put(&shelf, 1, SHELF_TABLE, "table"), 0);
	CHECK_EQ(put(&shelf, 1, SHELF_CODE, "code"), 0);
	CHECK_EQ(put(&shelf, 1, SHELF_WHOLE, "whole"), 0);
	CHECK_EQ(file_shelf_kinds(&shelf, &id), 1u << SHELF_WHOLE);
	CHECK_EQ(put(&shelf, 1, SHELF_TABLE, "table"), -EEXIST);
	CHECK_EQ(put(&shelf, 1, SHELF_CODE, "code"), -EEXIST);
	CHECK_EQ(put(&shelf, 1, SHELF_WHOLE, "newer"), 0);
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "newer");
	CHECK_EQ(shelf.byte_count, 5);
	CHECK_EQ(work_try("test \"$(ls shelf)\" = 01.whole"), 0);
	file_shelf_done(&shelf);
	work_run("rm -r shelf");
}

static void what_was_used_least_lately_goes_first(void)
{
	struct file_shelf shelf = open_shelf(30);
	struct shelf_usage usage;

	CHECK_EQ(put(&shelf, 1, SHELF_CODE, "1234567890"), 0);
	CHECK_EQ(put(&shelf, 2, SHELF_CODE, "1234567890"), 0);
	CHECK_EQ(put(&shelf, 3, SHELF_CODE, "1234567"), 0);
	now_ns += NS_PER_S;
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "1234567890");
	CHECK_EQ(put(&shelf, 4, SHELF_CODE, "1234567890"), 0);
	CHECK_STR(find(&shelf, 2, SYMBOL_FILE_EXECUTABLE), "-");
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "1234567890");
	file_shelf_usage(&shelf, &usage);
	CHECK(usage.byte_count <= 30);
	CHECK(usage.evicted_count >= 1);
	CHECK_EQ(put(&shelf, 5, SHELF_CODE, "1234567890123456789012345678901"), -EFBIG);
	file_shelf_done(&shelf);
	work_run("rm -r shelf");
}

static void a_restart_finds_what_is_whole_and_is_ours(void)
{
	struct file_shelf shelf = open_shelf(1000);

	CHECK_EQ(put(&shelf, 1, SHELF_CODE, "code"), 0);
	CHECK_EQ(put(&shelf, 2, SHELF_PACKAGE, "package"), 0);
	file_shelf_done(&shelf);
	work_run("echo x >shelf/README; echo x >shelf/..code; echo x >shelf/zz.code;"
		 " ln -s /etc/passwd shelf/03.code; mkdir shelf/04.code");
	shelf = open_shelf(1000);
	CHECK_EQ(shelf.count, 2);
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "code");
	CHECK_STR(find(&shelf, 3, SYMBOL_FILE_EXECUTABLE), "-");
	/* Somebody tidies up behind our back. */
	work_run("rm shelf/01.code");
	CHECK_STR(find(&shelf, 1, SYMBOL_FILE_EXECUTABLE), "-");
	CHECK_EQ(shelf.count, 1);
	file_shelf_done(&shelf);
	work_run("rm -r shelf");
}

static void kinds_follow_from_contents(void)
{
	static const struct {
		struct contents contents;
		enum shelf_kind kind;
	} kinds[] = {
		{{.has_code = true}, SHELF_CODE},
		{{.has_code = true, .has_table = true}, SHELF_CODE},
		{{.has_code = true, .has_dwarf = true}, SHELF_WHOLE},
		{{.has_dwarf = true}, SHELF_DEBUG},
		{{.has_table = true}, SHELF_TABLE},
		{{.is_package = true}, SHELF_PACKAGE},
	};
	const struct contents nothing = {.has_code = false};
	enum shelf_kind kind;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		CHECK(shelf_kind_of(&kinds[i].contents, &kind));
		CHECK_EQ(kind, kinds[i].kind);
	}
	CHECK(!shelf_kind_of(&nothing, &kind));
}

int main(void)
{
	RUN(debuggers_get_what_they_ask_for);
	RUN(the_better_file_replaces_the_worse);
	RUN(what_was_used_least_lately_goes_first);
	RUN(a_restart_finds_what_is_whole_and_is_ours);
	RUN(kinds_follow_from_contents);
	return 0;
}
