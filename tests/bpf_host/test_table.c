/* SPDX-License-Identifier: Apache-2.0 */
/* The user walk by unwind tables, as user space writes them. */
#include "bpf/probe/on_cpu.bpf.h"

#include "collector/kernel/event.h"
#include "tests/bpf_host/host.h"
#include "tests/bpf_host/made_stack.h"
#include "tests/support/check.h"

#define CODE UINT64_C(0x400000)
#define CODE_BYTES UINT64_C(0x10000)
#define FUNCTION_BYTES 0x100
#define TABLE 5
/* Bytes of each made frame, the return address included. */
#define FRAME_BYTES 64

static struct bpf_perf_event_data context;
static struct unwind_reference table_root;

/* Code where function N begins at CODE + N * FUNCTION_BYTES. */
static uint64_t in_function(uint32_t number)
{
	return CODE + (uint64_t)number * FUNCTION_BYTES + 0x10;
}

static uint16_t rule_of(struct unwind_rule rule)
{
	return rule_set_number(&host.rules, &rule);
}

static struct unwind_rule usual_rule(void)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_register,
		.cfa_register = UNWIND_RSP,
		.cfa_offset = FRAME_BYTES,
		.return_detail = -1};
}

/* Function NUMBER, and those behind it up to the next row, go by RULE. */
static void add_row(uint32_t number, uint16_t rule)
{
	struct unwind_leaf *leaf = node_pool_at(&host.nodes, table_root);

	leaf->rows[leaf->head.count++] =
		(struct unwind_row){(uint16_t)(number * FUNCTION_BYTES), rule};
}

static void push_word(uint64_t address, uint64_t word)
{
	host.user_memory[(address - host.user_start) / 8] = word;
}

/* A leaf in function 1, called from 2, called from 3 ... up to DEPTH, all frames of the same size;
 * the last one returns to function 0, where threads begin. */
static void begin(uint32_t depth)
{
	struct unwind_rule first = {.cfa = UNWIND_CFA_register, .returns = UNWIND_RETURN_none};
	struct unwind_mapping_leaf *mappings;
	uint64_t sp;

	host_reset();
	memset(&context, 0, sizeof(context));
	mappings = host_mappings();
	mappings->mappings[0] = (struct unwind_mapping){CODE, CODE + CODE_BYTES, CODE, TABLE, 0};
	CHECK_EQ(node_pool_take(&host.nodes, &table_root), 0);
	host.unwind.tables[TABLE] = (struct unwind_table){
		.root = table_root, .state = UNWIND_TABLE_ready, .byte_count = CODE_BYTES};
	add_row(0, rule_of(first));
	add_row(1, rule_of(usual_rule()));
	sp = host.user_start + 0x1000;
	context.regs.cs = MADE_CODE_SEGMENT;
	context.regs.rip = in_function(1);
	context.regs.rsp = sp;
	for (uint32_t i = 2; i <= depth + 1; i++) {
		sp += FRAME_BYTES;
		push_word(sp - 8, in_function(i > depth ? 0 : i));
	}
}

static const struct event_sample *run(void)
{
	const struct host_record *record;

	CHECK_EQ(on_cpu(&context), 0);
	record = host_only_record();
	CHECK(event_sample_in(&record->sample, record->byte_count) == &record->sample);
	return &record->sample;
}

/* Each walk is counted by how it ends. */
static void check_counters(enum stop stop)
{
	for (int i = STOP_complete; i < STOP_MAX; i++)
		CHECK_EQ(host_counter((enum counter)COUNTER_OF_USER_STOP(i)), i == (int)stop);
}

static void check_frames(const struct event_sample *sample, uint32_t frame_count, enum stop stop)
{
	CHECK_EQ(sample->user_stop, stop);
	check_counters(stop);
	CHECK_EQ(sample->user_frame_count, frame_count);
	for (uint32_t i = 0; i < frame_count; i++)
		CHECK_EQ(sample->ips[i], in_function(i + 1));
}

