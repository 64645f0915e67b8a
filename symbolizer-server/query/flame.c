/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* JavaScript's numbers hold whole numbers up to here. */
#define VALUE_MAX ((UINT64_C(1) << 53) - 1)

struct frequency {
	uint32_t function;
	uint32_t node_count;
	uint32_t node_first;
};

/* Of equal ones the first in the tree, which is the same in every run, and costs no look at names.
 */
static int order_frequencies(const void *one, const void *other)
{
	const struct frequency *a = one, *b = other;

	if (a->node_count != b->node_count)
		return a->node_count > b->node_count ? -1 : 1;
	return a->node_first < b->node_first ? -1 : a->node_first > b->node_first;
}

static int number_names(struct flame *flame)
{
	const struct level_tree *tree = flame->tree;
	struct frequency *frequencies = calloc(tree->functions->count, sizeof(*frequencies));
	uint32_t used = 0;

	if (!frequencies)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->functions->count; i++)
		frequencies[i].function = i;
	for (uint32_t i = 0; i < tree->count; i++) {
		struct frequency *frequency = &frequencies[tree->nodes[i].function];

		if (frequency->node_count++ == 0)
			frequency->node_first = i;
	}
	for (uint32_t i = 0; i < tree->functions->count; i++) {
		if (frequencies[i].node_count > 0)
			frequencies[used++] = frequencies[i];
	}
	qsort(frequencies, used, sizeof(*frequencies), order_frequencies);
	for (uint32_t i = 0; i < used; i++) {
		flame->functions[i] = frequencies[i].function;
		flame->names[frequencies[i].function] = i;
	}
	flame->name_count = used;
	free(frequencies);
	return 0;
}

static int texts_init(struct flame_texts *texts, uint32_t string_count)
{
	texts->strings = calloc(string_count, sizeof(uint32_t));
	texts->numbers = calloc(string_count, sizeof(uint32_t));
	return texts->strings && texts->numbers ? 0 : -ENOMEM;
}

static void texts_done(struct flame_texts *texts)
{
	free(texts->strings);
	free(texts->numbers);
}

static void number_text(struct flame_texts *texts, uint32_t string)
{
	if (string == 0 || texts->numbers[string] != 0)
		return;
	texts->strings[texts->count++] = string;
	texts->numbers[string] = texts->count;
}

int flame_init(struct flame *flame, const struct level_tree *tree, const struct flame_about *about)
{
	size_t function_count = tree->functions->count;
	int r;

	*flame = (struct flame){.about = *about, .tree = tree};
	while (((uint64_t)tree->nodes[0].total >> flame->scale) > VALUE_MAX)
		flame->scale++;
	flame->functions = calloc(function_count, sizeof(uint32_t));
	flame->names = calloc(function_count, sizeof(uint32_t));
	r = flame->functions && flame->names ? number_names(flame) : -ENOMEM;
	if (r == 0)
		r = texts_init(&flame->modules, tree->functions->strings.count);
	if (r == 0)
		r = texts_init(&flame->files, tree->functions->strings.count);
	if (r < 0) {
		flame_done(flame);
		return r;
	}
	for (uint32_t i = 0; i < flame->name_count; i++) {
		const struct function *function = &tree->functions->functions[flame->functions[i]];

		number_text(&flame->modules, function->module);
		number_text(&flame->files, function->file);
	}
	return 0;
}

void flame_done(struct flame *flame)
{
	free(flame->functions);
	free(flame->names);
	texts_done(&flame->modules);
	texts_done(&flame->files);
	*flame = (struct flame){0};
}

enum flame_unit flame_unit_of_type(const char *type)
{
	const char *unit = type;

	for (int i = 0; unit && i < 2; i++) {
		unit = strchr(unit, ':');
		unit = unit ? unit + 1 : NULL;
	}
	if (unit && strncmp(unit, "nanoseconds:", 12) == 0)
		return FLAME_NANOSECONDS;
	return unit && strncmp(unit, "bytes:", 6) == 0 ? FLAME_BYTES : FLAME_COUNT;
}

const char *flame_unit_text(enum flame_unit unit)
{
	return unit == FLAME_NANOSECONDS ? "nanoseconds" : unit == FLAME_BYTES ? "bytes" : "count";
}

uint16_t flame_flags(const struct flame *flame)
{
	return (uint16_t)((flame->tree->small_count > 0 ? FLAME_TRIMMED : 0) |
		(flame->about.partial_symbols ? FLAME_PARTIAL_SYMBOLS : 0) |
		(flame->about.focus_found ? FLAME_FOCUS_FOUND : 0) |
		(flame->about.partial.reason != PARTIAL_NOT ? FLAME_PARTIAL : 0));
}
