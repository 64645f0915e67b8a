/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/unwind/unwinder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/process/locate.h"
#include "collector/unwind/stack_copy.h"
#include "store/base/cleanup.h"

static void forget_tree(void *context, struct mapping_set *set)
{
	struct unwinder *unwinder = context;

	mapping_tree_forget(set, &unwinder->pool);
}

static void forget_process(void *context, struct process *process)
{
	const struct unwind_memory *memory = &((struct unwinder *)context)->config.memory;

	if (process->told_version)
		memory->forget_process(memory->context, process->pid);
}

int unwinder_init(struct unwinder *unwinder, const struct unwinder_config *config)
{
	struct node_pool_config pool = {
		.shard_count_max = config->shard_count_max,
		.make_shard = config->memory.make_shard,
		.hide_shard = config->memory.hide_shard,
		.show_shard = config->memory.show_shard,
		.context = config->memory.context,
	};
	int r;

	*unwinder = (struct unwinder){.config = *config};
	node_pool_init(&unwinder->pool, &pool);
	unwinder->sample =
		malloc(sizeof(*unwinder->sample) + FRAMES_MAX * sizeof(unwinder->sample->ips[0]));
	r = unwinder->sample ? rule_set_init(&unwinder->rules, config->memory.rules) : -ENOMEM;
	if (r == 0)
		r = table_store_init(&unwinder->tables, &unwinder->pool, &unwinder->rules,
			config->memory.tables, config->tally);
	if (r < 0) {
		unwinder_done(unwinder);
		return r;
	}
	process_table_watch(config->processes, forget_process, forget_tree, unwinder);
	return 0;
}

void unwinder_done(struct unwinder *unwinder)
{
	if (!unwinder->config.processes)
		return;
	process_table_watch(unwinder->config.processes, NULL, NULL, NULL);
	table_store_done(&unwinder->tables);
	rule_set_done(&unwinder->rules);
	node_pool_done(&unwinder->pool);
	free(unwinder->sample);
	unwinder->sample = NULL;
}

void unwinder_rest(struct unwinder *unwinder)
{
	node_pool_rest(&unwinder->pool);
}

/* --- telling walks -----------------------------------------------------------------------------
 */

static int write_tree(struct unwinder *unwinder, struct mapping_set *set, uint64_t now_ns)
{
	int r;

	do
		r = mapping_tree_write(set, &unwinder->pool, &unwinder->tables);
	while (r == -ENOSPC && table_store_evict(&unwinder->tables, UNWIND_TABLES_MAX, 0, now_ns));
	return r;
}

static void read_binaries(struct unwinder *unwinder, struct process *process, uint64_t now_ns)
{
	struct mapping_set *set = process->mappings;

	for (uint32_t i = 0; i < set->count; i++) {
		struct mapping *mapping = &set->mappings[i];
		struct binary_mapping shown = {
			process->pid, process->parent_pid, mapping->start, mapping->end};

		if (mapping->binary)
			binary_read(&unwinder->config.processes->binaries, mapping->binary, &shown,
				now_ns);
	}
}

static void tell_process(struct unwinder *unwinder, const struct event_sample *sample,
	struct process *process, uint64_t now_ns)
{
	const struct unwind_memory *memory = &unwinder->config.memory;
	struct mapping_set *set = process->mappings;
	struct unwind_process told = {
		.started_at_ns = sample->process_started_at_ns,
		.exec_number = sample->exec_number,
	};
	int r = 0;

	if (!memory->tell_process || !set || process->exited_at_ns != 0)
		return;
	if (set->tree.node == 0) {
		read_binaries(unwinder, process, now_ns);
		r = write_tree(unwinder, set, now_ns);
	} else if (sample->user_stop != STOP_no_process && process->told_version == set->version &&
		process->told_exec_number == sample->exec_number) {
		return;
	}
	told.root = set->tree;
	told.height = set->tree_height;
	told.version = set->version;
	if (r == 0)
		r = memory->tell_process(memory->context, process->pid, &told);
	if (r < 0) {
		tally_add(unwinder->config.tally, TALLY_unwind_processes_refused, 1);
		return;
	}
	process->told_version = set->version;
	process->told_exec_number = sample->exec_number;
}

/* --- going on with a walk ----------------------------------------------------------------------
 */

/* Builds table NUMBER, of the file that the mapping around ADDRESS shows. */
static void build_table(struct unwinder *unwinder, struct process *process, struct binary *binary,
	uint32_t number, uint64_t address, uint64_t now_ns)
{
	const struct mapping *mapping = mapping_set_find(process->mappings, address);
	struct binary_mapping shown = {
		process->pid, process->parent_pid, mapping->start, mapping->end};
	SCOPED_FD int fd = binary_open(&unwinder->config.processes->binaries, binary, &shown);

	table_store_build(&unwinder->tables, number, fd, now_ns);
}

struct table_place {
	struct unwind_table *table;
	uint64_t byte; /* of code, counted from the table's base */
};

/* The table of the file at ADDRESS, built if it is time to; or a stop reason, UNWIND_NO_RULE where
 * there is no file or no code of one. */
