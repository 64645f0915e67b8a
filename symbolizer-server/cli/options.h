/* SPDX-License-Identifier: Apache-2.0 */
/* Options: the words behind `cairn`.
 *
 * What it is   one table of flags that reads them, checks them and prints the help.
 * Ownership    values are borrowed from argv and the environment, or owned until options_done.
 * Threads      one.
 * Errors       -EINVAL with a line that names what is wrong.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define OPTIONS_ERROR_BYTES_MAX 512

struct options {
	const char *server;
	const char *query; /* as given; NULL: everything on CPU */
	const char *host;
	const char *process;
	const char *from;
	const char *until;
	const char *format;
	const char *group; /* NULL: not given, as the next one */
	const char *root;
	const char *limit;
	const char *left; /* of a comparison; NULL: not given, as the next two */
	const char *right;
	const char *fail_if;
	/* Of an import; NULL: not given. */
	const char *name;
	const char *import_format;
	const char *import_from;
	const char *import_until;
	const char *rate;
	const char *units;
	const char **labels; /* KEY=VALUE */
	int label_count;
	char **operands; /* words that are no flags, of a command that takes some */
	int operand_count;
	char *from_text; /* `now-1m`, made of --last; or seconds, made of a time of today */
	char *until_text;
	bool json;
	bool full;
	bool execs;
	bool all;
	bool help;
	bool version;
};

/* Reads argv[FIRST] and what follows; COMMAND is a word that says which flags it takes. On -EINVAL,
 * RET_ERROR (OPTIONS_ERROR_BYTES_MAX characters) is the line. */
int options_parse(const char *command, int argc, char **argv, int first,
	struct options *ret_options, char *ret_error);
void options_done(struct options *options);
/* The flags that COMMAND takes. */
void options_print_help(FILE *out, const char *command);
