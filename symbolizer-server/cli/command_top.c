/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"

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

static void print_row(const struct cJSON *row, double total, const char *unit)
{
	char self_text[AMOUNT_BYTES_MAX], total_text[AMOUNT_BYTES_MAX];
	double row_self = command_number(row, "self"), row_total = command_number(row, "total");
	const char *module = command_text(row, "module");
	const char *name = command_text(row, "name");

	output_amount(row_self, unit, self_text);
	output_amount(row_total, unit, total_text);
	printf("%6.2f%% %11s %6.2f%% %11s  ", percent(row_self, total), self_text,
		percent(row_total, total), total_text);
	output_text(stdout, name);
	if (*module && !is_named_by_address(name, module)) {
		fputs("  [", stdout);
		/* The kernel's modules bring their brackets along. */
		if (module[0] == '[')
			output_text(stdout, module + 1);
		else
			output_text(stdout, module);
		fputs(module[0] == '[' ? "" : "]", stdout);
	}
	putchar('\n');
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
		fputs("no samples in this range; cairn status tells which hosts send any\n",
			stdout);
		return command_finish();
	}
	print_head(answer);
	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(answer, "functions"))
		print_row(row, command_number(answer, "total"), command_text(answer, "unit"));
	cJSON_Delete(answer);
	return command_finish();
}