static void a_stack_without_frame_pointers_is_whole(void)
{
	const struct event_sample *sample;

	begin(20);
	sample = run();
	CHECK_EQ(sample->user_stop, STOP_complete);
	CHECK_EQ(sample->user_frame_count, 21);
	CHECK_EQ(sample->ips[19], in_function(20));
	CHECK_EQ(sample->ips[20], in_function(0));
	CHECK_EQ(sample->stack_bytes, 0);
	CHECK_EQ(sample->mappings_version, 1);
}

static void use_is_noted(void)
{
	begin(3);
	host.now_ns = UINT64_C(77) << 30;
	run();
	CHECK_EQ(host.unwind.tables[TABLE].used_at, 77);
}

/* --- what is missing goes to user space --------------------------------------------------------
 */

static void check_rest(const struct event_sample *sample, uint64_t sp)
{
	const struct unwind_state *state = (const void *)&sample->ips[sample->user_frame_count];
	const struct unwind_registers *registers = &state->registers;
	const uint64_t *words = (const void *)(state + 1);

	CHECK_EQ(sample->stack_bytes, STACK_COPY_BYTES_MOST);
	CHECK_EQ(registers->sp, sp);
	CHECK_EQ(registers->ip, sample->ips[sample->user_frame_count - 1]);
	CHECK_EQ(registers->is_leaf, sample->user_frame_count == 1);
	CHECK_EQ(state->leaf[10], context.regs.r10);
	for (uint32_t i = 0; i < STACK_COPY_BYTES_MOST / 8; i++)
		CHECK_EQ(words[i], host.user_memory[(sp - host.user_start) / 8 + i]);
}

static void a_process_that_is_not_known_brings_its_stack(void)
{
	begin(5);
	host.process_count = 0;
	check_frames(run(), 1, STOP_no_process);
	check_rest(&host_only_record()->sample, context.regs.rsp);
}

/* Many addresses leave less room. */
static void a_stack_is_copied_as_far_as_there_is_room_behind_its_addresses(void)
{
	uint32_t depth = HOST_USER_BYTES_MAX / 2 / FRAME_BYTES;
	const struct event_sample *sample;
	uint64_t room;

	begin(1);
	add_row(2, rule_of(usual_rule()));
	for (uint32_t i = 1; i <= depth; i++)
		push_word(context.regs.rsp + (uint64_t)i * FRAME_BYTES - 8,
			i < depth ? in_function(1) : CODE + CODE_BYTES + 1);
	sample = run();
	CHECK_EQ(sample->user_stop, STOP_unmapped);
	CHECK_EQ(sample->user_frame_count, depth + 1);
	room = EVENT_SAMPLE_BYTES_MAX - sizeof(*sample) - sizeof(struct unwind_state) -
		(depth + 1) * sizeof(uint64_t);
	CHECK(room < STACK_COPY_BYTES_MOST);
	CHECK_EQ(sample->stack_bytes, room);
}

static void another_program_under_the_same_pid_is_not_known(void)
{
	begin(5);
	host.leader.self_exec_id++;
	check_frames(run(), 1, STOP_no_process);
	begin(5);
	host.leader.start_boottime++;
	check_frames(run(), 1, STOP_no_process);
}

static void a_file_without_a_table_yet_brings_the_stack(void)
{
	begin(5);
	host.unwind.tables[TABLE].state = UNWIND_TABLE_absent;
	check_frames(run(), 1, STOP_no_table);
	check_rest(&host_only_record()->sample, context.regs.rsp);
}

static void a_file_whose_table_found_no_room_ends_the_stack_without_its_memory(void)
{
	begin(5);
	host.unwind.tables[TABLE].state = UNWIND_TABLE_no_room;
	check_frames(run(), 1, STOP_no_room);
	CHECK_EQ(host_only_record()->sample.stack_bytes, 0);
}

static void an_unknown_mapping_in_mid_stack_brings_the_rest(void)
{
	begin(5);
	host_mappings()->mappings[0].end = in_function(3) - 1;
	check_frames(run(), 3, STOP_unmapped);
	check_rest(&host_only_record()->sample, context.regs.rsp + UINT64_C(2) * FRAME_BYTES);
}

