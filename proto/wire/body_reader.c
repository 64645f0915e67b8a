/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables are read in the order in which they refer to each other. For each, `to` maps the number in
 * the body to the index in the profile: entries that come twice fall together, so the two need not
 * be equal. Every number is held against the count of its table before it is used; functions of
 * the model assert what they are given.
 */
#include "proto/wire/body_reader.h"

#include <errno.h>
#include <string.h>

#include "cairn/v1/profile.pb-c.h"
#include "proto/wire/frame_reader.h"
#include "proto/wire/message.h"
#include "proto/wire/stack_reader.h"

struct mapping {
	uint32_t *to;
	uint32_t count; /* implied entries included */
};

struct body_reader {
	const Cairn__V1__BatchBody *body;
	const struct profile_wire_limits *limits;
	struct arena *arena;
	struct profile *profile;
	struct mapping texts, modules, frames, nodes, label_sets, threads;
	uint64_t row_count;
	uint64_t slot_count;
	const char *what;
};

static int malformed(struct body_reader *reader, const char *what)
{
	reader->what = what;
	return -EBADMSG;
}

/* The model's own refusals are told apart from a lack of memory: they are about the input. */
static int refused(struct body_reader *reader, int error, const char *what)
{
	if (error != -ENOMEM)
		reader->what = what;
	return error == -ENOMEM || error == -E2BIG ? error : -EBADMSG;
}

static int too_many(struct body_reader *reader, const char *what)
{
	reader->what = what;
	return -E2BIG;
}

/* Room for COUNT entries behind IMPLIED (0 or 1) ones, which map to index 0. */
static int mapping_make(
	struct body_reader *reader, size_t count, uint32_t implied, struct mapping *mapping)
{
	mapping->to = arena_alloc(reader->arena, (count + implied) * sizeof(*mapping->to));
	if (!mapping->to)
		return -ENOMEM;
	if (implied > 0)
		mapping->to[0] = 0;
	mapping->count = (uint32_t)count + implied;
	return 0;
}

static bool maps(const struct mapping *mapping, uint64_t number)
{
	return number < mapping->count;
}

/* What the other columns of a body refer to; of TABLE_COUNT entries in the profile. */
static struct frame_numbers numbers(const struct mapping *mapping, uint32_t table_count)
{
	return (struct frame_numbers){mapping->to, mapping->count, mapping->count == table_count};
}

/* A field without bytes has no address either. */
static const uint8_t *bytes_at(const ProtobufCBinaryData *field, size_t offset)
{
	static const uint8_t nothing;

	return field->len > 0 ? field->data + offset : &nothing;
}

static int read_texts(struct body_reader *reader)
{
	const Cairn__V1__Texts *message = reader->body->texts;
	size_t count = message ? message->n_byte_count : 0, used = 0;
	int r;

	if (count > reader->limits->text_count_max)
		return too_many(reader, "too many texts");
	r = mapping_make(reader, count, 1, &reader->texts);
	for (size_t i = 0; r == 0 && i < count; i++) {
		size_t length = message->byte_count[i];

		if (length > message->texts.len - used)
			return malformed(reader, "a text's length");
		r = string_table_add(&reader->profile->strings,
			(const char *)bytes_at(&message->texts, used), length,
			&reader->texts.to[i + 1]);
		if (r < 0)
			return refused(reader, r, "a text too long");
		used += length;
	}
	return r;
}

static int read_module(
	struct body_reader *reader, size_t at, const uint8_t *id, size_t id_byte_count)
{
	const Cairn__V1__Modules *message = reader->body->modules;
	struct module module = {0};
	int r;

	if (!maps(&reader->texts, message->name_text[at]))
		return malformed(reader, "a module's name");
	if (id_byte_count > BUILD_ID_BYTES_MAX)
		return malformed(reader, "a build-ID's length");
	module.name = reader->texts.to[message->name_text[at]];
	/* A kind that only newer senders know is as good as no id: it meets nothing here. */
	if (id_byte_count > 0 && message->id_kind[at] <= BUILD_ID_HTL)
		(void)build_id_make((enum build_id_kind)message->id_kind[at], id, id_byte_count,
			&module.build_id);
	r = module_table_add(&reader->profile->modules, &module, &reader->modules.to[at + 1]);
	return r < 0 ? refused(reader, r, "too many modules") : 0;
}

