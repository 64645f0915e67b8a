/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/execs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool names_host(const struct selector_matcher *matcher)
{
	return strcmp(matcher->name, "host") == 0;
}

static bool names_command(const struct selector_matcher *matcher)
{
	return strcmp(matcher->name, "command") == 0;
}

const char *execs_objection(const struct selector *selector)
{
	if (selector->type)
		return "lives of processes have no profile type: leave it away";
	for (uint32_t i = 0; i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];

		if (!names_host(matcher) && !names_command(matcher) &&
			strcmp(matcher->name, "parent") != 0)
			return "lives of processes have the labels host, command and parent only";
	}
	return NULL;
}

int execs_init(struct execs *execs, const struct selector *selector, struct time_range range)
{
	*execs = (struct execs){.selector = selector, .range = range};
	return life_table_init(&execs->lives, EXECS_ROW_COUNT_MAX);
}

void execs_done(struct execs *execs)
{
	life_table_done(&execs->lives);
}

static int accepts_host(const struct selector *selector, struct life_name host, bool *ret_accepts)
{
	bool accepts = true;
	int r = 0;

	for (uint32_t i = 0; r == 0 && accepts && i < selector->matcher_count; i++) {
		if (names_host(&selector->matchers[i]))
			r = selector_matcher_accepts(
				&selector->matchers[i], host.text, host.length, &accepts);
	}
	*ret_accepts = accepts;
	return r;
}

static int accepts_row(const struct execs *execs, uint32_t row, bool *ret_accepts)
{
	const struct selector *selector = execs->selector;
	bool accepts = true;
	int r = 0;

	for (uint32_t i = 0; r == 0 && accepts && i < selector->matcher_count; i++) {
		const struct selector_matcher *matcher = &selector->matchers[i];
		struct life_name name = names_command(matcher)
			? life_table_command(&execs->lives, row)
			: life_table_parent(&execs->lives, row);

		if (!names_host(matcher))
			r = selector_matcher_accepts(matcher, name.text, name.length, &accepts);
	}
	*ret_accepts = accepts;
	return r;
}

static void cover(struct execs *execs, const struct profile_store_lives *window)
{
	struct time_range *covered = &execs->covered;

	if (covered->until_ns == 0 || window->start_ns < covered->from_ns)
		covered->from_ns = window->start_ns;
	if (window->until_ns > covered->until_ns)
		covered->until_ns = window->until_ns;
}

int execs_add(struct execs *execs, const struct profile_store_lives *window)
{
	const struct life_table *table = window->table;
	bool accepts;
	int r;

	if (window->start_ns < execs->range.from_ns || window->start_ns >= execs->range.until_ns)
		return 0;
	r = accepts_host(execs->selector, window->host, &accepts);
	if (r < 0 || !accepts)
		return r;
	cover(execs, window);
	for (uint32_t i = 0; r == 0 && i < table->count; i++)
		r = life_table_add(&execs->lives, life_table_command(table, i),
			life_table_parent(table, i), &table->rows[i].sums);
	return r;
}

uint64_t execs_runs(const struct life_sums *sums)
{
	return sums->execs + sums->bare_exits;
}

static int row_compare(const void *left, const void *right, void *context)
{
	const struct string_table *names = context;
	const struct life_row *one = left, *other = right;
	uint64_t one_runs = execs_runs(&one->sums), other_runs = execs_runs(&other->sums);
	int r;

	if (one_runs != other_runs)
		return one_runs > other_runs ? -1 : 1;
	if (one->sums.cpu_ns != other->sums.cpu_ns)
		return one->sums.cpu_ns > other->sums.cpu_ns ? -1 : 1;
	r = strcmp(
		string_table_text(names, one->command), string_table_text(names, other->command));
	return r != 0 ? r
		      : strcmp(string_table_text(names, one->parent),
				string_table_text(names, other->parent));
}

int execs_finish(struct execs *execs)
{
	struct life_table *lives = &execs->lives;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lives->count; i++) {
		bool accepts;
		int r = accepts_row(execs, i, &accepts);

		if (r < 0)
			return r;
		if (accepts)
			lives->rows[kept++] = lives->rows[i];
	}
	lives->count = kept;
	if (kept > 0)
		qsort_r(lives->rows, kept, sizeof(*lives->rows), row_compare, &lives->names);
	return 0;
}

int execs_sum(const struct execs *execs, uint32_t first, struct life_sums *ret_sums)
{
	struct life_sums sums = {0};

	for (uint32_t i = first; i < execs->lives.count; i++) {
		int r = life_sums_add(&sums, &execs->lives.rows[i].sums);

		if (r < 0)
			return r;
	}
	*ret_sums = sums;
	return 0;
}