static void nodes_that_were_given_back_are_not_believed(void)
{
	begin(5);
	node_pool_give_back(&host.nodes, table_root);
	check_frames(run(), 1, STOP_table_replaced);
	begin(5);
	node_pool_give_back(&host.nodes, host.process.root);
	check_frames(run(), 1, STOP_table_replaced);
}

static void a_stack_that_ends_early_is_copied_up_to_its_end(void)
{
	const struct event_sample *sample;

	begin(5);
	host.process_count = 0;
	host.user_bytes = 0x3000;
	sample = run();
	CHECK_EQ(sample->user_stop, STOP_no_process);
	CHECK_EQ(sample->stack_bytes, 0x2000);
}

/* Until user space has written down what was missing, each sample brings its stack and may be cut. */
static void a_stack_wakes_user_space_but_not_each_does(void)
{
	const uint64_t start_ns = UINT64_C(5) << 30;
	static const struct {
		uint64_t after_ns;
		uint64_t flags;
	} samples[] = {
		{0, BPF_RB_FORCE_WAKEUP},
		{1, BPF_RB_NO_WAKEUP},
		{STACK_WAKE_INTERVAL_NS - 1, BPF_RB_NO_WAKEUP},
		{STACK_WAKE_INTERVAL_NS, BPF_RB_FORCE_WAKEUP},
		{STACK_WAKE_INTERVAL_NS + 1, BPF_RB_NO_WAKEUP},
	};

	begin(5);
	host_set((struct setting){.cpus_per_ring = 8,
		.ring_wake_bytes = 1 << 20,
		.kernel_frame_count_max = KERNEL_FRAMES_MAX});
	host.process_count = 0;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		host.record_count = 0;
		host.now_ns = start_ns + samples[i].after_ns;
		run();
		CHECK_EQ(host_only_record()->flags, samples[i].flags);
	}
}

/* Frame pointers, if there are any, lead somewhere else as often as not. */
static void a_ring_that_is_half_full_is_kept_for_samples(void)
{
	begin(5);
	host.process_count = 0;
	host.ring_pending_bytes = 4096;
	context.regs.rbp = context.regs.rsp + FRAME_BYTES - 16;
	push_word(context.regs.rbp, 0);
	check_frames(run(), 1, STOP_no_process);
	CHECK_EQ(host_only_record()->sample.stack_bytes, 0);
	CHECK_EQ(host_counter(COUNTER_stacks_without_room), 1);
}

/* --- what is kept ------------------------------------------------------------------------------
 */

static const struct event_sample *run_again(void)
{
	host.record_count = 0;
	return run();
}

static void what_was_found_for_an_address_is_not_searched_again(void)
{
	begin(20);
	run();
	/* Whoever looks here now meets nonsense. */
	memset((char *)node_pool_at(&host.nodes, table_root) + sizeof(struct unwind_head), 0xff,
		UNWIND_NODE_BYTES - sizeof(struct unwind_head));
	CHECK_EQ(run_again()->user_stop, STOP_complete);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 21);
}

static void mappings_that_changed_are_searched_again(void)
{
	begin(5);
	run();
	/* Taken back, and not told anew yet. */
	node_pool_give_back(&host.nodes, host.process.root);
	CHECK_EQ(run_again()->user_stop, STOP_table_replaced);
	/* Told anew: nothing is mapped there now. */
	CHECK_EQ(node_pool_take(&host.nodes, &host.process.root), 0);
	memset(host_mappings()->mappings, 0, sizeof(host_mappings()->mappings));
	CHECK_EQ(run_again()->user_stop, STOP_unmapped);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 1);
}

static void another_process_at_the_same_addresses_has_its_own_rules(void)
{
	struct unwind_rule other = usual_rule();

	begin(5);
	run();
	other.cfa_offset = 2 * FRAME_BYTES;
	CHECK_EQ(node_pool_take(&host.nodes, &host.process.root), 0);
	*host_mappings() = (struct unwind_mapping_leaf){.head = host_mappings()->head,
		.mappings = {{CODE, CODE + CODE_BYTES, CODE, TABLE + 1, 0}}};
	host_mappings()->head.count = 1;
	CHECK_EQ(node_pool_take(&host.nodes, &table_root), 0);
	host.unwind.tables[TABLE + 1] = (struct unwind_table){
		.root = table_root, .state = UNWIND_TABLE_ready, .byte_count = CODE_BYTES};
	add_row(0,
		rule_of((struct unwind_rule){
			.cfa = UNWIND_CFA_register, .returns = UNWIND_RETURN_none}));
	add_row(1, rule_of(other));
	CHECK_EQ(run_again()->ips[1], in_function(3));
}

