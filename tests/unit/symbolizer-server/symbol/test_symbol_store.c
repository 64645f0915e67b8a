/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of each file, request and question is counted, and the counters add up. */
#include "symbolizer-server/symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/symbol/module_registry.h"
#include "symbolizer-server/symbol/symbol_source.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)

static struct sandbox sandbox;
static uint64_t values[SYMBOL_COUNTER_COUNT];

/* ---- A source that gives one file, or one answer ---- */

static const char *source_file;
static int source_error;

static int give(struct symbol_source *source, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	(void)source;
	(void)worker;
	(void)question;
	if (source_error == -ECANCELED) {
		/* Whoever is told so asks again. */
		source_error = -ENOENT;
		return -ECANCELED;
	}
	if (source_error < 0)
		return source_error;
	*ret_fetched = (struct symbol_fetched){.fd = work_open(source_file), .byte_count = 7};
	return 0;
}

static void take_back(struct symbol_source *source, struct symbol_fetched *fetched)
{
	(void)source;
	close(fetched->fd);
}

static void do_nothing(struct symbol_source *source)
{
	(void)source;
}

static struct symbol_source source = {
	.name = "test",
	.fetch = give,
	.release = take_back,
	.stop = do_nothing,
	.free = do_nothing,
};

/* ---- Steps ---- */

static struct symbolizer *start(const char *folder, bool has_source, uint64_t cache_bytes_max)
{
	struct symbolizer_options options = {
		.folder = work_path("%s", folder),
		.sandbox = &sandbox,
		.clock = clock_system(),
		.source = has_source ? &source : NULL,
		.cache_bytes_max = cache_bytes_max,
	};
	struct symbolizer *symbolizer;

	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	return symbolizer;
}

static struct build_id id_of(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct build_id id;

	CHECK_EQ(note_build_id(fd, &id), 0);
	return id;
}

static void note(struct symbolizer *symbolizer, uint8_t n, const struct build_id *id)
{
	struct symbol_origin origin = {{n}};

	CHECK_EQ(symbolizer_note_module(symbolizer, &origin, id, "p", SYMBOL_WHAT_EXECUTABLE), 0);
}

static int upload(struct symbolizer *symbolizer, const struct build_id *id, const char *file)
{
	struct symbol_upload_request request = {.id = *id, .what = SYMBOL_WHAT_EXECUTABLE};
	struct symbol_upload *begun;
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = work_read(file, &byte_count);
	int r = symbolizer_upload_begin(symbolizer, &request, &begun);

	if (r < 0)
		return r;
	CHECK_EQ(symbolizer_upload_append(begun, bytes, byte_count), 0);
	return symbolizer_upload_finish(begun);
}

/* Waits until all is done, reads the counters and holds them against each other. */
static void settle(struct symbolizer *symbolizer)
{
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	symbolizer_read_counters(symbolizer, values);
	CHECK_EQ(values[SYMBOL_COUNTER_WANTS_OFFERED],
		values[SYMBOL_COUNTER_WANTS_MET] + values[SYMBOL_COUNTER_WANTS_DECLINED] +
			values[SYMBOL_COUNTER_WANTS_EXPIRED] +
			values[SYMBOL_COUNTER_WANTS_WITHDRAWN] + values[SYMBOL_COUNTER_WANTS_OPEN]);
	CHECK_EQ(values[SYMBOL_COUNTER_UPLOADS_ASKED],
		values[SYMBOL_COUNTER_UPLOADS_TAKEN] + values[SYMBOL_COUNTER_UPLOADS_REFUSED] +
			values[SYMBOL_COUNTER_UPLOADS_BROKEN] +
			values[SYMBOL_COUNTER_UPLOADS_OPEN]);
	CHECK_EQ(values[SYMBOL_COUNTER_FETCHES_ASKED],
		values[SYMBOL_COUNTER_FETCHES_HIT] + values[SYMBOL_COUNTER_FETCHES_MISSED] +
			values[SYMBOL_COUNTER_FETCHES_FAILED] +
			values[SYMBOL_COUNTER_FETCHES_STOPPED] +
			values[SYMBOL_COUNTER_FETCHES_OPEN]);
	CHECK_EQ(values[SYMBOL_COUNTER_FILES_READ],
		values[SYMBOL_COUNTER_INDEXED] + values[SYMBOL_COUNTER_FILES_FAILED] +
			values[SYMBOL_COUNTER_FILES_OPEN]);
	CHECK_EQ(values[SYMBOL_COUNTER_INDEXED],
		values[SYMBOL_COUNTER_INDEX_STORED] + values[SYMBOL_COUNTER_INDEX_UNUSED] +
			values[SYMBOL_COUNTER_INDEX_UNSTORED] + values[SYMBOL_COUNTER_INDEX_OPEN]);
}

/* ---- Tests ---- */

static void answers_of_debuginfod_are_counted_by_kind(void)
{
	static const struct {
		int error;
		enum symbol_counter counter;
	} cases[] = {
		{-ENOENT, SYMBOL_COUNTER_FETCHES_MISSED},
		{-ETIMEDOUT, SYMBOL_COUNTER_FETCHES_FAILED},
		{-ECANCELED, SYMBOL_COUNTER_FETCHES_STOPPED},
	};
	struct build_id id = id_of("full");
	struct symbolizer *symbolizer;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		symbolizer = start(i == 0 ? "a0" : i == 1 ? "a1" : "a2", true, 0);
		source_error = cases[i].error;
		note(symbolizer, 1, &id);
		settle(symbolizer);
		CHECK(values[cases[i].counter] > 0);
		CHECK(values[SYMBOL_COUNTER_FETCHES_ASKED] > 0);
		CHECK_EQ(values[SYMBOL_COUNTER_MODULES_KNOWN], 1);
		symbolizer_free(symbolizer);
	}
	symbolizer = start("a3", true, 0);
	source_error = 0;
	source_file = "full";
	note(symbolizer, 1, &id);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_FETCHES_HIT], 1);
	CHECK_EQ(values[SYMBOL_COUNTER_FETCHED_BYTES], 7);
	CHECK_EQ(values[SYMBOL_COUNTER_INDEX_STORED], 1);
	CHECK_EQ(values[SYMBOL_COUNTER_MODULES_NAMED], 1);
	CHECK(values[SYMBOL_COUNTER_INDEXED_FUNCTIONS] > 1);
	CHECK(values[SYMBOL_COUNTER_CACHE_BYTES] > 100);
	symbolizer_free(symbolizer);
}

