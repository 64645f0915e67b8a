/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/source_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

static const struct build_id id = {.bytes = {1, 2}, .byte_count = 2};
static const struct build_id other_id = {.bytes = {1, 3}, .byte_count = 2};
static uint64_t now_ns = NS_PER_S;

static struct clock_reading read_time(void *context)
{
	(void)context;
	return (struct clock_reading){.monotonic_ns = now_ns};
}

struct servers {
	uint32_t question_count;
	int result;
	size_t byte_count; /* of each file */
	struct source_texts *texts; /* asked for more while it answers; NULL: not */
};

static int fetch(void *context, const struct build_id *build, const char *path, char **ret_text,
	size_t *ret_byte_count)
{
	struct servers *servers = context;
	uint32_t number = ++servers->question_count;
	char *text;

	if (servers->texts) {
		char inner[32];
		char *more = NULL;
		size_t length;
		int r;

		snprintf(inner, sizeof(inner), "/src/%u", number);
		r = source_texts_get(servers->texts, build, inner, &more, &length);
		CHECK_EQ(r, number == SOURCE_QUESTIONS_MAX ? -EBUSY : 0);
		free(more);
	}
	if (servers->result < 0)
		return servers->result;
	text = calloc(1, servers->byte_count + 1);
	CHECK(text);
	snprintf(text, servers->byte_count + 1, "%u of %s", build->bytes[1], path);
	*ret_text = text;
	*ret_byte_count = servers->byte_count;
	return 0;
}

static struct source_texts *make_texts(struct servers *servers)
{
	struct source_texts *texts;

	CHECK_EQ(source_texts_new(fetch, servers, (struct clock){read_time, NULL}, &texts), 0);
	return texts;
}

static int get(struct source_texts *texts, const struct build_id *build, const char *path,
	const char *expected)
{
	char *text = NULL;
	size_t byte_count;
	int r = source_texts_get(texts, build, path, &text, &byte_count);

	if (r == 0)
		CHECK_STR(text, expected);
	free(text);
	return r;
}

static void a_text_is_asked_for_once(void)
{
	struct servers servers = {.byte_count = 100};
	struct source_texts *texts = make_texts(&servers);

	CHECK_EQ(get(texts, &id, "/src/a.c", "2 of /src/a.c"), 0);
	CHECK_EQ(get(texts, &id, "/src/a.c", "2 of /src/a.c"), 0);
	CHECK_EQ(servers.question_count, 1);
	/* Another build has another file. */
	CHECK_EQ(get(texts, &other_id, "/src/a.c", "3 of /src/a.c"), 0);
	CHECK_EQ(servers.question_count, 2);
	source_texts_free(texts);
}

static void a_miss_holds_for_a_minute(void)
{
	struct servers servers = {.result = -ENOENT, .byte_count = 100};
	struct source_texts *texts = make_texts(&servers);

	CHECK_EQ(get(texts, &id, "/src/a.c", ""), -ENOENT);
	now_ns += SOURCE_RETRY_NS - 1;
	CHECK_EQ(get(texts, &id, "/src/a.c", ""), -ENOENT);
	CHECK_EQ(servers.question_count, 1);
	now_ns += 1;
	servers.result = 0;
	CHECK_EQ(get(texts, &id, "/src/a.c", "2 of /src/a.c"), 0);
	CHECK_EQ(servers.question_count, 2);
	source_texts_free(texts);
}

static void paths_that_mean_nothing_elsewhere_are_not_asked_for(void)
{
	struct servers servers = {.byte_count = 100};
	struct source_texts *texts = make_texts(&servers);
	char long_path[SOURCE_PATH_BYTES_MAX + 1];

	memset(long_path, '/', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	CHECK_EQ(get(texts, &id, "a.c", ""), -EINVAL);
	CHECK_EQ(get(texts, &id, "", ""), -EINVAL);
	CHECK_EQ(get(texts, &id, "/src/../a.c", ""), -EINVAL);
	CHECK_EQ(get(texts, &id, "/src/..", ""), -EINVAL);
	CHECK_EQ(get(texts, &id, "/src/a\nb.c", ""), -EINVAL);
	CHECK_EQ(get(texts, &id, long_path, ""), -EINVAL);
	CHECK_EQ(get(texts, &(struct build_id){0}, "/src/a.c", ""), -EINVAL);
	CHECK_EQ(servers.question_count, 0);
	CHECK_EQ(get(texts, &id, "/src/..a.c", "2 of /src/..a.c"), 0);
	source_texts_free(texts);
}

static void what_was_used_longest_ago_goes_first(void)
{
	struct servers servers = {.byte_count = SOURCE_TEXTS_BYTES_MAX / 4};
	struct source_texts *texts = make_texts(&servers);
	char path[32], expected[64];

	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "/src/%d", i);
		snprintf(expected, sizeof(expected), "2 of %s", path);
		CHECK_EQ(get(texts, &id, path, expected), 0);
		CHECK_EQ(get(texts, &id, "/src/0", "2 of /src/0"), 0);
	}
	CHECK_EQ(servers.question_count, 5);
	CHECK_EQ(get(texts, &id, "/src/1", "2 of /src/1"), 0);
	CHECK_EQ(servers.question_count, 6);
	source_texts_free(texts);
	servers = (struct servers){.result = -ENOENT};
	texts = make_texts(&servers);
	for (int i = 0; i <= SOURCE_TEXTS_MAX; i++) {
		snprintf(path, sizeof(path), "/src/%d", i);
		CHECK_EQ(get(texts, &id, path, ""), -ENOENT);
	}
	CHECK_EQ(get(texts, &id, "/src/0", ""), -ENOENT);
	CHECK_EQ(servers.question_count, SOURCE_TEXTS_MAX + 2);
	source_texts_free(texts);
}

static void questions_under_way_are_bounded(void)
{
	struct servers servers = {.byte_count = 100};
	struct source_texts *texts = make_texts(&servers);

	servers.texts = texts;
	CHECK_EQ(get(texts, &id, "/src/a.c", "2 of /src/a.c"), 0);
	CHECK_EQ(servers.question_count, SOURCE_QUESTIONS_MAX);
	servers.texts = NULL;
	CHECK_EQ(get(texts, &id, "/src/b.c", "2 of /src/b.c"), 0);
	source_texts_free(texts);
}

int main(void)
{
	RUN(a_text_is_asked_for_once);
	RUN(a_miss_holds_for_a_minute);
	RUN(paths_that_mean_nothing_elsewhere_are_not_asked_for);
	RUN(what_was_used_longest_ago_goes_first);
	RUN(questions_under_way_are_bounded);
	return 0;
}
