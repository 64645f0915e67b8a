/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/pprof_type.h"

#include <stdio.h>
#include <string.h>

/* Of a part of a type. */
#define PART_BYTES_MAX 200

static bool is_word(struct ingest_text text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.text, word, text.length) == 0;
}

static bool begins_with(struct ingest_text text, const char *word)
{
	return text.length >= strlen(word) && memcmp(text.text, word, strlen(word)) == 0;
}

static bool contains(struct ingest_text text, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= text.length; i++) {
		if (memcmp(text.text + i, word, length) == 0)
			return true;
	}
	return false;
}

static struct ingest_text word_of(const char *word)
{
	return (struct ingest_text){word, strlen(word)};
}

/* What clients mean by a sample type where they do not say it. */
static struct ingest_text default_name(struct ingest_text type)
{
	static const char *const names[][2] = {{"samples", "cpu"}, {"goroutine", "goroutines"},
		{"contentions", "mutex_count"}, {"delay", "mutex_duration"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is_word(type, names[i][0]))
			return word_of(names[i][1]);
	}
	return type;
}

/* A configuration that is there replaces the defaults as a whole. */
static struct ingest_text display_name(const struct pprof_options *options, struct ingest_text type)
{
	if (!options->renames)
		return default_name(type);
	for (uint32_t i = 0; i < options->rename_count; i++) {
		const struct pprof_rename *rename = &options->renames[i];

		if (rename->sample_type.length == type.length &&
			memcmp(rename->sample_type.text, type.text, type.length) == 0 &&
			rename->display_name.length > 0)
			return rename->display_name;
	}
	return type;
}

/* The name of a whole profile that one of its columns gives away; empty: it does not. */
static struct ingest_text name_by(struct ingest_text display)
{
	if (contains(display, "cpu"))
		return word_of("process_cpu");
	if (contains(display, "alloc_") || contains(display, "inuse_") ||
		is_word(display, "space") || is_word(display, "objects"))
		return word_of("memory");
	if (contains(display, "mutex_"))
		return word_of("mutex");
	if (contains(display, "block_"))
		return word_of("block");
	if (contains(display, "goroutines"))
		return word_of("goroutines");
	return word_of("");
}

static struct ingest_text type_of(const struct pprof_tables *tables, uint32_t column)
{
	return pprof_string(tables, tables->types[column].type);
}

static struct ingest_text profile_name(
	const struct pprof_tables *tables, const struct pprof_options *options)
{
	struct ingest_text last = word_of("samples");

	for (uint32_t i = 0; i < tables->type_count; i++) {
		if (is_word(type_of(tables, i), "wall"))
			return word_of("wall");
	}
	for (uint32_t i = 0; i < tables->type_count; i++) {
		struct ingest_text name;

		last = display_name(options, type_of(tables, i));
		name = name_by(last);
		if (name.length > 0)
			return name;
	}
	return last;
}

/* Wall and CPU time come in one profile, deltas of Go under a name of their own. */
static struct ingest_text relabel(struct ingest_text name, struct ingest_text type)
{
	static const char delta[] = "godeltaprof_";

	if (begins_with(name, delta)) {
		name.text += sizeof(delta) - 1;
		name.length -= sizeof(delta) - 1;
	}
	if (is_word(name, "wall") && is_word(type, "cpu"))
		return word_of("process_cpu");
	return name;
}

/* The parts are joined by colons, so that none may hold one. */
static size_t write_part(char *type, size_t at, struct ingest_text part, char behind)
{
	size_t length = part.length < PART_BYTES_MAX ? part.length : PART_BYTES_MAX;

	for (size_t i = 0; i < length; i++)
		type[at++] =
			(char)(part.text[i] == ':' || part.text[i] == '\0' ? '_' : part.text[i]);
	type[at++] = behind;
	return at;
}

void pprof_type_write(const struct pprof_tables *tables, const struct pprof_options *options,
	uint32_t column, char ret_type[INGEST_TYPE_BYTES_MAX])
{
	const struct pprof_value_type *period = &tables->period_type;
	struct ingest_text type = type_of(tables, column);
	struct ingest_text name =
		options->name.length > 0 ? options->name : profile_name(tables, options);
	size_t at = write_part(ret_type, 0, relabel(name, type), ':');

	at = write_part(ret_type, at, type, ':');
	at = write_part(ret_type, at, pprof_string(tables, tables->types[column].unit), ':');
	at = write_part(ret_type, at, pprof_string(tables, period->type), ':');
	write_part(ret_type, at, pprof_string(tables, period->unit), '\0');
}

bool pprof_type_is_samples(const struct pprof_tables *tables, uint32_t column)
{
	return is_word(type_of(tables, column), "samples") &&
		is_word(pprof_string(tables, tables->types[column].unit), "count");
}

/* A text may stand in the table more than once. */
static bool same_text(const struct pprof_tables *tables, uint32_t one, uint32_t other)
{
	struct ingest_text a = pprof_string(tables, one), b = pprof_string(tables, other);

	return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

bool pprof_type_is_period(const struct pprof_tables *tables, const struct pprof_value_type *type)
{
	return same_text(tables, type->type, tables->period_type.type) &&
		same_text(tables, type->unit, tables->period_type.unit);
}

int64_t pprof_type_period(const struct pprof_tables *tables, uint32_t column)
{
	if (pprof_type_is_samples(tables, column))
		return 1;
	if (tables->period > 0 && pprof_type_is_period(tables, &tables->types[column]) &&
		is_word(pprof_string(tables, tables->period_type.unit), "nanoseconds"))
		return tables->period;
	return 0;
}