static int read_modules(struct body_reader *reader)
{
	const Cairn__V1__Modules *message = reader->body->modules;
	size_t count = message ? message->n_name_text : 0, used = 0;
	int r;

	if (count > reader->limits->module_count_max)
		return too_many(reader, "too many modules");
	if (message && (message->n_id_kind != count || message->n_id_byte_count != count))
		return malformed(reader, "columns of modules");
	r = mapping_make(reader, count, 1, &reader->modules);
	for (size_t i = 0; r == 0 && i < count; i++) {
		size_t id_byte_count = message->id_byte_count[i];

		if (id_byte_count > message->ids.len - used)
			return malformed(reader, "a build-ID's length");
		r = read_module(reader, i, bytes_at(&message->ids, used), id_byte_count);
		used += id_byte_count;
	}
	return r;
}

static int read_frames(struct body_reader *reader)
{
	const Cairn__V1__Frames *message = reader->body->frames;
	size_t count = message ? message->n_address : 0;
	size_t groups = message ? message->n_group_module : 0;
	struct frame_columns columns = {
		.count = count,
		.group_count = groups,
		.modules = numbers(&reader->modules, reader->profile->modules.count),
		.texts = numbers(&reader->texts, reader->profile->strings.count),
	};
	int r;

	if (count > reader->limits->frame_count_max)
		return too_many(reader, "too many frames");
	if (message &&
		(message->n_group_kind != groups || message->n_group_flags != groups ||
			message->n_group_frame_count != groups))
		return malformed(reader, "columns of frames");
	r = mapping_make(reader, count, 0, &reader->frames);
	if (r < 0 || !message)
		return r;
	columns.group_module = message->group_module;
	columns.group_kind = message->group_kind;
	columns.group_flags = message->group_flags;
	columns.group_frame_count = message->group_frame_count;
	columns.address = message->address;
	r = frame_reader_read(&columns, &reader->profile->frames, reader->frames.to, &reader->what);
	return r == -E2BIG ? too_many(reader, "too many frames") : r;
}

static int read_stacks(struct body_reader *reader)
{
	const Cairn__V1__Stacks *message = reader->body->stacks;
	struct stack_columns columns = {
		.frames = reader->frames.to,
		.frame_count = reader->frames.count,
		.frames_distinct = reader->profile->frames.count == reader->frames.count,
		.depth_max = reader->limits->depth_max,
	};
	int r;

	if (message && message->n_climb > reader->limits->node_count_max)
		return too_many(reader, "too many stacks");
	if (message && message->n_frame_delta != message->n_climb)
		return malformed(reader, "columns of stacks");
	if (message) {
		columns.climb = message->climb;
		columns.frame_delta = message->frame_delta;
		columns.count = message->n_climb;
	}
	r = mapping_make(reader, columns.count, 1, &reader->nodes);
	if (r < 0)
		return r;
	return stack_reader_read(
		&columns, reader->arena, &reader->profile->stacks, reader->nodes.to, &reader->what);
}

static int read_label_set(struct body_reader *reader, size_t first, size_t count, uint32_t *ret_set)
{
	const Cairn__V1__LabelSets *message = reader->body->label_sets;
	struct label labels[LABEL_COUNT_MAX];
	int r;

	if (count > LABEL_COUNT_MAX)
		return too_many(reader, "too many labels");
	for (size_t i = 0; i < count; i++) {
		uint32_t key = message->key_text[first + i];
		uint32_t value = message->value_text[first + i];

		if (!maps(&reader->texts, key) || !maps(&reader->texts, value))
			return malformed(reader, "a label");
		labels[i] = (struct label){reader->texts.to[key], reader->texts.to[value]};
	}
	r = label_table_add(&reader->profile->labels, &reader->profile->strings, labels,
		(uint32_t)count, ret_set);
	return r < 0 ? refused(reader, r, "too many label sets") : 0;
}

static int read_label_sets(struct body_reader *reader)
{
	const Cairn__V1__LabelSets *message = reader->body->label_sets;
	size_t count = message ? message->n_pair_count : 0, first = 0;
	int r;

	/* Sets exist for threads only. */
	if (count > reader->limits->thread_count_max)
		return too_many(reader, "too many label sets");
	if (message && message->n_key_text != message->n_value_text)
		return malformed(reader, "columns of labels");
	r = mapping_make(reader, count, 1, &reader->label_sets);
	for (size_t i = 0; r == 0 && i < count; i++) {
		size_t pairs = message->pair_count[i];

		if (pairs > message->n_key_text - first)
			return malformed(reader, "a label set");
		r = read_label_set(reader, first, pairs, &reader->label_sets.to[i + 1]);
		first += pairs;
	}
	return r;
}

