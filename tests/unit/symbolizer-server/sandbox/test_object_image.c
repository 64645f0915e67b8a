/* SPDX-License-Identifier: Apache-2.0 */
/* A file like a module of the kernel, against what the linker makes of it. */
#include "symbolizer-server/sandbox/object_image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static const char source[] = "static inline __attribute__((always_inline)) int twice(int x)\n"
			     "{ return x * 2; }\n"
			     "int counter = 1;\n"
			     "__attribute__((section(\".init.text\"))) int start(int x)\n"
			     "{ return twice(x) + counter; }\n"
			     "int run(int x)\n"
			     "{ return twice(x + counter) + 1; }\n"
			     "__attribute__((cold)) int fail(int x)\n"
			     "{ return twice(x) - counter; }\n"
			     "__attribute__((section(\".exit.text\"))) int stop(int x)\n"
			     "{ return twice(x) ^ counter; }\n";

/* As a kernel lays it out: code in the order of the file, from .text on. The data lies elsewhere. */
static const char script[] = "SECTIONS {\n"
			     "  .text 0x100000000 : { *(.text) }\n"
			     "  .text.unlikely : { *(.text.unlikely) }\n"
			     "  .exit.text : { *(.exit.text) }\n"
			     "  .init.text 0x10000000000 : { *(.init.text) }\n"
			     "  .data : { *(.data) }\n"
			     "}\n";

struct opened {
	int fd;
	struct image image;
	struct section_names names;
	struct object_image object;
	int result; /* of opening the object */
};

static struct opened open_object(const char *file)
{
	struct opened opened = {.fd = work_open(file)};

	CHECK_EQ(image_open(opened.fd, true, &opened.image), 0);
	CHECK_EQ(section_names_read(&opened.image, &opened.names), 0);
	opened.result = object_image_open(&opened.image, &opened.names, &opened.object);
	return opened;
}

static void close_object(struct opened *opened)
{
	if (opened->result == 0)
		object_image_done(&opened->object);
	section_names_done(&opened->names);
	image_done(&opened->image);
	close(opened->fd);
}

static const struct image_section *section_of(const struct opened *opened, const char *name)
{
	uint32_t index = section_find(&opened->image, &opened->names, name);

	CHECK(index > 0);
	return &opened->object.image.sections[index];
}

static void code_follows_text_and_what_is_gone_is_no_code(void)
{
	struct opened opened = open_object("module.o");
	const struct image_section *text, *unlikely, *leaving, *init, *data;

	CHECK_EQ(opened.result, 0);
	text = section_of(&opened, ".text");
	unlikely = section_of(&opened, ".text.unlikely");
	leaving = section_of(&opened, ".exit.text");
	init = section_of(&opened, ".init.text");
	data = section_of(&opened, ".data");
	CHECK_EQ(text->address, opened.object.start);
	CHECK(text->flags & SHF_EXECINSTR);
	CHECK(unlikely->address >= text->address + text->byte_count);
	CHECK(unlikely->address < text->address + 0x1000);
	CHECK(leaving->address > text->address && (leaving->flags & SHF_EXECINSTR));
	CHECK(!(init->flags & SHF_EXECINSTR) && !(data->flags & SHF_EXECINSTR));
	CHECK(init->address > text->address + (UINT64_C(1) << 31));
	close_object(&opened);
}

/* Every address in a debug section is the one that the linker puts there. */
static void debug_sections_say_what_the_linker_makes_of_them(const char *file)
{
	static const char *const names[] = {
		".debug_line", ".debug_addr", ".debug_ranges", ".debug_rnglists", ".debug_info"};
	struct opened opened = open_object(file), linked = {.fd = work_open("linked")};

	CHECK_EQ(opened.result, 0);
	CHECK_EQ(image_open(linked.fd, true, &linked.image), 0);
	CHECK_EQ(section_names_read(&linked.image, &linked.names), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t ours = section_find(&opened.image, &opened.names, names[i]);
		uint32_t theirs = section_find(&linked.image, &linked.names, names[i]);
		SCOPED_FREE uint8_t *one = NULL, *other = NULL;
		size_t one_bytes, other_bytes;

		if (ours == 0 && theirs == 0)
			continue;
		CHECK_EQ(section_read(&opened.object.image, &opened.names, ours, 1 << 20, &one,
				 &one_bytes),
			0);
		CHECK_EQ(section_read(&linked.image, &linked.names, theirs, 1 << 20, &other,
				 &other_bytes),
			0);
		CHECK_EQ(one_bytes, other_bytes);
		CHECK(memcmp(one, other, one_bytes) == 0);
	}
	close_object(&opened);
	linked.result = -ENOENT;
	close_object(&linked);
}

