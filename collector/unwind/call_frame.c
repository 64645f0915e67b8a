/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/call_frame.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "collector/unwind/frame_expression.h"

/* DW_CFA_*. The first three keep an operand in their low six bits. */
enum {
	CFA_advance_loc = 0x40,
	CFA_offset = 0x80,
	CFA_restore = 0xc0,
	CFA_high_bits = 0xc0,

	CFA_nop = 0x00,
	CFA_set_loc = 0x01,
	CFA_advance_loc1 = 0x02,
	CFA_advance_loc2 = 0x03,
	CFA_advance_loc4 = 0x04,
	CFA_offset_extended = 0x05,
	CFA_restore_extended = 0x06,
	CFA_undefined = 0x07,
	CFA_same_value = 0x08,
	CFA_register = 0x09,
	CFA_remember_state = 0x0a,
	CFA_restore_state = 0x0b,
	CFA_def_cfa = 0x0c,
	CFA_def_cfa_register = 0x0d,
	CFA_def_cfa_offset = 0x0e,
	CFA_def_cfa_expression = 0x0f,
	CFA_expression = 0x10,
	CFA_offset_extended_sf = 0x11,
	CFA_def_cfa_sf = 0x12,
	CFA_def_cfa_offset_sf = 0x13,
	CFA_val_offset = 0x14,
	CFA_val_offset_sf = 0x15,
	CFA_val_expression = 0x16,
	CFA_GNU_args_size = 0x2e,
	CFA_GNU_negative_offset_extended = 0x2f,
};

struct run {
	const struct call_frame_common *common;
	struct bytes_reader *instructions;
	const struct frame_bases *bases;
	const uint8_t *start;
	call_frame_row_fn *on_row; /* NULL while the initial instructions run */
	void *context;
	uint64_t from; /* where the next row begins */
	uint64_t until;
	struct call_frame_rules now;
	struct call_frame_rules remembered[CALL_FRAME_DEPTH_MAX];
	unsigned depth;
};

void call_frame_common_init(struct call_frame_common *common)
{
	memset(common, 0, sizeof(*common));
	common->initial.returns.how = CALL_FRAME_other;
}