static int read_thread(struct body_reader *reader, size_t at, uint64_t *pid)
{
	const Cairn__V1__Threads *message = reader->body->threads;
	struct thread thread;
	uint64_t tid;
	int r;

	*pid += (uint64_t)message->pid_delta[at];
	tid = *pid + (uint64_t)message->tid_delta[at];
	if (*pid > UINT32_MAX || tid > UINT32_MAX)
		return malformed(reader, "a thread's number");
	if (!maps(&reader->texts, message->name_text[at]))
		return malformed(reader, "a thread's name");
	if (!maps(&reader->label_sets, message->label_set[at]))
		return malformed(reader, "a thread's labels");
	thread.pid = (uint32_t)*pid;
	thread.tid = (uint32_t)tid;
	thread.name = reader->texts.to[message->name_text[at]];
	thread.labels = reader->label_sets.to[message->label_set[at]];
	r = thread_table_add(&reader->profile->threads, &thread, &reader->threads.to[at]);
	return r < 0 ? refused(reader, r, "too many threads") : 0;
}

static int read_threads(struct body_reader *reader)
{
	const Cairn__V1__Threads *message = reader->body->threads;
	size_t count = message ? message->n_pid_delta : 0;
	uint64_t pid = 0;
	int r;

	if (count > reader->limits->thread_count_max)
		return too_many(reader, "too many threads");
	if (message &&
		(message->n_tid_delta != count || message->n_name_text != count ||
			message->n_label_set != count))
		return malformed(reader, "columns of threads");
	r = mapping_make(reader, count, 0, &reader->threads);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = read_thread(reader, i, &pid);
	return r;
}

/* A text that names something to the model's functions must be a C string. */
static const char *name_text(const struct body_reader *reader, uint32_t number)
{
	const struct string_table *strings = &reader->profile->strings;
	const char *text;
	uint32_t index;

	if (!maps(&reader->texts, number))
		return NULL;
	index = reader->texts.to[number];
	text = string_table_text(strings, index);
	return strlen(text) == string_table_length(strings, index) ? text : NULL;
}

/* SLOTS (NULL if the table keeps none) are the row's own, as numbers already. */
static int read_row(struct body_reader *reader, struct sample_table *table,
	const Cairn__V1__Section *message, size_t at, uint64_t node, const uint32_t *slots)
{
	struct sample_row row = {.count = message->sample_count[at]};
	uint64_t value = (uint64_t)row.count * (uint64_t)table->period;
	int r;

	if (!maps(&reader->nodes, node))
		return malformed(reader, "a row's stack");
	if (!maps(&reader->threads, message->thread[at]))
		return malformed(reader, "a row's thread");
	if (message->cpu[at] > SAMPLE_CPU_UNKNOWN)
		return malformed(reader, "a row's CPU");
	if (message->n_value_rest > 0)
		value += (uint64_t)message->value_rest[at];
	row.stack = reader->nodes.to[node];
	row.thread = reader->threads.to[message->thread[at]];
	row.cpu = message->cpu[at] == 0 ? SAMPLE_CPU_UNKNOWN : (uint32_t)(message->cpu[at] - 1);
	row.value = (int64_t)value;
	r = sample_table_add_row(table, &row, slots);
	return r < 0 ? refused(reader, r, "a row's sums") : 0;
}

/* Turns the COUNT distances from FIRST on into slots, in place. */
static int read_slots(
	struct body_reader *reader, const Cairn__V1__Section *message, size_t first, size_t count)
{
	uint64_t slot = 0;

	if (count > message->n_slot_delta - first)
		return malformed(reader, "a row's slots");
	for (size_t i = first; i < first + count; i++) {
		slot += message->slot_delta[i];
		if (slot > UINT32_MAX)
			return malformed(reader, "a slot beyond its window");
		message->slot_delta[i] = (uint32_t)slot;
	}
	return 0;
}

