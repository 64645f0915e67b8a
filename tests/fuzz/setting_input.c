/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/setting_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/settings/setting_file.h"
#include "tests/fuzz/file_input.h"

#define FILE_BYTES_MAX ((size_t)1 << 20)

/* LeakSanitizer's name. libconfig 1.5 forgets a text that is not closed when it refuses a file; a
 * program that is told so ends. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer asks for this name. */
const char *__lsan_default_suppressions(void);

/* NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer asks for this name. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

static int read_file(const struct setting_table *table, const void *bytes, size_t byte_count,
	void *values, struct setting_fault *fault)
{
	SCOPED_FD int fd = file_input(bytes, byte_count);
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return setting_file_read(table, path, values, fault);
}

static void *field_of(const struct setting *setting, void *values)
{
	return (char *)values + setting->offset;
}

static void print_text(struct bytes_writer *writer, const char *text)
{
	bytes_write_u8(writer, '"');
	for (; *text; text++) {
		char escape[8];

		bytes_write_span(writer, escape,
			(size_t)snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)*text));
	}
	bytes_write_u8(writer, '"');
}

static void print_word(struct bytes_writer *writer, const char *word)
{
	bytes_write_span(writer, word, strlen(word));
}

static void print_list(struct bytes_writer *writer, const struct setting_list *list)
{
	print_word(writer, "(");
	for (size_t i = 0; i < list->count; i++) {
		print_word(writer, i > 0 ? "," : "");
		print_text(writer, list->items[i]);
	}
	print_word(writer, ")");
}

static void print_value(struct bytes_writer *writer, const struct setting *setting, void *field)
{
	char number[32];

	switch (setting->kind) {
	case SETTING_TEXT:
		print_text(writer, *(char **)field);
		break;
	case SETTING_LIST:
		print_list(writer, field);
		break;
	case SETTING_SWITCH:
		print_word(writer, *(bool *)field ? "true" : "false");
		break;
	case SETTING_NUMBER:
		(void)snprintf(number, sizeof(number), "%" PRIu64, *(uint64_t *)field);
		print_text(writer, number);
		break;
	case SETTING_CHOICE:
		print_text(writer, setting->choices[*(uint64_t *)field]);
	}
}

/* A number that was not set need not be one that can be. */
static bool is_set(const struct setting *setting, void *field)
{
	switch (setting->kind) {
	case SETTING_TEXT:
		return *(char **)field != NULL;
	case SETTING_LIST:
		return ((struct setting_list *)field)->count > 0;
	case SETTING_NUMBER:
		return *(uint64_t *)field >= setting->min && *(uint64_t *)field > 0 &&
			!setting->read;
	case SETTING_SWITCH:
	case SETTING_CHOICE:
		break;
	}
	return true;
}

static void print_file(struct bytes_writer *writer, const struct setting_table *table, void *values)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct setting *setting = &table->rows[i];
		void *field = field_of(setting, values);

		if (!is_set(setting, field))
			continue;
		print_word(writer, setting->name);
		print_word(writer, " = ");
		print_value(writer, setting, field);
		print_word(writer, ";\n");
	}
	must(bytes_writer_fault(writer) == 0);
}

static bool same_text(const char *one, const char *other)
{
	return (!one) == (!other) && (!one || strcmp(one, other) == 0);
}

static void check_same_list(const struct setting_list *one, const struct setting_list *other)
{
	must(one->count == other->count);
	for (size_t i = 0; i < one->count; i++)
		must(same_text(one->items[i], other->items[i]));
}

static void check_same(const struct setting *setting, void *one, void *other)
{
	if (setting->kind == SETTING_TEXT)
		must(same_text(*(char **)one, *(char **)other));
	else if (setting->kind == SETTING_LIST)
		check_same_list(one, other);
	else if (setting->kind == SETTING_SWITCH)
		must(*(bool *)one == *(bool *)other);
	else if (is_set(setting, one))
		must(*(uint64_t *)one == *(uint64_t *)other);
}

static void check_again(const struct setting_table *table, void *values, void *again)
{
	struct setting_fault fault;
	struct bytes_writer file;

	bytes_writer_init(&file, FILE_BYTES_MAX);
	print_file(&file, table, values);
	must(read_file(table, file.bytes, file.byte_count, again, &fault) == 0);
	for (size_t i = 0; i < table->count; i++)
		check_same(&table->rows[i], field_of(&table->rows[i], values),
			field_of(&table->rows[i], again));
	bytes_writer_done(&file);
}

void setting_input_check(const struct setting_table *table, void *values, void *again,
	const uint8_t *bytes, size_t byte_count)
{
	struct setting_fault fault = {""};

	/* Lines that read other files, of this machine, are left out. */
	if (memmem(bytes, byte_count, "@include", 8))
		return;
	if (read_file(table, bytes, byte_count, values, &fault) == 0)
		check_again(table, values, again);
	else
		must(fault.text[0] != '\0' && strlen(fault.text) < sizeof(fault.text));
	setting_table_done(table, values);
	setting_table_done(table, again);
}
