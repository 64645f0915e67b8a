/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_contents.h"

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct contents of(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct section_names names = {0};
	struct contents contents;
	struct image image;

	CHECK_EQ(image_open(fd, true, &image), 0);
	section_names_read(&image, &names);
	contents = contents_of(&image, &names);
	section_names_done(&names);
	image_done(&image);
	return contents;
}

static void check(const char *file, const char *expected)
{
	struct contents contents = of(file);
	char text[8];

	snprintf(text, sizeof(text), "%s%s%s%s", contents.has_code ? "c" : "",
		contents.has_table ? "t" : "", contents.has_dwarf ? "d" : "",
		contents.is_package ? "p" : "");
	CHECK_STR(text, expected);
}

static void files_are_told_apart_by_what_they_hold(void)
{
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o whole p.c && gcc -g -gz -o packed p.c && gcc -o table p.c");
	work_run("strip -o code whole && objcopy --only-keep-debug whole debug");
	work_run("objcopy --only-keep-debug table names");
	work_run("clang-14 -g -gdwarf-5 -gsplit-dwarf -o split p.c && llvm-dwp-14 -e split -o "
		 "split.dwp");
	check("whole", "ctd");
	check("packed", "ctd");
	check("table", "ct");
	check("code", "c");
	check("debug", "td");
	check("names", "t");
	check("split", "ctd");
	check("split.dwp", "tp");
}

static void without_sections_the_segments_tell(void)
{
	work_run("cp whole bare && printf '\\0\\0\\0\\0\\0\\0\\0\\0' |"
		 " dd of=bare bs=1 seek=40 conv=notrunc status=none");
	work_run("printf '\\0\\0\\0\\0' | dd of=bare bs=1 seek=60 conv=notrunc status=none");
	check("bare", "c");
}

int main(void)
{
	RUN(files_are_told_apart_by_what_they_hold);
	RUN(without_sections_the_segments_tell);
	return 0;
}
