/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/store_digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/sample_range.h"
#include "tests/support/check.h"

struct line {
	char *key;
	uint64_t count;
	int64_t value;
};

struct digest {
	struct profile_store_filter filter;
	uint64_t from_ns, until_ns;
	struct line *lines;
	size_t line_count, line_capacity;
	FILE *out; /* of windows and lives */
};

static void add_line(struct digest *digest, char *key, uint64_t count, int64_t value)
{
	if (digest->line_count == digest->line_capacity) {
		digest->line_capacity = digest->line_capacity * 2 + 64;
		digest->lines =
			realloc(digest->lines, digest->line_capacity * sizeof(*digest->lines));
		CHECK(digest->lines);
	}
	digest->lines[digest->line_count++] = (struct line){key, count, value};
}

static const char *text_of(const struct profile *profile, uint32_t index)
{
	return string_table_text(&profile->strings, index);
}

static void print_labels(FILE *out, const struct profile *profile, uint32_t index)
{
	const struct label_set *set = &profile->labels.sets[index];
	bool has_host = false;

	for (uint32_t i = 0; i < set->count; i++) {
		const struct label *label = &profile->labels.labels[set->first + i];

		has_host |= strcmp(text_of(profile, label->key), "host") == 0;
		fprintf(out, " %s=%s", text_of(profile, label->key),
			text_of(profile, label->value));
	}
	/* A set without a host is of the window's. */
	if (!has_host)
		fprintf(out, " host=%s", text_of(profile, profile->head.host));
}

static void print_stack(FILE *out, const struct profile *profile, uint32_t node)
{
	for (; node != STACK_EMPTY; node = profile->stacks.nodes[node].parent) {
		const struct frame *frame =
			&profile->frames.frames[profile->stacks.nodes[node].frame];
		const struct module *module = &profile->modules.modules[frame->module];

		fprintf(out, ";%u/%u:%s+%" PRIx64, frame->kind, frame->flags,
			text_of(profile, module->name),
			frame->flags & FRAME_NAMED ? 0 : frame->address);
		if (frame->flags & FRAME_NAMED)
			fprintf(out, "%s", text_of(profile, (uint32_t)frame->address));
	}
}

/* What tells a row apart from others in this detail. */
static void print_row(FILE *out, const struct digest *digest, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row)
{
	const struct thread *thread = &profile->threads.threads[row->thread];

	fprintf(out, "%s", text_of(profile, table->type));
	print_labels(out, profile, thread->labels);
	if (digest->filter.detail <= PROFILE_STORE_ROWS)
		fprintf(out, " %u/%u %s cpu %u", thread->pid, thread->tid,
			text_of(profile, thread->name), row->cpu);
	if (digest->filter.detail <= PROFILE_STORE_STACKS)
		print_stack(out, profile, row->stack);
}

/* A whole window: its slots are part of what is told. */
static void add_window_row(struct digest *digest, const struct profile *profile,
	const struct sample_table *table, const struct sample_row *row)
{
	char *key;
	size_t length;
	FILE *out = open_memstream(&key, &length);

	CHECK(out);
	fprintf(out, "[%" PRIu64 " %" PRIu64 "] ", profile_window_epoch_ns(profile),
		profile_window_end_epoch_ns(profile));
	print_row(out, digest, profile, table, row);
	for (uint32_t i = 0; table->has_slots && i < row->count; i++)
		fprintf(out, "%c%u", i ? ',' : ' ', sample_table_slots(table, row)[i]);
	CHECK_EQ(fclose(out), 0);
	add_line(digest, key, row->count, row->value);
}

static void add_part(struct digest *digest, const struct profile *profile,
	const struct sample_range *range, uint64_t step)
{
	for (uint32_t i = 0; i < profile->type_count; i++) {
		const struct sample_table *table = &profile->types[i];

		for (uint32_t j = 0; j < table->row_count; j++) {
			struct sample_part part = sample_range_part(range, table, &table->rows[j]);
			char *key;
			size_t length;
			FILE *out;

			if (part.count == 0 && part.value == 0)
				continue;
			out = open_memstream(&key, &length);
			CHECK(out);
			fprintf(out, "{%" PRIu64 "} ", step);
			print_row(out, digest, profile, table, &table->rows[j]);
			CHECK_EQ(fclose(out), 0);
			add_line(digest, key, part.count, part.value);
		}
	}
}

