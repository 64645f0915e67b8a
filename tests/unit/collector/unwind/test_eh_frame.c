/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/eh_frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "tests/support/check.h"

/* --- made sections -----------------------------------------------------------------------------
 */

/* A common entry (augmentation zR, pointers pcrel sdata4), a function of 32 bytes at 0x2000, and
 * the closing entry; the section lies at 0x1000. */
static const uint8_t made[] = {
	20,
	0,
	0,
	0,
	0,
	0,
	0,
	0, /* length, id */
	1,
	'z',
	'R',
	0,
	1,
	0x78,
	16,
	1,
	0x1b, /* version 1, alignments 1 and -8, register 16 */
	0x0c,
	7,
	8,
	0x90,
	1,
	0,
	0, /* CFA = rsp + 8, return address at CFA - 8 */
	16,
	0,
	0,
	0,
	28,
	0,
	0,
	0, /* length, distance to the common entry */
	0xe0,
	0x0f,
	0,
	0,
	32,
	0,
	0,
	0,
	0, /* 0x1020 + 0xfe0, 32 bytes, no augmentation data */
	0x41,
	0x0e,
	16, /* a push behind the first byte */
	0,
	0,
	0,
	0,
};

struct row {
	uint64_t from, until;
	struct unwind_rule rule;
};

static struct row rows[8];
static unsigned row_count;

static int take_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	(void)context;
	CHECK(row_count < 8);
	rows[row_count++] = (struct row){from, until, *rule};
	return 0;
}

static struct eh_frame section_of(const uint8_t *bytes, size_t byte_count)
{
	return (struct eh_frame){
		.bytes = bytes, .byte_count = byte_count, .bases = {.section = 0x1000}};
}

static void a_function_is_listed_with_its_rows(void)
{
	struct eh_frame section = section_of(made, sizeof(made));
	struct eh_frame_function function;
	struct eh_frame_reader reader;

	eh_frame_reader_init(&reader, &section);
	CHECK_EQ(eh_frame_next(&reader, &function), 1);
	CHECK_EQ(function.from, 0x2000);
	CHECK_EQ(function.until, 0x2020);
	row_count = 0;
	CHECK_EQ(eh_frame_rows(&reader, &function, take_row, NULL), 0);
	CHECK_EQ(row_count, 2);
	CHECK_EQ(rows[0].until, 0x2001);
	CHECK_EQ(rows[0].rule.cfa_offset, 8);
	CHECK_EQ(rows[1].until, 0x2020);
	CHECK_EQ(rows[1].rule.cfa_offset, 16);
	CHECK_EQ(eh_frame_next(&reader, &function), 0);
	CHECK_EQ(reader.broken_count, 0);
}

static void a_function_of_a_broken_common_entry_is_counted(void)
{
	uint8_t bytes[sizeof(made)];
	struct eh_frame section = section_of(bytes, sizeof(bytes));
	struct eh_frame_function function;
	struct eh_frame_reader reader;

	memcpy(bytes, made, sizeof(made));
	bytes[8] = 9; /* a version that does not exist */
	eh_frame_reader_init(&reader, &section);
	CHECK_EQ(eh_frame_next(&reader, &function), 0);
	CHECK_EQ(reader.broken_count, 1);
}

static void a_chain_that_breaks_is_an_error(void)
{
	struct eh_frame section = section_of(made, sizeof(made) - 8);
	struct eh_frame_function function;
	struct eh_frame_reader reader;

	eh_frame_reader_init(&reader, &section);
	CHECK_EQ(eh_frame_next(&reader, &function), -EBADMSG);
}

/* --- against libdw -----------------------------------------------------------------------------
 */

struct comparison {
	Dwarf_CFI *cfi;
	unsigned long compared;
};

/* OPS of libdw say that a register is in the word at base + offset. */
static bool is_word(const Dwarf_Op *ops, size_t count, unsigned base, int64_t offset)
{
	if (count == 2 && ops[0].atom == DW_OP_call_frame_cfa && base == DW_OP_call_frame_cfa)
		return ops[1].atom == DW_OP_plus_uconst && (int64_t)ops[1].number == offset;
	if (count == 2 && ops[0].atom == DW_OP_call_frame_cfa)
		return ops[1].atom == base && (int64_t)ops[1].number == offset;
	return count == 1 && offset == 0 && ops[0].atom == base;
}

static bool same_saved(Dwarf_Frame *frame, int number, uint8_t saved, int64_t offset)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	CHECK_EQ(dwarf_frame_register(frame, number, memory, &ops, &count), 0);
	switch ((enum unwind_saved)saved) {
	case UNWIND_SAVED_unchanged:
		return count == 0;
	case UNWIND_SAVED_at_cfa:
		return is_word(ops, count, DW_OP_call_frame_cfa, offset);
	case UNWIND_SAVED_at_rsp:
		return is_word(ops, count, DW_OP_breg7, offset);
	case UNWIND_SAVED_at_rbp:
		return is_word(ops, count, DW_OP_breg6, offset);
	case UNWIND_SAVED_lost:
		return true;
	}
	return false;
}

