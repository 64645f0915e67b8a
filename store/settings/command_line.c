/* SPDX-License-Identifier: Apache-2.0 */
#include "store/settings/command_line.h"

#include <errno.h>
#include <string.h>

#include "store/settings/setting_file.h"

struct flag {
	char name[64];
	const struct setting *setting; /* NULL: one of those that every program has */
	const char *value;
};

static const struct own_flag {
	const char *name;
	const char *argument;
	enum command_line_action action;
	const char *help;
} own_flags[] = {
	{"config", "PATH", COMMAND_LINE_RUN, "settings file"},
	{"help", NULL, COMMAND_LINE_HELP, "print this"},
	{"version", NULL, COMMAND_LINE_VERSION, "print the version"},
};

#define OWN_FLAG_COUNT (sizeof(own_flags) / sizeof(own_flags[0]))

static const struct own_flag *find_own_flag(const char *name)
{
	for (size_t i = 0; i < OWN_FLAG_COUNT; i++) {
		if (strcmp(own_flags[i].name, name) == 0)
			return &own_flags[i];
	}
	return NULL;
}

/* Splits `--name=value`. */
static int split_word(const char *word, struct flag *ret_flag, struct setting_fault *ret_fault)
{
	size_t length = strcspn(word, "=");

	if (strncmp(word, "--", 2) != 0 || length - 2 >= sizeof(ret_flag->name) || length < 3)
		return setting_refuse(
			ret_fault, "unknown argument %.100s; --help tells what there is", word);
	memcpy(ret_flag->name, word + 2, length - 2);
	ret_flag->name[length - 2] = '\0';
	ret_flag->value = word[length] ? word + length + 1 : NULL;
	return 0;
}

/* Reads the flag at *AT, which moves behind it and its value. */
static int next_flag(const struct setting_table *table, int count, char *const *words, int *at,
	struct flag *ret_flag, struct setting_fault *ret_fault)
{
	const struct own_flag *own;
	const char *argument;
	int r = split_word(words[*at], ret_flag, ret_fault);

	if (r < 0)
		return r;
	++*at;
	ret_flag->setting = setting_find(table, ret_flag->name);
	own = find_own_flag(ret_flag->name);
	if (!ret_flag->setting && !own)
		return setting_refuse(
			ret_fault, "unknown flag --%s; --help tells what there is", ret_flag->name);
	argument = ret_flag->setting ? ret_flag->setting->argument : own->argument;
	if (own && !argument && ret_flag->value)
		return setting_refuse(ret_fault, "--%s takes no value", ret_flag->name);
	if (ret_flag->value)
		return 0;
	if (!argument)
		ret_flag->value = "true";
	else if (*at < count)
		ret_flag->value = words[(*at)++];
	else
		return setting_refuse(
			ret_fault, "--%s needs a value: %s", ret_flag->name, argument);
	return 0;
}

/* Finds what decides before anything is set: the file, and whether to run at all. */
static int look_ahead(const struct setting_table *table, int count, char *const *words,
	const char **ret_file, enum command_line_action *ret_action,
	struct setting_fault *ret_fault)
{
	struct flag flag = {0};

	*ret_file = NULL;
	*ret_action = COMMAND_LINE_RUN;
	for (int at = 0; at < count;) {
		int r = next_flag(table, count, words, &at, &flag, ret_fault);

		if (r < 0)
			return r;
		if (flag.setting)
			continue;
		if (strcmp(flag.name, "config") == 0)
			*ret_file = flag.value;
		else
			*ret_action = find_own_flag(flag.name)->action;
	}
	return 0;
}

static int set_from_flags(const struct setting_table *table, int count, char *const *words,
	void *values, struct setting_fault *ret_fault)
{
	struct flag flag = {0};
	int r = 0;

	for (int at = 0; r == 0 && at < count;) {
		r = next_flag(table, count, words, &at, &flag, ret_fault);
		if (r == 0 && flag.setting)
			r = setting_set(flag.setting, values, flag.value, ret_fault);
	}
	return r;
}

int command_line_parse(const struct setting_table *table, int word_count, char *const *words,
	void *values, enum command_line_action *ret_action, struct setting_fault *ret_fault)
{
	const char *file;
	int r = look_ahead(table, word_count, words, &file, ret_action, ret_fault);

	if (r == 0)
		r = setting_table_set_initial(table, values, ret_fault);
	if (r < 0 || *ret_action != COMMAND_LINE_RUN)
		return r;
	r = setting_file_read(table, file ? file : table->file_default, values, ret_fault);
	if (r < 0 && (r != -ENOENT || file))
		return r;
	return set_from_flags(table, word_count, words, values, ret_fault);
}

static void print_flag(
	FILE *out, const char *name, const char *argument, const char *help, const char *initial)
{
	char flag[64];

	(void)snprintf(flag, sizeof(flag), "--%s%s%s", name, argument ? " " : "",
		argument ? argument : "");
	(void)fprintf(out, "  %-26s %s", flag, help);
	if (initial)
		(void)fprintf(out, " (%s)", initial);
	(void)fputc('\n', out);
}

void command_line_print_help(const struct setting_table *table, FILE *out)
{
	(void)fprintf(out, "%s\n\n", table->about);
	for (size_t i = 0; i < table->count; i++) {
		const struct setting *setting = &table->rows[i];

		print_flag(out, setting->name, setting->argument, setting->help, setting->initial);
	}
	for (size_t i = 0; i < OWN_FLAG_COUNT; i++)
		print_flag(out, own_flags[i].name, own_flags[i].argument, own_flags[i].help,
			i == 0 ? table->file_default : NULL);
	(void)fputs("\nEvery flag but the last three is also a line `name = value;` of the "
		    "settings file.\nExit status: 0 done, 1 failed while running, 2 wrong usage.\n",
		out);
}
