/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/body_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/v1/profile.pb-c.h"

struct body_writer {
	const struct profile *profile;
	const struct canonical *canonical;
	const struct body_part *part;
	const struct profile_wire_limits *limits;
	struct arena *arena;
	struct body_selection selected;
	uint64_t slot_count;
};

static void *column(struct body_writer *writer, size_t count, size_t element_bytes)
{
	return arena_alloc(writer->arena, count * element_bytes);
}

/* Allocates the column NAME of MESSAGE; false if there is no memory. */
#define COLUMN(writer, message, name, entry_count)                                               \
	((message)->n_##name = (entry_count),                                                    \
		((message)->name = column((writer), (entry_count), sizeof(*(message)->name))) != \
			NULL)

static void write_head(struct body_writer *writer, Cairn__V1__Head *message)
{
	const struct profile_head *head = &writer->profile->head;
	const uint32_t *texts = writer->selected.texts.numbers;

#define WRITE_TEXT(name) message->name##_text = texts[head->name];
	PROFILE_HEAD_TEXTS(WRITE_TEXT)
#undef WRITE_TEXT
	message->monotonic_ns = head->clocks.monotonic_ns;
	message->boottime_ns = head->clocks.boottime_ns;
	message->realtime_ns = head->clocks.realtime_ns;
	message->window_start_ns = head->window_start_ns;
	message->window_length_ns = head->window_end_ns - head->window_start_ns;
	message->slot_ns = PROFILE_SLOT_NS;
	message->online_cpu_count = head->online_cpu_count;
}

