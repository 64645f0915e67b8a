/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_desk.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct tally tally;
static struct jit_desk *desk;

static void set_up(void)
{
	struct jit_maps_config config = {
		.tally = &tally, .clock = clock_system(), .bytes_max = JIT_BYTES_USUAL};

	work_run("rm -rf proc && mkdir -p proc/7/root/tmp && "
		 "echo '7 (c) S 1 0 0 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 500 0' > proc/7/stat "
		 "&& printf 'Uid:\\t0\\t0\\t0\\t0\\n' > proc/7/status && "
		 "echo '1000 10 named' > proc/7/root/tmp/perf-7.map");
	CHECK_EQ(jit_desk_new(&config, work_path("proc"), &desk), 0);
}

static struct jit_batch *make_batch(uint64_t window)
{
	struct jit_batch *batch;

	CHECK_EQ(jit_batch_new(window, 1, &batch), 0);
	batch->questions[0] = (struct jit_question){
		.pid = 7, .address = 0x1000, .taken_at_ns = clock_monotonic_ns()};
	return batch;
}

static void batches_come_back_answered_in_order(void)
{
	set_up();
	for (uint64_t window = 1; window <= 10; window++) {
		struct jit_batch *batch = make_batch(window);

		CHECK_EQ(jit_desk_ask(desk, batch), 0);
		CHECK_EQ(jit_desk_take(desk, UINT64_MAX, &batch), 0);
		CHECK_EQ(batch->window, window);
		CHECK_STR(batch->texts + batch->questions[0].text, "named");
		jit_batch_free(batch);
	}
	jit_desk_free(desk);
}

/* Nobody takes them; what is too much for the way in is told, for the way out is dropped. */
static void what_waits_is_bounded_and_given_back_at_the_end(void)
{
	struct jit_batch *batch;

	set_up();
	CHECK_EQ(jit_desk_take(desk, 0, &batch), -ETIMEDOUT);
	for (int i = 0; i < 100; i++) {
		int r;

		batch = make_batch(0);
		r = jit_desk_ask(desk, batch);
		CHECK(r == 0 || r == -ENOBUFS);
		if (r < 0)
			jit_batch_free(batch);
	}
	jit_desk_free(desk);
	jit_desk_free(NULL);
}

static void a_folder_that_is_not_there_is_told(void)
{
	struct jit_maps_config config = {.tally = &tally, .clock = clock_system()};

	CHECK_EQ(jit_desk_new(&config, work_path("missing"), &desk), -ENOENT);
}

int main(void)
{
	RUN(batches_come_back_answered_in_order);
	RUN(what_waits_is_bounded_and_given_back_at_the_end);
	RUN(a_folder_that_is_not_there_is_told);
	return 0;
}
