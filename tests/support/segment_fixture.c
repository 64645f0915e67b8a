/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/segment_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "store/profile/sample_range.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/random_profile.h"

#define COUNT_MAX (1u << 26)

void segment_blocks_add(struct segment_blocks *blocks, struct profile *profile, uint64_t start_ns)
{
	struct profile_head *head = &profile->head;
	uint32_t capacity = blocks->capacity;
	struct batch_key key = {.instance = {1, 2}, .sequence = blocks->count};

	head->clocks.realtime_ns = start_ns + head->clocks.monotonic_ns - head->window_start_ns;
	head->received_at_ns = head->clocks.realtime_ns + 5 * NS_PER_S;
	CHECK_EQ(grow_array(&blocks->profiles, &blocks->capacity, blocks->count, COUNT_MAX), 0);
	CHECK_EQ(grow_array(&blocks->keys, &capacity, blocks->count, COUNT_MAX), 0);
	blocks->keys[blocks->count] = key;
	blocks->profiles[blocks->count++] = profile;
}

void segment_blocks_done(struct segment_blocks *blocks)
{
	for (uint32_t i = 0; i < blocks->count; i++)
		profile_free(blocks->profiles[i]);
	free(blocks->profiles);
	free(blocks->keys);
	*blocks = (struct segment_blocks){0};
}

int segment_blocks_visit(void *context, segment_block_fn visit, void *visit_context)
{
	const struct segment_blocks *blocks = context;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < blocks->count; i++)
		r = visit(visit_context, blocks->profiles[i], &blocks->keys[i]);
	return r;
}

static uint32_t numbered(struct profile *profile, const char *what, uint32_t number)
{
	char words[32];
	uint32_t text;

	snprintf(words, sizeof(words), "%s-%u", what, number);
	CHECK_EQ(profile_add_text(profile, words, &text), 0);
	return text;
}

/* Some threads get a service, some a host of their own. */
static void name_threads(struct profile *profile, struct random *random)
{
	for (uint32_t i = 0; i < profile->threads.count; i++) {
		struct thread *thread = &profile->threads.threads[i];
		const struct label_set *set = &profile->labels.sets[thread->labels];
		struct label labels[LABEL_COUNT_MAX];
		uint32_t count = set->count;

		memcpy(labels, profile->labels.labels + set->first, count * sizeof(*labels));
		if (random_chance(random, 80)) {
			CHECK_EQ(profile_add_text(profile, "service_name", &labels[count].key), 0);
			labels[count++].value =
				numbered(profile, "service", random_below(random, 3));
		}
		if (random_chance(random, 20)) {
			CHECK_EQ(profile_add_text(profile, "host", &labels[count].key), 0);
			labels[count++].value = numbered(profile, "own", random_below(random, 2));
		}
		CHECK_EQ(label_table_add(&profile->labels, &profile->strings, labels, count,
				 &thread->labels),
			0);
	}
}

/* As few as a group tells apart; values are no multiples of them any more. */
static void set_periods(struct profile *profile, struct random *random)
{
	static const int64_t periods[] = {0, 1, -7, 10101010, 1 << 20};

	for (uint32_t i = 0; i < profile->type_count; i++)
		profile->types[i].period = periods[random_below(random, 5)];
}

void segment_blocks_fill(struct segment_blocks *blocks, uint64_t seed, uint32_t count,
	uint64_t from_ns, uint64_t spread_ns)
{
	struct random random = {seed};

	for (uint32_t i = 0; i < count; i++) {
		/* Few seeds, so that windows have stacks in common. */
		struct profile *profile = random_profile(random_below(&random, count / 2 + 1));
		struct profile_head *head = &profile->head;
		uint64_t start_ns = from_ns + random_next(&random) % spread_ns;
		uint64_t length_ns = random_chance(&random, 10)
			? random_next(&random) % PROFILE_WINDOW_NS_MAX
			: head->window_end_ns - head->window_start_ns;
		const char *what = "";

		name_threads(profile, &random);
		set_periods(profile, &random);
		head->host = random_chance(&random, 10)
			? 0
			: numbered(profile, "host", random_below(&random, 3));
		if (length_ns > head->window_end_ns - head->window_start_ns) {
			head->window_end_ns = head->window_start_ns + length_ns;
			head->clocks.monotonic_ns = head->window_end_ns + 1000;
		}
		if (random_chance(&random, 50))
			start_ns = start_ns / (10 * NS_PER_S) * (10 * NS_PER_S);
		segment_blocks_add(blocks, profile, start_ns);
		CHECK_EQ(profile_check(profile, &what), 0);
	}
}

