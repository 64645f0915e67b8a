/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/export/export_modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"

bool export_is_named(const struct function *function)
{
	return function->kind != FUNCTION_UNKNOWN;
}

uint64_t export_address(const struct level_tree *tree, uint32_t function)
{
	const char *name = function_table_name(tree->functions, function);
	const char *at = strrchr(name, '+');
	char *end;
	uint64_t address = strtoull(at && strncmp(at, "+0x", 3) == 0 ? at + 1 : name, &end, 16);

	return *end == '\0' ? address : 0;
}

const char *export_label_value(const char *text, const char *name)
{
	size_t length = strlen(name);

	return strncmp(text, name, length) == 0 && text[length] == '=' ? text + length + 1 : text;
}

static bool has_module(const struct string_table *strings, const struct function *function)
{
	return string_table_length(strings, function->module) > 0 &&
		function->kind != FUNCTION_MARKER && function->kind != FUNCTION_TRIMMED;
}

static int add(
	struct export_modules *modules, const struct function *function, uint32_t *ret_number)
{
	int r;

	/* A process has some hundred modules, a fleet some thousand; neighbours share theirs. */
	for (uint32_t i = modules->count; i-- > 0;) {
		struct export_module *module = &modules->modules[i];

		if (module->name == function->module && module->build == function->build) {
			module->all_named &= export_is_named(function);
			*ret_number = i + 1;
			return 0;
		}
	}
	r = grow_array(&modules->modules, &modules->capacity, modules->count, UINT32_MAX);
	if (r < 0)
		return r;
	modules->modules[modules->count++] = (struct export_module){
		function->module, function->build, export_is_named(function)};
	*ret_number = modules->count;
	return 0;
}

int export_modules_init(struct export_modules *modules, const struct level_tree *tree)
{
	const struct function_table *functions = tree->functions;
	int r = 0;

	*modules = (struct export_modules){.tree = tree};
	modules->used = calloc(functions->count + (size_t)1, sizeof(*modules->used));
	modules->module_of = calloc(functions->count + (size_t)1, sizeof(*modules->module_of));
	if (!modules->used || !modules->module_of)
		r = -ENOMEM;
	for (uint32_t i = 1; r == 0 && i < tree->count; i++) {
		uint32_t function = tree->nodes[i].function;

		modules->used[function] = functions->functions[function].kind != FUNCTION_LABEL;
	}
	for (uint32_t i = 0; r == 0 && i < functions->count; i++) {
		if (modules->used[i] && has_module(&functions->strings, &functions->functions[i]))
			r = add(modules, &functions->functions[i], &modules->module_of[i]);
	}
	if (r < 0)
		export_modules_done(modules);
	return r;
}

void export_modules_done(struct export_modules *modules)
{
	free(modules->used);
	free(modules->module_of);
	free(modules->modules);
	*modules = (struct export_modules){0};
}
