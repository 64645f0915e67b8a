/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/short_name.h"

#define MODULE_COLUMNS 28
/* Enough of a build-ID to tell two apart; --full shows all of it. */
#define BUILD_ID_COLUMNS 12
/* The server knows fewer; of further ones the row says nothing. */
#define REMEDY_COUNT_MAX 16

/* What helps many modules is said once, below the table. */
struct remedies {
	const struct cJSON *modules[REMEDY_COUNT_MAX]; /* the first that each helps */
	int count;
};

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* In a column of COLUMNS, or WHOLE. */
static void print_cell(const char *text, size_t columns, bool whole)
{
	size_t length = output_columns(text, strlen(text));

	if (whole)
		output_text(stdout, text);
	else
		short_name_print(stdout, text, columns);
	for (size_t i = length; i < columns; i++)
		putchar(' ');
}

/* Its number, from 1; 0: there is none, or no room. */
static int remedy_number(struct remedies *remedies, const struct cJSON *module)
{
	const char *remedy = command_text(module, "remedy");

	if (!*remedy)
		return 0;
	for (int i = 0; i < remedies->count; i++) {
		const struct cJSON *other = remedies->modules[i];

		if (strcmp(command_text(other, "remedy"), remedy) == 0 &&
			strcmp(command_text(other, "command"), command_text(module, "command")) ==
				0)
			return i + 1;
	}
	if (remedies->count == REMEDY_COUNT_MAX)
		return 0;
	remedies->modules[remedies->count++] = module;
	return remedies->count;
}

static void print_remedies(const struct remedies *remedies)
{
	if (remedies->count > 0)
		fputs("\nwhat helps\n", stdout);
	for (int i = 0; i < remedies->count; i++) {
		const char *command = command_text(remedies->modules[i], "command");

		printf("  [%d] ", i + 1);
		output_text(stdout, command_text(remedies->modules[i], "remedy"));
		putchar('\n');
		if (*command) {
			fputs("      $ ", stdout);
			output_text(stdout, command);
			putchar('\n');
		}
	}
}

/* Why frames of it have no name, and the number of what helps. */
static void print_reason(const struct cJSON *module, struct remedies *remedies)
{
	const char *state = command_text(module, "state");
	int number = remedy_number(remedies, module);

	if (!*state && number == 0)
		return;
	fputs("                    ", stdout);
	output_text(stdout, state);
	if (number > 0)
		printf(*state ? " [%d]" : "see [%d]", number);
	putchar('\n');
}

static void print_module(const struct options *options, const struct cJSON *module, double all,
	struct remedies *remedies)
{
	const char *name = command_text(module, "module"), *id = command_text(module, "build_id");
	double functions = command_number(module, "function_count");

	printf("%7.2f%% %7.2f%%   ", percent(command_number(module, "unnamed_total"), all),
		percent(command_number(module, "total"), all));
	print_cell(*name ? name : "(in no file)", MODULE_COLUMNS, options->full);
	fputs("  ", stdout);
	print_cell(*id ? id : "-", BUILD_ID_COLUMNS, options->full);
	printf("  %s", command_text(module, "quality"));
	if (functions > 0)
		printf(", %.0f functions", functions);
	putchar('\n');
	if (command_number(module, "unnamed_addresses") > 0)
		print_reason(module, remedies);
}

static void print_head(const struct cJSON *answer)
{
	double all = command_number(answer, "total");
	char total_text[AMOUNT_BYTES_MAX];

	output_amount(all, command_text(answer, "unit"), total_text);
	printf("%s in %.0f samples: %.2f%% of it in stacks with a frame that has no name, %.2f%% "
	       "in such a frame itself\n",
		total_text, command_number(answer, "sample_count"),
		percent(command_number(answer, "unnamed_total"), all),
		percent(command_number(answer, "unnamed_self"), all));
}

static void print_modules(const struct options *options, const struct cJSON *answer)
{
	const struct cJSON *modules = cJSON_GetObjectItemCaseSensitive(answer, "modules");
	const struct cJSON *module;
	double all = command_number(answer, "total"), left;
	struct remedies remedies = {.count = 0};
	int hidden = 0;
	bool headed = false;

	cJSON_ArrayForEach(module, modules)
	{
		if (!options->all && command_number(module, "unnamed_addresses") <= 0) {
			hidden++;
			continue;
		}
		if (!headed) {
			fputs(" unnamed   of all   module                        build-ID      "
			      "names from\n",
				stdout);
			headed = true;
		}
		print_module(options, module, all, &remedies);
	}
	left = command_number(answer, "module_count") - cJSON_GetArraySize(modules);
	if (hidden > 0)
		printf("%d more %s all names; --all shows %s, too\n", hidden,
			hidden == 1 ? "binary has" : "binaries have", hidden == 1 ? "it" : "them");
	if (left > 0)
		printf("%.0f more, none with more unnamed time; --limit shows more\n", left);
	print_remedies(&remedies);
}

int command_symbols(const struct options *options)
{
	int status;
	struct cJSON *answer = command_fetch_json(options, "/api/v1/symbols", 1, &status);

	if (!answer)
		return status;
	if (command_number(answer, "sample_count") <= 0) {
		fputs("no samples in this range; cairn status tells which hosts send any\n",
			stdout);
	} else {
		print_head(answer);
		print_modules(options, answer);
	}
	cJSON_Delete(answer);
	return command_finish();
}
