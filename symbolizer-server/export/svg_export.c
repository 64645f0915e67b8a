/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/svg_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"

#define WIDTH 1200.0
#define ROW_HEIGHT 18
#define HEAD_HEIGHT 28
/* Of a letter, on average, in the font below. */
#define LETTER_WIDTH 6.7
/* Narrower bars have no text in them. */
#define LETTERS_MIN 3
#define LINE_BYTES 512

struct work {
	struct bytes_writer *out;
	const struct level_tree *tree;
	const struct export_about *about;
	double *starts; /* of each node, in units of WIDTH */
	uint32_t *depths;
	uint32_t depth_max;
};

__attribute__((format(printf, 2, 3))) static void print(
	struct bytes_writer *out, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length > 0)
		bytes_write_span(out, line,
			(size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

/* Texts of a function table are UTF-8; XML has no control characters. */
static void write_escaped(struct bytes_writer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (c == '&')
			bytes_write_span(out, "&amp;", 5);
		else if (c == '<')
			bytes_write_span(out, "&lt;", 4);
		else if (c == '>')
			bytes_write_span(out, "&gt;", 4);
		else if ((unsigned char)c < ' ' || c == 0x7f)
			bytes_write_u8(out, '?');
		else
			bytes_write_u8(out, (uint8_t)c);
	}
}

static void lay_out(struct work *work)
{
	const struct level_tree *tree = work->tree;
	int64_t total = tree->nodes[0].total;
	double scale = total > 0 ? WIDTH / (double)total : 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		const struct level_node *node = &tree->nodes[i];
		double start = work->starts[i];

		if (work->depths[i] > work->depth_max)
			work->depth_max = work->depths[i];
		for (uint32_t j = 0; j < node->child_count; j++) {
			work->starts[node->child_first + j] = start;
			work->depths[node->child_first + j] = work->depths[i] + 1;
			start += (double)tree->nodes[node->child_first + j].total * scale;
		}
	}
}

/* A name keeps its colour from picture to picture; kernel, native and the like have a range each. */
static void color_of(const struct level_tree *tree, uint32_t function, char color[24])
{
	static const uint16_t hues[] = {[FUNCTION_UNKNOWN] = 0,
		[FUNCTION_KERNEL] = 20,
		[FUNCTION_NATIVE] = 40,
		[FUNCTION_PYTHON] = 210,
		[FUNCTION_JVM] = 130,
		[FUNCTION_LUA] = 260,
		[FUNCTION_ROOT] = 0};
	const struct function *of = &tree->functions->functions[function];
	uint64_t hash = hash_bytes(function_table_name(tree->functions, function),
		function_table_name_length(tree->functions, function));
	uint32_t hue = of->kind < sizeof(hues) / sizeof(hues[0]) ? hues[of->kind] : 0;
	bool gray = of->kind == FUNCTION_UNKNOWN || of->kind >= FUNCTION_MARKER;

	snprintf(color, 24, "hsl(%u,%u%%,%u%%)", (unsigned)(hue + hash % 16), gray ? 8u : 62u,
		(unsigned)(70 + hash / 16 % 10));
}

static void write_value(struct work *work, int64_t value)
{
	size_t length;
	const char *unit = export_type_part(work->about->type, TYPE_UNIT, &length);
	int64_t total = work->tree->nodes[0].total;

	print(work->out, "%" PRId64 " %.*s, %.2f %%", value, (int)(length < 40 ? length : 40), unit,
		total > 0 ? 100.0 * (double)value / (double)total : 0.0);
}

/* No more bytes than fit, and no half character. */
static size_t cut(const char *text, size_t length, size_t fits)
{
	if (length <= fits)
		return length;
	while (fits > 0 && ((unsigned char)text[fits] & 0xc0) == 0x80)
		fits--;
	return fits;
}

static void write_node(struct work *work, uint32_t index)
{
	const struct level_tree *tree = work->tree;
	const struct level_node *node = &tree->nodes[index];
	const struct function *function = &tree->functions->functions[node->function];
	const char *name = function_table_name(tree->functions, node->function);
	size_t length = function_table_name_length(tree->functions, node->function);
	double width = tree->nodes[0].total > 0
		? WIDTH * (double)node->total / (double)tree->nodes[0].total
		: WIDTH;
	size_t letters = cut(name, length, (size_t)(width / LETTER_WIDTH));
	unsigned y = HEAD_HEIGHT + work->depths[index] * ROW_HEIGHT;
	char color[24];

	color_of(tree, node->function, color);
	print(work->out,
		"<g><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/><title>",
		work->starts[index], y, width, ROW_HEIGHT - 1, color);
	write_escaped(work->out, name, length);
	if (function->module != 0) {
		bytes_write_span(work->out, " [", 2);
		write_escaped(work->out,
			string_table_text(&tree->functions->strings, function->module),
			string_table_length(&tree->functions->strings, function->module));
		bytes_write_u8(work->out, ']');
	}
	bytes_write_span(work->out, ": ", 2);
	write_value(work, node->total);
	bytes_write_span(work->out, "</title>", 8);
	if (letters >= LETTERS_MIN || letters == length) {
		print(work->out, "<text x=\"%.2f\" y=\"%u\">", work->starts[index] + 2, y + 13);
		write_escaped(work->out, name, letters);
		bytes_write_span(work->out, "</text>", 7);
	}
	bytes_write_span(work->out, "</g>\n", 5);
}

static void write_head(struct work *work)
{
	unsigned height = HEAD_HEIGHT + (work->depth_max + 1) * ROW_HEIGHT;

	print(work->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
		"height=\"%u\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"2\" y=\"18\">",
		(int)WIDTH, height, (int)WIDTH, height);
	write_escaped(work->out, work->about->name, strlen(work->about->name));
	bytes_write_span(work->out, ": ", 2);
	write_value(work, work->tree->nodes[0].total);
	bytes_write_span(work->out, "</text>\n", 8);
}

int svg_export_write(
	struct bytes_writer *out, const struct level_tree *tree, const struct export_about *about)
{
	struct work work = {.out = out, .tree = tree, .about = about};
	int r = 0;

	work.starts = calloc(tree->count, sizeof(*work.starts));
	work.depths = calloc(tree->count, sizeof(*work.depths));
	if (work.starts && work.depths) {
		lay_out(&work);
		write_head(&work);
		for (uint32_t i = 0; i < tree->count; i++)
			write_node(&work, i);
		bytes_write_span(out, "</svg>\n", 7);
	} else {
		r = -ENOMEM;
	}
	free(work.starts);
	free(work.depths);
	return r;
}
