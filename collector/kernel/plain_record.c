/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/plain_record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "store/base/bytes.h"

/* Words of a call chain from here on are marks: what follows is of another mode. */
#define CHAIN_MARK_MIN ((uint64_t)PERF_CONTEXT_MAX)
#define CHAIN_MARK_KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)

/* Places in plain_record.registers. */
enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, RIP, R8 };

static enum plain_mode mode_of(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_USER:
		return PLAIN_USER;
	case PERF_RECORD_MISC_GUEST_KERNEL:
	case PERF_RECORD_MISC_GUEST_USER:
		return PLAIN_GUEST;
	default:
		return PLAIN_KERNEL;
	}
}

static void read_chain(struct bytes_reader *body, struct plain_record *record)
{
	record->chain_count = bytes_read_u64(body);
	if (record->chain_count > bytes_left(body) / sizeof(uint64_t)) {
		bytes_reader_refuse(body);
		return;
	}
	record->chain = bytes_read_span(body, record->chain_count * sizeof(uint64_t));
}

static void read_registers(struct bytes_reader *body, struct plain_record *record)
{
	record->abi = bytes_read_u64(body);
	for (int i = 0; record->abi != PERF_SAMPLE_REGS_ABI_NONE && i < PLAIN_USER_REGISTER_COUNT;
		i++)
		record->registers[i] = bytes_read_u64(body);
}

/* The room that the record has for it, then how much of it was filled. */
static void read_stack(struct bytes_reader *body, struct plain_record *record)
{
	uint64_t room = bytes_read_u64(body);

	if (room == 0)
		return;
	if (room > bytes_left(body)) {
		bytes_reader_refuse(body);
		return;
	}
	record->stack = bytes_read_span(body, room);
	record->stack_bytes = bytes_read_u64(body);
	if (record->stack_bytes > room)
		bytes_reader_refuse(body);
}

static void read_tick(struct bytes_reader *body, bool with_cgroup, struct plain_record *record)
{
	record->kind = PLAIN_TICK;
	record->ip = bytes_read_u64(body);
	record->pid = bytes_read_u32(body);
	record->tid = bytes_read_u32(body);
	record->time_ns = bytes_read_u64(body);
	record->cpu = bytes_read_u32(body);
	bytes_read_u32(body); /* reserved */
	record->period_ns = bytes_read_u64(body);
	read_chain(body, record);
	read_registers(body, record);
	read_stack(body, record);
	if (bytes_read_u64(body) != PERF_SAMPLE_REGS_ABI_NONE)
		record->interrupted_sp = bytes_read_u64(body);
	if (with_cgroup)
		record->cgroup_id = bytes_read_u64(body);
}

int plain_record_parse(
	const void *bytes, size_t byte_count, bool with_cgroup, struct plain_record *ret_record)
{
	struct plain_record record = {.kind = PLAIN_LOST};
	struct bytes_reader body;
	uint32_t type;
	int r;

	bytes_reader_init(&body, bytes, byte_count);
	type = bytes_read_u32(&body);
	record.mode = mode_of(bytes_read_u16(&body));
	if (bytes_read_u16(&body) != byte_count)
		return -EBADMSG;
	if (type == PERF_RECORD_SAMPLE) {
		read_tick(&body, with_cgroup, &record);
	} else if (type == PERF_RECORD_LOST) {
		bytes_read_u64(&body); /* number of the event */
		record.lost_count = bytes_read_u64(&body);
	} else {
		return -ENOMSG;
	}
	r = bytes_reader_fault(&body);
	if (r == 0)
		*ret_record = record;
	return r;
}

/* --- as a sample ------------------------------------------------------------------------------- */

static uint32_t copy_kernel_frames(const struct plain_record *record, uint64_t *ips)
{
	bool in_kernel = false;
	uint32_t count = 0;

	for (uint64_t i = 0; i < record->chain_count && count < KERNEL_FRAMES_MAX; i++) {
		uint64_t word;

		memcpy(&word, record->chain + i * sizeof(word), sizeof(word));
		if (word >= CHAIN_MARK_MIN)
			in_kernel = word == CHAIN_MARK_KERNEL;
		else if (in_kernel)
			ips[count++] = word;
	}
	return count;
}

