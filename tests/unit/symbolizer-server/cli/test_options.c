/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/options.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"

static int parse(
	const char *command, const char *line, struct options *ret_options, char *ret_error)
{
	static char words[16][64];
	char *argv[18] = {0};
	int argc = 0;

	while (*line) {
		size_t length = strcspn(line, " ");

		snprintf(words[argc], sizeof(words[argc]), "%.*s", (int)length, line);
		argv[argc] = words[argc];
		argc++;
		line += length + (line[length] ? 1 : 0);
	}
	return options_parse(command, argc, argv, 0, ret_options, ret_error);
}

static void defaults_and_flags_are_read(void)
{
	char error[OPTIONS_ERROR_BYTES_MAX];
	struct options options;

	setenv("CAIRN_SERVER", "http://there:1", 1);
	CHECK_EQ(parse("top", "", &options, error), 0);
	CHECK_STR(options.server, "http://there:1");
	CHECK_STR(options.from, "now-15m");
	CHECK_STR(options.limit, "25");
	options_done(&options);
	CHECK_EQ(parse("top", "--server=http://x --last 1h30m --limit 7 --json --host a --full",
			 &options, error),
		0);
	CHECK_STR(options.server, "http://x");
	CHECK_STR(options.from, "now-1h30m");
	CHECK_STR(options.limit, "7");
	CHECK_STR(options.host, "a");
	CHECK(options.json);
	CHECK(options.full);
	options_done(&options);
	unsetenv("CAIRN_SERVER");
}

static void times_of_today_become_seconds(void)
{
	char error[OPTIONS_ERROR_BYTES_MAX];
	struct options options;

	CHECK_EQ(parse("top", "--last 5m --from 14:00 --until 14:05:30", &options, error), 0);
	CHECK_EQ(strtoll(options.until, NULL, 10) - strtoll(options.from, NULL, 10), 330);
	options_done(&options);
	CHECK_EQ(parse("export", "--until 14:00 --last 5m", &options, error), 0);
	CHECK_STR(options.from, "now-5m");
	CHECK_EQ(strtoll(options.until, NULL, 10) % 60, 0);
	options_done(&options);
}

static void a_query_stands_behind_its_word_and_both_ends_in_one(void)
{
	char error[OPTIONS_ERROR_BYTES_MAX] = "";
	struct options options;

	CHECK_EQ(parse("query", "{process=\"web\"} --group line --from 100..200", &options, error),
		0);
	CHECK_EQ(options.operand_count, 1);
	CHECK_STR(options.operands[0], "{process=\"web\"}");
	CHECK_STR(options.group, "line");
	CHECK_STR(options.format, "tree");
	CHECK_STR(options.limit, "60");
	CHECK_STR(options.from, "100");
	CHECK_STR(options.until, "200");
	options_done(&options);
	CHECK_EQ(parse("top", "--from 14:00..14:05", &options, error), 0);
	CHECK_EQ(strtoll(options.until, NULL, 10) - strtoll(options.from, NULL, 10), 300);
	options_done(&options);
}

static void an_import_has_files_and_labels(void)
{
	char error[OPTIONS_ERROR_BYTES_MAX];
	struct options options;

	CHECK_EQ(parse("import",
			 "a.folded --label env=x --name web.cpu - --label a=b=c --format pprof "
			 "--from now-1h --rate 49 --units bytes",
			 &options, error),
		0);
	CHECK_EQ(options.operand_count, 2);
	CHECK_STR(options.operands[0], "a.folded");
	CHECK_STR(options.operands[1], "-");
	CHECK_EQ(options.label_count, 2);
	CHECK_STR(options.labels[0], "env=x");
	CHECK_STR(options.labels[1], "a=b=c");
	CHECK_STR(options.name, "web.cpu");
	CHECK_STR(options.import_format, "pprof");
	CHECK_STR(options.import_from, "now-1h");
	CHECK(!options.import_until);
	CHECK_STR(options.rate, "49");
	CHECK_STR(options.units, "bytes");
	options_done(&options);
}

static void wrong_usage_is_named(void)
{
	static const struct {
		const char *command;
		const char *line;
		const char *what;
	} cases[] = {
		{"top", "--nope", "--nope"},
		{"top", "what", "what"},
		{"top", "--last", "wants TIME"},
		{"top", "--last 5", "--last 5"},
		{"top", "--last -5m", "--last -5m"},
		{"top", "--limit 0", "--limit 0"},
		{"top", "--limit 1x", "--limit 1x"},
		{"top", "--json=1", "--json=1"},
		{"status", "--last 5m", "--last"},
		{"export", "--full", "--full"},
		{"export", "--format html", "svg"},
		{"export", "--format tree", "tree"},
		{"query", "--format svg", "tree, folded or json"},
		{"top", "--from ..14:05", "FROM..UNTIL"},
		{"import", "--label env", "KEY=VALUE"},
		{"import", "--label =x", "KEY=VALUE"},
		{"import", "--label a=b,c", "KEY=VALUE"},
		{"import", "--format svg", "perf_script must stand here"},
		{"import", "--name a{b=c}", "no braces"},
		{"import", "--name=", "--name is empty"},
		{"import", "--last 5m", "--last"},
		{"", "--json", "--json"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char error[OPTIONS_ERROR_BYTES_MAX] = "";
		struct options options = {.limit = "untouched"};

		CHECK_EQ(parse(cases[i].command, cases[i].line, &options, error), -EINVAL);
		CHECK(strstr(error, cases[i].what));
		CHECK_STR(options.limit, "untouched");
	}
}

int main(void)
{
	RUN(defaults_and_flags_are_read);
	RUN(times_of_today_become_seconds);
	RUN(a_query_stands_behind_its_word_and_both_ends_in_one);
	RUN(an_import_has_files_and_labels);
	RUN(wrong_usage_is_named);
	return 0;
}