static void use_is_noted_of_what_is_kept(void)
{
	begin(3);
	run();
	host.now_ns = UINT64_C(99) << 30;
	run_again();
	CHECK_EQ(host.unwind.tables[TABLE].used_at, 99);
}

/* Frames of every size across pages, the last of which ends with the stack. */
static void frames_of_any_size_are_read_up_to_the_last_word(void)
{
	for (uint32_t bytes = 16; bytes <= 2048; bytes += 16) {
		uint32_t depth = 0x3000 / bytes;
		struct unwind_rule rule = usual_rule();
		uint64_t sp;

		begin(1);
		rule.cfa_offset = (int32_t)bytes;
		node_pool_give_back(&host.nodes, table_root);
		CHECK_EQ(node_pool_take(&host.nodes, &table_root), 0);
		host.unwind.tables[TABLE].root = table_root;
		add_row(0,
			rule_of((struct unwind_rule){
				.cfa = UNWIND_CFA_register, .returns = UNWIND_RETURN_none}));
		add_row(1, rule_of(rule));
		sp = host.user_start + host.user_bytes - (uint64_t)depth * bytes;
		context.regs.rsp = sp;
		for (uint32_t i = 1; i <= depth; i++)
			push_word(sp + (uint64_t)i * bytes - 8, in_function(i < depth ? 1 : 0));
		CHECK_EQ(run()->user_stop, STOP_complete);
		CHECK_EQ(host_only_record()->sample.user_frame_count, depth + 1);
	}
}

/* --- rules -------------------------------------------------------------------------------------
 */

static void code_without_rules_goes_by_frame_pointers(void)
{
	/* rbp holds something else. */
	begin(5);
	add_row(2, UNWIND_RULE_GAP);
	context.regs.rbp = 1;
	check_frames(run(), 2, STOP_bad_frame_pointer);
	begin(5);
	add_row(2, UNWIND_RULE_GAP);
	add_row(3, rule_of(usual_rule()));
	/* Function 2's frame ends where it should, and rbp leads there. */
	context.regs.rbp = context.regs.rsp + UINT64_C(2) * FRAME_BYTES - 16;
	push_word(context.regs.rbp, 0);
	CHECK_EQ(run()->user_stop, STOP_complete);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 6);
}

static void a_saved_register_is_followed(void)
{
	struct unwind_rule saves = usual_rule(), by_rbp = usual_rule();

	begin(5);
	/* The leaf saved rbp at CFA - 16; function 2 has its CFA by rbp. */
	saves.rbp = UNWIND_SAVED_at_cfa;
	saves.rbp_offset = -16;
	by_rbp.cfa_register = UNWIND_RBP;
	by_rbp.cfa_offset = 16;
	host.unwind.rules[0].cfa = 0;
	add_row(1, rule_of(saves));
	add_row(2, rule_of(by_rbp));
	add_row(3, rule_of(usual_rule()));
	push_word(context.regs.rsp + FRAME_BYTES - 16,
		context.regs.rsp + UINT64_C(2) * FRAME_BYTES - 16);
	context.regs.rbp = 1;
	CHECK_EQ(run()->user_stop, STOP_complete);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 6);
}

static void a_register_that_only_a_leaf_has_is_lost_above(void)
{
	struct unwind_rule by_r10 = usual_rule();

	by_r10.cfa_register = 10;
	by_r10.cfa_offset = 0;
	begin(5);
	add_row(1, rule_of(by_r10));
	add_row(2, rule_of(usual_rule()));
	context.regs.r10 = context.regs.rsp + FRAME_BYTES;
	CHECK_EQ(run()->user_stop, STOP_complete);
	begin(5);
	add_row(3, rule_of(by_r10));
	check_frames(run(), 3, STOP_lost_register);
}

