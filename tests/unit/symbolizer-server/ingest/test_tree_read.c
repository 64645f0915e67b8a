/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/tree_read.h"

#include <errno.h>

#include "tests/support/ingest_fixture.h"

#define CPU PROFILE_TYPE_ON_CPU
#define BYTES(literal) ((struct ingest_text){literal, sizeof(literal) - 1})

static struct ingest_batch batch;
static struct ingest_fault fault;

static struct text_target begin(int64_t period)
{
	struct text_target target = {.period = period};

	CHECK_EQ(ingest_batch_init(&batch, INGEST_START_NS, INGEST_UNTIL_NS), 0);
	CHECK_EQ(ingest_batch_type(&batch, CPU, period, &target.table), 0);
	CHECK_EQ(ingest_batch_series(&batch, NULL, 0, NULL, &target.series), 0);
	return target;
}

static void a_tree_gives_a_stack_for_each_node_of_its_own(void)
{
	struct text_target target = begin(10);

	CHECK_EQ(tree_read(&batch, &target, BYTES("\0\0\1\1a\0\2\1b\1\0\1c\2\0"), &fault), 0);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} a;b 1 10\n" CPU "{} a;c 2 20\n");
	target = begin(1);
	/* Brothers below different parents, and values of inner nodes and of the root. */
	CHECK_EQ(
		tree_read(&batch, &target, BYTES("\0\5\2\1a\1\1\1b\2\1\1c\3\0\1d\4\0"), &fault), 0);
	CHECK_STR(ingest_batch_lines(&batch),
		CPU "{}  1 5\n" CPU "{} a 1 1\n" CPU "{} a;b 1 2\n" CPU "{} a;b;c 1 3\n" CPU
		    "{} d 1 4\n");
}

static void a_trie_may_cut_names_anywhere(void)
{
	struct text_target target = begin(1);

	CHECK_EQ(trie_read(&batch, &target, BYTES("\0\0\1\2a;\0\2\1b\1\0\3c;d\2\0"), &fault), 0);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} a;b 1 1\n" CPU "{} a;c;d 1 2\n");
}

static void a_trie_may_end_between_nodes(void)
{
	struct text_target target = begin(1);

	CHECK_EQ(trie_read(&batch, &target, BYTES("\0\0\1\2a;\0\2\1b\1\0"), &fault), 0);
	CHECK_STR(ingest_batch_lines(&batch), CPU "{} a;b 1 1\n");
}

static void what_is_cut_off_is_refused(void)
{
	struct text_target target = begin(1);

	CHECK_EQ(tree_read(&batch, &target, BYTES("\0\0\1\1a\0\2\1b\1\0"), &fault), -EBADMSG);
	CHECK(strstr(fault.text, "no tree"));
	ingest_batch_done(&batch);
	target = begin(1);
	CHECK_EQ(trie_read(&batch, &target,
			 BYTES("\0\0\1\x7f"
			       "abc"),
			 &fault),
		-EBADMSG);
	CHECK(strstr(fault.text, "no trie"));
	ingest_batch_done(&batch);
	target = begin(1);
	CHECK_EQ(tree_read(&batch, &target, BYTES(""), &fault), -EBADMSG);
	ingest_batch_done(&batch);
}

static void an_endless_path_meets_a_limit(void)
{
	enum { DEPTH = 6000 };
	static char bytes[4 * DEPTH];
	struct text_target target = begin(1);

	/* {name "f", self, one child}; the last has a value and no child. */
	for (size_t i = 0; i < DEPTH; i++) {
		bytes[4 * i] = 1;
		bytes[4 * i + 1] = 'f';
		bytes[4 * i + 2] = (char)(i + 1 == DEPTH);
		bytes[4 * i + 3] = (char)(i + 1 < DEPTH);
	}
	CHECK_EQ(tree_read(&batch, &target, (struct ingest_text){bytes, sizeof(bytes)}, &fault), 0);
	CHECK_EQ(batch.drops.stacks_cut, 1);
	ingest_batch_done(&batch);
}

int main(void)
{
	RUN(a_tree_gives_a_stack_for_each_node_of_its_own);
	RUN(a_trie_may_cut_names_anywhere);
	RUN(a_trie_may_end_between_nodes);
	RUN(what_is_cut_off_is_refused);
	RUN(an_endless_path_meets_a_limit);
	return 0;
}
