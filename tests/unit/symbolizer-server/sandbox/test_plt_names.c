/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/plt_names.h"

#include <errno.h>
#include <inttypes.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct string_table strings;

static int read_file(const char *file, struct function_list *ret_list)
{
	SCOPED_FD int fd = work_open(file);
	struct section_names names = {0};
	struct image image;
	int r;

	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	r = plt_names_read(&image, &names, &strings, ret_list);
	section_names_done(&names);
	image_done(&image);
	return r;
}

/* Every stub that the disassembler knows has the same name here, and there are no others. */
static void agrees_with_objdump(const char *file)
{
	SCOPED_FREE char *lines = work_output(
		"objdump -d %s | sed -nE 's/^0*([0-9a-f]+) <([^>]*@plt)>:$/\\1 \\2/p'", file);
	struct function_list list;
	uint32_t count = 0;
	char *save = NULL;

	CHECK_EQ(read_file(file, &list), 0);
	for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uint64_t address = strtoull(line, NULL, 16);
		const struct function *found = function_list_find(&list, address);

		if (!found)
			fprintf(stderr, "%s: %s\n", file, line);
		CHECK(found);
		CHECK_EQ(found->start, address);
		CHECK_STR(string_table_text(&strings, found->name), strchr(line, ' ') + 1);
		count++;
	}
	CHECK(count >= 2);
	CHECK_EQ(list.count, count);
	function_list_done(&list);
}

static void stubs_of_each_way_to_link_are_named(void)
{
	agrees_with_objdump("lazy");
	agrees_with_objdump("now");
	agrees_with_objdump("marked");
	agrees_with_objdump("lld");
	agrees_with_objdump("fixed");
}

static const char *name_at(const struct function_list *list, uint64_t address)
{
	const struct function *found = function_list_find(list, address);

	return found ? string_table_text(&strings, found->name) : "-";
}

/* Where code was left out, the order of the relocations tells. */
static void without_code_the_order_tells(void)
{
	SCOPED_FREE char *text = NULL;
	struct function_list whole, slim;

	work_run("objcopy --set-section-flags .plt=alloc,readonly,code lazy slim");
	CHECK_EQ(read_file("lazy", &whole), 0);
	/* Makes .plt a section without contents: its type stands 4 bytes into its header. */
	text = work_output("readelf -S -W slim | sed -nE 's/^ *\\[ *([0-9]+)\\] \\.plt .*/\\1/p'");
	work_run("s=$(readelf -h slim | sed -n 's/.*Start of section headers: "
		 "*\\([0-9]*\\).*/\\1/p');"
		 " printf '\\010' | dd of=slim bs=1 conv=notrunc status=none"
		 " seek=$((s + 64 * %s + 4))",
		text);
	CHECK_EQ(read_file("slim", &slim), 0);
	CHECK(slim.count >= 2);
	for (uint32_t i = 0; i < slim.count; i++)
		CHECK_STR(name_at(&whole, slim.functions[i].start),
			string_table_text(&strings, slim.functions[i].name));
	function_list_done(&whole);
	function_list_done(&slim);
}

static void a_file_without_stubs_has_none(void)
{
	struct function_list list;

	CHECK_EQ(read_file("p.o", &list), -ENOENT);
}

int main(void)
{
	CHECK_EQ(string_table_init(&strings), 0);
	work_write_text("p.c",
		"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
		"int main(int c, char **v) { char *t = strdup(v[0]); puts(t); free(t);\n"
		"	return (int)strlen(v[0]) + c + (int)strtol(v[0], NULL, 10); }\n");
	work_run("gcc -O1 -c -o p.o p.c");
	work_run("gcc -O1 -fno-builtin -fcf-protection=none -Wl,-z,lazy -o lazy p.c");
	work_run("gcc -O1 -fno-builtin -fcf-protection=none -Wl,-z,now -o now p.c");
	work_run("gcc -O1 -fno-builtin -fcf-protection=full -Wl,-z,ibtplt -o marked p.c");
	work_run("clang-14 -O1 -fno-builtin -fuse-ld=lld -o lld p.c");
	work_run("gcc -O1 -fno-builtin -no-pie -o fixed p.c");
	RUN(stubs_of_each_way_to_link_are_named);
	RUN(without_code_the_order_tells);
	RUN(a_file_without_stubs_has_none);
	string_table_done(&strings);
	return 0;
}