static void a_signal_leads_to_the_code_that_was_interrupted(void)
{
	struct unwind_rule handler = {.cfa = UNWIND_CFA_memory,
		.cfa_register = UNWIND_RSP,
		.cfa_offset = 160,
		.returns = UNWIND_RETURN_interrupted,
		.return_detail = 21};
	uint64_t sp;

	begin(8);
	add_row(2, rule_of(handler));
	add_row(3, rule_of(usual_rule()));
	/* The first byte of function 4 was interrupted: as a return address it would belong to
	 * function 3. */
	sp = context.regs.rsp + FRAME_BYTES;
	push_word(sp + 160, sp + 1024);
	push_word(sp + 168, CODE + UINT64_C(4) * FUNCTION_BYTES);
	push_word(sp + 1024 + FRAME_BYTES - 8, in_function(0));
	CHECK_EQ(run()->user_stop, STOP_complete);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 4);
	CHECK_EQ(host_only_record()->sample.ips[2], CODE + UINT64_C(4) * FUNCTION_BYTES);
}

static void a_stack_that_does_not_grow_ends(void)
{
	struct unwind_rule loop = usual_rule();

	loop.cfa_offset = 0;
	begin(5);
	add_row(3, rule_of(loop));
	push_word(context.regs.rsp + UINT64_C(2) * FRAME_BYTES - 8, in_function(3));
	check_frames(run(), 3, STOP_no_progress);
}

static void a_leaf_may_have_taken_its_return_address_off_the_stack(void)
{
	struct unwind_rule by_rcx = usual_rule();

	begin(5);
	by_rcx.cfa_offset = 0;
	by_rcx.returns = UNWIND_RETURN_in_register;
	by_rcx.return_detail = 2;
	add_row(1, rule_of(by_rcx));
	add_row(2, rule_of(usual_rule()));
	context.regs.rcx = in_function(2);
	context.regs.rsp += FRAME_BYTES;
	CHECK_EQ(run()->user_stop, STOP_complete);
	CHECK_EQ(host_only_record()->sample.user_frame_count, 6);
}

static void a_return_address_of_zero_is_where_a_coroutine_begins(void)
{
	begin(3);
	push_word(context.regs.rsp + UINT64_C(3) * FRAME_BYTES - 8, 0);
	check_frames(run(), 3, STOP_complete);
	/* The CPU itself is nowhere at a beginning. */
	begin(3);
	push_word(context.regs.rsp + FRAME_BYTES - 8, 0);
	check_frames(run(), 1, STOP_bad_return_address);
}

int main(void)
{
	RUN(a_stack_without_frame_pointers_is_whole);
	RUN(use_is_noted);
	RUN(a_process_that_is_not_known_brings_its_stack);
	RUN(a_stack_is_copied_as_far_as_there_is_room_behind_its_addresses);
	RUN(another_program_under_the_same_pid_is_not_known);
	RUN(a_file_without_a_table_yet_brings_the_stack);
	RUN(a_file_whose_table_found_no_room_ends_the_stack_without_its_memory);
	RUN(an_unknown_mapping_in_mid_stack_brings_the_rest);
	RUN(nodes_that_were_given_back_are_not_believed);
	RUN(a_stack_that_ends_early_is_copied_up_to_its_end);
	RUN(a_stack_wakes_user_space_but_not_each_does);
	RUN(a_ring_that_is_half_full_is_kept_for_samples);
	RUN(what_was_found_for_an_address_is_not_searched_again);
	RUN(mappings_that_changed_are_searched_again);
	RUN(another_process_at_the_same_addresses_has_its_own_rules);
	RUN(use_is_noted_of_what_is_kept);
	RUN(frames_of_any_size_are_read_up_to_the_last_word);
	RUN(code_without_rules_goes_by_frame_pointers);
	RUN(a_saved_register_is_followed);
	RUN(a_register_that_only_a_leaf_has_is_lost_above);
	RUN(a_signal_leads_to_the_code_that_was_interrupted);
	RUN(a_stack_that_does_not_grow_ends);
	RUN(a_leaf_may_have_taken_its_return_address_off_the_stack);
	RUN(a_return_address_of_zero_is_where_a_coroutine_begins);
	return 0;
}