static enum stop fill_kernel_part(const struct plain_record *record, uint32_t kernel_frames_max_now,
	struct event_sample *sample)
{
	if (record->mode == PLAIN_USER)
		return STOP_absent;
	sample->flags |= EVENT_IN_KERNEL;
	/* The address is the guest's, and means nothing here. */
	if (record->mode == PLAIN_GUEST)
		return STOP_refused;
	sample->kernel_frame_count = (uint16_t)copy_kernel_frames(record, sample->ips);
	if (sample->kernel_frame_count == 0) {
		sample->ips[0] = record->ip;
		sample->kernel_frame_count = 1;
		return STOP_refused;
	}
	return sample->kernel_frame_count < kernel_frames_max_now ? STOP_complete : STOP_truncated;
}

static struct unwind_state state_of(const struct plain_record *record)
{
	const uint64_t *from = record->registers;
	struct unwind_state state = {
		.registers = {.ip = from[RIP],
			.sp = from[RSP],
			.bp = from[RBP],
			.bx = from[RBX],
			.is_exact = 1,
			.is_leaf = 1},
		.leaf = {from[RAX], from[RDX], from[RCX], 0, from[RSI], from[RDI]},
	};

	for (int i = 8; i < UNWIND_REGISTER_COUNT; i++)
		state.leaf[i] = from[R8 + i - 8];
	return state;
}

static bool has_ended(const struct plain_record *record)
{
	return record->pid == UINT32_MAX;
}

/* The innermost frame; the rest is for user space. */
static enum stop fill_user_part(const struct plain_record *record, struct event_sample *sample)
{
	struct unwind_state state = state_of(record);
	uint64_t bytes = record->stack_bytes & ~UINT64_C(7);
	uint8_t *rest;

	if (bytes > STACK_COPY_BYTES_MAX)
		bytes = STACK_COPY_BYTES_MAX;
	if (sample->flags & EVENT_KERNEL_THREAD)
		return STOP_absent;
	/* A thread without a number has ended, and let go of its memory: whatever could be read is
	 * somebody else's. */
	if (has_ended(record))
		return STOP_no_memory;
	if (record->abi == PERF_SAMPLE_REGS_ABI_32)
		return STOP_not_64_bit;
	if (record->abi == PERF_SAMPLE_REGS_ABI_NONE || state.registers.ip == 0)
		return STOP_no_registers;
	/* Memory that can't be read at all is most often memory that was let go of. */
	if (bytes == 0 && record->mode != PLAIN_USER)
		return STOP_no_memory;
	rest = (uint8_t *)(sample->ips + sample->kernel_frame_count + 1);
	sample->ips[sample->kernel_frame_count] = state.registers.ip;
	sample->user_frame_count = 1;
	if (bytes == 0)
		return STOP_unreadable;
	memcpy(rest, &state, sizeof(state));
	memcpy(rest + sizeof(state), record->stack, bytes);
	sample->stack_bytes = (uint32_t)bytes;
	return STOP_not_walked;
}

/* Only threads of the kernel have no registers of user mode, and each is a process of its own; what
 * the kernel runs for a program (io_uring's workers) are threads of that program. */
static bool is_of_kernel(const struct plain_record *record)
{
	return record->abi == PERF_SAMPLE_REGS_ABI_NONE && record->pid == record->tid &&
		!has_ended(record);
}

void plain_record_sample(const struct plain_record *record, uint32_t kernel_frames_max_now,
	struct event_sample *ret_sample)
{
	bool ended = has_ended(record);

	*ret_sample = (struct event_sample){
		.kind = EVENT_SAMPLE,
		.flags = is_of_kernel(record) ? EVENT_KERNEL_THREAD : 0,
		.taken_at_ns = record->time_ns,
		.weight_ns = record->period_ns,
		.cgroup_id = record->cgroup_id,
		.pid = ended ? 0 : record->pid,
		.tid = ended ? 0 : record->tid,
		.cpu = record->cpu,
	};
	ret_sample->kernel_stop =
		(uint8_t)fill_kernel_part(record, kernel_frames_max_now, ret_sample);
	ret_sample->user_stop = (uint8_t)fill_user_part(record, ret_sample);
}
