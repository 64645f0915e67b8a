/* SPDX-License-Identifier: Apache-2.0 */
/* The user walk by frame pointers, on stacks of every shape. */
#include "bpf/probe/on_cpu.bpf.h"

#include "collector/kernel/event.h"
#include "tests/bpf_host/host.h"
#include "tests/bpf_host/made_stack.h"
#include "tests/support/check.h"

static struct bpf_perf_event_data context;

/* Begins a test: a whole chain of RECORD_COUNT records, sampled in user mode. */
static void begin(uint32_t record_count)
{
	host_reset();
	memset(&context, 0, sizeof(context));
	made_chain(record_count, &context.regs);
}

static const struct event_sample *run(void)
{
	const struct host_record *record;

	CHECK_EQ(on_cpu(&context), 0);
	record = host_only_record();
	CHECK(event_sample_in(&record->sample, record->byte_count) == &record->sample);
	CHECK_EQ(record->sample.kernel_frame_count, 0);
	return &record->sample;
}

/* The leaf and the callers by the first FRAME_COUNT - 1 records, then STOP. */
static void check_frames(const struct event_sample *sample, uint32_t frame_count, enum stop stop)
{
	CHECK_EQ(sample->user_frame_count, frame_count);
	CHECK_EQ(sample->user_stop, stop);
	CHECK_EQ(sample->ips[0], MADE_LEAF);
	for (uint32_t i = 1; i < frame_count; i++)
		CHECK_EQ(sample->ips[i], MADE_RETURN(i - 1));
	for (int i = STOP_complete; i < STOP_MAX; i++)
		CHECK_EQ(host_counter((enum counter)COUNTER_OF_USER_STOP(i)), i == (int)stop);
}

static void a_whole_chain_gives_every_caller(void)
{
	for (uint32_t record_count = 1; record_count < 40; record_count++) {
		begin(record_count);
		check_frames(run(), record_count + 1, STOP_complete);
	}
}

static void deep_recursion_keeps_its_root(void)
{
	begin(511);
	check_frames(run(), 512, STOP_complete);
	begin(512);
	check_frames(run(), 513, STOP_complete);
	begin(USER_FRAMES_MAX - 1);
	check_frames(run(), USER_FRAMES_MAX, STOP_complete);
}

static void a_stack_deeper_than_the_limit_keeps_its_leaf_part(void)
{
	begin(USER_FRAMES_MAX);
	check_frames(run(), USER_FRAMES_MAX, STOP_truncated);
	begin(USER_FRAMES_MAX + 200);
	check_frames(run(), USER_FRAMES_MAX, STOP_truncated);
}

static void a_zero_without_a_chain_is_no_end(void)
{
	begin(3);
	context.regs.rbp = 0;
	check_frames(run(), 1, STOP_bad_frame_pointer);
}

static void a_register_that_holds_something_else_is_no_frame_pointer(void)
{
	begin(3);
	context.regs.rbp = 1;
	check_frames(run(), 1, STOP_bad_frame_pointer);
	begin(3);
	context.regs.rbp = context.regs.rsp - 8;
	check_frames(run(), 1, STOP_bad_frame_pointer);
	begin(3);
	context.regs.rbp += 4;
	check_frames(run(), 1, STOP_bad_frame_pointer);
	begin(3);
	context.regs.rbp = context.regs.rsp + FRAME_BYTES_MAX + 8;
	check_frames(run(), 1, STOP_bad_frame_pointer);
	begin(3);
	context.regs.rbp = UINT64_MAX - 7;
	check_frames(run(), 1, STOP_bad_frame_pointer);
}

static void a_chain_broken_by_a_stray_pointer_keeps_what_came_before(void)
{
	begin(10);
	made_set_frame_pointer(4, 0x1234567);
	check_frames(run(), 6, STOP_bad_frame_pointer);
}

static void a_chain_that_leads_back_ends(void)
{
	begin(10);
	made_set_frame_pointer(4, made_record(4));
	check_frames(run(), 6, STOP_bad_frame_pointer);
	begin(10);
	made_set_frame_pointer(4, made_record(1));
	check_frames(run(), 6, STOP_bad_frame_pointer);
	begin(10);
	made_set_frame_pointer(4, made_record(4) + 8);
	check_frames(run(), 6, STOP_bad_frame_pointer);
}

static void memory_that_is_not_there_ends_the_walk(void)
{
	begin(10);
	host.user_bytes = made_record(5) + 8 - host.user_start;
	check_frames(run(), 6, STOP_unreadable);
	begin(10);
	host.user_bytes = 0;
	check_frames(run(), 1, STOP_unreadable);
}

static void an_impossible_return_address_is_no_frame(void)
{
	static const uint64_t addresses[] = {
		0, 1, 0xfff, UINT64_C(0xffffffff81000000), UINT64_C(0x100000000000000), UINT64_MAX};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		begin(10);
		made_set_return_address(3, addresses[i]);
		check_frames(run(), 4, STOP_bad_return_address);
	}
}