struct segment_reader *segment_of(const struct segment_input *input,
	const struct segment_options *options, struct segment_written *ret_written)
{
	int fd = memfd_create("segment", MFD_CLOEXEC);
	struct segment_reader *reader;

	CHECK(fd >= 0);
	CHECK_EQ(segment_write(fd, input, options, ret_written), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), ret_written->byte_count);
	CHECK_EQ(segment_reader_open(fd, &reader), 0);
	return reader;
}

struct segment_reader *segment_of_blocks(struct segment_blocks *blocks)
{
	struct segment_input input = {.blocks = segment_blocks_visit, .context = blocks};
	struct segment_options options = {.number = 7};
	struct segment_written written;

	return segment_of(&input, &options, &written);
}

struct segment_answer_line {
	struct hash128 what;
	uint64_t count;
	uint64_t value; /* sums wrap: how they come together makes no difference */
};

/* Texts that are hashed: each with its length. */
struct hashed {
	uint8_t bytes[4096];
	size_t count;
};

static void hash_more(struct hashed *hashed, const void *bytes, size_t count)
{
	if (hashed->count + count > sizeof(hashed->bytes)) {
		struct hash128 so_far = hash128_bytes(hashed->bytes, hashed->count);

		memcpy(hashed->bytes, &so_far, sizeof(so_far));
		hashed->count = sizeof(so_far);
	}
	CHECK(hashed->count + count <= sizeof(hashed->bytes));
	if (count > 0)
		memcpy(hashed->bytes + hashed->count, bytes, count);
	hashed->count += count;
}

static void hash_number(struct hashed *hashed, uint64_t number)
{
	hash_more(hashed, &number, sizeof(number));
}

static void hash_text(struct hashed *hashed, const struct profile *profile, uint32_t text)
{
	hash_number(hashed, string_table_length(&profile->strings, text));
	hash_more(hashed, string_table_text(&profile->strings, text),
		string_table_length(&profile->strings, text));
}

static void hash_frame(struct hashed *hashed, const struct profile *profile, uint32_t index)
{
	const struct frame *frame = &profile->frames.frames[index];
	const struct module *module = &profile->modules.modules[frame->module];

	hash_number(hashed, frame->kind << 8 | frame->flags);
	hash_text(hashed, profile, module->name);
	hash_number(hashed, module->build_id.kind << 8 | module->build_id.byte_count);
	hash_more(hashed, module->build_id.bytes, module->build_id.byte_count);
	if (frame->flags & FRAME_NAMED)
		hash_text(hashed, profile, (uint32_t)frame->address);
	else
		hash_number(hashed, frame->address);
}

/* What is asked for of the labels of a row's thread; the host first. */
static const char *hash_labels(struct hashed *hashed, const struct profile *profile, uint32_t set)
{
	const struct label_set *labels = &profile->labels.sets[set];
	const char *host = label_table_value(&profile->labels, &profile->strings, set, "host");

	if (profile->head.host != 0)
		host = string_table_text(&profile->strings, profile->head.host);
	host = host ? host : "";
	hash_number(hashed, strlen(host));
	hash_more(hashed, host, strlen(host));
	for (uint32_t i = 0; i < labels->count; i++) {
		const struct label *label = &profile->labels.labels[labels->first + i];

		if (strcmp(string_table_text(&profile->strings, label->key), "host") == 0)
			continue;
		hash_text(hashed, profile, label->key);
		hash_text(hashed, profile, label->value);
	}
	return host;
}

static struct hash128 hash_row(const struct segment_request *request, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row, uint64_t step)
{
	const struct thread *thread = &profile->threads.threads[row->thread];
	struct hashed hashed = {.count = 0};

