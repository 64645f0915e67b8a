/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/root_labels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/profile/grow.h"

static const char rest_text[] = "[other]";
static const char none_text[] = "(none)";

struct root_labels_entry {
	uint32_t group;
	uint32_t stack;
	int64_t value;
};

/* A stack of the profile, for the group whose stamp it has. */
struct root_labels_stack {
	uint32_t stamp;
	uint32_t node; /* of the tree */
	uint32_t below; /* the stack from which it was reached on the way up */
};

int root_labels_init(struct root_labels *root, const struct label_names *names)
{
	*root = (struct root_labels){0};
	return label_groups_init(&root->groups, names, ROOT_LABELS_GROUP_COUNT_MAX);
}

void root_labels_done(struct root_labels *root)
{
	label_groups_done(&root->groups);
	free(root->nodes);
	free(root->entries);
	free(root->stacks);
	*root = (struct root_labels){0};
}

int root_labels_open(struct root_labels *root, const struct profile *profile)
{
	uint32_t count = profile->stacks.count;

	root->entry_count = 0;
	if (count > root->stack_capacity) {
		free(root->stacks);
		root->stack_capacity = 0;
		root->stacks = malloc(count * sizeof(*root->stacks));
		if (!root->stacks)
			return -ENOMEM;
		root->stack_capacity = count;
	}
	memset(root->stacks, 0, count * sizeof(*root->stacks));
	root->stamp = 0;
	return label_groups_open(&root->groups, profile);
}

int root_labels_add(struct root_labels *root, const struct sample_row *row, int64_t value)
{
	struct root_labels_entry entry = {.stack = row->stack, .value = value};
	int r = label_groups_find(&root->groups, row, &entry.group);

	if (r == 0)
		r = grow_array(&root->entries, &root->entry_capacity, root->entry_count,
			SAMPLE_ROW_COUNT_MAX);
	if (r == 0)
		root->entries[root->entry_count++] = entry;
	return r;
}

static int order_entries(const void *one, const void *other)
{
	const struct root_labels_entry *a = one, *b = other;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->stack < b->stack ? -1 : a->stack > b->stack;
}

/* `name=value`, below PARENT. */
static int add_level(struct root_labels *root, struct merge *merge, uint32_t group, uint32_t label,
	uint32_t parent, uint32_t *ret_node)
{
	const char *name = root->groups.names.names[label];
	size_t length, name_length = strlen(name);
	const char *value = label_groups_text(&root->groups, group, label, &length);
	uint32_t frame;
	char *text;
	int r;

	if (length == 0) {
		value = none_text;
		length = sizeof(none_text) - 1;
	}
	text = malloc(name_length + 1 + length);
	if (!text)
		return -ENOMEM;
	memcpy(text, name, name_length);
	text[name_length] = '=';
	memcpy(text + name_length + 1, value, length);
	r = merge_label_frame(merge, text, name_length + 1 + length, &frame);
	free(text);
	return r < 0 ? r : growing_tree_child(&merge->tree, parent, frame, ret_node);
}

static int find_rest(struct root_labels *root, struct merge *merge)
{
	uint32_t frame;
	int r = root->rest != 0
		? 0
		: merge_label_frame(merge, rest_text, sizeof(rest_text) - 1, &frame);

	if (r < 0 || root->rest != 0)
		return r;
	return growing_tree_child(&merge->tree, GROWING_TREE_ROOT, frame, &root->rest);
}

static int add_levels(
	struct root_labels *root, struct merge *merge, uint32_t group, uint32_t *ret_node)
{
	uint32_t node = GROWING_TREE_ROOT;
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < root->groups.names.count; i++)
		r = add_level(root, merge, group, i, node, &node);
	if (r == 0)
		*ret_node = node;
	return r;
}

static int find_group(
	struct root_labels *root, struct merge *merge, uint32_t group, uint32_t *ret_node)
{
	int r = 0;

	if (group == LABEL_GROUPS_REST) {
		r = find_rest(root, merge);
		*ret_node = root->rest;
		return r;
	}
	while (r == 0 && root->node_count <= group) {
		r = grow_array(&root->nodes, &root->node_capacity, root->node_count,
			ROOT_LABELS_GROUP_COUNT_MAX);
		if (r == 0)
			root->nodes[root->node_count++] = GROWING_TREE_ROOT;
	}
	if (r == 0 && root->nodes[group] == GROWING_TREE_ROOT)
		r = add_levels(root, merge, group, &root->nodes[group]);
	if (r == 0)
		*ret_node = root->nodes[group];
	return r;
}

/* Up to the first stack that the group has a node for, and down again. */
static int find_node(struct root_labels *root, struct merge *merge, const struct profile *profile,
	uint32_t leaf, uint32_t *ret_node)
{
	const struct stack_node *nodes = profile->stacks.nodes;
	struct root_labels_stack *stacks = root->stacks;
	uint32_t stack = leaf, below = leaf;

	while (stacks[stack].stamp != root->stamp) {
		stacks[stack].below = below;
		below = stack;
		stack = nodes[stack].parent;
	}
	while (stack != leaf) {
		uint32_t frame;
		int r = merge_map_frame(merge, profile, nodes[below].frame, &frame);

		if (r == 0)
			r = growing_tree_child(
				&merge->tree, stacks[stack].node, frame, &stacks[below].node);
		if (r < 0)
			return r;
		stacks[below].stamp = root->stamp;
		stack = below;
		below = stacks[stack].below;
	}
	*ret_node = stacks[leaf].node;
	return 0;
}

int root_labels_merge(struct root_labels *root, struct merge *merge, const struct profile *profile)
{
	uint32_t group = 0;
	int r = 0;

	qsort(root->entries, root->entry_count, sizeof(*root->entries), order_entries);
	for (uint32_t i = 0; r == 0 && i < root->entry_count; i++) {
		const struct root_labels_entry *entry = &root->entries[i];
		uint32_t node;

		if (i == 0 || entry->group != group) {
			group = entry->group;
			root->stacks[0].stamp = ++root->stamp;
			r = find_group(root, merge, group, &root->stacks[0].node);
		}
		if (r == 0)
			r = find_node(root, merge, profile, entry->stack, &node);
		if (r == 0)
			merge->tree.nodes[node].self += entry->value;
	}
	return r;
}
