/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/jit/jit_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_FIRST 4096
/* A window of a large host has some thousand names of 50 bytes. */
#define TEXT_BYTES_MAX (4u << 20)

int jit_batch_new(uint64_t window, uint32_t count, struct jit_batch **ret_batch)
{
	struct jit_batch *batch = malloc(sizeof(*batch) + count * sizeof(batch->questions[0]));

	if (!batch)
		return -ENOMEM;
	*batch = (struct jit_batch){.window = window, .count = count};
	*ret_batch = batch;
	return 0;
}

void jit_batch_free(struct jit_batch *batch)
{
	if (!batch)
		return;
	free(batch->texts);
	free(batch);
}

int jit_batch_answer(struct jit_batch *batch, struct jit_question *question, const char *name)
{
	uint32_t capacity = batch->text_capacity ? batch->text_capacity : TEXT_BYTES_FIRST;
	size_t bytes = strlen(name) + 1;
	char *texts;

	if (bytes > TEXT_BYTES_MAX - batch->text_bytes)
		return -E2BIG;
	while (capacity < batch->text_bytes + bytes)
		capacity *= 2;
	if (capacity > batch->text_capacity) {
		texts = realloc(batch->texts, capacity);
		if (!texts)
			return -ENOMEM;
		batch->texts = texts;
		batch->text_capacity = capacity;
	}
	memcpy(batch->texts + batch->text_bytes, name, bytes);
	question->text = batch->text_bytes;
	batch->text_bytes += (uint32_t)bytes;
	return 0;
}
