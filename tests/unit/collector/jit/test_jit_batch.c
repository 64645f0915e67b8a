/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_batch.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/torture.h"

static void answers_stand_in_the_texts(void)
{
	struct jit_batch *batch;

	CHECK_EQ(jit_batch_new(7, 2, &batch), 0);
	CHECK_EQ(batch->window, 7);
	CHECK_EQ(batch->count, 2);
	CHECK_EQ(jit_batch_answer(batch, &batch->questions[0], "one"), 0);
	CHECK_EQ(jit_batch_answer(batch, &batch->questions[1], "another"), 0);
	CHECK_STR(batch->texts + batch->questions[0].text, "one");
	CHECK_STR(batch->texts + batch->questions[1].text, "another");
	jit_batch_free(batch);
	jit_batch_free(NULL);
}

static void texts_are_bounded(void)
{
	static char name[100001];
	struct jit_batch *batch;
	int r = 0;

	memset(name, 'x', sizeof(name) - 1);
	CHECK_EQ(jit_batch_new(0, 1, &batch), 0);
	for (int i = 0; r == 0 && i < 1000; i++) {
		batch->questions[0].text = JIT_UNNAMED;
		r = jit_batch_answer(batch, &batch->questions[0], name);
	}
	CHECK_EQ(r, -E2BIG);
	CHECK_EQ(batch->questions[0].text, JIT_UNNAMED);
	jit_batch_free(batch);
}

static int make(void *context)
{
	struct jit_batch *batch = NULL;
	int r = jit_batch_new(0, 1, &batch);

	(void)context;
	if (r < 0)
		return r;
	batch->questions[0].text = JIT_UNNAMED;
	r = jit_batch_answer(batch, &batch->questions[0], "name");
	CHECK(r == 0 || batch->questions[0].text == JIT_UNNAMED);
	jit_batch_free(batch);
	return r;
}

static void running_out_of_memory_is_told(void)
{
	torture(make, NULL, 2);
}

int main(void)
{
	RUN(answers_stand_in_the_texts);
	RUN(texts_are_bounded);
	RUN(running_out_of_memory_is_told);
	return 0;
}
