/* SPDX-License-Identifier: Apache-2.0 */
/* Both are walked with a list of the nodes above, each of which knows how many children it still
 * owes; a node that owes none leaves the list. */
#include "symbolizer-server/ingest/tree_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/bytes.h"
#include "store/profile/grow.h"

/* A trie may be as deep as its longest stack has bytes. */
#define LEVEL_COUNT_MAX (1u << 20)
/* A folded stack of a trie. */
#define STACK_BYTES_MAX ((size_t)4 << 20)

struct level {
	uint64_t owed; /* children that are still to come */
	size_t end; /* tree: frames up to here; trie: bytes */
};

struct tree_walk {
	struct bytes_reader reader;
	struct level *levels;
	uint32_t count;
	uint32_t capacity;
	uint32_t *frames; /* of a tree: the path to the node at hand */
	uint32_t frame_count;
	uint32_t frame_capacity;
	struct bytes_writer text; /* of a trie: likewise */
};

struct tree_node {
	struct ingest_text name;
	uint64_t self;
	uint64_t child_count;
};

static void walk_done(struct tree_walk *walk)
{
	free(walk->levels);
	free(walk->frames);
	bytes_writer_done(&walk->text);
}

static struct tree_node read_node(struct bytes_reader *reader)
{
	struct tree_node node;

	node.name.length = bytes_read_varint(reader);
	node.name.text = (const char *)bytes_read_span(reader, node.name.length);
	node.self = bytes_read_varint(reader);
	node.child_count = bytes_read_varint(reader);
	return node;
}

static int refuse(struct ingest_fault *fault, const char *what, const char *why)
{
	return ingest_refuse(fault, -EBADMSG,
		"the body is no %s: %s; text of lines `root;caller;leaf 12` is sent without "
		"format, or with format=folded",
		what, why);
}

/* What lies below the level at hand is the node's; ends of levels above were told before. */
static int descend(struct tree_walk *walk, uint64_t owed, size_t end)
{
	int r = grow_array(&walk->levels, &walk->capacity, walk->count, LEVEL_COUNT_MAX);

	if (r == 0)
		walk->levels[walk->count++] = (struct level){owed, end};
	return r;
}

/* Leaves the nodes that owe nothing more. */
static void ascend(struct tree_walk *walk)
{
	while (walk->count > 0 && walk->levels[walk->count - 1].owed == 0)
		walk->count--;
}

static size_t path_end(const struct tree_walk *walk)
{
	return walk->count > 0 ? walk->levels[walk->count - 1].end : 0;
}

/* The next node of the walk, which its parent owes no more. */
static int next_node(struct tree_walk *walk, struct tree_node *ret_node)
{
	if (walk->count > 0)
		walk->levels[walk->count - 1].owed--;
	*ret_node = read_node(&walk->reader);
	if (bytes_reader_fault(&walk->reader) < 0 || ret_node->self > INT64_MAX)
		return -EBADMSG;
	return 0;
}

static int add_tree_node(struct ingest_batch *batch, const struct text_target *target,
	struct tree_walk *walk, const struct tree_node *node)
{
	struct ingest_name name = {.kind = FRAME_TEXT, .function = node->name};
	uint32_t stack;
	int64_t weight;
	int r = 0;

	walk->frame_count = (uint32_t)path_end(walk);
	if (node->name.length > 0) {
		r = grow_array(
			&walk->frames, &walk->frame_capacity, walk->frame_count, LEVEL_COUNT_MAX);
		if (r == 0)
			r = ingest_batch_named(batch, &name, &walk->frames[walk->frame_count]);
		walk->frame_count += r == 0;
	}
	if (r < 0 || node->self == 0)
		return r;
	if (__builtin_mul_overflow((int64_t)node->self, target->period, &weight))
		return -EOVERFLOW;
	r = ingest_batch_stack_root_first(batch, walk->frames, walk->frame_count, &stack);
	return r < 0 ? r
		     : ingest_batch_sample(batch, target->table, stack, target->series,
			       target->period > 1 ? node->self : 1, weight);
}

int tree_read(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text bytes, struct ingest_fault *fault)
{
	struct tree_walk walk = {.levels = NULL};
	struct tree_node node;
	int r = 0;

	bytes_reader_init(&walk.reader, bytes.text, bytes.length);
	do {
		r = next_node(&walk, &node);
		if (r < 0) {
			r = refuse(fault, "tree", "it is cut off, or its lengths do not fit");
			break;
		}
		r = add_tree_node(batch, target, &walk, &node);
		if (r == 0)
			r = descend(&walk, node.child_count, walk.frame_count);
		ascend(&walk);
	} while (r == 0 && walk.count > 0);
	walk_done(&walk);
	return r;
}

static int add_trie_node(struct ingest_batch *batch, const struct text_target *target,
	struct tree_walk *walk, const struct tree_node *node, struct ingest_fault *fault)
{
	struct ingest_text stack;

	walk->text.byte_count = path_end(walk);
	bytes_write_span(&walk->text, node->name.text, node->name.length);
	if (bytes_writer_fault(&walk->text) < 0) {
		return ingest_refuse(
			fault, -E2BIG, "a stack is longer than %zu bytes", STACK_BYTES_MAX);
	}
	if (node->self == 0)
		return 0;
	stack = (struct ingest_text){(const char *)walk->text.bytes, walk->text.byte_count};
	return folded_add_stack(batch, target, stack, (int64_t)node->self, fault);
}

/* A trie may end at any node: what is still owed was left out by its sender. */
int trie_read(struct ingest_batch *batch, const struct text_target *target,
	struct ingest_text bytes, struct ingest_fault *fault)
{
	struct tree_walk walk = {.levels = NULL};
	struct tree_node node;
	int r = 0;

	bytes_reader_init(&walk.reader, bytes.text, bytes.length);
	bytes_writer_init(&walk.text, STACK_BYTES_MAX);
	do {
		r = next_node(&walk, &node);
		if (r < 0) {
			r = refuse(fault, "trie", "it is cut off, or its lengths do not fit");
			break;
		}
		r = add_trie_node(batch, target, &walk, &node, fault);
		if (r == 0)
			r = descend(&walk, node.child_count, walk.text.byte_count);
		ascend(&walk);
	} while (r == 0 && walk.count > 0 && bytes_left(&walk.reader) > 0);
	walk_done(&walk);
	return r;
}
