/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/folded.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/profile/grow.h"
#include "symbolizer-server/query/tree_walk.h"

/* The frames from the root to where the walk is, escaped. */
struct path {
	struct bytes_writer text;
	size_t *lengths; /* of the text before each frame of the path */
	uint32_t count;
	uint32_t capacity;
};

static bool is_escape(const char *text, size_t length)
{
	return length >= 4 && text[0] == '\\' && text[1] == 'x' &&
		isxdigit((unsigned char)text[2]) && isxdigit((unsigned char)text[3]);
}

static void write_name(struct bytes_writer *writer, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = (uint8_t)name[i];
		char escape[5];

		if (byte >= ' ' && byte != ';' && byte != 0x7f &&
			!is_escape(name + i, length - i)) {
			bytes_write_u8(writer, byte);
			continue;
		}
		snprintf(escape, sizeof(escape), "\\x%02x", byte);
		bytes_write_span(writer, escape, 4);
	}
}

static int enter(struct path *path, const char *name, size_t length)
{
	int r = grow_array(&path->lengths, &path->capacity, path->count, UINT32_MAX);

	if (r < 0)
		return r;
	path->lengths[path->count++] = path->text.byte_count;
	if (path->text.byte_count > 0)
		bytes_write_u8(&path->text, ';');
	write_name(&path->text, name, length);
	return bytes_writer_fault(&path->text);
}

static void write_line(
	struct bytes_writer *writer, const void *stack, size_t stack_length, int64_t value)
{
	char number[24];
	int length = snprintf(number, sizeof(number), " %" PRId64 "\n", value);

	bytes_write_span(writer, stack, stack_length);
	bytes_write_span(writer, number, (size_t)length);
}

static int step(struct path *path, const struct tree_walk *walk, struct bytes_writer *writer)
{
	static const char no_stack[] = "[no stack]";
	const struct level_tree *tree = walk->tree;
	uint32_t function = tree->nodes[walk->node].function;
	int64_t self = level_tree_self(tree, walk->node);
	int r;

	if (walk->node == 0) {
		if (walk->entered && self > 0)
			write_line(writer, no_stack, sizeof(no_stack) - 1, self);
		return bytes_writer_fault(writer);
	}
	if (!walk->entered) {
		path->text.byte_count = path->lengths[--path->count];
		return 0;
	}
	r = enter(path, function_table_name(tree->functions, function),
		function_table_name_length(tree->functions, function));
	if (r == 0 && self > 0)
		write_line(writer, path->text.bytes, path->text.byte_count, self);
	return r < 0 ? r : bytes_writer_fault(writer);
}

int folded_write(const struct level_tree *tree, struct bytes_writer *writer)
{
	struct path path = {0};
	struct tree_walk walk;
	int r;

	bytes_writer_init(&path.text, writer->bytes_max);
	tree_walk_init(&walk, tree);
	while ((r = tree_walk_next(&walk)) > 0) {
		r = step(&path, &walk, writer);
		if (r < 0)
			break;
	}
	tree_walk_done(&walk);
	bytes_writer_done(&path.text);
	free(path.lengths);
	return r;
}
