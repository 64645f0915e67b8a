/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bpf_host/made_stack.h"

#include "tests/bpf_host/host.h"
#include "tests/support/check.h"

static uint64_t *word_at(uint64_t address)
{
	uint64_t offset = address - host.user_start;

	CHECK(offset < sizeof(host.user_memory) && offset % sizeof(uint64_t) == 0);
	return &host.user_memory[offset / sizeof(uint64_t)];
}

uint64_t made_record(uint32_t index)
{
	return host.user_start + MADE_FRAME_BYTES * ((uint64_t)index + 1);
}

void made_set_frame_pointer(uint32_t index, uint64_t value)
{
	*word_at(made_record(index)) = value;
}

void made_set_return_address(uint32_t index, uint64_t value)
{
	*word_at(made_record(index) + sizeof(uint64_t)) = value;
}

void made_chain(uint32_t record_count, struct pt_regs *registers)
{
	for (uint32_t i = 0; i < record_count; i++) {
		made_set_frame_pointer(i, i + 1 < record_count ? made_record(i + 1) : 0);
		made_set_return_address(i, MADE_RETURN(i));
	}
	registers->cs = MADE_CODE_SEGMENT;
	registers->rip = MADE_LEAF;
	registers->rsp = host.user_start;
	registers->rbp = made_record(0);
}
