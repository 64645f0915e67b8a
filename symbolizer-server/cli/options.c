/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "symbolizer-server/cli/time_span.h"

#define SERVER_DEFAULT "http://127.0.0.1:4040"

enum kind { KIND_TEXT, KIND_SWITCH, KIND_LAST, KIND_LABEL };

struct flag {
	const char *name;
	const char *value; /* NULL: takes none */
	const char *commands; /* words, or "" for all */
	size_t offset;
	enum kind kind;
	const char *help;
};

#define OFFSET(field) offsetof(struct options, field)

static const struct flag flags[] = {
	{"--server", "URL", "", OFFSET(server), KIND_TEXT,
		"where the server is (CAIRN_SERVER, else " SERVER_DEFAULT ")"},
	{"--last", "TIME", "top query export symbols", OFFSET(from), KIND_LAST,
		"the time up to now: 30s, 15m, 1h30m, 7d (15m)"},
	{"--from", "TIME", "top query export symbols", OFFSET(from), KIND_TEXT,
		"in place of --last: 14:00 today, 14:00..14:05, now-1h, 2026-08-01T12:00:00Z, "
		"seconds since "
		"1970"},
	{"--until", "TIME", "top query export symbols", OFFSET(until), KIND_TEXT, "likewise (now)"},
	{"--host", "NAME", "top query export diff symbols status", OFFSET(host), KIND_TEXT,
		"only this host"},
	{"--process", "NAME", "top query export diff symbols", OFFSET(process), KIND_TEXT,
		"only this process"},
	{"--query", "SELECTOR", "top query export diff symbols", OFFSET(query), KIND_TEXT,
		"what to read: TYPE{label=\"value\"}; without TYPE, time on CPU"},
	{"--limit", "N", "top query diff symbols", OFFSET(limit), KIND_TEXT,
		"rows of the table (25); query: nodes of the tree (60)"},
	{"--full", NULL, "top query diff symbols", OFFSET(full), KIND_SWITCH,
		"whole names, however wide the terminal is"},
	{"--execs", NULL, "top", OFFSET(execs), KIND_SWITCH,
		"short-lived processes in place of functions: how often, by whom, at what cost"},
	{"--left", "FROM..UNTIL", "diff", OFFSET(left), KIND_TEXT,
		"the time before: 14:00..14:05 today, now-2h..now-1h, or as --from and --until"},
	{"--right", "FROM..UNTIL", "diff", OFFSET(right), KIND_TEXT, "the time after"},
	{"--fail-if", "RULE", "diff", OFFSET(fail_if), KIND_TEXT,
		"exit with 1 if a function grew: NAME>+5% (points of the whole), NAME>x1.5"},
	{"--group", "function|line|file", "query", OFFSET(group), KIND_TEXT,
		"what counts as one (function)"},
	{"--root", "LABEL,...", "query", OFFSET(root), KIND_TEXT,
		"values of labels as the first levels: host, process, thread, cpu, ..."},
	{"--format", "tree|folded|json", "query", OFFSET(format), KIND_TEXT,
		"text for people (tree), one line a stack, or the server's own answer"},
	{"--format", "FORMAT", "export", OFFSET(format), KIND_TEXT,
		"folded (one line a stack), pprof, speedscope, otlp, svg or dot"},
	{"--name", "NAME", "import", OFFSET(name), KIND_TEXT,
		"the service it is of (the file's name up to its first dot); an ending such as "
		".cpu, .wall or .alloc_space says what values without a unit are"},
	{"--label", "KEY=VALUE", "import", OFFSET(labels), KIND_LABEL,
		"a label of all that is imported; may come more than once"},
	{"--from", "TIME", "import", OFFSET(import_from), KIND_TEXT,
		"when it began: 2026-08-01T12:00:00Z, now-1h, seconds since 1970 (as the file "
		"tells; else it ends now)"},
	{"--until", "TIME", "import", OFFSET(import_until), KIND_TEXT, "when it ended"},
	{"--format", "FORMAT", "import", OFFSET(import_format), KIND_TEXT,
		"folded, lines, tree, trie, pprof, jfr, speedscope, cpuprofile or perf_script "
		"(as the file looks)"},
	{"--rate", "HZ", "import", OFFSET(rate), KIND_TEXT,
		"samples a second of what counts samples: folded text (100)"},
	{"--units", "UNITS", "import", OFFSET(units), KIND_TEXT,
		"of folded text: samples, bytes, objects, lock_nanoseconds, lock_samples "
		"(samples)"},
	{"--all", NULL, "symbols status", OFFSET(all), KIND_SWITCH,
		"status: every counter, with its meaning; symbols: every module"},
	{"--json", NULL, "top diff symbols status", OFFSET(json), KIND_SWITCH,
		"the server's own answer"},
	{"--help", NULL, "", OFFSET(help), KIND_SWITCH, "this text"},
	{"--version", NULL, "", OFFSET(version), KIND_SWITCH, "the version"},
};

