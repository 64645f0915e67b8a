/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_record.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "collector/kernel/event.h"
#include "store/base/bytes.h"
#include "tests/support/check.h"

static struct event_sample *sample;

/* What a record says; registers are numbers from 0x100 on, by which they are told apart. */
struct tick {
	uint16_t misc;
	uint32_t pid, tid;
	uint64_t chain[8];
	uint32_t chain_count;
	uint64_t abi;
	uint64_t stack_room, stack_bytes;
	bool with_cgroup;
	uint16_t size; /* 0: the right one */
	size_t cut; /* bytes left away at the end */
};

static const struct tick user = {.misc = PERF_RECORD_MISC_USER,
	.pid = 10,
	.tid = 11,
	.abi = PERF_SAMPLE_REGS_ABI_64,
	.stack_room = 64,
	.stack_bytes = 40};

static void write_tick(struct bytes_writer *writer, const struct tick *tick)
{
	bytes_write_u64(writer, 0xffffffff81000010);
	bytes_write_u32(writer, tick->pid);
	bytes_write_u32(writer, tick->tid);
	bytes_write_u64(writer, 4711);
	bytes_write_u32(writer, 3);
	bytes_write_u32(writer, 0);
	bytes_write_u64(writer, 52631578);
	bytes_write_u64(writer, tick->chain_count);
	for (uint32_t i = 0; i < tick->chain_count; i++)
		bytes_write_u64(writer, tick->chain[i]);
	bytes_write_u64(writer, tick->abi);
	for (uint64_t i = 0; tick->abi && i < PLAIN_USER_REGISTER_COUNT; i++)
		bytes_write_u64(writer, 0x1000 + i);
	bytes_write_u64(writer, tick->stack_room);
	for (uint64_t i = 0; i < tick->stack_room; i++)
		bytes_write_u8(writer, (uint8_t)i);
	if (tick->stack_room)
		bytes_write_u64(writer, tick->stack_bytes);
	bytes_write_u64(writer, PERF_SAMPLE_REGS_ABI_64);
	bytes_write_u64(writer, 0xffffc90000003f00);
	if (tick->with_cgroup)
		bytes_write_u64(writer, 77);
}

/* From memory of exactly its size, so that a sanitizer sees a read beyond it. */
static int parse(const struct tick *tick, struct plain_record *ret_record, uint8_t **ret_bytes)
{
	struct bytes_writer writer;
	size_t byte_count, size;
	uint8_t *whole;

	bytes_writer_init(&writer, 1 << 17);
	bytes_write_u32(&writer, PERF_RECORD_SAMPLE);
	bytes_write_u16(&writer, tick->misc);
	bytes_write_u16(&writer, 0);
	write_tick(&writer, tick);
	whole = bytes_writer_take(&writer, &byte_count);
	byte_count -= tick->cut;
	size = tick->size ? tick->size : byte_count;
	whole[6] = (uint8_t)size;
	whole[7] = (uint8_t)(size >> 8);
	*ret_bytes = malloc(byte_count);
	CHECK(*ret_bytes);
	memcpy(*ret_bytes, whole, byte_count);
	free(whole);
	return plain_record_parse(*ret_bytes, byte_count, tick->with_cgroup, ret_record);
}

/* The sample of TICK, as the rest of the collector checks it. */
static void become_sample(const struct tick *tick)
{
	struct plain_record record;
	uint8_t *bytes;

	CHECK_EQ(parse(tick, &record, &bytes), 0);
	plain_record_sample(&record, KERNEL_FRAMES_MAX, sample);
	free(bytes);
	CHECK(event_sample_in(sample, event_sample_bytes(sample)) == sample);
}

