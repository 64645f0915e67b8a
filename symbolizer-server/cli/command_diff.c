/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "store/base/cleanup.h"
#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/fail_rule.h"
#include "symbolizer-server/cli/function_name.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/paint.h"
#include "symbolizer-server/cli/time_span.h"

#define NS_A_SECOND 1e9
/* What two decimals show as zero. */
#define POINTS_SHOWN_MIN 0.005
/* What a rule is held against: every function that there is. */
#define ALL_ROWS "1048576"

static void print_side(const struct cJSON *answer, const char *name)
{
	const struct cJSON *side = cJSON_GetObjectItemCaseSensitive(answer, name);
	double seconds =
		(command_number(side, "until") - command_number(side, "from")) / NS_A_SECOND;
	double cores = command_number(side, "core_ns") / NS_A_SECOND;
	double total = command_number(side, "total");
	char total_text[AMOUNT_BYTES_MAX], rate_text[AMOUNT_BYTES_MAX];

	command_note_partial(side);
	output_amount(total, command_text(answer, "unit"), total_text);
	printf("%-6s %11s in %.0f samples over %.0f s", name, total_text,
		command_number(side, "sample_count"), seconds);
	if (seconds > 0) {
		output_amount(total / seconds, command_text(answer, "unit"), rate_text);
		printf(", %s a second", rate_text);
	}
	if (cores > 0 && strcmp(command_text(answer, "unit"), "nanoseconds") == 0) {
		printf(", %.1f%% of the CPUs' time", 100 * total / NS_A_SECOND / cores);
	} else if (cores > 0) {
		output_amount(total / cores, command_text(answer, "unit"), rate_text);
		printf(", %s a CPU second", rate_text);
	}
	putchar('\n');
}

static bool is_real(const struct cJSON *row)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "changed"));
}

/* In one word of at most five letters. */
static const char *verdict(const struct cJSON *row, double points)
{
	if (fabs(points) < POINTS_SHOWN_MIN)
		return "same";
	if (!is_real(row))
		return "noise";
	if (command_number(row, "left_total") <= 0)
		return "new";
	return command_number(row, "right_total") <= 0 ? "gone" : "";
}

static void print_row(const struct cJSON *row, size_t columns)
{
	double left = 100 * command_number(row, "left_share");
	double right = 100 * command_number(row, "right_share");
	bool painted = paint_wanted() && !is_real(row);
	size_t taken;

	fputs(paint_of(PAINT_QUIET, painted), stdout);
	taken = (size_t)printf("%+7.2f %7.2f%% %7.2f%%  %-5s  ", right - left, left, right,
		verdict(row, right - left));
	columns = columns > taken + FUNCTION_NAME_COLUMNS_MIN ? columns - taken
							      : FUNCTION_NAME_COLUMNS_MIN;
	function_name_print(command_text(row, "name"), command_text(row, "module"), columns);
	fputs(paint_of(PAINT_PLAIN, painted), stdout);
	putchar('\n');
}

static void print_answer(const struct options *options, const struct cJSON *answer)
{
	const struct cJSON *functions = cJSON_GetObjectItemCaseSensitive(answer, "functions");
	const struct cJSON *row;
	long left = strtol(options->limit, NULL, 10);

	print_side(answer, "left");
	print_side(answer, "right");
	fputs(" points     left    right         function\n", stdout);
	cJSON_ArrayForEach(row, functions)
	{
		if (left-- <= 0)
			break;
		print_row(row, command_line_columns(options));
	}
}

/* Says which functions break RULE; gives whether any does that is not noise. */
static bool breaks(const struct fail_rule *rule, const struct cJSON *answer)
{
	const struct cJSON *row;
	bool broken = false;

	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(answer, "functions"))
	{
		double left = command_number(row, "left_share");
		double right = command_number(row, "right_share");

		if (!fail_rule_breaks(rule, command_text(row, "name"), left, right))
			continue;
		fputs("cairn: ", stderr);
		output_text(stderr, command_text(row, "name"));
		fprintf(stderr, ": %.2f%% -> %.2f%% of the whole%s\n", 100 * left, 100 * right,
			is_real(row) ? "" : ", which may be noise: not taken for a failure");
		broken |= is_real(row);
	}
	return broken;
}

/* A side without samples would make everything new, or gone. */
static bool has_both_sides(const struct cJSON *answer)
{
	static const char *const names[] = {"left", "right"};

	for (size_t i = 0; i < 2; i++) {
		if (command_number(
			    cJSON_GetObjectItemCaseSensitive(answer, names[i]), "sample_count") > 0)
			continue;
		fprintf(stderr, "cairn: the %s side has no samples: look at its range and query\n",
			names[i]);
		return false;
	}
	return true;
}

static struct cJSON *fetch(
	const struct options *options, const struct time_span sides[2], int *ret_status)
{
	SCOPED_FREE char *query = command_query(options);
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX] = {
		{"query", query},
		{"left_from", sides[0].from},
		{"left_until", sides[0].until},
		{"right_from", sides[1].from},
		{"right_until", sides[1].until},
		{"view", "functions"},
		{"limit", options->fail_if ? ALL_ROWS : options->limit},
	};

	*ret_status = 1;
	return query ? command_fetch_json_of(options, "/api/v1/diff", params, ret_status) : NULL;
}

static int read_sides(const struct options *options, struct time_span ret_sides[2])
{
	const char *texts[2] = {options->left, options->right};
	char error[TIME_SPAN_ERROR_BYTES_MAX];
	int64_t now_s = (int64_t)time(NULL);

	for (size_t i = 0; i < 2; i++) {
		if (!texts[i])
			return command_misuse("say what to compare: --left FROM..UNTIL --right "
					      "FROM..UNTIL");
		if (time_span_parse(texts[i], now_s, &ret_sides[i], error) < 0)
			return command_misuse(error);
	}
	return 0;
}

static int compare(const struct options *options, const struct fail_rule *rule)
{
	struct time_span sides[2];
	struct cJSON *answer;
	int status = read_sides(options, sides);
	bool failed;

	if (status != 0)
		return status;
	answer = fetch(options, sides, &status);
	if (!answer)
		return status;
	failed = !has_both_sides(answer);
	if (!failed) {
		print_answer(options, answer);
		failed = rule && breaks(rule, answer);
	}
	cJSON_Delete(answer);
	status = command_finish();
	return failed ? 1 : status;
}

int command_diff(const struct options *options)
{
	char error[FAIL_RULE_ERROR_BYTES_MAX];
	struct fail_rule rule;
	int status;

	if (!options->fail_if)
		return compare(options, NULL);
	if (fail_rule_parse(options->fail_if, &rule, error) < 0)
		return command_misuse(error);
	status = compare(options, &rule);
	fail_rule_done(&rule);
	return status;
}
