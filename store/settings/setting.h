/* SPDX-License-Identifier: Apache-2.0 */
/* Setting: what can be set about a program, as a table of rows.
 *
 * What it is   a row says name, kind, default, range and help of one setting, and where in the
 *              program's own struct its value stands. Flags (command_line.h) and the settings file
 *              (setting_file.h) set values by the same names under the same rules.
 * Ownership    values own their texts, until setting_table_done.
 * Threads      one while values are set; afterwards they are read by any.
 * Errors       -EINVAL, -ENOMEM; the fault says in one line what is wrong and what would be right.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of one list. */
#define SETTING_LIST_COUNT_MAX 256

struct setting_fault {
	char text[512]; /* one line */
};

enum setting_kind { /* and the type of its value */
	SETTING_TEXT, /* char *; NULL until it is set */
	SETTING_LIST, /* struct setting_list; each value adds one */
	SETTING_SWITCH, /* bool */
	SETTING_NUMBER, /* uint64_t */
	SETTING_CHOICE, /* uint64_t: an index into the choices */
};

struct setting_list {
	char **items;
	size_t count;
};

struct setting {
	const char *name; /* in the file; behind `--` it is a flag */
	const char *argument; /* as the help shows it; NULL for a switch */
	enum setting_kind kind;
	size_t offset; /* of the value */
	const char *initial; /* NULL: none */
	const char *help;
	/* What a value must be, behind "takes"; NULL: it follows from the rest of the row. */
	const char *wants;
	bool (*accepts)(const char *value); /* of texts and lists; NULL: any but the empty one */
	bool (*read)(const char *value, uint64_t *ret_number); /* of numbers; NULL: decimal */
	uint64_t min;
	uint64_t max; /* of texts and lists: characters of a value; 0: any number */
	const char *const *choices; /* closed by NULL */
};

struct setting_table {
	const struct setting *rows;
	size_t count;
	const char *about; /* first lines of the help */
	const char *file_default; /* read if it is there and no other is named */
};

/* NULL: there is none. */
const struct setting *setting_find(const struct setting_table *table, const char *name);
/* VALUES is the program's struct. On an error what was set before stays. */
int setting_set(const struct setting *setting, void *values, const char *value,
	struct setting_fault *ret_fault);
/* Of every row that has a default. */
int setting_table_set_initial(
	const struct setting_table *table, void *values, struct setting_fault *ret_fault);
/* Releases all that VALUES own, and zeroes these. */
void setting_table_done(const struct setting_table *table, void *values);

/* Readers of numbers: decimal; the same with K, M, G or T behind it for powers of 1024. */
bool setting_read_number(const char *value, uint64_t *ret_number);
bool setting_read_size(const char *value, uint64_t *ret_bytes);
/* Fills the fault; gives -EINVAL. */
int setting_refuse(struct setting_fault *ret_fault, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