static void a_tick_in_user_mode_brings_registers_and_stack(void)
{
	struct unwind_state state;
	struct tick tick = user;

	tick.with_cgroup = true;
	become_sample(&tick);
	CHECK_EQ(sample->flags, 0);
	CHECK_EQ(sample->pid, 10);
	CHECK_EQ(sample->tid, 11);
	CHECK_EQ(sample->cpu, 3);
	CHECK_EQ(sample->taken_at_ns, 4711);
	CHECK_EQ(sample->weight_ns, 52631578);
	CHECK_EQ(sample->cgroup_id, 77);
	CHECK_EQ(sample->kernel_frame_count, 0);
	CHECK_EQ(sample->kernel_stop, STOP_absent);
	CHECK_EQ(sample->user_frame_count, 1);
	CHECK_EQ(sample->user_stop, STOP_not_walked);
	CHECK_EQ(sample->stack_bytes, 40);
	memcpy(&state, sample->ips + 1, sizeof(state));
	CHECK_EQ(sample->ips[0], 0x1008);
	CHECK_EQ(state.registers.ip, 0x1008);
	CHECK_EQ(state.registers.sp, 0x1007);
	CHECK_EQ(state.registers.bp, 0x1006);
	CHECK_EQ(state.registers.bx, 0x1001);
	CHECK(state.registers.is_exact && state.registers.is_leaf);
	/* By DWARF's numbers: rax, rdx, rcx, then rsi, rdi, then r8 to r15. */
	CHECK(state.leaf[0] == 0x1000 && state.leaf[1] == 0x1003 && state.leaf[2] == 0x1002);
	CHECK(state.leaf[4] == 0x1004 && state.leaf[5] == 0x1005);
	for (uint64_t i = 8; i < 16; i++)
		CHECK_EQ(state.leaf[i], 0x1009 + i - 8);
	CHECK_EQ(((uint8_t *)(sample->ips + 1))[sizeof(state) + 39], 39);
}

static void a_tick_in_the_kernel_brings_its_frames_without_marks(void)
{
	struct tick tick = user;
	const uint64_t chain[] = {(uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
		0xffffffff81000200, (uint64_t)PERF_CONTEXT_USER, 0x400000};

	tick.misc = PERF_RECORD_MISC_KERNEL;
	memcpy(tick.chain, chain, sizeof(chain));
	tick.chain_count = 5;
	become_sample(&tick);
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL);
	CHECK_EQ(sample->kernel_stop, STOP_complete);
	CHECK_EQ(sample->kernel_frame_count, 2);
	CHECK(sample->ips[0] == 0xffffffff81000010 && sample->ips[1] == 0xffffffff81000200);
	CHECK_EQ(sample->user_frame_count, 1);
	CHECK_EQ(sample->ips[2], 0x1008);
	CHECK_EQ(sample->user_stop, STOP_not_walked);
}

static void a_kernel_stack_as_long_as_may_be_is_truncated(void)
{
	struct tick tick = user;
	struct plain_record record;
	uint8_t *bytes;

	tick.misc = PERF_RECORD_MISC_KERNEL;
	tick.chain[0] = (uint64_t)PERF_CONTEXT_KERNEL;
	tick.chain[1] = tick.chain[2] = tick.chain[3] = 0xffffffff81000010;
	tick.chain_count = 4;
	CHECK_EQ(parse(&tick, &record, &bytes), 0);
	plain_record_sample(&record, 3, sample);
	CHECK_EQ(sample->kernel_stop, STOP_truncated);
	plain_record_sample(&record, 4, sample);
	CHECK_EQ(sample->kernel_stop, STOP_complete);
	free(bytes);
}

static void a_kernel_stack_that_was_not_given_leaves_its_leaf(void)
{
	struct tick tick = user;

	tick.misc = PERF_RECORD_MISC_KERNEL;
	become_sample(&tick);
	CHECK_EQ(sample->kernel_stop, STOP_refused);
	CHECK_EQ(sample->kernel_frame_count, 1);
	CHECK_EQ(sample->ips[0], 0xffffffff81000010);
	/* Of a guest not even that means anything here. */
	tick.misc = PERF_RECORD_MISC_GUEST_USER;
	become_sample(&tick);
	CHECK_EQ(sample->kernel_stop, STOP_refused);
	CHECK_EQ(sample->kernel_frame_count, 0);
	CHECK_EQ(sample->user_stop, STOP_not_walked);
}

static void threads_without_user_mode_are_the_kernels_or_say_so(void)
{
	struct tick tick = user;

	tick.misc = PERF_RECORD_MISC_KERNEL;
	tick.abi = PERF_SAMPLE_REGS_ABI_NONE;
	tick.stack_room = 0;
	tick.tid = tick.pid;
	become_sample(&tick);
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL | EVENT_KERNEL_THREAD);
	CHECK_EQ(sample->user_stop, STOP_absent);
	/* A thread of a program that the kernel runs. */
	tick.tid++;
	become_sample(&tick);
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL);
	CHECK_EQ(sample->user_stop, STOP_no_registers);
	tick.pid = tick.tid = 0;
	become_sample(&tick);
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL | EVENT_KERNEL_THREAD);
}

