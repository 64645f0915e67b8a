/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/export_texts.h"

int export_texts_init(struct export_texts *texts, const struct level_tree *tree)
{
	*texts = (struct export_texts){.strings = &tree->functions->strings};
	return string_table_init(&texts->table);
}

void export_texts_done(struct export_texts *texts)
{
	string_table_done(&texts->table);
}

int export_texts_fault(const struct export_texts *texts)
{
	return texts->error;
}

int64_t export_text(struct export_texts *texts, const char *text, size_t length)
{
	uint32_t index = 0;
	int r = texts->error < 0 ? 0 : string_table_add(&texts->table, text, length, &index);

	if (r < 0)
		texts->error = r;
	return index;
}

int64_t export_string(struct export_texts *texts, uint32_t string)
{
	return export_text(texts, string_table_text(texts->strings, string),
		string_table_length(texts->strings, string));
}

int64_t export_name(struct export_texts *texts, const struct function *function)
{
	return export_string(texts, function->plain ? function->plain : function->name);
}

int64_t export_raw_name(struct export_texts *texts, const struct function *function)
{
	return function->raw ? export_string(texts, function->raw) : export_name(texts, function);
}

/* PART: of the type; its unit is the next one. */
void export_value_type(struct export_texts *texts, struct reply_writer *writer,
	const struct reply_field fields[3], const char *type, enum type_part part)
{
	reply_begin(writer, fields[0]);
	for (int i = 0; i < 2; i++) {
		size_t length;
		const char *text = export_type_part(type, (enum type_part)((int)part + i), &length);

		reply_number(writer, fields[i + 1], export_text(texts, text, length));
	}
	reply_end(writer);
}

/* The first one is empty, and is told. */
void export_texts_write(
	const struct export_texts *texts, struct reply_writer *writer, struct reply_field field)
{
	reply_begin_list(writer, field);
	for (uint32_t i = 0; i < texts->table.count; i++)
		reply_text(writer, field, string_table_text(&texts->table, i),
			string_table_length(&texts->table, i));
	reply_end_list(writer);
}