	hash_number(&hashed, step);
	hash_text(&hashed, profile, table->type);
	hash_number(&hashed, (uint64_t)table->period);
	hash_labels(&hashed, profile, thread->labels);
	if (request->detail <= SEGMENT_DETAIL_ROWS) {
		hash_number(&hashed, (uint64_t)thread->pid << 32 | thread->tid);
		hash_number(&hashed, row->cpu);
		hash_text(&hashed, profile, thread->name);
	}
	for (uint32_t node = row->stack;
		request->detail != SEGMENT_DETAIL_SERIES && node != STACK_EMPTY;
		node = profile->stacks.nodes[node].parent)
		hash_frame(&hashed, profile, profile->stacks.nodes[node].frame);
	return hash128_bytes(hashed.bytes, hashed.count);
}

static bool is_wanted(const struct segment_request *request, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row)
{
	struct hashed ignored = {.count = 0};
	const char *host =
		hash_labels(&ignored, profile, profile->threads.threads[row->thread].labels);
	const char *type = string_table_text(&profile->strings, table->type);

	return (!request->host || strcmp(request->host, host) == 0) &&
		(!request->type || strcmp(request->type, type) == 0);
}

static void add_line(struct segment_answer *answer, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row, struct segment_range range)
{
	struct sample_range cut;
	struct sample_part part;

	sample_range_init(&cut, profile, range.from_ns, range.until_ns);
	part = sample_range_part(&cut, table, row);
	if (part.count == 0 && part.value == 0)
		return;
	CHECK_EQ(grow_array(&answer->lines, &answer->capacity, answer->count, COUNT_MAX), 0);
	answer->lines[answer->count++] = (struct segment_answer_line){
		hash_row(answer->request, profile, table, row, range.from_ns), part.count,
		(uint64_t)part.value};
}

/* The start of the step that AT_NS lies in, as a number that means only this step. */
static uint64_t step_start(const struct segment_request *request, uint64_t at_ns)
{
	int64_t into;

	if (request->step_ns == 0)
		return request->from_ns;
	into = (int64_t)(at_ns - request->step_origin_ns) % (int64_t)request->step_ns;
	return at_ns - (uint64_t)into - (into < 0 ? request->step_ns : 0);
}

static void add_block_row(struct segment_answer *answer, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row)
{
	const struct segment_request *request = answer->request;
	uint64_t at_ns = profile_window_epoch_ns(profile);
	uint64_t end_ns = at_ns + profile_slot_count(profile) * PROFILE_SLOT_NS;

	at_ns = at_ns > request->from_ns ? at_ns : request->from_ns;
	end_ns = end_ns < request->until_ns ? end_ns : request->until_ns;
	while (at_ns < end_ns) {
		uint64_t step = step_start(request, at_ns);
		struct segment_range part = {step, request->until_ns};

		if (request->step_ns > 0 && step + request->step_ns < part.until_ns)
			part.until_ns = step + request->step_ns;
		if (part.from_ns < request->from_ns)
			part.from_ns = request->from_ns;
		add_line(answer, profile, table, row, part);
		at_ns = part.until_ns;
	}
}

static const char *service_of(const struct profile *profile, uint32_t thread)
{
	const char *service = label_table_value(&profile->labels, &profile->strings,
		profile->threads.threads[thread].labels, "service_name");

	return service ? service : "";
}

static void add_block(struct segment_answer *answer, const struct profile *profile,
	const char *service, uint64_t slots_from_ns)
{
	uint64_t end_ns =
		profile_window_epoch_ns(profile) + profile_slot_count(profile) * PROFILE_SLOT_NS;

	for (uint32_t i = 0; i < profile->type_count; i++) {
		struct sample_table table = profile->types[i];

		table.has_slots = table.has_slots && end_ns > slots_from_ns;
		for (uint32_t j = 0; j < table.row_count; j++) {
			const struct sample_row *row = &table.rows[j];

			if (is_wanted(answer->request, profile, &table, row) &&
				(!service ||
					strcmp(service_of(profile, row->thread), service) == 0))
				add_block_row(answer, profile, &table, row);
		}
	}
}