static bool fits_int16(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

/* The first byte of an unwind_saved and its offset for PLACE; a value that a rule can't describe is
 * lost, which matters only to a walk that needs it. */
static uint8_t pack_saved(const struct call_frame_place *place, int16_t *ret_offset)
{
	*ret_offset = 0;
	if (place->how == CALL_FRAME_unchanged)
		return UNWIND_SAVED_unchanged;
	if (!fits_int16(place->offset))
		return UNWIND_SAVED_lost;
	*ret_offset = (int16_t)place->offset;
	if (place->how == CALL_FRAME_at_cfa)
		return UNWIND_SAVED_at_cfa;
	if (place->how == CALL_FRAME_at_register && place->number == UNWIND_RSP)
		return UNWIND_SAVED_at_rsp;
	if (place->how == CALL_FRAME_at_register && place->number == UNWIND_RBP)
		return UNWIND_SAVED_at_rbp;
	*ret_offset = 0;
	return UNWIND_SAVED_lost;
}

/* False: no walk could use it. */
static bool pack_returns(
	const struct call_frame_place *place, bool is_signal_frame, struct unwind_rule *rule)
{
	bool is_word = place->offset % 8 == 0 && place->offset / 8 >= INT8_MIN &&
		place->offset / 8 <= INT8_MAX;

	switch (place->how) {
	case CALL_FRAME_undefined:
		rule->returns = UNWIND_RETURN_none;
		return true;
	case CALL_FRAME_in_register:
		rule->returns = UNWIND_RETURN_in_register;
		rule->return_detail = (int8_t)place->number;
		return true;
	case CALL_FRAME_at_cfa:
		rule->returns = UNWIND_RETURN_at_cfa;
		rule->return_detail = (int8_t)(place->offset / 8);
		return is_word && !is_signal_frame;
	case CALL_FRAME_at_register:
		rule->returns = UNWIND_RETURN_interrupted;
		rule->return_detail = (int8_t)(place->offset / 8);
		return is_word && is_signal_frame && place->number == UNWIND_RSP;
	case CALL_FRAME_unchanged:
	case CALL_FRAME_other:
	default:
		return false;
	}
}

static void pack(const struct run *run, struct unwind_rule *ret_rule)
{
	static const struct unwind_rule unknown = {0};
	const struct call_frame_rules *now = &run->now;
	struct unwind_rule rule = {0};

	*ret_rule = unknown;
	if (!pack_returns(&now->returns, run->common->is_signal_frame, &rule))
		return;
	/* Where a thread begins there is no CFA to ask for. */
	if (rule.returns == UNWIND_RETURN_none) {
		rule.cfa = UNWIND_CFA_register;
		rule.cfa_register = UNWIND_RSP;
		*ret_rule = rule;
		return;
	}
	if (now->cfa == UNWIND_CFA_unknown || now->cfa_register >= UNWIND_REGISTER_COUNT ||
		now->cfa_offset != (int32_t)now->cfa_offset || !fits_int16(now->cfa_add))
		return;
	rule.cfa = (uint8_t)now->cfa;
	rule.cfa_register = (uint8_t)now->cfa_register;
	rule.cfa_offset = (int32_t)now->cfa_offset;
	rule.cfa_add = (int16_t)now->cfa_add;
	rule.rbp = pack_saved(&now->rbp, &rule.rbp_offset);
	rule.rbx = pack_saved(&now->rbx, &rule.rbx_offset);
	*ret_rule = rule;
}

static int end_row(struct run *run, uint64_t at)
{
	struct unwind_rule rule;
	int r;

	/* The initial instructions belong to no place; going back, or past the end, is nonsense. */
	if (!run->on_row || at < run->from || at > run->until)
		return -EBADMSG;
	if (at == run->from)
		return 0;
	pack(run, &rule);
	r = run->on_row(run->context, run->from, at, &rule);
	run->from = at;
	return r;
}

static int advance(struct run *run, uint64_t delta)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(delta, run->common->code_alignment, &bytes) ||
		bytes > run->until - run->from)
		return -EBADMSG;
	return end_row(run, run->from + bytes);
}

/* NULL: a register that no walk needs. */
static struct call_frame_place *place_of(struct call_frame_rules *rules, uint64_t number)
{
	switch (number) {
	case UNWIND_RBX:
		return &rules->rbx;
	case UNWIND_RBP:
		return &rules->rbp;
	case UNWIND_RETURN_ADDRESS:
		return &rules->returns;
	default:
		return NULL;
	}
}

static void set_place(struct run *run, uint64_t number, enum call_frame_how how, int64_t offset)
{
	struct call_frame_place *place = place_of(&run->now, number);

	if (place)
		*place = (struct call_frame_place){.how = how, .offset = offset};
}

/* An offset in units of the data alignment, as bytes; what overflows fits no rule. */
static int64_t factored(const struct run *run, int64_t value)
{
	int64_t bytes;

	if (__builtin_mul_overflow(value, run->common->data_alignment, &bytes))
		return INT64_MAX;
	return bytes;
}

static struct frame_expression read_expression(struct run *run)
{
	uint64_t byte_count = bytes_read_varint(run->instructions);
	const uint8_t *bytes = bytes_read_span(run->instructions, byte_count);

	return frame_expression_read(bytes, bytes ? byte_count : 0);
}

static void set_cfa_expression(struct run *run)
{
	static const enum unwind_cfa cfa_of[] = {
		[FRAME_EXPRESSION_other] = UNWIND_CFA_unknown,
		[FRAME_EXPRESSION_register] = UNWIND_CFA_register,
		[FRAME_EXPRESSION_memory] = UNWIND_CFA_memory,
		[FRAME_EXPRESSION_plt] = UNWIND_CFA_plt,
	};
	struct frame_expression expression = read_expression(run);

	run->now.cfa = cfa_of[expression.kind];
	run->now.cfa_register = expression.number;
	run->now.cfa_offset = expression.offset;
	run->now.cfa_add = expression.add;
}

