/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/folder_source.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct symbol_source *source;
static struct build_id id;

/* Text of the file that the question gets, `(crc)` behind it if it was chosen by that; or `-`. */
static const char *ask(const struct symbol_question *question)
{
	static char text[64];
	struct symbol_fetched fetched;
	ssize_t got;
	int r = source->fetch(source, 0, question, &fetched);

	if (r < 0) {
		CHECK_EQ(r, -ENOENT);
		return "-";
	}
	got = pread(fetched.fd, text, sizeof(text) - 8, 0);
	CHECK_EQ(got, (ssize_t)fetched.byte_count);
	memcpy(text + got, fetched.matched ? "(crc)" : "", fetched.matched ? 6 : 1);
	source->release(source, &fetched);
	return text;
}

static struct symbol_question question_of(enum symbol_file file)
{
	return (struct symbol_question){.id = id, .file = file, .name = "prog"};
}

static void files_stand_where_distributions_put_them(void)
{
	struct symbol_question debug = question_of(SYMBOL_FILE_DEBUGINFO);
	struct symbol_question program = question_of(SYMBOL_FILE_EXECUTABLE);

	CHECK_STR(ask(&debug), "-");
	work_run("mkdir -p two/.build-id/ab && printf by-id >two/.build-id/ab/cdef.debug");
	CHECK_STR(ask(&debug), "by-id");
	CHECK_STR(ask(&program), "-");
	work_run("printf program >two/.build-id/ab/cdef");
	CHECK_STR(ask(&program), "program");
	/* The folder that is named first goes first. */
	work_run("mkdir -p one/.build-id/ab && printf first >one/.build-id/ab/cdef.debug");
	CHECK_STR(ask(&debug), "first");
	debug.skip = 1;
	CHECK_STR(ask(&debug), "by-id");
	debug.skip = 2;
	CHECK_STR(ask(&debug), "-");
	CHECK_EQ(build_id_make(BUILD_ID_GO, "\xab\xcd\xef", 3, &debug.id), 0);
	debug.skip = 0;
	CHECK_STR(ask(&debug), "-");
	work_run("rm -r one two");
}

static void files_are_called_as_the_module_is(void)
{
	struct symbol_question question = question_of(SYMBOL_FILE_DEBUGINFO);

	work_run("mkdir one && printf debug >one/prog.debug && printf prog >one/prog &&"
		 " printf dwp >one/prog.dwp");
	CHECK_STR(ask(&question), "debug");
	question.file = SYMBOL_FILE_EXECUTABLE;
	CHECK_STR(ask(&question), "prog");
	question.file = SYMBOL_FILE_PACKAGE;
	CHECK_STR(ask(&question), "dwp");
	question.file = SYMBOL_FILE_EXECUTABLE;
	question.name = "../one/prog";
	CHECK_STR(ask(&question), "-");
	question.name = "..";
	CHECK_STR(ask(&question), "-");
	work_run("rm -r one");
}

static void a_link_leads_to_the_file_of_its_crc(void)
{
	struct symbol_question question = question_of(SYMBOL_FILE_DEBUGINFO);

	/* CRC-32 of "123456789", as every table of checksums has it. */
	question.name = "";
	question.link_name = "x.dbg";
	question.link_crc = 0xcbf43926;
	work_run("mkdir -p one/.debug two && printf 123456789 >one/.debug/x.dbg");
	CHECK_STR(ask(&question), "123456789(crc)");
	/* Another file of that name: it must carry the id, which its reader will see. */
	work_run("printf 123456780 >one/x.dbg");
	CHECK_STR(ask(&question), "123456780");
	question.skip = 1;
	CHECK_STR(ask(&question), "123456789(crc)");
	question.skip = 0;
	question.link_name = "../.debug/x.dbg";
	CHECK_STR(ask(&question), "-");
	question.link_name = "x.dbg";
	question.file = SYMBOL_FILE_EXECUTABLE;
	CHECK_STR(ask(&question), "-");
	work_run("rm -r one two");
}

static void what_is_no_file_is_not_there(void)
{
	struct symbol_question question = question_of(SYMBOL_FILE_EXECUTABLE);

	work_run("mkdir -p one/prog two && mkfifo two/prog");
	CHECK_STR(ask(&question), "-");
	work_run("rm -r one two");
}

/* The first byte says which build it is, the second that it has debug information. */
static int identify(void *context, int fd, struct build_id *ret_id, bool *ret_has_dwarf)
{
	char text[2];

	(void)context;
	if (pread(fd, text, sizeof(text), 0) != sizeof(text))
		return -EBADMSG;
	*ret_has_dwarf = text[1] == 'd';
	return build_id_make(BUILD_ID_GNU, text, 1, ret_id);
}

static void a_kernel_is_found_in_its_tree_once_other_places_have_nothing(void)
{
	struct symbol_question question = {
		.file = SYMBOL_FILE_DEBUGINFO, .name = "[kernel]", .kernel = true};

	work_run("mkdir -p one two/boot && printf Kd >two/boot/vmlinux-6.1.0");
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "K", 1, &question.id), 0);
	CHECK_STR(ask(&question), "Kd");
	work_run("printf given >'one/[kernel].debug'");
	CHECK_STR(ask(&question), "given");
	question.skip = 1;
	CHECK_STR(ask(&question), "Kd");
	question.skip = 0;
	question.file = SYMBOL_FILE_EXECUTABLE;
	CHECK_STR(ask(&question), "-");
	work_run("rm -r one two");
}

int main(void)
{
	const char *folders[SYMBOL_FOLDERS_MAX + 1];
	struct symbol_source *none = NULL;

	folders[0] = work_path("one");
	folders[1] = work_path("two");
	CHECK_EQ(folder_source_new(folders, SYMBOL_FOLDERS_MAX + 1, identify, NULL, &none), -E2BIG);
	CHECK(!none);
	CHECK_EQ(folder_source_new(folders, 2, identify, NULL, &source), 0);
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "\xab\xcd\xef", 3, &id), 0);
	RUN(files_stand_where_distributions_put_them);
	RUN(files_are_called_as_the_module_is);
	RUN(a_link_leads_to_the_file_of_its_crc);
	RUN(what_is_no_file_is_not_there);
	RUN(a_kernel_is_found_in_its_tree_once_other_places_have_nothing);
	source->stop(source);
	source->free(source);
	return 0;
}