void segment_answer_of_blocks(struct segment_answer *answer, const struct segment_blocks *blocks,
	const struct segment_request *request, const char *service, uint64_t slots_from_ns)
{
	*answer = (struct segment_answer){.request = request};
	if (request->from_ns >= request->until_ns)
		return;
	for (uint32_t i = 0; i < blocks->count; i++)
		add_block(answer, blocks->profiles[i], service, slots_from_ns);
}

/* Holds a piece to its contract, but for sums that overflow. */
static void check_piece(const struct segment_request *request, const struct profile *profile)
{
	uint64_t start_ns = profile_window_epoch_ns(profile);
	uint64_t end_ns = profile_window_end_epoch_ns(profile);
	struct sample_range cut;

	CHECK_EQ(profile->head.host, 0);
	/* Windows have tables of their own, others share those of their group. */
	CHECK_EQ(profile->dictionary == 0, request->detail == SEGMENT_DETAIL_SLOTS);
	for (uint32_t i = 1; i < profile->stacks.count; i++)
		CHECK(profile->stacks.nodes[i].parent < i);
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		CHECK(table->sealed && table->row_count > 0);
		CHECK(!table->has_slots || request->detail == SEGMENT_DETAIL_SLOTS);
		for (uint32_t j = 0; j < table->row_count; j++) {
			CHECK(table->rows[j].stack < profile->stacks.count);
			CHECK(table->rows[j].thread < profile->threads.count);
		}
	}
	if (request->detail == SEGMENT_DETAIL_SLOTS)
		return;
	CHECK(start_ns >= request->from_ns && start_ns < end_ns && end_ns <= request->until_ns);
	sample_range_init(&cut, profile, request->from_ns, request->until_ns);
	CHECK(cut.whole);
	CHECK_EQ(step_start(request, start_ns), step_start(request, end_ns - 1));
}

static int take_piece(void *context, const struct profile *profile)
{
	struct segment_answer *answer = context;
	const struct segment_request *request = answer->request;

	check_piece(request, profile);
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; j < table->row_count; j++) {
			const struct sample_row *row = &table->rows[j];

			CHECK(is_wanted(request, profile, table, row));
			add_block_row(answer, profile, table, row);
		}
	}
	return 0;
}

uint64_t segment_answer_of_segment(struct segment_answer *answer,
	const struct segment_reader *reader, const struct segment_request *request,
	const char *service)
{
	uint32_t count = segment_reader_summary(reader)->group_count;
	enum segment_depth depth =
		request->detail == SEGMENT_DETAIL_SERIES ? SEGMENT_LABELS : SEGMENT_STACKS;
	uint64_t damaged = 0;

	*answer = (struct segment_answer){.request = request};
	for (uint32_t i = 0; i < count; i++) {
		struct life_name name = segment_reader_group(reader, i).service;
		struct segment_visited visited;
		struct segment_group *group;

		if (service &&
			(name.length != strlen(service) ||
				memcmp(name.text, service, name.length) != 0))
			continue;
		if (segment_group_open(reader, i, depth, &group) < 0) {
			damaged++;
			continue;
		}
		CHECK_EQ(segment_group_visit(group, request, take_piece, answer, &visited), 0);
		damaged += visited.damaged;
		segment_group_close(group);
	}
	return damaged;
}

static int line_compare(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct hash128));
}

static void join_lines(struct segment_answer *answer)
{
	uint32_t kept = 0;

	if (answer->count > 0)
		qsort(answer->lines, answer->count, sizeof(*answer->lines), line_compare);
	for (uint32_t i = 0; i < answer->count; i++) {
		struct segment_answer_line *line = &answer->lines[i];

		if (kept > 0 && line_compare(&answer->lines[kept - 1], line) == 0) {
			answer->lines[kept - 1].count += line->count;
			answer->lines[kept - 1].value += line->value;
		} else {
			if (kept > 0 && answer->lines[kept - 1].count == 0 &&
				answer->lines[kept - 1].value == 0)
				kept--;
			answer->lines[kept++] = *line;
		}
	}
	if (kept > 0 && answer->lines[kept - 1].count == 0 && answer->lines[kept - 1].value == 0)
		kept--;
	answer->count = kept;
}