static void a_walk_ends_when_its_time_is_up(void)
{
	begin(1000);
	/* The first reading starts the walk; the clock is read once in so many frames. */
	host.ns_per_reading = WALK_BUDGET_NS / 3 + 1;
	check_frames(run(), 3 * WALK_FRAMES_PER_CLOCK, STOP_budget);
}

/* Code of the leaf's first bytes, little-endian. */
static void set_code(uint64_t code)
{
	host.code_at = MADE_LEAF;
	host.code = code;
}

/* Puts one more caller below the chain: the leaf's, whose return address is WORDS above rsp. */
static void push_caller(uint32_t words)
{
	context.regs.rsp = host.user_start;
	host.user_memory[words] = MADE_RETURN(1000);
	if (words > 0)
		host.user_memory[0] = context.regs.rbp;
}

static void check_hidden_caller(void)
{
	const struct event_sample *sample = run();

	CHECK_EQ(sample->user_stop, STOP_complete);
	CHECK_EQ(sample->user_frame_count, 5);
	CHECK_EQ(sample->ips[1], MADE_RETURN(1000));
	CHECK_EQ(sample->ips[2], MADE_RETURN(0));
}

static void a_function_that_has_no_frame_yet_does_not_hide_its_caller(void)
{
	/* push %rbp; mov %rsp, %rbp, in both encodings */
	begin(3);
	set_code(UINT64_C(0x90e5894855));
	push_caller(0);
	check_hidden_caller();
	begin(3);
	set_code(UINT64_C(0x90ec8b4855));
	push_caller(0);
	check_hidden_caller();
	/* mov %rsp, %rbp */
	begin(3);
	set_code(UINT64_C(0x90e58948));
	push_caller(1);
	context.regs.rbp = 12345;
	check_hidden_caller();
	/* ret */
	begin(3);
	set_code(0xc3);
	push_caller(0);
	check_hidden_caller();
}

static void a_push_alone_tells_nothing(void)
{
	begin(3);
	set_code(UINT64_C(0x9090909055));
	check_frames(run(), 4, STOP_complete);
}

/* As in musl and Go: the handler's caller is known by what its code does. */
static void a_return_from_a_signal_is_known_by_its_code(void)
{
	static const uint64_t codes[] = {
		UINT64_C(0x0f0000000fc0c748), UINT64_C(0x90050f0000000fb8)};

	for (int i = 0; i < 2; i++) {
		const struct event_sample *sample;
		uint64_t *frame;

		begin(2);
		/* The handler's record is the first one; above it is the kernel's frame. */
		host.code_at = MADE_RETURN(0);
		host.code = codes[i];
		frame = &host.user_memory[(made_record(0) + 16 - host.user_start) / 8];
		memset(frame, 0, 400);
		frame[120 / 8] = made_record(20);
		frame[160 / 8] = made_record(19);
		frame[168 / 8] = MADE_RETURN(500);
		made_set_frame_pointer(20, 0);
		made_set_return_address(20, MADE_RETURN(501));
		sample = run();
		CHECK_EQ(sample->user_stop, STOP_complete);
		CHECK_EQ(sample->user_frame_count, 4);
		CHECK_EQ(sample->ips[1], MADE_RETURN(0));
		CHECK_EQ(sample->ips[2], MADE_RETURN(500));
		CHECK_EQ(sample->ips[3], MADE_RETURN(501));
	}
}

/* A fixed sequence that looks random. */
static uint64_t next_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 17;
}

/* Half of the words are addresses of the stack, as in real ones. */
static void any_memory_and_registers_give_a_sample(void)
{
	uint64_t state = 42;

	for (int round = 0; round < 2000; round++) {
		begin(1);
		for (uint32_t i = 0; i < HOST_USER_BYTES_MAX / 8; i++) {
			uint64_t number = next_number(&state);

			host.user_memory[i] = number % 2
				? host.user_start + number % HOST_USER_BYTES_MAX / 8 * 8
				: number << number % 30;
		}
		context.regs.rbp = host.user_start + next_number(&state) % HOST_USER_BYTES_MAX;
		context.regs.rsp = host.user_start;
		CHECK(run()->user_frame_count >= 1);
	}
}

int main(void)
{
	RUN(a_whole_chain_gives_every_caller);
	RUN(deep_recursion_keeps_its_root);
	RUN(a_stack_deeper_than_the_limit_keeps_its_leaf_part);
	RUN(a_zero_without_a_chain_is_no_end);
	RUN(a_register_that_holds_something_else_is_no_frame_pointer);
	RUN(a_chain_broken_by_a_stray_pointer_keeps_what_came_before);
	RUN(a_chain_that_leads_back_ends);
	RUN(memory_that_is_not_there_ends_the_walk);
	RUN(an_impossible_return_address_is_no_frame);
	RUN(a_walk_ends_when_its_time_is_up);
	RUN(a_function_that_has_no_frame_yet_does_not_hide_its_caller);
	RUN(a_push_alone_tells_nothing);
	RUN(a_return_from_a_signal_is_known_by_its_code);
	RUN(any_memory_and_registers_give_a_sample);
	return 0;
}
