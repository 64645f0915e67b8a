/* SPDX-License-Identifier: Apache-2.0 */
/* cairn: asks a cairn-server and prints the answer.
 * Exit status: 0 done, 1 the server or the output failed, or what was asked for is so (fsck: damage,
 * diff --fail-if: a function grew), 2 wrong usage. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/options.h"

static const struct word {
	const char *name;
	int (*run)(const struct options *options);
	const char *what;
} words[] = {
	{"top", command_top, "the functions where the time went"},
	{"query", command_query_tree, "the tree of a query: cairn query 'TYPE{label=\"value\"}'"},
	{"diff", command_diff, "what changed between two times, function by function"},
	{"export", command_export, "the stacks, as files of other tools"},
	{"import", command_import,
		"recordings that other tools wrote, FILE... or - for standard input: perf.data, "
		"perf script, folded, pprof, speedscope, JFR, .cpuprofile"},
	{"symbols", command_symbols_any,
		"which binaries have no names, why, and what helps; symbols upload FILE|DIR... "
		"gives the server programs and debug files"},
	{"status", command_status,
		"how the server and its hosts are: every counter, from kernel to disk"},
	{"fsck", command_fsck,
		"reads every file of a data folder, fsck DIR, and tells what is damaged and what "
		"that costs; changes nothing, a server may use the folder meanwhile"},
};

#define WORD_COUNT (sizeof(words) / sizeof(words[0]))

static void print_help(FILE *out)
{
	fputs("cairn COMMAND [FLAG...]: asks a cairn-server\n\n", out);
	for (size_t i = 0; i < WORD_COUNT; i++) {
		fprintf(out, "cairn %s: %s\n", words[i].name, words[i].what);
		options_print_help(out, words[i].name);
		fputc('\n', out);
	}
	fputs("Exit status: 0 done, 1 the server or the output failed, 2 wrong usage.\n", out);
}

static const struct word *find_word(const char *name)
{
	for (size_t i = 0; i < WORD_COUNT; i++) {
		if (strcmp(words[i].name, name) == 0)
			return &words[i];
	}
	return NULL;
}

static int run(const struct word *word, const struct options *options)
{
	if (options->version) {
		puts("cairn " CAIRN_VERSION);
		return 0;
	}
	if (options->help && word) {
		printf("cairn %s [FLAG...]: %s\n", word->name, word->what);
		options_print_help(stdout, word->name);
		return 0;
	}
	if (options->help) {
		print_help(stdout);
		return 0;
	}
	if (!word) {
		return command_misuse("say what to do: top, query, diff, export, import, symbols, "
				      "status or fsck; cairn --help "
				      "tells more");
	}
	return word->run(options);
}

/* A command behind its flags: the first argument that names one, or NULL. */
static const struct word *find_late_word(int argc, char **argv)
{
	const struct word *word = NULL;

	for (int i = 2; !word && i < argc; i++)
		word = find_word(argv[i]);
	return word;
}

int main(int argc, char **argv)
{
	bool is_flag = argc < 2 || argv[1][0] == '-';
	const struct word *word = is_flag ? NULL : find_word(argv[1]);
	char error[OPTIONS_ERROR_BYTES_MAX] = "out of memory";
	struct options options;
	int status;

	/* A reader such as head may leave early. */
	signal(SIGPIPE, SIG_IGN);
	if (!is_flag && !word) {
		snprintf(error, sizeof(error),
			"there is no command %.100s; there are top, query, diff, export, import, "
			"symbols, status and fsck",
			argv[1]);
		return command_misuse(error);
	}
	if (is_flag && find_late_word(argc, argv)) {
		snprintf(error, sizeof(error), "the command comes first: cairn %s FLAG...",
			find_late_word(argc, argv)->name);
		return command_misuse(error);
	}
	if (options_parse(word ? word->name : "", argc, argv, is_flag ? 1 : 2, &options, error) < 0)
		return command_misuse(error);
	status = run(word, &options);
	options_done(&options);
	return status;
}