static enum stop find_table(struct unwinder *unwinder, struct process *process, uint64_t address,
	bool is_exact, uint64_t now_ns, struct table_place *ret_place)
{
	struct place place = locate(unwinder->config.processes, process,
		is_exact ? address : address + 1, !is_exact, is_exact, now_ns);
	uint64_t from, until;
	uint32_t number;

	if (place.kind == PLACE_ANONYMOUS)
		return UNWIND_NO_RULE;
	if (place.kind != PLACE_BINARY)
		return place.kind == PLACE_UNREAD ? STOP_no_table : STOP_unmapped;
	if (!frame_code_range(place.binary->segments, &from, &until))
		return UNWIND_NO_RULE;
	if (table_store_number(&unwinder->tables, &place.binary->build_id, &number) < 0)
		return STOP_no_table;
	if (table_store_wants(&unwinder->tables, number, now_ns))
		build_table(unwinder, process, place.binary, number, address, now_ns);
	ret_place->table = &unwinder->tables.tables[number];
	ret_place->byte = place.address - !is_exact - from;
	return STOP_NONE;
}

/* The rule for ADDRESS, or a stop reason. UNWIND_NO_RULE: for frame pointers to try. */
static enum stop find_rule(struct unwinder *unwinder, struct process *process, uint64_t address,
	bool is_exact, uint64_t now_ns, const struct unwind_rule **ret_rule)
{
	struct table_place place;
	enum stop stop = find_table(unwinder, process, address, is_exact, now_ns, &place);
	uint16_t rule;

	if (stop != STOP_NONE)
		return stop;
	if (place.table->state == UNWIND_TABLE_absent)
		return STOP_no_table;
	if (place.table->state == UNWIND_TABLE_no_room)
		return STOP_no_room;
	place.table->used_at = UNWIND_USE_TIME(now_ns);
	rule = table_find(&unwinder->pool, place.table, place.byte);
	*ret_rule = &unwinder->rules.rules[rule];
	return rule == UNWIND_RULE_GAP ? UNWIND_NO_RULE : STOP_NONE;
}

static enum stop step(struct unwinder *unwinder, struct process *process, struct stack_copy *copy,
	uint64_t now_ns)
{
	bool is_exact = copy->state.registers.is_exact;
	const struct unwind_rule *rule;
	enum stop stop = find_rule(
		unwinder, process, copy->state.registers.ip - !is_exact, is_exact, now_ns, &rule);

	if (stop == STOP_NONE)
		return stack_copy_step(copy, rule);
	return stop == UNWIND_NO_RULE ? stack_copy_step_frame_pointer(copy) : stop;
}

static void go_on(struct unwinder *unwinder, const struct event_sample *from,
	struct event_sample *sample, struct process *process, uint64_t now_ns)
{
	uint32_t count = from->kernel_frame_count + from->user_frame_count;
	struct stack_copy copy;
	enum stop stop;

	stack_copy_init(&copy, from->ips + count, from->stack_bytes);
	while ((stop = step(unwinder, process, &copy, now_ns)) == STOP_NONE) {
		if (sample->user_frame_count == USER_FRAMES_MAX) {
			stop = STOP_truncated;
			break;
		}
		sample->ips[count++] = copy.state.registers.ip;
		sample->user_frame_count++;
	}
	sample->user_stop = (uint8_t)stop;
	tally_add(unwinder->config.tally, TALLY_stacks_continued, 1);
	if (stop == STOP_complete)
		tally_add(unwinder->config.tally, TALLY_stacks_completed, 1);
}

/* A walk that brought no copy of its stack ended at the last of its addresses: the table of the
 * file there is made if it is due. */
static void make_table(struct unwinder *unwinder, const struct event_sample *sample,
	struct process *process, uint64_t now_ns)
{
	uint32_t count = sample->user_frame_count;
	uint64_t ip = sample->ips[sample->kernel_frame_count + count - 1];
	struct table_place place;

	(void)find_table(unwinder, process, ip - (count > 1), count == 1, now_ns, &place);
}

/* --- stacks that went by older mappings --------------------------------------------------------
 */

/* The number of user frames that were found by mappings that still held; the frame behind them was
 * found by what another file has replaced since. */
static uint32_t frames_that_hold(const struct event_sample *sample, const struct process *process)
{
	const uint64_t *ips = sample->ips + sample->kernel_frame_count;

	for (uint32_t i = 0; i + 1 < sample->user_frame_count; i++) {
		const struct mapping *mapping =
			mapping_set_find(process->mappings, ips[i] - (i > 0));

		if (mapping && mapping->version > sample->mappings_version)
			return i + 1;
	}
	return sample->user_frame_count;
}

const struct event_sample *unwinder_complete(struct unwinder *unwinder,
	const struct event_sample *sample, struct process *process, uint64_t now_ns)
{
	uint32_t count = sample->kernel_frame_count + sample->user_frame_count;
	struct event_sample *whole = unwinder->sample;
	uint32_t held = sample->user_frame_count;

	if (!process || (sample->flags & EVENT_KERNEL_THREAD))
		return sample;
	if (sample->mappings_version && process->mappings &&
		sample->mappings_version != process->mappings->version)
		held = frames_that_hold(sample, process);
	if (stop_is_for_user_space(sample->user_stop))
		tell_process(unwinder, sample, process, now_ns);
	if ((sample->user_stop == STOP_no_room || sample->user_stop == STOP_no_table) &&
		sample->stack_bytes == 0 && sample->user_frame_count > 0)
		make_table(unwinder, sample, process, now_ns);
	if (sample->stack_bytes == 0 && held == sample->user_frame_count)
		return sample;
	memcpy(whole, sample, sizeof(*sample) + count * sizeof(sample->ips[0]));
	whole->stack_bytes = 0;
	if (held < sample->user_frame_count) {
		whole->user_frame_count = (uint16_t)held;
		whole->user_stop = STOP_table_replaced;
		tally_add(unwinder->config.tally, TALLY_stacks_cut, 1);
	} else {
		go_on(unwinder, sample, whole, process, now_ns);
	}
	return whole;
}