/* DW_CFA_expression: the value is in memory at the address that the expression gives. */
static void set_place_expression(struct run *run)
{
	uint64_t number = bytes_read_varint(run->instructions);
	struct frame_expression expression = read_expression(run);
	struct call_frame_place *place = place_of(&run->now, number);

	if (!place)
		return;
	*place = (struct call_frame_place){.how = CALL_FRAME_other};
	if (expression.kind == FRAME_EXPRESSION_register) {
		place->how = CALL_FRAME_at_register;
		place->number = expression.number;
		place->offset = expression.offset;
	}
}

static void set_place_register(struct run *run)
{
	struct call_frame_place *place = place_of(&run->now, bytes_read_varint(run->instructions));
	uint64_t number = bytes_read_varint(run->instructions);

	if (!place)
		return;
	*place = (struct call_frame_place){.how = CALL_FRAME_other};
	if (number < UNWIND_REGISTER_COUNT) {
		place->how = CALL_FRAME_in_register;
		place->number = (uint8_t)number;
	}
}

static void restore(struct run *run, uint64_t number)
{
	struct call_frame_rules initial = run->common->initial;
	struct call_frame_place *from = place_of(&initial, number);

	if (from)
		*place_of(&run->now, number) = *from;
}

static void set_cfa(struct run *run, uint64_t number, int64_t offset)
{
	run->now.cfa = UNWIND_CFA_register;
	run->now.cfa_register = number;
	run->now.cfa_offset = offset;
	run->now.cfa_add = 0;
}

/* Instructions that define the CFA. False: OP is none of them. */
static bool run_cfa(struct run *run, uint8_t op)
{
	struct bytes_reader *in = run->instructions;
	struct call_frame_rules *now = &run->now;
	uint64_t number;

	switch (op) {
	case CFA_def_cfa:
		number = bytes_read_varint(in);
		set_cfa(run, number, (int64_t)bytes_read_varint(in));
		return true;
	case CFA_def_cfa_sf:
		number = bytes_read_varint(in);
		set_cfa(run, number, factored(run, frame_read_sleb(in)));
		return true;
	case CFA_def_cfa_register:
		/* After an expression there is no offset that could stay. */
		number = bytes_read_varint(in);
		if (now->cfa == UNWIND_CFA_register)
			now->cfa_register = number;
		else
			now->cfa = UNWIND_CFA_unknown;
		return true;
	case CFA_def_cfa_offset:
	case CFA_def_cfa_offset_sf:
		now->cfa_offset = op == CFA_def_cfa_offset ? (int64_t)bytes_read_varint(in)
							   : factored(run, frame_read_sleb(in));
		if (now->cfa != UNWIND_CFA_register)
			now->cfa = UNWIND_CFA_unknown;
		return true;
	case CFA_def_cfa_expression:
		set_cfa_expression(run);
		return true;
	default:
		return false;
	}
}

