/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/symbol_alias.h"

#include <stdlib.h>
#include <string.h>

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* A mangled C++ or Rust name begins with one underscore that means nothing. */
static size_t underscore_rank(const char *name)
{
	size_t count = leading_underscores(name);

	return count == 1 && (name[1] == 'Z' || name[1] == 'R') ? 0 : count;
}

static int compare(const void *one_pointer, const void *other_pointer)
{
	const struct symbol_alias *one = one_pointer, *other = other_pointer;
	int one_local = one->binding == SYMBOL_BINDING_LOCAL;
	int other_local = other->binding == SYMBOL_BINDING_LOCAL;
	size_t one_length, other_length;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	if (one_local != other_local)
		return one_local - other_local;
	if (underscore_rank(one->name) != underscore_rank(other->name))
		return underscore_rank(one->name) < underscore_rank(other->name) ? -1 : 1;
	if (one->binding != other->binding)
		return one->binding < other->binding ? -1 : 1;
	one_length = strlen(one->name);
	other_length = strlen(other->name);
	if (one_length != other_length)
		return one_length < other_length ? -1 : 1;
	return strcmp(one->name, other->name);
}

void symbol_alias_sort(struct symbol_alias *aliases, uint32_t count)
{
	if (count > 0)
		qsort(aliases, count, sizeof(*aliases), compare);
}
