/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/build_file.h"

#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct build_file open_file(const char *name)
{
	struct build_file file;
	SCOPED_FD int fd = -1;

	CHECK_EQ(build_file_open(work_path("%s", name), &file, &fd), 0);
	CHECK(fd >= 0);
	return file;
}

static int try_file(const char *name)
{
	struct build_file file;
	SCOPED_FD int fd = -1;

	return build_file_open(work_path("%s", name), &file, &fd);
}

static void files_of_a_build_have_ids_and_kinds(void)
{
	struct build_file whole = open_file("whole"), debug = open_file("debug");
	struct build_file code = open_file("code");

	CHECK_STR(build_file_text(&whole), "program with DWARF");
	CHECK_STR(build_file_text(&debug), "debug file");
	CHECK_STR(build_file_text(&code), "program");
	CHECK(build_id_equal(&whole.id, &debug.id) && build_id_equal(&whole.id, &code.id));
	CHECK(build_file_is_covered(&debug, "whole") && build_file_is_covered(&debug, "debug"));
	CHECK(!build_file_is_covered(&debug, "table") && !build_file_is_covered(&debug, "code"));
	CHECK(build_file_is_covered(&code, "whole") && !build_file_is_covered(&code, "debug"));
	CHECK(build_file_is_covered(&whole, "whole") && !build_file_is_covered(&whole, "code"));
}

static void a_package_goes_by_its_program(void)
{
	struct build_file split = open_file("split"), package = open_file("split.dwp");

	CHECK_STR(build_file_text(&package), "split DWARF");
	CHECK(build_id_equal(&split.id, &package.id));
	CHECK(build_file_is_covered(&package, "dwp") && !build_file_is_covered(&package, "whole"));
	work_run("cp split.dwp alone.dwp");
	CHECK_EQ(try_file("alone.dwp"), -ENOENT);
}

static void what_is_of_no_use_is_told(void)
{
	CHECK_EQ(try_file("p.c"), -ENOEXEC);
	CHECK_EQ(try_file("empty"), -ENOEXEC);
	CHECK_EQ(try_file("nothing"), -ENOENT);
	CHECK_EQ(try_file("p.o"), -ENODATA);
	CHECK_EQ(try_file("."), -ENOEXEC);
	CHECK_STR(build_file_error(-ENOEXEC), "not an ELF file");
	CHECK(strstr(build_file_error(-ENODATA), "--build-id"));
	/* A program without a note goes by its hash, what was split off of it cannot. */
	CHECK_EQ(open_file("noted").id.kind, BUILD_ID_HTL);
	CHECK_EQ(try_file("noted.debug"), -ENODATA);
}

int main(void)
{
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o whole p.c && gcc -g -c -o p.o p.c && : >empty");
	work_run("strip -o code whole && objcopy --only-keep-debug whole debug");
	work_run("gcc -g -Wl,--build-id=none -o noted p.c");
	work_run("objcopy --only-keep-debug noted noted.debug");
	work_run("clang-14 -g -gdwarf-5 -gsplit-dwarf -Wl,--build-id -o split p.c &&"
		 " llvm-dwp-14 -e split -o split.dwp");
	RUN(files_of_a_build_have_ids_and_kinds);
	RUN(a_package_goes_by_its_program);
	RUN(what_is_of_no_use_is_told);
	return 0;
}
