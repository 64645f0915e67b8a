/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/call_naming.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/hash.h"
#include "store/profile/grow.h"
#include "symbolizer-server/symbol/demangle.h"

/* A program has some ten thousand functions; calls differ by line when lines are asked for. */
#define KNOWN_COUNT_MAX FUNCTION_COUNT_MAX
/* ` file.c:4294967295` behind a name; longer base names are cut. */
#define LINE_TEXT_MAX 128

struct known_call {
	const char *name;
	const char *file; /* NULL where it makes no difference, as line is 0 there */
	uint32_t line;
	uint32_t module;
	uint32_t function;
	uint8_t kind;
};

void call_naming_init(
	struct call_naming *naming, struct function_table *functions, enum naming_group group)
{
	*naming = (struct call_naming){.functions = functions, .group = group};
	index_map_init(&naming->map, KNOWN_COUNT_MAX);
}

void call_naming_done(struct call_naming *naming)
{
	free(naming->known);
	index_map_done(&naming->map);
	*naming = (struct call_naming){0};
}

static bool same_call(const void *context, uint32_t index, const void *key)
{
	const struct known_call *one = (const struct known_call *)context + index;
	const struct known_call *other = key;

	/* Texts are equal if they are the same bytes in memory: names of one module stand once. */
	return one->name == other->name && one->file == other->file && one->line == other->line &&
		one->module == other->module && one->kind == other->kind;
}

static uint64_t hash_call(const struct known_call *call)
{
	uint64_t texts = hash_pair((uint64_t)(uintptr_t)call->name,
		(uint64_t)(uintptr_t)call->file ^ (uint64_t)call->kind << 56);

	return hash_pair(texts, (uint64_t)call->line << 32 | call->module);
}

static int add_text(struct call_naming *naming, const char *text, uint32_t *ret_string)
{
	return function_table_add_text(naming->functions, text, strlen(text), ret_string);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* `name file.c:12`; where no line is known, the name. */
static int add_with_line(struct call_naming *naming, const char *name,
	const struct symbol_call *call, uint32_t *ret_string)
{
	char text[DEMANGLED_BYTES_MAX + LINE_TEXT_MAX];

	snprintf(text, sizeof(text), "%s %.*s:%" PRIu32, name, LINE_TEXT_MAX - 16,
		base_name(call->file), call->line);
	return add_text(naming, text, ret_string);
}

/* What is shown of a name; BUFFER holds it if it is not the name itself. */
static const char *shown_name(const struct symbol_call *call, const struct call_place *place,
	char buffer[DEMANGLED_BYTES_MAX])
{
	bool mangled = strncmp(call->name, "_Z", 2) == 0 || strncmp(call->name, "_R", 2) == 0;

	if (place->as_it_came && !mangled)
		return call->name;
	demangle(call->name, buffer);
	return buffer;
}

static int add_function(struct call_naming *naming, const struct symbol_call *call,
	const struct call_place *place, uint32_t *ret_function)
{
	struct function function = {
		.module = place->module_name, .kind = place->kind, .build = place->build};
	char buffer[DEMANGLED_BYTES_MAX];
	const char *name = shown_name(call, place, buffer);
	bool by_file = naming->group == NAMING_BY_FILE && call->file;
	int r;

	r = add_text(naming, by_file ? call->file : name, &function.name);
	function.plain = function.name;
	if (r == 0 && !by_file && strcmp(name, call->name) != 0)
		r = add_text(naming, call->name, &function.raw);
	if (r == 0 && call->file)
		r = add_text(naming, call->file, &function.file);
	if (r == 0 && naming->group == NAMING_BY_LINE && call->file && call->line > 0) {
		function.line = call->line;
		r = add_with_line(naming, name, call, &function.name);
	}
	return r < 0 ? r : function_table_add(naming->functions, &function, ret_function);
}

int call_naming_function(struct call_naming *naming, const struct symbol_call *call,
	const struct call_place *place, uint32_t *ret_function)
{
	bool by_function = naming->group == NAMING_BY_FUNCTION;
	struct known_call known = {.name = call->name,
		.file = by_function ? NULL : call->file,
		.line = naming->group == NAMING_BY_LINE ? call->line : 0,
		.module = place->module,
		.kind = place->kind};
	uint64_t hash = hash_call(&known);
	uint32_t index = index_map_find(&naming->map, hash, same_call, naming->known, &known);
	int r;

	if (index != INDEX_MAP_NONE) {
		*ret_function = naming->known[index].function;
		return 0;
	}
	r = add_function(naming, call, place, &known.function);
	if (r == 0)
		r = grow_array(&naming->known, &naming->known_capacity, naming->known_count,
			KNOWN_COUNT_MAX);
	if (r == 0)
		r = index_map_add(&naming->map, hash, naming->known_count);
	if (r < 0)
		return r;
	naming->known[naming->known_count++] = known;
	*ret_function = known.function;
	return 0;
}