static bool same_cfa(Dwarf_Frame *frame, const struct unwind_rule *rule)
{
	Dwarf_Op *ops;
	size_t count;

	CHECK_EQ(dwarf_frame_cfa(frame, &ops, &count), 0);
	if (count == 1 && ops[0].atom == DW_OP_bregx)
		return rule->cfa == UNWIND_CFA_register && ops[0].number == rule->cfa_register &&
			(int64_t)ops[0].number2 == rule->cfa_offset;
	if (ops[0].atom != DW_OP_breg0 + rule->cfa_register ||
		(int64_t)ops[0].number != rule->cfa_offset)
		return false;
	if (count == 1)
		return rule->cfa == UNWIND_CFA_register;
	if (ops[1].atom == DW_OP_breg16)
		return rule->cfa == UNWIND_CFA_plt;
	return rule->cfa == UNWIND_CFA_memory && ops[1].atom == DW_OP_deref &&
		(count == 2 || (int64_t)ops[2].number == rule->cfa_add);
}

static bool same_returns(Dwarf_Frame *frame, const struct unwind_rule *rule)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	CHECK_EQ(dwarf_frame_register(frame, UNWIND_RETURN_ADDRESS, memory, &ops, &count), 0);
	switch ((enum unwind_return)rule->returns) {
	case UNWIND_RETURN_at_cfa:
		return is_word(ops, count, DW_OP_call_frame_cfa, rule->return_detail * 8);
	case UNWIND_RETURN_interrupted:
		return is_word(ops, count, DW_OP_breg7, rule->return_detail * 8);
	case UNWIND_RETURN_in_register:
		return count == 1 && ops[0].atom == DW_OP_regx &&
			ops[0].number == (unsigned)rule->return_detail;
	case UNWIND_RETURN_none:
		return count == 0;
	}
	return false;
}

static int compare_row(void *context, uint64_t from, uint64_t until, const struct unwind_rule *rule)
{
	struct comparison *comparison = context;
	const uint64_t ends[] = {from, until - 1};

	for (int i = 0; i < 2 && rule->cfa != UNWIND_CFA_unknown; i++) {
		Dwarf_Frame *frame;
		bool same;

		CHECK_EQ(dwarf_cfi_addrframe(comparison->cfi, ends[i], &frame), 0);
		same = same_returns(frame, rule) &&
			(rule->returns == UNWIND_RETURN_none ||
				(same_cfa(frame, rule) &&
					same_saved(
						frame, UNWIND_RBP, rule->rbp, rule->rbp_offset) &&
					same_saved(
						frame, UNWIND_RBX, rule->rbx, rule->rbx_offset)));
		if (!same)
			fprintf(stderr, "rule at %llx differs\n", (unsigned long long)ends[i]);
		CHECK(same);
		free(frame);
		comparison->compared++;
	}
	return 0;
}

static struct eh_frame find_section(Elf *elf)
{
	struct eh_frame section = {.byte_count = 0};
	size_t names;

	CHECK_EQ(elf_getshdrstrndx(elf, &names), 0);
	for (Elf_Scn *at = elf_nextscn(elf, NULL); at; at = elf_nextscn(elf, at)) {
		GElf_Shdr header;
		Elf_Data *data;

		CHECK(gelf_getshdr(at, &header));
		if (strcmp(elf_strptr(elf, names, header.sh_name), ".eh_frame") != 0)
			continue;
		data = elf_rawdata(at, NULL);
		section.bytes = data->d_buf;
		section.byte_count = data->d_size;
		section.bases.section = header.sh_addr;
	}
	CHECK(section.byte_count > 0);
	return section;
}

static void compare_file(const char *path, unsigned long least)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct comparison comparison = {.compared = 0};
	struct eh_frame_function function;
	struct eh_frame_reader reader;
	struct eh_frame section;
	Elf *elf;

	CHECK(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	CHECK(elf);
	section = find_section(elf);
	comparison.cfi = dwarf_getcfi_elf(elf);
	CHECK(comparison.cfi);
	eh_frame_reader_init(&reader, &section);
	while (eh_frame_next(&reader, &function) == 1)
		CHECK_EQ(eh_frame_rows(&reader, &function, compare_row, &comparison), 0);
	printf("%s: %lu ends of rows equal those of libdw\n", path, comparison.compared);
	CHECK(comparison.compared >= least);
	CHECK_EQ(reader.broken_count, 0);
	dwarf_cfi_end(comparison.cfi);
	elf_end(elf);
	close(fd);
}

static void every_row_of_the_c_library_equals_that_of_libdw(void)
{
	compare_file("/lib/x86_64-linux-gnu/libc.so.6", 40000);
}

static void every_row_of_this_test_equals_that_of_libdw(void)
{
	compare_file("/proc/self/exe", 50);
}

int main(void)
{
	RUN(a_function_is_listed_with_its_rows);
	RUN(a_function_of_a_broken_common_entry_is_counted);
	RUN(a_chain_that_breaks_is_an_error);
	RUN(every_row_of_the_c_library_equals_that_of_libdw);
	RUN(every_row_of_this_test_equals_that_of_libdw);
	return 0;
}
