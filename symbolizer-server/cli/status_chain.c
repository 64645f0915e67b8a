/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/status_chain.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/paint.h"

/* Where the reasons begin: the columns before them. */
#define REASONS_COLUMN 69
#define COUNT_EXACT_MAX 1e10

void status_chain_count(double value, char ret_text[COUNT_BYTES_MAX])
{
	char digits[COUNT_BYTES_MAX];
	size_t length, to = 0;

	if (!(value < COUNT_EXACT_MAX)) {
		snprintf(
			ret_text, COUNT_BYTES_MAX, value < 1e12 ? "%.1f G" : "%.0f G", value / 1e9);
		return;
	}
	length = (size_t)snprintf(digits, sizeof(digits), "%.0f", value > 0 ? value : 0);
	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			ret_text[to++] = ',';
		ret_text[to++] = digits[i];
	}
	ret_text[to] = '\0';
}

static void print_count(const struct status_page *page, double value, int width, enum paint paint)
{
	char text[COUNT_BYTES_MAX];

	status_chain_count(value, text);
	fprintf(page->out, "%s%*s%s", paint_of(value > 0 ? paint : PAINT_QUIET, page->painted),
		width, value > 0 ? text : "-", paint_of(PAINT_PLAIN, page->painted));
}

/* Writes the reasons behind one another and begins a line where the next does not fit. */
struct reasons {
	const struct status_page *page;
	size_t column; /* where the next one begins; 0: none yet */
};

static void print_reason(struct reasons *reasons, double value, const char *words, enum paint paint)
{
	FILE *out = reasons->page->out;
	bool painted = reasons->page->painted;
	char count[COUNT_BYTES_MAX];
	size_t length;

	status_chain_count(value, count);
	length = strlen(count) + 1 + output_columns(words, strlen(words));
	if (reasons->column == 0) {
		fputs("  ", out);
		reasons->column = REASONS_COLUMN;
	} else if (reasons->column + 2 + length > STATUS_PAGE_COLUMNS) {
		fprintf(out, ",\n%*s", REASONS_COLUMN, "");
		reasons->column = REASONS_COLUMN;
	} else {
		fputs(", ", out);
		reasons->column += 2;
	}
	reasons->column += length;
	fprintf(out, "%s%s ", paint_of(paint, painted), count);
	output_text(out, words);
	fputs(paint_of(PAINT_PLAIN, painted), out);
}

static void print_reasons_of(
	struct reasons *reasons, const struct cJSON *stage, const char *list, enum paint paint)
{
	const struct cJSON *reason;

	cJSON_ArrayForEach(reason, cJSON_GetObjectItemCaseSensitive(stage, list))
	{
		double value = command_number(reason, "value");

		if (value > 0)
			print_reason(reasons, value, command_text(reason, "reason"), paint);
	}
}

static void print_stage(const struct status_page *page, const struct cJSON *stage)
{
	struct reasons reasons = {.page = page};
	double unaccounted = command_number(stage, "unaccounted");

	fprintf(page->out, "%-11.11s", command_text(stage, "stage"));
	fprintf(page->out, "%-10.10s", command_text(stage, "unit"));
	print_count(page, command_number(stage, "in"), 14, PAINT_PLAIN);
	print_count(page, command_number(stage, "out"), 14, PAINT_PLAIN);
	print_count(page, command_number(stage, "waiting"), 8, PAINT_PLAIN);
	print_count(page, command_number(stage, "lost"), 10, PAINT_WARNING);
	if (unaccounted > 0)
		print_reason(&reasons, unaccounted, "UNACCOUNTED", PAINT_ERROR);
	print_reasons_of(&reasons, stage, "lost_reasons", PAINT_WARNING);
	print_reasons_of(&reasons, stage, "aside_reasons", PAINT_PLAIN);
	print_reasons_of(&reasons, stage, "notes", PAINT_QUIET);
	fputc('\n', page->out);
}

static void print_title(const struct status_page *page, const char *title)
{
	fprintf(page->out, "\n%s%-21s%14s%14s%8s%10s  %s%s\n", paint_of(PAINT_TITLE, page->painted),
		title, "in", "out", "waiting", "lost", "why, and what else",
		paint_of(PAINT_PLAIN, page->painted));
}

/* Where a row of another kind begins. The names of stages are the server's; those that this program
 * does not know go on below what comes before them. */
static const char *title_of(const struct cJSON *stage)
{
	static const struct {
		const char *stage;
		const char *title;
	} titles[] = {
		{"kernel", "COLLECTOR"},
		{"receive", "SERVER"},
		{"want", "NAMES"},
		{"query", "ANSWERS"},
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		if (strcmp(command_text(stage, "stage"), titles[i].stage) == 0)
			return titles[i].title;
	}
	return NULL;
}

static bool was_told(const struct cJSON *warnings, const char *stage, const char *reason)
{
	const struct cJSON *warning;
	char text[256];

	snprintf(text, sizeof(text), "`%s`: %s", stage, reason);
	cJSON_ArrayForEach(warning, warnings)
	{
		if (strstr(command_text(warning, "text"), text))
			return true;
	}
	return false;
}

static void print_remedies_of(const struct status_page *page, const struct cJSON *stage,
	const struct cJSON *warnings, bool *has_title)
{
	const struct cJSON *reason;

	cJSON_ArrayForEach(reason, cJSON_GetObjectItemCaseSensitive(stage, "lost_reasons"))
	{
		const char *remedy = command_text(reason, "remedy");
		const char *words = command_text(reason, "reason");

		if (command_number(reason, "value") <= 0 || !*remedy ||
			was_told(warnings, command_text(stage, "stage"), words))
			continue;
		if (!*has_title)
			fputs("\nwhat to do\n", page->out);
		*has_title = true;
		fputs("  ", page->out);
		output_text(page->out, command_text(stage, "stage"));
		fputs(", ", page->out);
		output_text(page->out, words);
		fputs(": ", page->out);
		output_text(page->out, remedy);
		fputc('\n', page->out);
	}
}

void status_chain_print(const struct status_page *page, const struct cJSON *chain,
	const struct cJSON *warnings, int host_count)
{
	const struct cJSON *stage;
	bool has_title = false;
	char title[32];

	cJSON_ArrayForEach(stage, chain)
	{
		const char *name = title_of(stage);

		if (name && strcmp(name, "COLLECTOR") == 0 && host_count != 1) {
			snprintf(title, sizeof(title), "%d COLLECTORS", host_count);
			name = title;
		}
		if (name)
			print_title(page, name);
		print_stage(page, stage);
	}
	cJSON_ArrayForEach(stage, chain)
	{
		print_remedies_of(page, stage, warnings, &has_title);
	}
}