#define FLAG_COUNT (sizeof(flags) / sizeof(flags[0]))

static bool takes(const char *command, const struct flag *flag)
{
	const char *found = strstr(flag->commands, command);

	return !*flag->commands || (*command && found);
}

static const struct flag *find_flag(const char *command, const char *word, size_t length)
{
	for (size_t i = 0; i < FLAG_COUNT; i++) {
		if (takes(command, &flags[i]) && strlen(flags[i].name) == length &&
			memcmp(flags[i].name, word, length) == 0)
			return &flags[i];
	}
	return NULL;
}

/* `1h30m`: numbers, each with a unit. */
static bool is_length_of_time(const char *text)
{
	if (!*text)
		return false;
	while (*text) {
		size_t digits = strspn(text, "0123456789");
		size_t letters = strspn(text + digits, "smhdwMony");

		if (digits == 0 || letters == 0)
			return false;
		text += digits + letters;
	}
	return true;
}

static int set_last(struct options *options, const char *value, char *ret_error)
{
	size_t bytes = strlen(value) + sizeof("now-");

	if (!is_length_of_time(value)) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--last %.100s: a length of time is a number and a unit, as 90s, 15m or 7d",
			value);
		return -EINVAL;
	}
	free(options->from_text);
	options->from_text = malloc(bytes);
	if (!options->from_text)
		return -ENOMEM;
	snprintf(options->from_text, bytes, "now-%s", value);
	options->from = options->from_text;
	return 0;
}

/* A label goes to the server within braces, without quotes. */
static int add_label(struct options *options, const char *value, char *ret_error)
{
	const char *equals = strchr(value, '=');
	const char **labels;

	if (!equals || equals == value || strpbrk(value, ",}")) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--label %.100s: KEY=VALUE must stand here, without , and }", value);
		return -EINVAL;
	}
	labels = realloc(options->labels, ((size_t)options->label_count + 1) * sizeof(*labels));
	if (!labels)
		return -ENOMEM;
	options->labels = labels;
	options->labels[options->label_count++] = value;
	return 0;
}

static int set_flag(
	struct options *options, const struct flag *flag, const char *value, char *ret_error)
{
	if (flag->kind == KIND_SWITCH) {
		*(bool *)((char *)options + flag->offset) = true;
		return 0;
	}
	if (!value) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX, "%s wants %s behind it", flag->name,
			flag->value);
		return -EINVAL;
	}
	if (flag->kind == KIND_LAST)
		return set_last(options, value, ret_error);
	if (flag->kind == KIND_LABEL)
		return add_label(options, value, ret_error);
	*(const char **)((char *)options + flag->offset) = value;
	return 0;
}

/* Reads one word, and its value from behind `=` or from the next word. */
static int parse_word(
	struct options *options, const char *command, char **words, int *ret_taken, char *ret_error)
{
	size_t length = strcspn(words[0], "=");
	const char *inside = words[0][length] ? words[0] + length + 1 : NULL;
	const struct flag *flag = find_flag(command, words[0], length);

	*ret_taken = 1;
	if (!flag || (flag->kind == KIND_SWITCH && inside)) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"%s does not know %.200s; cairn %s%s--help names what it does",
			*command ? command : "cairn", words[0], command, *command ? " " : "");
		return -EINVAL;
	}
	if (flag->kind != KIND_SWITCH && !inside && words[1])
		*ret_taken = 2;
	return set_flag(options, flag, inside ? inside : words[1], ret_error);
}

static bool takes_operands(const char *command)
{
	return strcmp(command, "symbols") == 0 || strcmp(command, "query") == 0 ||
		strcmp(command, "fsck") == 0 || strcmp(command, "import") == 0;
}

/* Whether WORD is no flag; behind `--` nothing is. */
static bool is_operand(const char *command, const char *word, bool *behind_dashes)
{
	if (!takes_operands(command))
		return false;
	if (!*behind_dashes && strcmp(word, "--") == 0) {
		*behind_dashes = true;
		return false;
	}
	return *behind_dashes || word[0] != '-' || word[1] == '\0';
}

static int parse_words(struct options *options, const char *command, int argc, char **argv,
	int first, char *ret_error)
{
	bool behind_dashes = false;
	int r = 0, taken;

	options->operands = calloc((size_t)argc + 1, sizeof(*options->operands));
	if (!options->operands)
		return -ENOMEM;
	for (int i = first; r == 0 && i < argc; i += taken) {
		bool before = behind_dashes;

		taken = 1;
		if (is_operand(command, argv[i], &behind_dashes))
			options->operands[options->operand_count++] = argv[i];
		else if (before == behind_dashes)
			r = parse_word(options, command, argv + i, &taken, ret_error);
	}
	return r;
}

