/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_desk.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "store/base/queue.h"

/* One that is worked on, and the last of a window behind it; more only if a file holds all up. */
#define BATCHES_MAX 4
/* A thread that a file system holds up is left behind: it ends with the program. */
#define JOIN_NS NS_PER_S
/* How often it is looked for files that nobody needs any more, while there are any. */
#define LET_GO_NS (10 * NS_PER_S)

struct jit_desk {
	struct proc_root root;
	struct jit_maps maps;
	struct queue asked; /* of struct jit_batch */
	struct queue answered;
	pthread_t thread;
	bool has_thread;
};

/* The next batch, or NULL at the end. Files are let go of meanwhile. */
static struct jit_batch *wait_for_batch(struct jit_desk *desk)
{
	void *batch = NULL;
	int r;

	do {
		bool holds = desk->maps.held_count > 0;

		r = queue_pop(&desk->asked, holds ? LET_GO_NS : UINT64_MAX, &batch);
		if (r == -ETIMEDOUT)
			jit_maps_let_go(&desk->maps);
	} while (r == -ETIMEDOUT);
	return r == 0 ? batch : NULL;
}

static void *run(void *context)
{
	struct jit_desk *desk = context;
	struct jit_batch *batch;

	while ((batch = wait_for_batch(desk)) != NULL) {
		jit_maps_answer(&desk->maps, batch);
		/* Nobody has taken the last ones: they are for windows that are gone. */
		if (queue_push(&desk->answered, batch) < 0)
			jit_batch_free(batch);
	}
	queue_close(&desk->answered);
	return NULL;
}

static int start(struct jit_desk *desk, const struct jit_maps_config *config, const char *folder)
{
	struct jit_maps_config own = *config;
	int r = proc_root_init(&desk->root, folder ? folder : "/proc");

	if (r < 0)
		return r;
	own.root = &desk->root;
	jit_maps_init(&desk->maps, &own);
	r = queue_init(&desk->asked, BATCHES_MAX);
	if (r == 0)
		r = queue_init(&desk->answered, BATCHES_MAX);
	if (r == 0)
		r = -pthread_create(&desk->thread, NULL, run, desk);
	desk->has_thread = r == 0;
	return r;
}

int jit_desk_new(
	const struct jit_maps_config *config, const char *proc_folder, struct jit_desk **ret_desk)
{
	struct jit_desk *desk = calloc(1, sizeof(*desk));
	int r;

	if (!desk)
		return -ENOMEM;
	desk->root.fd = -1;
	r = start(desk, config, proc_folder);
	if (r < 0) {
		jit_desk_free(desk);
		return r;
	}
	*ret_desk = desk;
	return 0;
}

/* False: it hangs. */
static bool end_thread(struct jit_desk *desk)
{
	void *batch;
	int r;

	if (!desk->has_thread)
		return true;
	queue_close(&desk->asked);
	/* What it still answers is for nobody; the last thing that it does is to close. */
	while ((r = queue_pop(&desk->answered, JOIN_NS, &batch)) == 0)
		jit_batch_free(batch);
	if (r != -ESHUTDOWN)
		return false;
	pthread_join(desk->thread, NULL);
	return true;
}

static void empty(struct queue *queue)
{
	void *batch;

	while (queue->items && queue_pop(queue, 0, &batch) == 0)
		jit_batch_free(batch);
	queue_done(queue);
}

void jit_desk_free(struct jit_desk *desk)
{
	if (!desk || !end_thread(desk))
		return;
	empty(&desk->asked);
	empty(&desk->answered);
	jit_maps_done(&desk->maps);
	proc_root_done(&desk->root);
	free(desk);
}

int jit_desk_ask(struct jit_desk *desk, struct jit_batch *batch)
{
	return queue_push(&desk->asked, batch);
}

int jit_desk_take(struct jit_desk *desk, uint64_t timeout_ns, struct jit_batch **ret_batch)
{
	void *batch;
	int r = queue_pop(&desk->answered, timeout_ns, &batch);

	if (r == 0)
		*ret_batch = batch;
	return r;
}
