/* SPDX-License-Identifier: Apache-2.0 */
/* cairn top --execs: what runs often and ends soon. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"

/* A thread's name in the kernel has at most fifteen; kinds of kernel threads two brackets more. */
#define NAME_COLUMNS 17

static void print_name(const char *name)
{
	size_t columns = output_columns(name, strlen(name));

	output_text(stdout, name);
	while (columns++ < NAME_COLUMNS)
		putchar(' ');
}

/* What one of COUNT took of SUM; nothing has ended where there is none. */
static void print_each(double sum, double count)
{
	char text[AMOUNT_BYTES_MAX] = "-";

	if (count > 0)
		output_amount(sum / count, "nanoseconds", text);
	printf(" %11s", text);
}

static void print_sums(const struct cJSON *sums)
{
	char cpu_text[AMOUNT_BYTES_MAX];
	double ended = command_number(sums, "exits");

	output_amount(command_number(sums, "cpu_ns"), "nanoseconds", cpu_text);
	printf("%9.2f %11s", command_number(sums, "per_second"), cpu_text);
	print_each(command_number(sums, "cpu_ns"), ended);
	print_each(command_number(sums, "lifetime_ns"), ended);
	fputs("   ", stdout);
}

static void print_answer(const struct cJSON *answer)
{
	const struct cJSON *rows = cJSON_GetObjectItemCaseSensitive(answer, "commands");
	const struct cJSON *total = cJSON_GetObjectItemCaseSensitive(answer, "total");
	const struct cJSON *rest = cJSON_GetObjectItemCaseSensitive(answer, "rest");
	const struct cJSON *row;

	printf("%.0f programs started, %.0f processes made, %.0f ended in %.0f s; %d of %.0f "
	       "commands\n",
		command_number(total, "execs"), command_number(total, "forks"),
		command_number(total, "exits"), command_number(answer, "seconds"),
		cJSON_GetArraySize(rows), command_number(answer, "command_count"));
	fputs(" a second         CPU    CPU each   life each   command           started by\n",
		stdout);
	cJSON_ArrayForEach(row, rows)
	{
		print_sums(row);
		print_name(command_text(row, "command"));
		putchar(' ');
		output_text(stdout, command_text(row, "parent"));
		putchar('\n');
	}
	if (command_number(rest, "command_count") <= 0)
		return;
	print_sums(rest);
	printf("(%.0f more)\n", command_number(rest, "command_count"));
}

int command_execs(const struct options *options)
{
	const struct fetch_param params[FETCH_PARAM_COUNT_MAX] = {{"query", options->query},
		{"host", options->host}, {"command", options->process}, {"from", options->from},
		{"until", options->until}, {"limit", options->limit}};
	int status;
	struct cJSON *answer = command_fetch_json_of(options, "/api/v1/execs", params, &status);

	if (!answer)
		return status;
	if (command_number(answer, "command_count") <= 0) {
		fputs("no process started or ended in this range; cairn status tells which hosts "
		      "count them\n",
			stdout);
	} else {
		print_answer(answer);
	}
	cJSON_Delete(answer);
	return command_finish();
}