static int check_import(const struct options *options, char *ret_error)
{
	static const char *const formats[] = {"folded", "lines", "tree", "trie", "pprof", "jfr",
		"speedscope", "cpuprofile", "perf_script"};
	const char *format = options->import_format;
	bool known = !format;

	for (size_t i = 0; !known && i < sizeof(formats) / sizeof(formats[0]); i++)
		known = strcmp(formats[i], format) == 0;
	if (!known) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--format %.100s: folded, lines, tree, trie, pprof, jfr, speedscope, "
			"cpuprofile or perf_script must stand here",
			format);
		return -EINVAL;
	}
	if (options->name && strpbrk(options->name, "{}")) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--name %.100s: a name has no braces; labels are given by --label",
			options->name);
		return -EINVAL;
	}
	if (options->name && options->name[0] == '\0') {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX, "--name is empty");
		return -EINVAL;
	}
	return 0;
}

static int check_export(const struct options *options, char *ret_error)
{
	static const char *const formats[] = {"pprof", "speedscope", "otlp", "svg", "dot"};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(options->format, formats[i]) == 0)
			return 0;
	}
	snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
		"--format %.100s: folded, pprof, speedscope, otlp, svg or dot must stand here",
		options->format);
	return -EINVAL;
}

static int check(const char *command, const struct options *options, char *ret_error)
{
	if (options->limit &&
		(strspn(options->limit, "0123456789") != strlen(options->limit) ||
			strlen(options->limit) > 7 || strtol(options->limit, NULL, 10) == 0)) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--limit %.100s: a number above 0 must stand here", options->limit);
		return -EINVAL;
	}
	if (options->fail_if && options->json) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--fail-if and --json: only one of them at a time");
		return -EINVAL;
	}
	if (strcmp(command, "import") == 0)
		return check_import(options, ret_error);
	if (strcmp(options->format, "folded") == 0)
		return 0;
	if (strcmp(command, "query") != 0)
		return check_export(options, ret_error);
	if (strcmp(options->format, "tree") != 0 && strcmp(options->format, "json") != 0) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX,
			"--format %.100s: tree, folded or json must stand here", options->format);
		return -EINVAL;
	}
	return 0;
}

/* Both ends in one: `14:00..14:05`. */
static int read_span(struct options *options, char *ret_error)
{
	char error[TIME_SPAN_ERROR_BYTES_MAX];
	struct time_span span;

	if (!strstr(options->from, ".."))
		return 0;
	if (time_span_parse(options->from, (int64_t)time(NULL), &span, error) < 0) {
		snprintf(ret_error, OPTIONS_ERROR_BYTES_MAX, "--from %s", error);
		return -EINVAL;
	}
	free(options->from_text);
	free(options->until_text);
	options->from_text = strdup(span.from);
	options->until_text = strdup(span.until);
	options->from = options->from_text;
	options->until = options->until_text;
	return options->from && options->until ? 0 : -ENOMEM;
}

/* A time of today, as END or as it was; *RET_TEXT holds what END then points at. */
static int read_wall_clock(const char **end, char **ret_text)
{
	char seconds[TIME_SPAN_END_BYTES_MAX];

	if (!time_span_wall_clock(*end, (int64_t)time(NULL), seconds))
		return 0;
	free(*ret_text);
	*ret_text = strdup(seconds);
	if (!*ret_text)
		return -ENOMEM;
	*end = *ret_text;
	return 0;
}

int options_parse(const char *command, int argc, char **argv, int first,
	struct options *ret_options, char *ret_error)
{
	const char *server = getenv("CAIRN_SERVER");
	struct options options = {
		.server = server && *server ? server : SERVER_DEFAULT,
		.from = "now-15m",
		.until = "now",
		.limit = strcmp(command, "query") == 0 ? "60" : "25",
		.format = strcmp(command, "query") == 0 ? "tree" : "folded",
	};
	int r = parse_words(&options, command, argc, argv, first, ret_error);

	if (r == 0)
		r = check(command, &options, ret_error);
	if (r == 0)
		r = read_span(&options, ret_error);
	if (r == 0)
		r = read_wall_clock(&options.from, &options.from_text);
	if (r == 0)
		r = read_wall_clock(&options.until, &options.until_text);
	if (r == 0 && options.import_from)
		r = read_wall_clock(&options.import_from, &options.from_text);
	if (r == 0 && options.import_until)
		r = read_wall_clock(&options.import_until, &options.until_text);
	if (r < 0) {
		options_done(&options);
		return r;
	}
	*ret_options = options;
	return 0;
}

void options_done(struct options *options)
{
	free(options->from_text);
	free(options->until_text);
	free(options->operands);
	free(options->labels);
	*options = (struct options){0};
}

void options_print_help(FILE *out, const char *command)
{
	for (size_t i = 0; i < FLAG_COUNT; i++) {
		char word[40];

		if (!takes(command, &flags[i]))
			continue;
		snprintf(word, sizeof(word), "%s%s%s", flags[i].name, flags[i].value ? " " : "",
			flags[i].value ? flags[i].value : "");
		fprintf(out, "  %-18s %s\n", word, flags[i].help);
	}
}