static int write_cpus(struct body_writer *writer, Cairn__V1__Cpus *message)
{
	uint32_t count = writer->profile->cpu_count;

	if (!COLUMN(writer, message, cpu, count) || !COLUMN(writer, message, busy_ns, count) ||
		!COLUMN(writer, message, idle_ns, count) ||
		!COLUMN(writer, message, steal_ns, count) ||
		!COLUMN(writer, message, sampled_ns, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_cpu *cpu = &writer->profile->cpus[writer->canonical->cpus[i]];

		message->cpu[i] = cpu->cpu;
		message->busy_ns[i] = cpu->busy_ns;
		message->idle_ns[i] = cpu->idle_ns;
		message->steal_ns[i] = cpu->steal_ns;
		message->sampled_ns[i] = cpu->sampled_ns;
	}
	return 0;
}

static int write_counters(struct body_writer *writer, Cairn__V1__Counters *message)
{
	uint32_t count = writer->profile->counter_count;

	if (!COLUMN(writer, message, name_text, count) || !COLUMN(writer, message, value, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_counter *counter =
			&writer->profile->counters[writer->canonical->counters[i]];

		message->name_text[i] = writer->selected.texts.numbers[counter->name];
		message->value[i] = counter->value;
	}
	return 0;
}

static int write_features(struct body_writer *writer, Cairn__V1__Features *message)
{
	const uint32_t *texts = writer->selected.texts.numbers;
	uint32_t count = writer->profile->feature_count;

	if (!COLUMN(writer, message, name_text, count) || !COLUMN(writer, message, state, count) ||
		!COLUMN(writer, message, reason_text, count) ||
		!COLUMN(writer, message, remedy_text, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_feature *feature =
			&writer->profile->features[writer->canonical->features[i]];

		message->name_text[i] = texts[feature->name];
		message->state[i] = feature->state;
		message->reason_text[i] = texts[feature->reason];
		message->remedy_text[i] = texts[feature->remedy];
	}
	return 0;
}

static ProtobufCBinaryData name_bytes(struct life_name name)
{
	/* The message is only read. */
	return (ProtobufCBinaryData){name.length, (uint8_t *)(uintptr_t)name.text};
}

static int write_lives(struct body_writer *writer, Cairn__V1__Lives *message)
{
	const struct life_table *lives = &writer->profile->lives;

	if (!COLUMN(writer, message, command, lives->count) ||
		!COLUMN(writer, message, parent, lives->count))
		return -ENOMEM;
#define LIFE_COLUMN(name)                                 \
	if (!COLUMN(writer, message, name, lives->count)) \
		return -ENOMEM;                           \
	for (uint32_t i = 0; i < lives->count; i++)       \
		message->name[i] = lives->rows[i].sums.name;
	LIFE_SUMS(LIFE_COLUMN)
#undef LIFE_COLUMN
	for (uint32_t i = 0; i < lives->count; i++) {
		message->command[i] = name_bytes(life_table_command(lives, i));
		message->parent[i] = name_bytes(life_table_parent(lives, i));
	}
	return 0;
}

static int write_texts(struct body_writer *writer, Cairn__V1__Texts *message)
{
	const struct string_table *strings = &writer->profile->strings;
	size_t used = 0, byte_count = 0;

	for (uint32_t i = 1; i < strings->count; i++) {
		if (writer->selected.texts.numbers[i] != BODY_UNSELECTED)
			byte_count += string_table_length(strings, i);
	}
	if (byte_count > writer->limits->raw_bytes_max)
		return -E2BIG;
	message->texts.len = byte_count;
	message->texts.data = column(writer, byte_count, 1);
	if (!message->texts.data ||
		!COLUMN(writer, message, byte_count, writer->selected.texts.count))
		return -ENOMEM;
	for (uint32_t i = 0; i < strings->count; i++) {
		uint32_t index = writer->canonical->texts[i];
		uint32_t to = writer->selected.texts.numbers[index];
		size_t length = string_table_length(strings, index);

		if (to == BODY_UNSELECTED || to == 0)
			continue;
		message->byte_count[to - 1] = (uint32_t)length;
		memcpy(message->texts.data + used, string_table_text(strings, index), length);
		used += length;
	}
	return 0;
}

static int write_modules(struct body_writer *writer, Cairn__V1__Modules *message)
{
	const struct module_table *modules = &writer->profile->modules;
	uint32_t count = writer->selected.modules.count;

	if (!COLUMN(writer, message, name_text, count) ||
		!COLUMN(writer, message, id_kind, count) ||
		!COLUMN(writer, message, id_byte_count, count))
		return -ENOMEM;
	message->ids.data = column(writer, (size_t)count * BUILD_ID_BYTES_MAX, 1);
	if (!message->ids.data)
		return -ENOMEM;
	for (uint32_t i = 0; i < modules->count; i++) {
		uint32_t index = writer->canonical->modules[i];
		const struct module *module = &modules->modules[index];
		uint32_t to = writer->selected.modules.numbers[index];

		if (to == BODY_UNSELECTED || to == 0)
			continue;
		message->name_text[to - 1] = writer->selected.texts.numbers[module->name];
		message->id_kind[to - 1] = module->build_id.kind;
		message->id_byte_count[to - 1] = module->build_id.byte_count;
		memcpy(message->ids.data + message->ids.len, module->build_id.bytes,
			module->build_id.byte_count);
		message->ids.len += module->build_id.byte_count;
	}
	return 0;
}

/* Groups cannot be more than frames, so their columns are made that long and cut afterwards. */
static int write_frames(struct body_writer *writer, Cairn__V1__Frames *message)
{
	const struct frame_table *frames = &writer->profile->frames;
	uint32_t count = writer->selected.frames.count, used = 0;
	const struct frame *group = NULL;
	size_t groups = 0;
	uint64_t before = 0;

	if (!COLUMN(writer, message, group_module, count) ||
		!COLUMN(writer, message, group_kind, count) ||
		!COLUMN(writer, message, group_flags, count) ||
		!COLUMN(writer, message, group_frame_count, count) ||
		!COLUMN(writer, message, address, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->count; i++) {
		uint32_t index = writer->canonical->frames[i];
		const struct frame *frame = &frames->frames[index];
		uint64_t address = frame->flags & FRAME_NAMED
			? writer->selected.texts.numbers[frame->address]
			: frame->address;

		if (writer->selected.frames.numbers[index] == BODY_UNSELECTED)
			continue;
		if (!group || group->module != frame->module || group->kind != frame->kind ||
			group->flags != frame->flags) {
			group = frame;
			before = 0;
			message->group_module[groups] =
				writer->selected.modules.numbers[frame->module];
			message->group_kind[groups] = frame->kind;
			message->group_flags[groups] = frame->flags;
			message->group_frame_count[groups++] = 0;
		}
		message->group_frame_count[groups - 1]++;
		message->address[used++] = address - before;
		before = address;
	}
	message->n_group_module = message->n_group_kind = groups;
	message->n_group_flags = message->n_group_frame_count = groups;
	return 0;
}

/* A parent comes before its children, so its depth is known when theirs is asked for. */
static int write_stacks(struct body_writer *writer, Cairn__V1__Stacks *message)
{
	const struct stack_table *stacks = &writer->profile->stacks;
	uint32_t *depths = column(writer, stacks->count, sizeof(*depths));
	uint32_t count = writer->selected.nodes.count, before = 0, used = 0;

	if (!depths || !COLUMN(writer, message, climb, count) ||
		!COLUMN(writer, message, frame_delta, count))
		return -ENOMEM;
	depths[STACK_EMPTY] = 0;
	for (uint32_t i = 0; i + 1 < stacks->count; i++) {
		uint32_t index = writer->canonical->nodes[i];
		const struct stack_node *node = &stacks->nodes[index];
		uint32_t parent_frame = 0;

		if (writer->selected.nodes.numbers[index] == BODY_UNSELECTED)
			continue;
		depths[index] = depths[node->parent] + 1;
		if (depths[index] > writer->limits->depth_max)
			return -E2BIG;
		if (node->parent != STACK_EMPTY)
			parent_frame =
				writer->selected.frames.numbers[stacks->nodes[node->parent].frame];
		message->climb[used] = before - depths[node->parent];
		message->frame_delta[used++] =
			(int32_t)writer->selected.frames.numbers[node->frame] -
			(int32_t)parent_frame;
		before = depths[index];
	}
	return 0;
}

static int write_label_sets(struct body_writer *writer, Cairn__V1__LabelSets *message)
{
	const struct label_table *labels = &writer->profile->labels;
	size_t pairs = 0;

	if (!COLUMN(writer, message, pair_count, writer->selected.label_sets.count) ||
		!COLUMN(writer, message, key_text, labels->label_count) ||
		!COLUMN(writer, message, value_text, labels->label_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < labels->count; i++) {
		uint32_t index = writer->canonical->label_sets[i];
		const struct label_set *set = &labels->sets[index];
		uint32_t to = writer->selected.label_sets.numbers[index];

		if (to == BODY_UNSELECTED || to == 0)
			continue;
		message->pair_count[to - 1] = set->count;
		for (uint32_t j = 0; j < set->count; j++, pairs++) {
			const struct label *label = &labels->labels[set->first + j];

			message->key_text[pairs] = writer->selected.texts.numbers[label->key];
			message->value_text[pairs] = writer->selected.texts.numbers[label->value];
		}
	}
	message->n_key_text = message->n_value_text = pairs;
	return 0;
}

static int write_threads(struct body_writer *writer, Cairn__V1__Threads *message)
{
	const struct thread_table *threads = &writer->profile->threads;
	uint32_t count = writer->selected.threads.count;
	int64_t before = 0;

	if (!COLUMN(writer, message, pid_delta, count) ||
		!COLUMN(writer, message, tid_delta, count) ||
		!COLUMN(writer, message, name_text, count) ||
		!COLUMN(writer, message, label_set, count))
		return -ENOMEM;
	for (uint32_t i = 0; i < threads->count; i++) {
		uint32_t index = writer->canonical->threads[i];
		const struct thread *thread = &threads->threads[index];
		uint32_t to = writer->selected.threads.numbers[index];

		if (to == BODY_UNSELECTED)
			continue;
		message->pid_delta[to] = (int64_t)thread->pid - before;
		message->tid_delta[to] = (int64_t)thread->tid - (int64_t)thread->pid;
		message->name_text[to] = writer->selected.texts.numbers[thread->name];
		message->label_set[to] = writer->selected.label_sets.numbers[thread->labels];
		before = thread->pid;
	}
	return 0;
}

static const struct sample_table *row_table(const struct body_writer *writer, size_t at)
{
	return &writer->profile->types[writer->canonical->rows[at].type];
}

static const struct sample_row *row_at(const struct body_writer *writer, size_t at)
{
	return &row_table(writer, at)->rows[writer->canonical->rows[at].row];
}

static int write_slots(
	struct body_writer *writer, size_t first, size_t count, Cairn__V1__Section *message)
{
	const struct sample_table *table = row_table(writer, first);
	size_t slot_count = 0, used = 0;

	for (size_t i = 0; i < count; i++)
		slot_count += row_at(writer, first + i)->count;
	writer->slot_count += slot_count;
	if (writer->slot_count > writer->limits->slot_count_max)
		return -E2BIG;
	if (!COLUMN(writer, message, slot_delta, slot_count))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct sample_row *row = row_at(writer, first + i);
		const uint32_t *slots = sample_table_slots(table, row);

		for (uint32_t j = 0; j < row->count; j++)
			message->slot_delta[used++] = slots[j] - (j > 0 ? slots[j - 1] : 0);
	}
	return 0;
}

static int write_rows(
	struct body_writer *writer, size_t first, size_t count, Cairn__V1__Section *message)
{
	uint64_t before = 0, rests = 0;

	if (!COLUMN(writer, message, stack_delta, count) ||
		!COLUMN(writer, message, thread, count) || !COLUMN(writer, message, cpu, count) ||
		!COLUMN(writer, message, sample_count, count) ||
		!COLUMN(writer, message, value_rest, count))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct sample_row *row = row_at(writer, first + i);
		uint64_t node = writer->selected.nodes.numbers[row->stack];
		uint64_t regular = (uint64_t)row->count * (uint64_t)message->period;

		message->stack_delta[i] = (int64_t)(node - before);
		message->thread[i] = writer->selected.threads.numbers[row->thread];
		message->cpu[i] = row->cpu == SAMPLE_CPU_UNKNOWN ? 0 : (uint64_t)row->cpu + 1;
		message->sample_count[i] = row->count;
		message->value_rest[i] = (int64_t)((uint64_t)row->value - regular);
		rests |= (uint64_t)message->value_rest[i];
		before = node;
	}
	if (rests == 0)
		message->n_value_rest = 0;
	return message->has_slots ? write_slots(writer, first, count, message) : 0;
}

/* Rows of one type lie side by side. AT moves behind those of TYPE. */
static int write_section(
	struct body_writer *writer, uint32_t type, size_t *at, Cairn__V1__BatchBody *body)
{
	const struct sample_table *table = &writer->profile->types[type];
	Cairn__V1__Section *message = column(writer, 1, sizeof(*message));
	size_t end = writer->part->first + writer->part->count, first = *at, count = 0;

	if (!message)
		return -ENOMEM;
	while (first + count < end && writer->canonical->rows[first + count].type == type)
		count++;
	*at += count;
	if (count == 0 && !writer->part->leads)
		return 0;
	cairn__v1__section__init(message);
	message->type_text = writer->selected.texts.numbers[table->type];
	message->period = table->period;
	message->has_slots = table->has_slots;
	body->sections[body->n_sections++] = message;
	return count > 0 ? write_rows(writer, first, count, message) : 0;
}

static int write_sections(struct body_writer *writer, Cairn__V1__BatchBody *body)
{
	size_t at = writer->part->first;

	body->sections = column(writer, writer->profile->type_count, sizeof(*body->sections));
	if (!body->sections)
		return -ENOMEM;
	for (uint32_t i = 0; i < writer->profile->type_count; i++) {
		int r = write_section(writer, writer->canonical->types[i], &at, body);

		if (r < 0)
			return r;
	}
	return 0;
}

static int pack(const struct body_writer *writer, const Cairn__V1__BatchBody *body,
	struct profile_wire_body *ret_raw)
{
	size_t byte_count = cairn__v1__batch_body__get_packed_size(body);
	uint8_t *bytes;

	if (byte_count > writer->limits->raw_bytes_max)
		return -E2BIG;
	bytes = malloc(byte_count);
	if (!bytes)
		return -ENOMEM;
	cairn__v1__batch_body__pack(body, bytes);
	*ret_raw = (struct profile_wire_body){
		bytes, byte_count, byte_count, writer->selected.sample_count};
	return 0;
}

/* What stands in the first body of a window only. */
struct leading_tables {
	Cairn__V1__Cpus cpus;
	Cairn__V1__Counters counters;
	Cairn__V1__Features features;
	Cairn__V1__Lives lives;
};

static int write_leading_tables(
	struct body_writer *writer, struct leading_tables *tables, Cairn__V1__BatchBody *body)
{
	int r;

	*tables = (struct leading_tables){CAIRN__V1__CPUS__INIT, CAIRN__V1__COUNTERS__INIT,
		CAIRN__V1__FEATURES__INIT, CAIRN__V1__LIVES__INIT};
	body->cpus = &tables->cpus;
	body->counters = &tables->counters;
	body->features = &tables->features;
	body->lives = writer->profile->lives.count > 0 ? &tables->lives : NULL;
	r = write_cpus(writer, &tables->cpus);
	if (r == 0)
		r = write_counters(writer, &tables->counters);
	if (r == 0)
		r = write_features(writer, &tables->features);
	return r == 0 ? write_lives(writer, &tables->lives) : r;
}

static int write_tables(struct body_writer *writer, struct profile_wire_body *ret_raw)
{
	Cairn__V1__BatchBody body = CAIRN__V1__BATCH_BODY__INIT;
	Cairn__V1__Head head = CAIRN__V1__HEAD__INIT;
	struct leading_tables leading;
	Cairn__V1__Texts texts = CAIRN__V1__TEXTS__INIT;
	Cairn__V1__Modules modules = CAIRN__V1__MODULES__INIT;
	Cairn__V1__Frames frames = CAIRN__V1__FRAMES__INIT;
	Cairn__V1__Stacks stacks = CAIRN__V1__STACKS__INIT;
	Cairn__V1__LabelSets label_sets = CAIRN__V1__LABEL_SETS__INIT;
	Cairn__V1__Threads threads = CAIRN__V1__THREADS__INIT;
	int r = 0;

	write_head(writer, &head);
	body.head = &head;
	if (writer->part->leads)
		r = write_leading_tables(writer, &leading, &body);
	body.texts = &texts;
	body.modules = &modules;
	body.frames = &frames;
	body.stacks = &stacks;
	body.label_sets = &label_sets;
	body.threads = &threads;
	if (r == 0)
		r = write_texts(writer, &texts);
	if (r == 0)
		r = write_modules(writer, &modules);
	if (r == 0)
		r = write_frames(writer, &frames);
	if (r == 0)
		r = write_stacks(writer, &stacks);
	if (r == 0)
		r = write_label_sets(writer, &label_sets);
	if (r == 0)
		r = write_threads(writer, &threads);
	if (r == 0)
		r = write_sections(writer, &body);
	return r < 0 ? r : pack(writer, &body, ret_raw);
}

int body_write(const struct profile *profile, const struct canonical *canonical,
	const struct body_part *part, const struct profile_wire_limits *limits, struct arena *arena,
	struct profile_wire_body *ret_raw)
{
	struct body_writer writer = {
		.profile = profile,
		.canonical = canonical,
		.part = part,
		.limits = limits,
		.arena = arena,
	};
	int r = body_select(profile, canonical, part, limits, arena, &writer.selected);

	return r < 0 ? r : write_tables(&writer, ret_raw);
}
