/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/source_text.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A text, or why there is none. */
struct known_text {
	struct build_id id;
	char *path;
	char *text; /* NULL: error says why */
	size_t byte_count;
	int error;
	uint64_t asked_at_ns;
	uint64_t used; /* number of the last question for it */
};

struct source_texts {
	pthread_mutex_t lock;
	source_fetch_fn fetch;
	void *context;
	struct clock clock;
	struct known_text known[SOURCE_TEXTS_MAX];
	uint32_t count;
	size_t byte_count; /* of all texts */
	uint64_t questions; /* since the beginning */
	uint32_t under_way;
};

int source_texts_new(
	source_fetch_fn fetch, void *context, struct clock clock, struct source_texts **ret_texts)
{
	struct source_texts *texts = calloc(1, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	pthread_mutex_init(&texts->lock, NULL);
	texts->fetch = fetch;
	texts->context = context;
	texts->clock = clock;
	*ret_texts = texts;
	return 0;
}

static void forget(struct source_texts *texts, uint32_t index)
{
	struct known_text *known = &texts->known[index];

	texts->byte_count -= known->byte_count;
	free(known->path);
	free(known->text);
	*known = texts->known[--texts->count];
}

void source_texts_free(struct source_texts *texts)
{
	if (!texts)
		return;
	while (texts->count > 0)
		forget(texts, 0);
	pthread_mutex_destroy(&texts->lock);
	free(texts);
}

/* From the root, without a step back: what else there is means different files to different people. */
static bool can_be_asked_for(const char *path)
{
	size_t length = strnlen(path, SOURCE_PATH_BYTES_MAX);

	if (path[0] != '/' || length == SOURCE_PATH_BYTES_MAX)
		return false;
	for (const char *at = path; *at; at++) {
		if ((unsigned char)*at < ' ')
			return false;
		if (strncmp(at, "/../", 4) == 0 || strcmp(at, "/..") == 0)
			return false;
	}
	return true;
}

static struct known_text *find(
	struct source_texts *texts, const struct build_id *id, const char *path)
{
	for (uint32_t i = 0; i < texts->count; i++) {
		struct known_text *known = &texts->known[i];

		if (build_id_equal(&known->id, id) && strcmp(known->path, path) == 0)
			return known;
	}
	return NULL;
}

/* Drops what was used longest ago until BYTE_COUNT more fit. */
static void make_room(struct source_texts *texts, size_t byte_count)
{
	while (texts->count > 0 &&
		(texts->count == SOURCE_TEXTS_MAX ||
			texts->byte_count + byte_count > SOURCE_TEXTS_BYTES_MAX)) {
		uint32_t oldest = 0;

		for (uint32_t i = 1; i < texts->count; i++) {
			if (texts->known[i].used < texts->known[oldest].used)
				oldest = i;
		}
		forget(texts, oldest);
	}
}

static int copy_text(const char *text, size_t byte_count, char **ret_text, size_t *ret_byte_count)
{
	char *copy = malloc(byte_count + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, byte_count);
	copy[byte_count] = '\0';
	*ret_text = copy;
	*ret_byte_count = byte_count;
	return 0;
}

/* 1: it must be asked for; else the answer. With LOCK held. */
static int answer_known(struct source_texts *texts, const struct build_id *id, const char *path,
	char **ret_text, size_t *ret_byte_count)
{
	uint64_t now_ns = clock_read(&texts->clock).monotonic_ns;
	struct known_text *known = find(texts, id, path);

	if (known && known->text) {
		known->used = ++texts->questions;
		return copy_text(known->text, known->byte_count, ret_text, ret_byte_count);
	}
	if (known && now_ns - known->asked_at_ns < SOURCE_RETRY_NS)
		return known->error;
	if (texts->under_way == SOURCE_QUESTIONS_MAX)
		return -EBUSY;
	texts->under_way++;
	return 1;
}

/* The answer to what was asked; its text is NULL where error says why. Without memory it is asked for again. With LOCK held. */
static void remember(struct source_texts *texts, const char *asked, const struct known_text *answer)
{
	char *text = NULL, *path = strdup(asked);
	struct known_text *older = find(texts, &answer->id, asked);
	size_t byte_count = 0;

	if (older)
		forget(texts, (uint32_t)(older - texts->known));
	if (!path ||
		(answer->text &&
			copy_text(answer->text, answer->byte_count, &text, &byte_count) < 0)) {
		free(path);
		return;
	}
	make_room(texts, byte_count);
	texts->known[texts->count] = *answer;
	texts->known[texts->count].path = path;
	texts->known[texts->count].text = text;
	texts->known[texts->count].byte_count = byte_count;
	texts->known[texts->count].used = ++texts->questions;
	texts->count++;
	texts->byte_count += byte_count;
}

int source_texts_get(struct source_texts *texts, const struct build_id *id, const char *path,
	char **ret_text, size_t *ret_byte_count)
{
	struct known_text answer = {.id = *id};
	int r;

	if (!build_id_known(id) || !can_be_asked_for(path))
		return -EINVAL;
	pthread_mutex_lock(&texts->lock);
	r = answer_known(texts, id, path, ret_text, ret_byte_count);
	pthread_mutex_unlock(&texts->lock);
	if (r <= 0)
		return r;
	r = texts->fetch(texts->context, id, path, &answer.text, &answer.byte_count);
	answer.error = r;
	answer.asked_at_ns = clock_read(&texts->clock).monotonic_ns;
	pthread_mutex_lock(&texts->lock);
	texts->under_way--;
	if (r != -ENOMEM)
		remember(texts, path, &answer);
	pthread_mutex_unlock(&texts->lock);
	if (r < 0)
		return r;
	*ret_text = answer.text;
	*ret_byte_count = answer.byte_count;
	return 0;
}