static int read_rows(
	struct body_reader *reader, struct sample_table *table, const Cairn__V1__Section *message)
{
	size_t first_slot = 0;
	uint64_t node = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < message->n_thread; i++) {
		size_t count = message->sample_count[i];

		node += (uint64_t)message->stack_delta[i];
		if (message->has_slots && count == 0)
			return malformed(reader, "a row without samples");
		if (message->has_slots)
			r = read_slots(reader, message, first_slot, count);
		if (r == 0)
			r = read_row(reader, table, message, i, node,
				message->has_slots ? message->slot_delta + first_slot : NULL);
		if (message->has_slots)
			first_slot += count;
	}
	if (r == 0 && first_slot != message->n_slot_delta)
		return malformed(reader, "a row's slots");
	return r;
}

static int read_section(struct body_reader *reader, const Cairn__V1__Section *message)
{
	const char *type = name_text(reader, message->type_text);
	size_t count = message->n_thread;
	struct sample_table *table;
	int r;

	reader->row_count += count;
	reader->slot_count += message->n_slot_delta;
	if (reader->row_count > reader->limits->row_count_max)
		return too_many(reader, "too many rows");
	if (reader->slot_count > reader->limits->slot_count_max)
		return too_many(reader, "too many slots");
	if (message->n_stack_delta != count || message->n_cpu != count ||
		message->n_sample_count != count ||
		(message->n_value_rest != 0 && message->n_value_rest != count))
		return malformed(reader, "columns of rows");
	if (!type || type[0] == '\0')
		return malformed(reader, "a profile type's name");
	if (message->has_slots && reader->body->head->slot_ns != PROFILE_SLOT_NS)
		return malformed(reader, "the length of a slot");
	r = profile_add_type(reader->profile, type, message->period, message->has_slots, &table);
	if (r < 0)
		return refused(reader, r, "a profile type");
	return read_rows(reader, table, message);
}

static int read_sections(struct body_reader *reader)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reader->body->n_sections; i++)
		r = read_section(reader, reader->body->sections[i]);
	return r;
}

static int read_head_texts(
	struct body_reader *reader, const Cairn__V1__Head *message, struct profile_head *head)
{
	const struct {
		uint32_t from;
		uint32_t *to;
	} texts[] = {
#define HEAD_TEXT(name) {message->name##_text, &head->name},
		PROFILE_HEAD_TEXTS(HEAD_TEXT)
#undef HEAD_TEXT
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!maps(&reader->texts, texts[i].from))
			return malformed(reader, "a text of the head");
		*texts[i].to = reader->texts.to[texts[i].from];
	}
	return 0;
}

static int read_head(struct body_reader *reader)
{
	const Cairn__V1__Head *message = reader->body->head;
	struct profile_head *head = &reader->profile->head;
	int r;

	if (!message)
		return malformed(reader, "no head");
	r = read_head_texts(reader, message, head);
	if (r < 0)
		return r;
	if (message->window_length_ns > UINT64_MAX - message->window_start_ns)
		return malformed(reader, "the window's length");
	head->clocks.monotonic_ns = message->monotonic_ns;
	head->clocks.boottime_ns = message->boottime_ns;
	head->clocks.realtime_ns = message->realtime_ns;
	head->window_start_ns = message->window_start_ns;
	head->window_end_ns = message->window_start_ns + message->window_length_ns;
	head->online_cpu_count = message->online_cpu_count;
	return 0;
}

static int read_cpus(struct body_reader *reader)
{
	const Cairn__V1__Cpus *message = reader->body->cpus;
	size_t count = message ? message->n_cpu : 0;
	int r = 0;

	if (message &&
		(message->n_busy_ns != count || message->n_idle_ns != count ||
			message->n_steal_ns != count || message->n_sampled_ns != count))
		return malformed(reader, "columns of CPUs");
	for (size_t i = 0; r == 0 && i < count; i++) {
		struct profile_cpu cpu = {
			.cpu = message->cpu[i],
			.busy_ns = message->busy_ns[i],
			.idle_ns = message->idle_ns[i],
			.steal_ns = message->steal_ns[i],
			.sampled_ns = message->sampled_ns[i],
		};

		r = profile_add_cpu(reader->profile, &cpu);
	}
	return r < 0 ? refused(reader, r, "too many CPUs") : 0;
}

