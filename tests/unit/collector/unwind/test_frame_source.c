/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/frame_source.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"

static const uint8_t contents[] = {0, 0, 0, 0};

static void begin(struct tiny_elf *elf)
{
	struct tiny_segment code = {.type = PT_LOAD,
		.flags = PF_R | PF_X,
		.offset = 0x1000,
		.address = 0x401000,
		.file_bytes = 0x800,
		.memory_bytes = 0x800};

	tiny_elf_init(elf);
	tiny_elf_segment(elf, &code);
}

static int read_finished(struct tiny_elf *elf, struct frame_source *ret_source)
{
	SCOPED_FD int fd = memfd_create("frame_source", MFD_CLOEXEC);
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = tiny_elf_finish(elf, &byte_count);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, bytes, byte_count), byte_count);
	return frame_source_read(fd, ret_source);
}

static void eh_frame_and_debug_frame_are_both_taken(void)
{
	struct frame_source source;
	struct tiny_elf elf;

	begin(&elf);
	tiny_elf_section(&elf, ".debug_frame", SHT_PROGBITS, 0, 0, contents, 2);
	tiny_elf_section(
		&elf, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x402000, contents, sizeof(contents));
	CHECK_EQ(read_finished(&elf, &source), 0);
	CHECK(!source.table.section.is_debug_frame);
	CHECK_EQ(source.table.section.byte_count, 4);
	CHECK_EQ(source.table.section.bases.section, 0x402000);
	CHECK(source.table.debug_section.is_debug_frame);
	CHECK_EQ(source.table.debug_section.byte_count, 2);
	CHECK_EQ(source.table.code_from, 0x401000);
	CHECK_EQ(source.table.code_until, 0x401800);
	frame_source_done(&source);
}

static void debug_frame_is_taken_where_there_is_nothing_else(void)
{
	struct frame_source source;
	struct tiny_elf elf;

	begin(&elf);
	tiny_elf_section(&elf, ".debug_frame", SHT_PROGBITS, 0, 0, contents, sizeof(contents));
	CHECK_EQ(read_finished(&elf, &source), 0);
	CHECK(source.table.section.bytes == NULL);
	CHECK(source.table.debug_section.is_debug_frame);
	CHECK_EQ(source.table.debug_section.byte_count, sizeof(contents));
	frame_source_done(&source);
}

/* A table of one function of 256 bytes, which does not say where the code begins. */
static const uint64_t go_contents[24] = {UINT64_C(0x08010000fffffff1), 1, 1, 0, 0, 0, 0, 0x48, 0x48,
	UINT64_C(0x0000000c00000000), 256, 0, 0, 0, 0, 0};

static void a_go_program_goes_by_its_own_table(void)
{
	struct frame_source source;
	struct tiny_elf elf;

	begin(&elf);
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC, 0x401000, contents, 4);
	tiny_elf_section(&elf, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, 0x403000, go_contents,
		sizeof(go_contents));
	CHECK_EQ(read_finished(&elf, &source), 0);
	CHECK_EQ(source.table.go.function_count, 1);
	CHECK_EQ(source.table.go.text, 0x401000);
	frame_source_done(&source);
	/* Beside C code it would have to say it. */
	begin(&elf);
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC, 0x401000, contents, 4);
	tiny_elf_section(&elf, ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 0x402000, contents, 4);
	tiny_elf_section(&elf, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, 0x403000, go_contents,
		sizeof(go_contents));
	CHECK_EQ(read_finished(&elf, &source), 0);
	CHECK_EQ(source.table.go.function_count, 0);
	frame_source_done(&source);
}

static void a_file_without_either_has_none(void)
{
	struct frame_source source;
	struct tiny_elf elf;

	begin(&elf);
	tiny_elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC, 0x401000, contents, 4);
	CHECK_EQ(read_finished(&elf, &source), -ENOENT);
	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".eh_frame", SHT_PROGBITS, 0, 0, contents, 4);
	CHECK_EQ(read_finished(&elf, &source), -ENOENT);
}

/* Sections are stripped; the program header of the index leads to the same bytes. */
static void the_index_leads_to_eh_frame_without_sections(void)
{
	SCOPED_FD int fd = open("/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY | O_CLOEXEC);
	SCOPED_FD int bare = memfd_create("bare", MFD_CLOEXEC);
	struct frame_source with, without;
	Elf64_Ehdr header;
	uint8_t buffer[65536];
	ssize_t got;

	CHECK(fd >= 0 && bare >= 0);
	CHECK_EQ(frame_source_read(fd, &with), 0);
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		CHECK_EQ(write(bare, buffer, (size_t)got), got);
	CHECK_EQ(pread(bare, &header, sizeof(header), 0), sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = 0;
	header.e_shstrndx = 0;
	CHECK_EQ(pwrite(bare, &header, sizeof(header), 0), sizeof(header));
	CHECK_EQ(frame_source_read(bare, &without), 0);
	CHECK_EQ(without.table.section.bases.section, with.table.section.bases.section);
	CHECK(without.table.section.byte_count >= with.table.section.byte_count);
	CHECK_EQ(memcmp(without.bytes, with.bytes, with.table.section.byte_count), 0);
	frame_source_done(&with);
	frame_source_done(&without);
}

static void what_is_no_elf_file_is_refused(void)
{
	SCOPED_FD int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct frame_source source;

	CHECK(fd >= 0);
	CHECK(frame_source_read(fd, &source) < 0);
}

int main(void)
{
	RUN(eh_frame_and_debug_frame_are_both_taken);
	RUN(debug_frame_is_taken_where_there_is_nothing_else);
	RUN(a_go_program_goes_by_its_own_table);
	RUN(a_file_without_either_has_none);
	RUN(the_index_leads_to_eh_frame_without_sections);
	RUN(what_is_no_elf_file_is_refused);
	return 0;
}
