/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/tree_focus.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum mark { MARK_NONE, MARK_ABOVE, MARK_INSIDE };

static int begin(struct tree_focus *focus, const struct call_tree *calls)
{
	*focus = (struct tree_focus){.marks = calloc(calls->tree.count, sizeof(*focus->marks))};
	return focus->marks ? 0 : -ENOMEM;
}

/* From the nodes that are inside: what is above them, and what is below. */
static void spread(struct tree_focus *focus, const struct call_tree *calls)
{
	const struct growing_node *nodes = calls->tree.nodes;
	uint8_t *marks = focus->marks;

	for (uint32_t i = calls->tree.count - 1; i > 0; i--) {
		if (marks[i] != MARK_NONE && marks[nodes[i].parent] == MARK_NONE)
			marks[nodes[i].parent] = MARK_ABOVE;
	}
	for (uint32_t i = 1; i < calls->tree.count; i++) {
		if (marks[nodes[i].parent] == MARK_INSIDE)
			marks[i] = MARK_INSIDE;
	}
}

static bool is_text(const struct string_table *strings, uint32_t string, const char *text)
{
	size_t length = strlen(text);

	return string_table_length(strings, string) == length &&
		memcmp(string_table_text(strings, string), text, length) == 0;
}

static int digit_value(char digit)
{
	if (digit <= '9')
		return digit - '0';
	return tolower((unsigned char)digit) - 'a' + 10;
}

/* Cuts the next word off *REST, which moves behind its `;`, or to NULL behind the last; undoes the
 * escapes of folded lines in place. */
static char *next_word(char **rest)
{
	char *word = *rest, *from = word, *to = word;
	char *end = strchr(word, ';');

	*rest = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	while (*from) {
		if (from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2]) &&
			isxdigit((unsigned char)from[3])) {
			*to++ = (char)(digit_value(from[2]) << 4 | digit_value(from[3]));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return word;
}

/* The largest child of NODE that is shown so; 0: there is none. */
static uint32_t find_child(
	const struct call_tree *calls, uint32_t node, const char *name, const char *module)
{
	const struct function_table *functions = calls->functions;
	uint32_t found = 0;

	for (uint32_t child = calls->tree.nodes[node].child_first; child != 0;
		child = calls->tree.nodes[child].sibling_next) {
		const struct function *function =
			&functions->functions[calls->tree.nodes[child].what];

		if (!is_text(&functions->strings, function->name, name) ||
			(module && !is_text(&functions->strings, function->module, module)))
			continue;
		if (found == 0 || calls->totals[child] > calls->totals[found])
			found = child;
	}
	return found;
}

/* The node at the end of the path; 0: there is none. Both texts are cut up. */
static int find_path(const struct call_tree *calls, char *names, char *modules, uint32_t *ret_node)
{
	uint32_t node = GROWING_TREE_ROOT;
	bool lost = false;

	while (names) {
		const char *name = next_word(&names);
		const char *module = modules ? next_word(&modules) : NULL;

		if (module && !names != !modules)
			return -EINVAL;
		if (!lost)
			node = find_child(calls, node, name, module);
		lost |= node == GROWING_TREE_ROOT;
	}
	*ret_node = lost ? GROWING_TREE_ROOT : node;
	return 0;
}

int tree_focus_on_path(struct tree_focus *focus, const struct call_tree *calls, const char *names,
	const char *modules)
{
	char *names_copy = strdup(names), *modules_copy = modules ? strdup(modules) : NULL;
	uint32_t node = GROWING_TREE_ROOT;
	int r = begin(focus, calls);

	if (!names_copy || (modules && !modules_copy))
		r = -ENOMEM;
	if (r == 0)
		r = find_path(calls, names_copy, modules_copy, &node);
	free(names_copy);
	free(modules_copy);
	if (r < 0) {
		tree_focus_done(focus);
		return r;
	}
	focus->found = node != GROWING_TREE_ROOT;
	if (focus->found)
		focus->marks[node] = MARK_INSIDE;
	spread(focus, calls);
	return 0;
}

int tree_focus_on_function(struct tree_focus *focus, const struct call_tree *calls,
	const char *name, const char *module)
{
	const struct function_table *functions = calls->functions;
	int r = begin(focus, calls);

	if (r < 0)
		return r;
	for (uint32_t i = 1; i < calls->tree.count; i++) {
		const struct function *function = &functions->functions[calls->tree.nodes[i].what];

		if (!is_text(&functions->strings, function->name, name) ||
			(module && !is_text(&functions->strings, function->module, module)))
			continue;
		focus->marks[i] = MARK_INSIDE;
		focus->found = true;
	}
	spread(focus, calls);
	return 0;
}

void tree_focus_done(struct tree_focus *focus)
{
	free(focus->marks);
	*focus = (struct tree_focus){0};
}