static void what_can_not_be_walked_says_why(void)
{
	struct tick tick = user;

	tick.abi = PERF_SAMPLE_REGS_ABI_32;
	become_sample(&tick);
	CHECK_EQ(sample->user_stop, STOP_not_64_bit);
	CHECK_EQ(sample->user_frame_count, 0);
	tick.abi = PERF_SAMPLE_REGS_ABI_64;
	tick.stack_bytes = 7;
	become_sample(&tick);
	CHECK_EQ(sample->user_stop, STOP_unreadable);
	CHECK_EQ(sample->user_frame_count, 1);
	CHECK_EQ(sample->stack_bytes, 0);
	/* In the kernel: a process that is ending. */
	tick.misc = PERF_RECORD_MISC_KERNEL;
	become_sample(&tick);
	CHECK_EQ(sample->user_stop, STOP_no_memory);
	CHECK_EQ(sample->user_frame_count, 0);
	/* It has no number any more. */
	tick.pid = tick.tid = UINT32_MAX;
	become_sample(&tick);
	CHECK(sample->pid == 0 && sample->tid == 0);
	CHECK_EQ(sample->flags, EVENT_IN_KERNEL);
	/* What lies at its stack pointer is somebody else's by now. */
	tick.stack_room = tick.stack_bytes = 4096;
	become_sample(&tick);
	CHECK_EQ(sample->user_stop, STOP_no_memory);
	CHECK_EQ(sample->user_frame_count, 0);
	CHECK_EQ(sample->stack_bytes, 0);
}

static void a_stack_is_taken_as_far_as_there_is_room(void)
{
	struct tick tick = user;

	tick.stack_room = tick.stack_bytes = 2 * STACK_COPY_BYTES_MAX;
	become_sample(&tick);
	CHECK_EQ(sample->stack_bytes, STACK_COPY_BYTES_MAX);
	tick.stack_room = tick.stack_bytes = 4096;
	tick.stack_bytes = 4093;
	become_sample(&tick);
	CHECK_EQ(sample->stack_bytes, 4088);
}

static void sizes_that_disagree_are_refused(void)
{
	struct plain_record record = {.pid = 4712};
	struct tick tick = user;
	uint8_t *bytes;

	tick.with_cgroup = true;
	for (size_t cut = 1; cut < 300; cut++) {
		tick.cut = cut;
		CHECK_EQ(parse(&tick, &record, &bytes), -EBADMSG);
		free(bytes);
	}
	tick = user;
	tick.size = 8;
	CHECK_EQ(parse(&tick, &record, &bytes), -EBADMSG);
	free(bytes);
	tick = user;
	tick.chain_count = 0;
	tick.stack_bytes = 65;
	CHECK_EQ(parse(&tick, &record, &bytes), -EBADMSG);
	free(bytes);
	CHECK_EQ(record.pid, 4712);
}

static void losses_are_told_and_other_kinds_left(void)
{
	uint64_t words[] = {0, 5, 321};
	struct perf_event_header header = {PERF_RECORD_LOST, 0, sizeof(words)};
	struct plain_record record;

	memcpy(words, &header, sizeof(header));
	CHECK_EQ(plain_record_parse(words, sizeof(words), true, &record), 0);
	CHECK_EQ(record.kind, PLAIN_LOST);
	CHECK_EQ(record.lost_count, 321);
	header.type = PERF_RECORD_THROTTLE;
	memcpy(words, &header, sizeof(header));
	CHECK_EQ(plain_record_parse(words, sizeof(words), true, &record), -ENOMSG);
}

int main(void)
{
	sample = malloc(EVENT_SAMPLE_BYTES_MAX);
	CHECK(sample);
	RUN(a_tick_in_user_mode_brings_registers_and_stack);
	RUN(a_tick_in_the_kernel_brings_its_frames_without_marks);
	RUN(a_kernel_stack_as_long_as_may_be_is_truncated);
	RUN(a_kernel_stack_that_was_not_given_leaves_its_leaf);
	RUN(threads_without_user_mode_are_the_kernels_or_say_so);
	RUN(what_can_not_be_walked_says_why);
	RUN(a_stack_is_taken_as_far_as_there_is_room);
	RUN(sizes_that_disagree_are_refused);
	RUN(losses_are_told_and_other_kinds_left);
	free(sample);
	return 0;
}
