/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/jfr_context.h"

#include <errno.h>

#include "tests/support/made_contexts.h"
#include "tests/support/torture.h"

static struct proto_text made;
static struct jfr_contexts contexts;
static struct ingest_fault fault;
static struct ingest_drops drops;
static struct ingest_label labels[LABEL_COUNT_MAX];

static int read_made(void)
{
	drops = (struct ingest_drops){0};
	return jfr_contexts_init(&contexts, (struct ingest_text){made.bytes, made.length}, &fault);
}

static void check_text(struct ingest_text text, const char *expected)
{
	CHECK_EQ(text.length, strlen(expected));
	CHECK(memcmp(text.text, expected, text.length) == 0);
}

static void contexts_are_labels(void)
{
	made_contexts(&made);
	CHECK_EQ(read_made(), 0);
	CHECK_EQ(jfr_context_labels(&contexts, 9, &drops, labels), 2);
	check_text(labels[0].key, "endpoint");
	check_text(labels[0].value, "/heavy");
	check_text(labels[1].key, "vehicle");
	check_text(labels[1].value, "car");
	CHECK_EQ(jfr_context_labels(&contexts, 10, &drops, labels), 0);
	CHECK_EQ(jfr_context_labels(&contexts, 0, &drops, labels), 0);
	CHECK_EQ(drops.broken, 0);
	CHECK_EQ(jfr_context_labels(&contexts, 11, &drops, labels), 1);
	CHECK_EQ(drops.broken, 1);
	jfr_contexts_done(&contexts);
}

static void more_labels_than_a_series_has_are_counted(void)
{
	uint64_t pairs[LABEL_COUNT_MAX + 3][2] = {{0, 0}};

	for (int i = 0; i < LABEL_COUNT_MAX + 2; i++) {
		pairs[i][0] = 1;
		pairs[i][1] = 2;
	}
	made.length = 0;
	made_contexts_context(&made, 1, (const uint64_t(*)[2])pairs);
	made_contexts_text(&made, 1, "a");
	made_contexts_text(&made, 2, "b");
	CHECK_EQ(read_made(), 0);
	CHECK_EQ(jfr_context_labels(&contexts, 1, &drops, labels), LABEL_COUNT_MAX);
	CHECK_EQ(drops.labels_dropped, 2);
	jfr_contexts_done(&contexts);
}

static void nothing_is_no_contexts(void)
{
	made.length = 0;
	CHECK_EQ(read_made(), 0);
	CHECK_EQ(jfr_context_labels(&contexts, 9, &drops, labels), 0);
	jfr_contexts_done(&contexts);
}

static void check_refused(const char *bytes, size_t length)
{
	made.length = 0;
	proto_put(&made, bytes, length);
	CHECK_EQ(read_made(), -EBADMSG);
	CHECK(strstr(fault.text, "part labels"));
}

static void what_is_damaged_is_refused(void)
{
	check_refused("\x0a\x7f", 2);
	check_refused("\x08\x01", 2);
	check_refused("\x12\x02\x0a\x7f", 4);
	check_refused("<html>", 6);
}

static int read_tortured(void *context)
{
	int r = read_made();

	(void)context;
	if (r == 0)
		jfr_contexts_done(&contexts);
	return r;
}

static void out_of_memory_releases_all(void)
{
	made_contexts(&made);
	torture(read_tortured, NULL, 4);
}

int main(void)
{
	RUN(contexts_are_labels);
	RUN(more_labels_than_a_series_has_are_counted);
	RUN(nothing_is_no_contexts);
	RUN(what_is_damaged_is_refused);
	RUN(out_of_memory_releases_all);
	return 0;
}