static void plain_and_packed_files_give_the_same(void)
{
	debug_sections_say_what_the_linker_makes_of_them("module.o");
	debug_sections_say_what_the_linker_makes_of_them("packed.o");
	debug_sections_say_what_the_linker_makes_of_them("debug.o");
}

static void symbols_stand_in_their_sections(void)
{
	struct opened opened = open_object("module.o");
	const struct image_section *symbols = section_of(&opened, ".symtab");
	uint32_t in_text = 0;

	for (uint64_t i = 0; i < symbols->byte_count / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)(const void *)(opened.object.memory +
			symbols->offset + i * sizeof(Elf64_Sym));

		if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
			in_text += symbol->st_value >= opened.object.start &&
				symbol->st_value < opened.object.start + 0x1000;
	}
	CHECK_EQ(in_text, 3); /* run, fail, stop */
	close_object(&opened);
}

static void what_is_no_module_is_refused(void)
{
	struct opened without = open_object("without.o"), foreign = open_object("foreign.o");

	CHECK_EQ(without.result, -ENOENT);
	CHECK_EQ(foreign.result, -ENOTSUP);
	close_object(&without);
	close_object(&foreign);
}

/* A section whose relocations make no sense is left out, and the rest stays. */
static void damage_costs_its_section(void)
{
	struct opened opened = {.fd = work_open("module.o")};
	uint32_t rela, info;
	uint8_t *byte;

	CHECK_EQ(image_open(opened.fd, true, &opened.image), 0);
	CHECK_EQ(section_names_read(&opened.image, &opened.names), 0);
	rela = section_find(&opened.image, &opened.names, ".rela.debug_info");
	info = section_find(&opened.image, &opened.names, ".debug_info");
	CHECK(rela > 0 && info > 0);
	opened.image.sections[rela].link = info;
	opened.result = object_image_open(&opened.image, &opened.names, &opened.object);
	CHECK_EQ(opened.result, 0);
	CHECK_EQ(opened.object.image.sections[info].type, SHT_NULL);
	CHECK_EQ(section_of(&opened, ".debug_line")->type, SHT_PROGBITS);
	byte = opened.object.memory;
	CHECK(byte);
	object_image_done(&opened.object);
	/* A section that is larger than any kernel. */
	opened.image.sections[section_find(&opened.image, &opened.names, ".text")].byte_count =
		UINT64_MAX;
	opened.result = object_image_open(&opened.image, &opened.names, &opened.object);
	CHECK_EQ(opened.result, -EBADMSG);
	close_object(&opened);
}

int main(void)
{
	work_write_text("module.c", source);
	work_write_text("script", script);
	work_write_text("data.c", "int only_data = 1;\n");
	work_run("gcc -gdwarf-4 -fno-merge-debug-strings -O2 -c -mcmodel=large -fno-pic "
		 "-fno-asynchronous-unwind-tables -o first.o module.c && "
		 "ld -r -o module.o first.o && "
		 "objcopy --compress-debug-sections=zlib module.o packed.o && "
		 "objcopy --only-keep-debug module.o debug.o && "
		 "ld --no-warn-rwx-segments -e 0 -T script -o linked module.o");
	work_run("gcc -g -c -o without.o data.c && objcopy -R .text without.o && "
		 "cp module.o foreign.o && "
		 "printf '\\363' | dd of=foreign.o bs=1 seek=18 conv=notrunc status=none");
	RUN(code_follows_text_and_what_is_gone_is_no_code);
	RUN(plain_and_packed_files_give_the_same);
	RUN(symbols_stand_in_their_sections);
	RUN(what_is_no_module_is_refused);
	RUN(damage_costs_its_section);
	return 0;
}