static uint64_t later(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* A window may reach over ends and steps; a piece never does. */
static void add_parts(struct digest *digest, const struct profile *profile)
{
	const struct profile_store_filter *filter = &digest->filter;
	uint64_t start_ns = profile_window_epoch_ns(profile);
	uint64_t end_ns = start_ns + profile_slot_count(profile) * PROFILE_SLOT_NS;
	uint64_t from_ns = later(start_ns, digest->from_ns);
	uint64_t until_ns = earlier(end_ns, digest->until_ns);
	bool is_piece = profile->head.host == 0;
	struct sample_range range;

	if (is_piece) {
		CHECK(start_ns >= digest->from_ns);
		CHECK(profile_window_end_epoch_ns(profile) <= digest->until_ns);
	}
	while (from_ns < until_ns) {
		uint64_t step = 0, next_ns = until_ns;

		if (filter->step_ns > 0) {
			step = (from_ns - filter->step_origin_ns) / filter->step_ns;
			next_ns = earlier(
				until_ns, filter->step_origin_ns + (step + 1) * filter->step_ns);
		}
		if (is_piece && filter->step_ns > 0)
			CHECK(profile_window_end_epoch_ns(profile) <=
				filter->step_origin_ns + (step + 1) * filter->step_ns);
		sample_range_init(&range, profile, from_ns, is_piece ? UINT64_MAX : next_ns);
		add_part(digest, profile, &range, step);
		if (is_piece)
			return;
		from_ns = next_ns;
	}
}

static int see_profile(void *context, const struct profile *profile)
{
	struct digest *digest = context;

	if (digest->filter.detail != PROFILE_STORE_SLOTS) {
		add_parts(digest, profile);
		return 0;
	}
	for (uint32_t i = 0; i < profile->type_count; i++) {
		for (uint32_t j = 0; j < profile->types[i].row_count; j++)
			add_window_row(
				digest, profile, &profile->types[i], &profile->types[i].rows[j]);
	}
	return 0;
}

static int line_compare(const void *left, const void *right)
{
	return strcmp(((const struct line *)left)->key, ((const struct line *)right)->key);
}

static char *finish(struct digest *digest)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	CHECK(out);
	if (digest->line_count > 0)
		qsort(digest->lines, digest->line_count, sizeof(*digest->lines), line_compare);
	for (size_t i = 0; i < digest->line_count; i++) {
		struct line *line = &digest->lines[i];

		if (i + 1 < digest->line_count && strcmp(line->key, line[1].key) == 0) {
			line[1].count += line->count;
			line[1].value += line->value;
		} else {
			fprintf(out, "%s: %" PRIu64 " = %" PRId64 "\n", line->key, line->count,
				line->value);
		}
		free(line->key);
	}
	CHECK_EQ(fclose(out), 0);
	free(digest->lines);
	return text;
}

char *store_digest(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter)
{
	struct digest digest = {.filter = *filter, .from_ns = from_ns, .until_ns = until_ns};

	CHECK_EQ(profile_store_visit(store, from_ns, until_ns, filter, see_profile, &digest), 0);
	return finish(&digest);
}

static int see_window(void *context, const struct profile_store_window *window)
{
	struct digest *digest = context;

	fprintf(digest->out,
		"%" PRIu64 " %" PRIu64 " %" PRIu64 " %.*s %.*s %.*s %u cpus %" PRIu64 " %" PRIu64
		" %" PRIu64 " %" PRIu64 "\n",
		window->start_ns, window->until_ns, window->received_at_ns,
		(int)window->host.length, window->host.text, (int)window->kernel_release.length,
		window->kernel_release.text, (int)window->collector_version.length,
		window->collector_version.text, window->online_cpu_count, window->busy_ns,
		window->idle_ns, window->steal_ns, window->sampled_ns);
	return 0;
}

char *store_digest_windows(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter)
{
	struct digest digest = {0};
	char *text;
	size_t length;

	digest.out = open_memstream(&text, &length);
	CHECK(digest.out);
	CHECK_EQ(profile_store_visit_windows(store, from_ns, until_ns, filter, see_window, &digest),
		0);
	CHECK_EQ(fclose(digest.out), 0);
	return text;
}

static int see_lives(void *context, const struct profile_store_lives *lives)
{
	struct digest *digest = context;

	for (uint32_t i = 0; i < lives->table->count; i++) {
		struct life_name command = life_table_command(lives->table, i);
		struct life_name parent = life_table_parent(lives->table, i);
		const struct life_sums *sums = &lives->table->rows[i].sums;
		char *key;

		CHECK(asprintf(&key, "%" PRIu64 " %" PRIu64 " %.*s %.*s<%.*s %" PRIu64 " %" PRIu64,
			      lives->start_ns, lives->until_ns, (int)lives->host.length,
			      lives->host.text, (int)command.length, command.text,
			      (int)parent.length, parent.text, sums->forks, sums->exits) > 0);
		add_line(digest, key, sums->execs, (int64_t)sums->cpu_ns);
	}
	return 0;
}

char *store_digest_lives(struct profile_store *store, uint64_t from_ns, uint64_t until_ns,
	const struct profile_store_filter *filter)
{
	struct digest digest = {0};

	CHECK_EQ(
		profile_store_visit_lives(store, from_ns, until_ns, filter, see_lives, &digest), 0);
	return finish(&digest);
}

static void append(FILE *out, const char *title, char *text)
{
	fprintf(out, "== %s\n%s", title, text);
	free(text);
}

char *store_digest_all(struct profile_store *store, uint64_t from_ns, uint64_t until_ns)
{
	static const uint64_t steps_ns[] = {0, 3600 * NS_PER_S, 90 * NS_PER_S + 20 * NS_PER_MS};
	uint64_t eighth_ns = (until_ns - from_ns) / 8 + 7;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	CHECK(out);
	for (int detail = PROFILE_STORE_SLOTS; detail <= PROFILE_STORE_SERIES; detail++) {
		for (size_t i = 0; i < 3; i++) {
			struct profile_store_filter filter = {
				.detail = (enum profile_store_detail)detail,
				.step_ns = steps_ns[i],
				.step_origin_ns = from_ns / 7,
			};

			if (detail == PROFILE_STORE_SLOTS && i > 0)
				continue;
			append(out, "whole", store_digest(store, from_ns, until_ns, &filter));
			append(out, "part",
				store_digest(store, from_ns + eighth_ns, until_ns - 3 * eighth_ns,
					&filter));
		}
	}
	append(out, "windows", store_digest_windows(store, from_ns, until_ns, NULL));
	append(out, "lives", store_digest_lives(store, from_ns, until_ns, NULL));
	CHECK_EQ(fclose(out), 0);
	return text;
}