/* Instructions that say where a register is. False: OP is none of them. */
static bool run_place(struct run *run, uint8_t op)
{
	struct bytes_reader *in = run->instructions;
	uint64_t number;

	switch (op) {
	case CFA_offset_extended:
		number = bytes_read_varint(in);
		set_place(run, number, CALL_FRAME_at_cfa,
			factored(run, (int64_t)bytes_read_varint(in)));
		return true;
	case CFA_offset_extended_sf:
		number = bytes_read_varint(in);
		set_place(run, number, CALL_FRAME_at_cfa, factored(run, frame_read_sleb(in)));
		return true;
	case CFA_GNU_negative_offset_extended:
		number = bytes_read_varint(in);
		set_place(run, number, CALL_FRAME_at_cfa,
			factored(run, -(int64_t)(bytes_read_varint(in) & INT64_MAX)));
		return true;
	case CFA_restore_extended:
		restore(run, bytes_read_varint(in));
		return true;
	case CFA_undefined:
		set_place(run, bytes_read_varint(in), CALL_FRAME_undefined, 0);
		return true;
	case CFA_same_value:
		set_place(run, bytes_read_varint(in), CALL_FRAME_unchanged, 0);
		return true;
	case CFA_register:
		set_place_register(run);
		return true;
	case CFA_expression:
		set_place_expression(run);
		return true;
	case CFA_val_offset:
	case CFA_val_offset_sf:
		/* Both operands are one LEB128 each; signed or not, it has the same length. */
		set_place(run, bytes_read_varint(in), CALL_FRAME_other, 0);
		(void)frame_read_sleb(in);
		return true;
	case CFA_val_expression:
		set_place(run, bytes_read_varint(in), CALL_FRAME_other, 0);
		(void)read_expression(run);
		return true;
	default:
		return false;
	}
}

static int remember(struct run *run)
{
	if (run->depth == CALL_FRAME_DEPTH_MAX)
		return -EBADMSG;
	run->remembered[run->depth++] = run->now;
	return 0;
}

static int recall(struct run *run)
{
	if (run->depth == 0)
		return -EBADMSG;
	run->now = run->remembered[--run->depth];
	return 0;
}

static int run_move(struct run *run, uint8_t op)
{
	struct bytes_reader *in = run->instructions;

	switch (op) {
	case CFA_nop:
		return 0;
	case CFA_set_loc:
		if (!run->on_row)
			return -EBADMSG;
		return end_row(run,
			frame_read_pointer(
				in, run->common->address_encoding, run->bases, run->start));
	case CFA_advance_loc1:
		return advance(run, bytes_read_u8(in));
	case CFA_advance_loc2:
		return advance(run, bytes_read_u16(in));
	case CFA_advance_loc4:
		return advance(run, bytes_read_u32(in));
	case CFA_remember_state:
		return remember(run);
	case CFA_restore_state:
		return recall(run);
	case CFA_GNU_args_size:
		(void)bytes_read_varint(in);
		return 0;
	default:
		return -EBADMSG;
	}
}

static int run_one(struct run *run)
{
	uint8_t op = bytes_read_u8(run->instructions);
	uint8_t low = op & (uint8_t)~CFA_high_bits;

	switch (op & CFA_high_bits) {
	case CFA_advance_loc:
		return advance(run, low);
	case CFA_offset:
		set_place(run, low, CALL_FRAME_at_cfa,
			factored(run, (int64_t)bytes_read_varint(run->instructions)));
		return 0;
	case CFA_restore:
		restore(run, low);
		return 0;
	default:
		if (run_cfa(run, op) || run_place(run, op))
			return 0;
		return run_move(run, op);
	}
}

static int run_all(struct run *run)
{
	int r = 0;

	while (r == 0 && bytes_left(run->instructions))
		r = run_one(run);
	return r ? r : bytes_reader_fault(run->instructions);
}

int call_frame_set_initial(struct call_frame_common *common, struct bytes_reader *instructions)
{
	struct run run = {.common = common, .instructions = instructions, .now = common->initial};
	int r = run_all(&run);

	if (r == 0)
		common->initial = run.now;
	return r;
}

int call_frame_run(const struct call_frame_common *common, struct bytes_reader *instructions,
	const struct call_frame_code *code, call_frame_row_fn *on_row, void *context)
{
	struct run run = {
		.common = common,
		.instructions = instructions,
		.bases = code->bases,
		.start = code->start,
		.on_row = on_row,
		.context = context,
		.from = code->from,
		.until = code->until,
		.now = common->initial,
	};
	int r;

	if (code->from > code->until)
		return -EBADMSG;
	r = run_all(&run);
	return r ? r : end_row(&run, code->until);
}