bool segment_answer_equal(struct segment_answer *one, struct segment_answer *other)
{
	join_lines(one);
	join_lines(other);
	return one->count == other->count &&
		(one->count == 0 ||
			memcmp(one->lines, other->lines, one->count * sizeof(*one->lines)) == 0);
}

bool segment_answer_within(const struct segment_answer *part, const struct segment_answer *whole)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < part->count; i++) {
		while (at < whole->count && line_compare(&whole->lines[at], &part->lines[i]) < 0)
			at++;
		if (at == whole->count || line_compare(&whole->lines[at], &part->lines[i]) != 0 ||
			part->lines[i].count > whole->lines[at].count)
			return false;
	}
	return true;
}

void segment_answer_done(struct segment_answer *answer)
{
	free(answer->lines);
	*answer = (struct segment_answer){0};
}

static struct segment_request random_request(
	struct random *random, const struct segment_questions *questions)
{
	static const uint64_t steps[] = {0, 0, 0, NS_PER_S, 10 * NS_PER_S, 60 * NS_PER_S,
		7 * NS_PER_S + 20 * NS_PER_MS, 3600 * NS_PER_S, 6 * 3600 * NS_PER_S, 123456789012};
	struct segment_request request = {.detail = questions->detail < 0
			? random_below(random, 4)
			: (enum segment_detail)questions->detail};
	uint64_t spread_ns = questions->spread_ns;
	uint64_t grids[] = {1, 20 * NS_PER_MS, NS_PER_S, 10 * NS_PER_S, 3600 * NS_PER_S};
	uint64_t grid = grids[random_below(random, 5)];
	uint64_t early_ns = SEGMENT_TEST_START_NS - 2 * SEGMENT_HOUR_NS;

	request.from_ns = early_ns + random_next(random) % (spread_ns + 4 * SEGMENT_HOUR_NS);
	request.until_ns = request.from_ns + random_next(random) % spread_ns;
	if (random_chance(random, 20)) {
		request.from_ns = early_ns;
		request.until_ns = early_ns + spread_ns + 8 * SEGMENT_HOUR_NS;
	}
	request.from_ns = request.from_ns / grid * grid;
	request.until_ns = request.until_ns / grid * grid;
	if (request.detail != SEGMENT_DETAIL_SLOTS)
		request.step_ns = steps[random_below(random, 10)];
	/* Few enough steps for a brute force. */
	if (request.step_ns > 0 && request.until_ns > request.from_ns &&
		(request.until_ns - request.from_ns) / request.step_ns > 2000)
		request.until_ns = request.from_ns + 2000 * request.step_ns;
	request.step_origin_ns = random_chance(random, 50) ? 0 : request.from_ns;
	if (random_chance(random, 30))
		request.type = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
	if (random_chance(random, 30))
		request.host = random_chance(random, 50) ? "host-1" : "own-1";
	return request;
}

void segment_check_questions(struct segment_questions questions)
{
	struct random random = {questions.count};

	for (uint32_t i = 0; i < questions.count; i++) {
		struct segment_request request = random_request(&random, &questions);
		const char *service = random_chance(&random, 30) ? "service-1" : NULL;
		struct segment_answer expected, got;

		segment_answer_of_blocks(
			&expected, questions.blocks, &request, service, questions.slots_from_ns);
		CHECK_EQ(segment_answer_of_segment(&got, questions.reader, &request, service), 0);
		if (!segment_answer_equal(&expected, &got)) {
			fprintf(stderr,
				"question %u: detail %d, from %lld for %lld, step %lld: %u lines, "
				"expected %u\n",
				i, request.detail,
				(long long)(request.from_ns - SEGMENT_TEST_START_NS),
				(long long)(request.until_ns - request.from_ns),
				(long long)request.step_ns, got.count, expected.count);
			CHECK(false);
		}
		segment_answer_done(&expected);
		segment_answer_done(&got);
	}
}
