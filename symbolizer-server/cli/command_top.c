/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/short_name.h"

/* Nothing can be told from less; a narrower terminal breaks the lines. */
#define NAME_COLUMNS_MIN 24

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Such a frame is MODULE+0x1a2b: it tells its module by itself. */
static bool is_named_by_address(const char *name, const char *module)
{
	size_t length = strlen(module);

	return strncmp(name, module, length) == 0 && strncmp(name + length, "+0x", 3) == 0;
}

/* COLUMNS is what name and module may take together; half of it is the most that a module gets. */
static void print_function(const char *name, const char *module, size_t columns)
{
	/* The kernel's modules bring their brackets along. */
	bool is_bracketed = module[0] == '[';
	size_t around = is_bracketed ? 2 : 4, wanted = output_columns(module, strlen(module));
	size_t given = wanted < columns / 2 - around ? wanted : columns / 2 - around;

	if (!*module || is_named_by_address(name, module)) {
		short_name_print(stdout, name, columns);
		return;
	}
	short_name_print(stdout, name, columns - around - given);
	fputs(is_bracketed ? "  " : "  [", stdout);
	short_name_print(stdout, module, given);
	fputs(is_bracketed ? "" : "]", stdout);
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
	columns = columns > taken + NAME_COLUMNS_MIN ? columns - taken : NAME_COLUMNS_MIN;
	print_function(command_text(row, "name"), command_text(row, "module"), columns);
	putchar('\n');
}

/* Of a line: without a terminal, whoever reads on gets whole names. */
static size_t line_columns(const struct options *options)
{
	size_t columns = options->full ? 0 : output_terminal_columns();

	return columns > 0 ? columns : SIZE_MAX;
}

/* A wrong name of a process looks like an idle host. */
static void print_nothing(const struct options *options)
{
	if (options->query || options->host || options->process) {
		fputs("no samples of this in this range; without --host, --process and --query "
		      "there may be some\n",
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
		fputs("; some have no name yet, see cairn status", stdout);
	fputs("\n   self              total              function\n", stdout);
}

int command_top(const struct options *options)
{
	int status;
	struct cJSON *answer = command_fetch_json(options, "/api/v1/top", 1, &status);
	const struct cJSON *row;

	if (!answer)
		return status;
	if (command_number(answer, "sample_count") <= 0) {
		cJSON_Delete(answer);
		print_nothing(options);
		return command_finish();
	}
	print_head(answer);
	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(answer, "functions"))
		print_row(row, command_number(answer, "total"), command_text(answer, "unit"),
			line_columns(options));
	cJSON_Delete(answer);
	return command_finish();
}
