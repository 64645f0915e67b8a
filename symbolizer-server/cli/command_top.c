/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/function_name.h"
#include "symbolizer-server/cli/output.h"

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* COLUMNS: of the line. */
static void print_row(const struct cJSON *row, double total, const char *unit, size_t columns)
{
	char self_text[AMOUNT_BYTES_MAX], total_text[AMOUNT_BYTES_MAX];
	double row_self = command_number(row, "self"), row_total = command_number(row, "total");
	size_t taken;

	output_amount(row_self, unit, self_text);
	output_amount(row_total, unit, total_text);
	taken = (size_t)printf("%6.2f%% %11s %6.2f%% %11s  ", percent(row_self, total), self_text,
		percent(row_total, total), total_text);
	columns = columns > taken + FUNCTION_NAME_COLUMNS_MIN ? columns - taken
							      : FUNCTION_NAME_COLUMNS_MIN;
	function_name_print(command_text(row, "name"), command_text(row, "module"), columns);
	putchar('\n');
}

/* A wrong name of a process looks like an idle host. */
static void print_nothing(const struct options *options)
{
	if (options->query || options->host || options->process) {
		fputs("no samples of this in this range; without --host, --process and --query "
		      "there may be some: /api/v1/hosts and /api/v1/processes name what there is\n",
			stdout);
	} else {
		fputs("no samples in this range; cairn status tells which hosts send any\n",
			stdout);
	}
}

static void print_head(const struct cJSON *answer)
{
	char total_text[AMOUNT_BYTES_MAX];
	const struct cJSON *functions = cJSON_GetObjectItemCaseSensitive(answer, "functions");

	output_amount(command_number(answer, "total"), command_text(answer, "unit"), total_text);
	printf("%s in %.0f samples, %d of %.0f functions", total_text,
		command_number(answer, "sample_count"), cJSON_GetArraySize(functions),
		command_number(answer, "function_count"));
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "partial_symbols")))
		fputs("; some have no name yet, see cairn symbols", stdout);
	fputs("\n   self              total              function\n", stdout);
}

int command_top(const struct options *options)
{
	int status;
	struct cJSON *answer;
	const struct cJSON *row;

	if (options->execs)
		return command_execs(options);
	answer = command_fetch_json(options, "/api/v1/top", 1, &status);
	if (!answer)
		return status;
	if (command_number(answer, "sample_count") <= 0) {
		cJSON_Delete(answer);
		print_nothing(options);
		return command_finish();
	}
	command_note_partial(answer);
	print_head(answer);
	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(answer, "functions"))
		print_row(row, command_number(answer, "total"), command_text(answer, "unit"),
			command_line_columns(options));
	cJSON_Delete(answer);
	return command_finish();
}
