/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/object_relocation.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "tests/support/check.h"

#define FILL 0xee

static Elf64_Sym symbols[] = {{0}, {.st_value = 0x1000}, {.st_value = 0x123456789a}};
static uint8_t bytes[16];

static int apply(uint16_t machine, uint32_t type, uint64_t symbol, uint64_t offset, int64_t addend)
{
	const struct object_symbols table = {(const uint8_t *)symbols, 3};
	Elf64_Rela entry = {
		.r_offset = offset, .r_info = ELF64_R_INFO(symbol, type), .r_addend = addend};

	memset(bytes, FILL, sizeof(bytes));
	return object_relocate(machine, &table, (const uint8_t *)&entry, 1, bytes, sizeof(bytes));
}

/* The number of BYTE_COUNT bytes at OFFSET, little-endian; what stands around it is untouched. */
static uint64_t number_at(size_t offset, size_t byte_count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		if (i >= offset && i < offset + byte_count)
			value |= (uint64_t)bytes[i] << 8 * (i - offset);
		else
			CHECK_EQ(bytes[i], FILL);
	}
	return value;
}

static void each_kind_writes_as_many_bytes_as_it_says(void)
{
	static const struct {
		uint16_t machine, type;
		uint8_t byte_count;
	} cases[] = {
		{EM_X86_64, R_X86_64_64, 8},
		{EM_X86_64, R_X86_64_32, 4},
		{EM_X86_64, R_X86_64_32S, 4},
		{EM_X86_64, R_X86_64_16, 2},
		{EM_X86_64, R_X86_64_8, 1},
		{EM_X86_64, R_X86_64_DTPOFF32, 4},
		{EM_X86_64, R_X86_64_DTPOFF64, 8},
		{EM_X86_64, R_X86_64_NONE, 0},
		{EM_AARCH64, R_AARCH64_ABS64, 8},
		{EM_AARCH64, R_AARCH64_ABS32, 4},
		{EM_AARCH64, R_AARCH64_ABS16, 2},
		{EM_AARCH64, R_AARCH64_TLS_DTPREL, 8},
		{EM_AARCH64, R_AARCH64_NONE, 0},
		{EM_AARCH64, 256, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t mask = cases[i].byte_count == 8
			? UINT64_MAX
			: (UINT64_C(1) << 8 * cases[i].byte_count) - 1;

		CHECK_EQ(apply(cases[i].machine, cases[i].type, 2, 3, -0x9a), 0);
		CHECK_EQ(number_at(3, cases[i].byte_count), UINT64_C(0x1234567800) & mask);
	}
}

static void what_is_relative_counts_from_its_own_place(void)
{
	static const struct {
		uint16_t machine, type;
		uint8_t byte_count;
	} cases[] = {
		{EM_X86_64, R_X86_64_PC32, 4},
		{EM_X86_64, R_X86_64_PC64, 8},
		{EM_X86_64, R_X86_64_PC16, 2},
		{EM_AARCH64, R_AARCH64_PREL32, 4},
		{EM_AARCH64, R_AARCH64_PREL64, 8},
		{EM_AARCH64, R_AARCH64_PREL16, 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_EQ(apply(cases[i].machine, cases[i].type, 1, 8, 4), 0);
		CHECK_EQ(number_at(8, cases[i].byte_count), 0xffc);
	}
	CHECK_EQ(apply(EM_X86_64, R_X86_64_PC8, 1, 8, 4), 0);
	CHECK_EQ(number_at(8, 1), 0xfc);
}

static void what_lies_outside_is_refused_and_nothing_written(void)
{
	CHECK_EQ(apply(EM_X86_64, R_X86_64_64, 1, 8, 0), 0);
	CHECK_EQ(apply(EM_X86_64, R_X86_64_64, 1, 9, 0), -EBADMSG);
	CHECK_EQ(number_at(0, 0), 0);
	CHECK_EQ(apply(EM_X86_64, R_X86_64_64, 1, UINT64_MAX - 3, 0), -EBADMSG);
	CHECK_EQ(apply(EM_X86_64, R_X86_64_64, 3, 0, 0), -EBADMSG);
	CHECK_EQ(apply(EM_X86_64, R_X86_64_64, UINT32_MAX, 0, 0), -EBADMSG);
	CHECK_EQ(number_at(0, 0), 0);
}

static void what_is_not_known_is_refused(void)
{
	CHECK_EQ(apply(EM_X86_64, R_X86_64_COPY, 1, 0, 0), -ENOTSUP);
	CHECK_EQ(apply(EM_AARCH64, R_X86_64_64, 1, 0, 0), -ENOTSUP);
	CHECK_EQ(apply(EM_386, R_386_32, 1, 0, 0), -ENOTSUP);
	CHECK(object_machine_known(EM_X86_64) && object_machine_known(EM_AARCH64));
	CHECK(!object_machine_known(EM_386) && !object_machine_known(EM_RISCV));
}

int main(void)
{
	RUN(each_kind_writes_as_many_bytes_as_it_says);
	RUN(what_is_relative_counts_from_its_own_place);
	RUN(what_lies_outside_is_refused_and_nothing_written);
	RUN(what_is_not_known_is_refused);
	return 0;
}