static void requests_are_counted_by_what_became_of_them(void)
{
	struct symbolizer *symbolizer = start("b", false, 0);
	struct symbol_origin first = {{1}}, second = {{2}};
	struct symbol_upload_request request = {.what = SYMBOL_WHAT_EXECUTABLE};
	struct symbol_subscriber *one, *two;
	struct symbol_upload *begun, *again;
	struct symbol_want want;

	request.id = id_of("full");
	note(symbolizer, 1, &request.id);
	note(symbolizer, 2, &request.id);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &first, NULL, NULL, &one), 0);
	CHECK_EQ(symbolizer_take_want(one, &want), 0);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_WANTS_OPEN], 1);
	symbolizer_unsubscribe(one);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_WANTS_WITHDRAWN], 1);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &first, NULL, NULL, &one), 0);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &second, NULL, NULL, &two), 0);
	CHECK_EQ(symbolizer_take_want(one, &want), 0);
	symbolizer_refuse(symbolizer, &first, &request.id, "not allowed");
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_WANTS_DECLINED], 1);
	CHECK_EQ(symbolizer_take_want(two, &want), 0);
	request.origin = &second;
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &begun), 0);
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &again), -EBUSY);
	CHECK_EQ(symbolizer_upload_append(begun, "123", 3), 0);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_WANTS_MET], 1);
	CHECK_EQ(values[SYMBOL_COUNTER_UPLOADS_ASKED], 2);
	CHECK_EQ(values[SYMBOL_COUNTER_UPLOADS_OPEN], 1);
	CHECK_EQ(values[SYMBOL_COUNTER_UPLOADS_REFUSED], 1);
	CHECK_EQ(values[SYMBOL_COUNTER_UPLOAD_BYTES], 3);
	symbolizer_upload_abort(begun);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_UPLOADS_BROKEN], 1);
	symbolizer_unsubscribe(one);
	symbolizer_unsubscribe(two);
	symbolizer_free(symbolizer);
}

static void indexes_are_counted_by_what_became_of_them(void)
{
	struct symbolizer *symbolizer = start("c", false, 0);
	struct build_id id = id_of("full");

	CHECK_EQ(upload(symbolizer, &id, "table"), 0);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_INDEX_STORED], 1);
	CHECK_EQ(upload(symbolizer, &id, "dynamic"), 0);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_FILES_READ], 2);
	CHECK_EQ(values[SYMBOL_COUNTER_INDEX_UNUSED], 1);
	work_write_text("page", "<html>");
	CHECK_EQ(upload(symbolizer, &id, "page"), 0);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_FILES_FAILED], 1);
	symbolizer_free(symbolizer);
}

static void an_index_that_the_cache_cannot_take_is_counted(void)
{
	struct symbolizer *symbolizer = start("d", false, 1);
	struct build_id id = id_of("full");

	CHECK_EQ(upload(symbolizer, &id, "full"), 0);
	settle(symbolizer);
	CHECK_EQ(values[SYMBOL_COUNTER_INDEX_UNSTORED], 1);
	symbolizer_free(symbolizer);
}

static void modules_beyond_the_limit_are_counted(void)
{
	struct symbolizer *symbolizer = start("e", false, 0);
	struct symbol_origin origin = {{1}};

	for (uint32_t n = 1; n <= MODULE_REGISTRY_COUNT_MAX + 3; n++) {
		struct build_id id;
		int r;

		CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
		r = symbolizer_note_module(symbolizer, &origin, &id, "m", SYMBOL_WHAT_EXECUTABLE);
		CHECK_EQ(r, n <= MODULE_REGISTRY_COUNT_MAX ? 0 : -E2BIG);
	}
	symbolizer_read_counters(symbolizer, values);
	CHECK_EQ(values[SYMBOL_COUNTER_MODULES_REFUSED], 3);
	CHECK_EQ(values[SYMBOL_COUNTER_MODULES_KNOWN], MODULE_REGISTRY_COUNT_MAX);
	symbolizer_free(symbolizer);
}

int main(int argc, char **argv)
{
	int hidden = symbolizer_hidden_main(argc, argv);

	if (hidden >= 0)
		return hidden;
	CHECK_EQ(sandbox_init(&sandbox), 0);
	work_write_text("p.c",
		"int hot(int n) { return n * n; }\n"
		"int main(int c, char **v) { (void)v; return hot(c); }\n");
	work_run("gcc -O0 -g -rdynamic -Wl,--build-id=sha1 -o full p.c");
	work_run("objcopy --strip-debug full table && objcopy --strip-all full dynamic");
	RUN(answers_of_debuginfod_are_counted_by_kind);
	RUN(requests_are_counted_by_what_became_of_them);
	RUN(indexes_are_counted_by_what_became_of_them);
	RUN(an_index_that_the_cache_cannot_take_is_counted);
	RUN(modules_beyond_the_limit_are_counted);
	sandbox_done(&sandbox);
	return 0;
}