static int read_counters(struct body_reader *reader)
{
	const Cairn__V1__Counters *message = reader->body->counters;
	size_t count = message ? message->n_name_text : 0;
	int r = 0;

	if (message && message->n_value != count)
		return malformed(reader, "columns of counters");
	for (size_t i = 0; r == 0 && i < count; i++) {
		const char *name = name_text(reader, message->name_text[i]);

		if (!name)
			return malformed(reader, "a counter's name");
		r = profile_add_counter(reader->profile, name, message->value[i]);
	}
	return r < 0 ? refused(reader, r, "too many counters") : 0;
}

static int read_feature(struct body_reader *reader, size_t at)
{
	const Cairn__V1__Features *message = reader->body->features;
	const char *name = name_text(reader, message->name_text[at]);
	const char *reason = name_text(reader, message->reason_text[at]);
	const char *remedy = name_text(reader, message->remedy_text[at]);

	if (!name || !reason || !remedy)
		return malformed(reader, "a text of a feature");
	return profile_add_feature(reader->profile, name, message->state[at], reason, remedy);
}

static int read_features(struct body_reader *reader)
{
	const Cairn__V1__Features *message = reader->body->features;
	size_t count = message ? message->n_name_text : 0;
	int r = 0;

	if (message &&
		(message->n_state != count || message->n_reason_text != count ||
			message->n_remedy_text != count))
		return malformed(reader, "columns of features");
	if (count > PROFILE_FEATURE_COUNT_MAX)
		return too_many(reader, "too many features");
	for (size_t i = 0; r == 0 && i < count; i++)
		r = read_feature(reader, i);
	return r;
}

static int read_life(struct body_reader *reader, size_t at)
{
	const Cairn__V1__Lives *message = reader->body->lives;
	const ProtobufCBinaryData *command = &message->command[at], *parent = &message->parent[at];
	struct life_sums sums = {
#define LIFE_SUM_AT(name) .name = message->name[at],
		LIFE_SUMS(LIFE_SUM_AT)
#undef LIFE_SUM_AT
	};

	return life_table_add(&reader->profile->lives,
		(struct life_name){(const char *)bytes_at(command, 0), command->len},
		(struct life_name){(const char *)bytes_at(parent, 0), parent->len}, &sums);
}

static int read_lives(struct body_reader *reader)
{
	const Cairn__V1__Lives *message = reader->body->lives;
	size_t count = message ? message->n_command : 0;
	int r = 0;

#define LIFE_COLUMN_DIFFERS(name) || message->n_##name != count
	if (message && (message->n_parent != count LIFE_SUMS(LIFE_COLUMN_DIFFERS)))
		return malformed(reader, "columns of lives");
#undef LIFE_COLUMN_DIFFERS
	for (size_t i = 0; r == 0 && i < count; i++)
		r = read_life(reader, i);
	return r < 0 ? refused(reader, r, "too many lives, a name too long or a sum too large") : 0;
}

static int read_tables(struct body_reader *reader)
{
	int r = read_texts(reader);

	if (r == 0)
		r = read_head(reader);
	if (r == 0)
		r = read_cpus(reader);
	if (r == 0)
		r = read_counters(reader);
	if (r == 0)
		r = read_features(reader);
	if (r == 0)
		r = read_lives(reader);
	if (r == 0)
		r = read_modules(reader);
	if (r == 0)
		r = read_frames(reader);
	if (r == 0)
		r = read_stacks(reader);
	if (r == 0)
		r = read_label_sets(reader);
	if (r == 0)
		r = read_threads(reader);
	if (r == 0)
		r = read_sections(reader);
	if (r == 0)
		r = profile_seal(reader->profile);
	return r == 0 ? profile_check(reader->profile, &reader->what) : r;
}

int body_read(const void *raw, size_t byte_count, const struct profile_wire_limits *limits,
	struct arena *arena, struct profile **ret_profile, const char **ret_what)
{
	struct body_reader reader = {.limits = limits, .arena = arena, .what = ""};
	ProtobufCAllocator allocator = message_arena(arena);
	int r;

	*ret_what = "";
	reader.body = cairn__v1__batch_body__unpack(&allocator, byte_count, raw);
	if (!reader.body && arena->out_of_memory)
		return -ENOMEM;
	if (!reader.body) {
		*ret_what = "not a batch body, or one too large";
		return -EBADMSG;
	}
	r = profile_new(&reader.profile);
	if (r < 0)
		return r;
	r = read_tables(&reader);
	if (r < 0) {
		*ret_what = reader.what;
		profile_free(reader.profile);
		return r;
	}
	*ret_profile = reader.profile;
	return 0;
}
