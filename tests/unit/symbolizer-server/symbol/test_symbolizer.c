/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/symbol/debuginfod_servers.h"
#include "symbolizer-server/symbol/symbol_source.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)

static struct sandbox sandbox;

/* ---- A clock that moves only when told to ---- */

static uint64_t now_ns = UINT64_C(1000) * NS_PER_S;

static struct clock_reading read_now(void *context)
{
	uint64_t ns = __atomic_load_n(&now_ns, __ATOMIC_SEQ_CST);

	(void)context;
	return (struct clock_reading){.monotonic_ns = ns, .realtime_ns = ns};
}

static void pass(uint64_t ns)
{
	__atomic_fetch_add(&now_ns, ns, __ATOMIC_SEQ_CST);
}

/* ---- A source that serves files of the work folder ---- */

struct fake_source {
	struct symbol_source source;
	const char *debuginfo; /* file names; NULL: not found */
	const char *executable;
	int error; /* instead of any answer */
	int asked_count;
};

static int fake_fetch(struct symbol_source *source, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	struct fake_source *fake = (struct fake_source *)source;
	const char *name =
		question->file == SYMBOL_FILE_DEBUGINFO ? fake->debuginfo : fake->executable;

	CHECK(worker < SYMBOL_WORKERS_MAX);
	__atomic_fetch_add(&fake->asked_count, 1, __ATOMIC_SEQ_CST);
	if (fake->error)
		return fake->error;
	if (!name)
		return -ENOENT;
	*ret_fetched = (struct symbol_fetched){.fd = work_open(name), .byte_count = 1};
	return 0;
}

static void fake_release(struct symbol_source *source, struct symbol_fetched *fetched)
{
	(void)source;
	close(fetched->fd);
}

static void fake_nothing(struct symbol_source *source)
{
	(void)source;
}

static struct fake_source fake_of(const char *debuginfo, const char *executable)
{
	return (struct fake_source){
		.source = {.name = "fake",
			.fetch = fake_fetch,
			.release = fake_release,
			.stop = fake_nothing,
			.free = fake_nothing},
		.debuginfo = debuginfo,
		.executable = executable,
	};
}

/* ---- Steps ---- */

static struct symbolizer *start(const char *folder, struct fake_source *fake)
{
	struct symbolizer_options options = {
		.folder = work_path("%s", folder),
		.sandbox = &sandbox,
		.clock = {.read = read_now},
		.source = fake ? &fake->source : NULL,
		.warm_bytes_max = 1, /* what is used stays */
	};
	struct symbolizer *symbolizer;

	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	return symbolizer;
}

static struct symbol_origin origin_of(uint8_t n)
{
	struct symbol_origin origin = {{n}};

	return origin;
}

static struct build_id id_of(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct build_id id;

	CHECK_EQ(note_build_id(fd, &id), 0);
	return id;
}

static void note(struct symbolizer *symbolizer, uint8_t origin, const struct build_id *id)
{
	struct symbol_origin from = origin_of(origin);

	CHECK_EQ(symbolizer_note_module(symbolizer, &from, id, "truth", SYMBOL_WHAT_EXECUTABLE), 0);
}

static void settle(struct symbolizer *symbolizer)
{
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
}

static uint64_t counter(struct symbolizer *symbolizer, enum symbol_counter which)
{
	uint64_t values[SYMBOL_COUNTER_COUNT];

	symbolizer_read_counters(symbolizer, values);
	return values[which];
}

static void count_wakes(void *context)
{
	__atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST);
}

static int upload_bytes(struct symbolizer *symbolizer, const struct symbol_origin *origin,
	const struct build_id *id, const char *file)
{
	struct symbol_upload_request request = {
		.origin = origin, .id = *id, .what = SYMBOL_WHAT_EXECUTABLE};
	struct symbol_upload *upload;
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = work_read(file, &byte_count);
	int r = symbolizer_upload_begin(symbolizer, &request, &upload);

	if (r < 0)
		return r;
	for (size_t at = 0; at < byte_count; at += 4096) {
		CHECK_EQ(symbolizer_upload_append(upload, bytes + at,
				 byte_count - at < 4096 ? byte_count - at : 4096),
			0);
	}
	return symbolizer_upload_finish(upload);
}

static uint64_t hot_address;

static void check_hot(struct symbolizer *symbolizer, const struct build_id *id, const char *name)
{
	struct symbol_reader *reader;
	struct symbol symbol;
	int r = symbolizer_open(symbolizer, id, &reader);

	if (!name) {
		CHECK_EQ(r, -ENOENT);
		return;
	}
	CHECK_EQ(r, 0);
	CHECK_EQ(symbol_reader_find(reader, hot_address + 1, &symbol), 0);
	CHECK_STR(symbol.name, name);
	CHECK_EQ(symbol_reader_find(reader, 1, &symbol), -ENOENT);
	symbol_reader_free(reader);
}

static enum symbol_quality quality_of(struct symbolizer *symbolizer, const struct build_id *id)
{
	struct symbol_module_state state;

	CHECK_EQ(symbolizer_module_state(symbolizer, id, &state), 0);
	return state.quality;
}

/* ---- Tests ---- */

static void a_module_that_debuginfod_has_is_named_without_an_upload(void)
{
	struct fake_source fake = fake_of("debug", NULL);
	struct symbolizer *symbolizer = start("one", &fake);
	struct build_id id = id_of("full");
	struct symbol_origin origin = origin_of(1);
	struct symbol_subscriber *subscriber;
	struct symbol_want want;
	int wakes = 0;
	uint64_t before = symbolizer_generation(symbolizer);

	CHECK_EQ(symbolizer_subscribe(symbolizer, &origin, count_wakes, &wakes, &subscriber), 0);
	note(symbolizer, 1, &id);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	CHECK_EQ(quality_of(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	CHECK(symbolizer_generation(symbolizer) > before);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), -ENOENT);
	CHECK_EQ(fake.asked_count, 1);
	for (int i = 0; i < 100; i++)
		note(symbolizer, 2, &id);
	settle(symbolizer);
	CHECK_EQ(fake.asked_count, 1);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_INDEXED), 1);
	symbolizer_unsubscribe(subscriber);
	symbolizer_free(symbolizer);
	/* It is there at once after a restart, and nobody is asked. */
	symbolizer = start("one", &fake);
	note(symbolizer, 1, &id);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	CHECK_EQ(fake.asked_count, 1);
	symbolizer_free(symbolizer);
}

static void what_debuginfod_lacks_one_collector_is_asked_for(void)
{
	struct fake_source fake = fake_of(NULL, NULL);
	struct symbolizer *symbolizer = start("two", &fake);
	struct build_id id = id_of("full");
	struct symbol_origin first = origin_of(1), second = origin_of(2), third = origin_of(3);
	struct symbol_subscriber *one, *two, *three;
	struct symbol_want want;
	int wakes[3] = {0};

	CHECK_EQ(symbolizer_subscribe(symbolizer, &first, count_wakes, &wakes[0], &one), 0);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &second, count_wakes, &wakes[1], &two), 0);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &third, count_wakes, &wakes[2], &three), 0);
	note(symbolizer, 1, &id);
	note(symbolizer, 2, &id);
	settle(symbolizer);
	CHECK_EQ(fake.asked_count, 2);
	CHECK(wakes[0] > 0);
	/* The third never named it. */
	CHECK_EQ(symbolizer_take_want(three, &want), -ENOENT);
	CHECK_EQ(symbolizer_take_want(one, &want), 0);
	CHECK(build_id_equal(&want.id, &id));
	CHECK_EQ(want.what, SYMBOL_WHAT_EXECUTABLE);
	CHECK_STR(want.name, "truth");
	CHECK_EQ(symbolizer_take_want(one, &want), -ENOENT);
	CHECK_EQ(symbolizer_take_want(two, &want), -ENOENT);
	/* Nobody may send what another was asked for. */
	CHECK_EQ(upload_bytes(symbolizer, &second, &id, "full"), -ENOENT);
	symbolizer_refuse(symbolizer, &first, &id, "not allowed: --upload never");
	CHECK_EQ(symbolizer_take_want(one, &want), -ENOENT);
	CHECK_EQ(symbolizer_take_want(two, &want), 0);
	CHECK_EQ(upload_bytes(symbolizer, &second, &id, "full"), 0);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_WANTS_OFFERED), 2);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_UPLOADS_TAKEN), 1);
	CHECK_EQ(upload_bytes(symbolizer, &second, &id, "full"), -EEXIST);
	symbolizer_unsubscribe(one);
	symbolizer_unsubscribe(two);
	symbolizer_unsubscribe(three);
	symbolizer_free(symbolizer);
}

static void a_request_goes_on_when_its_collector_leaves_or_sleeps(void)
{
	struct symbolizer *symbolizer = start("three", NULL);
	struct build_id id = id_of("full");
	struct symbol_origin first = origin_of(1), second = origin_of(2);
	struct symbol_subscriber *one, *two;
	struct symbol_want want;
	int wakes = 0;

	CHECK_EQ(symbolizer_subscribe(symbolizer, &first, count_wakes, &wakes, &one), 0);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &second, count_wakes, &wakes, &two), 0);
	note(symbolizer, 1, &id);
	note(symbolizer, 2, &id);
	CHECK_EQ(symbolizer_take_want(one, &want), 0);
	symbolizer_unsubscribe(one);
	CHECK_EQ(symbolizer_take_want(two, &want), 0);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &first, count_wakes, &wakes, &one), 0);
	CHECK_EQ(symbolizer_take_want(one, &want), -ENOENT);
	wakes = 0;
	pass(200 * NS_PER_S);
	for (int i = 0; i < 600 && __atomic_load_n(&wakes, __ATOMIC_SEQ_CST) < 2; i++)
		usleep(10000);
	CHECK_EQ(symbolizer_take_want(one, &want), 0);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_WANTS_EXPIRED), 1);
	symbolizer_unsubscribe(one);
	symbolizer_unsubscribe(two);
	symbolizer_free(symbolizer);
}

static void a_stripped_upload_does_not_stop_debuginfod(void)
{
	struct fake_source fake = fake_of(NULL, NULL);
	struct symbolizer *symbolizer = start("four", &fake);
	struct build_id id = id_of("full");
	struct symbol_origin origin = origin_of(1);
	struct symbol_subscriber *subscriber;
	struct symbol_want want;
	int wakes = 0;

	CHECK_EQ(symbolizer_subscribe(symbolizer, &origin, count_wakes, &wakes, &subscriber), 0);
	note(symbolizer, 1, &id);
	settle(symbolizer);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
	CHECK_EQ(upload_bytes(symbolizer, &origin, &id, "dynamic"), 0);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	CHECK_EQ(quality_of(symbolizer, &id), SYMBOL_QUALITY_DYNAMIC);
	CHECK_EQ(fake.asked_count, 2);
	fake.debuginfo = "debug";
	/* Within the time for which "not found" holds nobody is asked. */
	note(symbolizer, 1, &id);
	settle(symbolizer);
	CHECK_EQ(fake.asked_count, 2);
	pass(3600 * NS_PER_S);
	note(symbolizer, 1, &id);
	settle(symbolizer);
	CHECK_EQ(quality_of(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_INDEX_BETTERED), 1);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), -ENOENT);
	symbolizer_unsubscribe(subscriber);
	symbolizer_free(symbolizer);
}

static void a_dead_debuginfod_is_asked_little_and_keeps_nobody_waiting(void)
{
	struct symbolizer_options options = {.folder = work_path("five"),
		.sandbox = &sandbox,
		.clock = {.read = read_now},
		.debuginfod_urls = "http://127.0.0.1:9"};
	struct symbolizer *symbolizer;
	struct symbol_origin origin = origin_of(1);
	struct symbol_subscriber *subscriber;
	struct debuginfod_server_state state;
	struct symbol_want want;
	int wakes = 0;

	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &origin, count_wakes, &wakes, &subscriber), 0);
	for (uint32_t round = 0; round < 100; round++) {
		for (uint32_t n = 1; n <= 50; n++) {
			struct build_id id;

			CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
			note(symbolizer, 1, &id);
		}
	}
	settle(symbolizer);
	debuginfod_servers_read(symbolizer_servers(symbolizer), 0, &state);
	CHECK(state.counts[DEBUGINFOD_SERVER_ASKED] <= DEBUGINFOD_FAILURES_MAX + 4);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
	CHECK(counter(symbolizer, SYMBOL_COUNTER_FETCHES_SPARED) > 0);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_MODULES_WANTED), 50);
	symbolizer_unsubscribe(subscriber);
	symbolizer_free(symbolizer);
}

static void files_of_no_use_cost_their_module_only(void)
{
	static const char *const files[] = {"html", "zeros", "half", "other", "stripped"};
	struct symbolizer *symbolizer = start("six", NULL);
	struct symbol_origin origin = origin_of(1);
	struct symbol_subscriber *subscriber;
	struct symbol_module_state state;
	struct build_id id = id_of("full");
	struct symbol_want want;
	int wakes = 0;

	work_write_text("html", "<html>Not found</html>");
	work_run("head -c 1048576 /dev/zero > zeros");
	work_run("head -c $(($(stat -c %%s full) / 2)) full > half");
	work_run("gcc -O1 -o other p.c -Wl,--build-id=0x00ff");
	work_run("gcc -O1 -s -o stripped p.c && objcopy --remove-section=.dynsym stripped || true");
	CHECK_EQ(symbolizer_subscribe(symbolizer, &origin, count_wakes, &wakes, &subscriber), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		note(symbolizer, 1, &id);
		CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
		CHECK_EQ(upload_bytes(symbolizer, &origin, &id, files[i]), 0);
		settle(symbolizer);
		check_hot(symbolizer, &id, NULL);
		CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
		CHECK(!state.pending);
		CHECK(strncmp(state.text, "no names; ", 10) == 0);
		/* Not asked for again at once. */
		note(symbolizer, 1, &id);
		CHECK_EQ(symbolizer_take_want(subscriber, &want), -ENOENT);
		pass(UINT64_C(8) * 24 * 3600 * NS_PER_S);
	}
	note(symbolizer, 1, &id);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
	CHECK_EQ(upload_bytes(symbolizer, &origin, &id, "full"), 0);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_FILES_FAILED), 5);
	symbolizer_unsubscribe(subscriber);
	symbolizer_free(symbolizer);
}

static void a_page_in_place_of_a_debug_file_is_no_debug_file(void)
{
	struct fake_source fake = fake_of("html", "html");
	struct symbolizer *symbolizer = start("page", &fake);
	struct symbol_module_state state;
	struct build_id id = id_of("full");

	note(symbolizer, 1, &id);
	settle(symbolizer);
	check_hot(symbolizer, &id, NULL);
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	CHECK_STR(state.text,
		"no names; debuginfod's file: not an ELF file; "
		"an upload is wanted from a collector");
	for (int i = 0; i < 100; i++)
		note(symbolizer, 1, &id);
	settle(symbolizer);
	CHECK_EQ(fake.asked_count, 2);
	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	symbolizer_free(symbolizer);
}

static void uploads_that_break_the_rules_are_refused(void)
{
	struct symbolizer *symbolizer = start("seven", NULL);
	struct symbol_origin origin = origin_of(1), stranger = origin_of(9);
	struct symbol_subscriber *subscriber;
	struct symbol_upload_request request = {.origin = &origin, .what = SYMBOL_WHAT_EXECUTABLE};
	struct symbol_upload *upload, *second;
	struct symbol_want want;
	int wakes = 0;

	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &upload), -EINVAL);
	request.id = id_of("full");
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &upload), -ENOENT);
	CHECK_EQ(symbolizer_subscribe(symbolizer, &origin, count_wakes, &wakes, &subscriber), 0);
	note(symbolizer, 1, &request.id);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
	CHECK_EQ(upload_bytes(symbolizer, &stranger, &request.id, "full"), -ENOENT);
	request.byte_count = UINT64_C(1) << 50;
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &upload), -EFBIG);
	request.byte_count = 10;
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &upload), 0);
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &second), -EBUSY);
	CHECK_EQ(symbolizer_upload_append(upload, "12345678901", 11), -EFBIG);
	symbolizer_upload_abort(upload);
	/* Offered again after it broke off. */
	CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &upload), 0);
	CHECK_EQ(symbolizer_upload_append(upload, "123", 3), 0);
	CHECK_EQ(symbolizer_upload_finish(upload), -EBADMSG);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_UPLOADS_BROKEN), 2);
	CHECK_EQ(work_try("test -z \"$(ls seven/uploads)\""), 0);
	symbolizer_unsubscribe(subscriber);
	symbolizer_free(symbolizer);
}

static void a_person_may_upload_what_nobody_asked_for(void)
{
	struct symbolizer *symbolizer = start("eight", NULL);
	struct build_id id = id_of("full");

	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	symbolizer_free(symbolizer);
}

static void kernel_symbols_are_wanted_and_named(void)
{
	struct fake_source fake = fake_of(NULL, NULL);
	struct symbolizer *symbolizer = start("nine", &fake);
	struct symbol_origin origin = origin_of(1);
	struct symbol_subscriber *subscriber;
	struct build_id id;
	struct symbol_upload_request request = {
		.origin = &origin, .what = SYMBOL_WHAT_KERNEL_SYMBOLS};
	struct symbol_upload *upload;
	struct symbol_reader *reader;
	struct symbol symbol;
	struct symbol_want want;
	int wakes = 0;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, "kernel", 6, &id), 0);
	request.id = id;
	CHECK_EQ(symbolizer_subscribe(symbolizer, &origin, count_wakes, &wakes, &subscriber), 0);
	CHECK_EQ(symbolizer_note_module(
			 symbolizer, &origin, &id, "[kernel]", SYMBOL_WHAT_KERNEL_SYMBOLS),
		0);
	settle(symbolizer);
	CHECK_EQ(symbolizer_take_want(subscriber, &want), 0);
	CHECK_EQ(want.what, SYMBOL_WHAT_KERNEL_SYMBOLS);
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &request, &upload), 0);
	CHECK_EQ(symbolizer_upload_append(upload, "0 _text\n100 do_idle\n", 20), 0);
	CHECK_EQ(symbolizer_upload_finish(upload), 0);
	settle(symbolizer);
	CHECK_EQ(symbolizer_open(symbolizer, &id, &reader), 0);
	CHECK_EQ(symbol_reader_find(reader, 0x110, &symbol), 0);
	CHECK_STR(symbol.name, "do_idle");
	CHECK_EQ(symbol.start, 0x100);
	symbol_reader_free(reader);
	symbolizer_unsubscribe(subscriber);
	symbolizer_free(symbolizer);
}

static void a_reader_survives_the_replacement_of_its_index(void)
{
	struct symbolizer *symbolizer = start("ten", NULL);
	struct build_id id = id_of("full");
	struct symbol_reader *reader;
	struct symbol before, after;

	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "dynamic"), 0);
	settle(symbolizer);
	CHECK_EQ(symbolizer_open(symbolizer, &id, &reader), 0);
	CHECK_EQ(symbol_reader_find(reader, hot_address, &before), 0);
	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
	settle(symbolizer);
	CHECK_EQ(symbol_reader_find(reader, hot_address, &after), 0);
	CHECK_STR(before.name, "hot");
	CHECK_STR(after.name, "hot");
	CHECK(counter(symbolizer, SYMBOL_COUNTER_WARM_BYTES) > 0);
	symbol_reader_free(reader);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_WARM_BYTES), 0);
	CHECK(counter(symbolizer, SYMBOL_COUNTER_WARM_EVICTED) > 0);
	symbolizer_free(symbolizer);
}

static void a_second_owner_of_the_folder_is_refused(void)
{
	struct symbolizer *symbolizer = start("eleven", NULL), *other = NULL;
	struct symbolizer_options options = {
		.folder = work_path("eleven"), .sandbox = &sandbox, .clock = {.read = read_now}};

	CHECK_EQ(symbolizer_new(&options, &other), -EBUSY);
	symbolizer_free(symbolizer);
	CHECK_EQ(symbolizer_new(&options, &other), 0);
	symbolizer_free(other);
}

static void a_torn_cache_is_moved_aside_and_made_again(void)
{
	struct symbolizer *symbolizer = start("twelve", NULL);
	struct build_id id = id_of("full");

	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
	settle(symbolizer);
	symbolizer_free(symbolizer);
	work_run("rm twelve/cache/closed-in-order && truncate -s 20000 twelve/cache/data.mdb");
	symbolizer = start("twelve", NULL);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_CACHE_MOVED), 1);
	check_hot(symbolizer, &id, NULL);
	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
	settle(symbolizer);
	check_hot(symbolizer, &id, "hot");
	symbolizer_free(symbolizer);
	work_run("test -f twelve/cache.damaged/data.mdb");
	/* Damage that is seen only when the file is opened. */
	work_run("head -c 100000 /dev/urandom > twelve/cache/data.mdb");
	symbolizer = start("twelve", NULL);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_CACHE_MOVED), 1);
	symbolizer_free(symbolizer);
}

static void a_cache_whose_owner_was_killed_is_checked_and_kept(void)
{
	struct build_id id = id_of("full");
	struct symbolizer *symbolizer;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		symbolizer = start("thirteen", NULL);
		CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
		settle(symbolizer);
		raise(SIGKILL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status));
	symbolizer = start("thirteen", NULL);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_CACHE_MOVED), 0);
	check_hot(symbolizer, &id, "hot");
	symbolizer_free(symbolizer);
}

/* Starts a server that does not live long. */
static void start_and_die(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		start("crashing", NULL);
		raise(SIGKILL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status));
}

static void a_cache_that_ends_every_server_does_so_a_few_times_only(void)
{
	struct symbolizer *symbolizer;

	for (int i = 0; i < 6; i++)
		start_and_die();
	symbolizer = start("crashing", NULL);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_CACHE_MOVED), 1);
	symbolizer_free(symbolizer);
	/* Whoever ends in order begins to count anew. */
	for (int i = 0; i < 5; i++)
		start_and_die();
	symbolizer = start("crashing", NULL);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_CACHE_MOVED), 0);
	symbolizer_free(symbolizer);
}

static bool count_visited(void *context, const struct symbol_module_state *state)
{
	CHECK(*state->text);
	++*(int *)context;
	return true;
}

static void every_module_has_a_state_to_show(void)
{
	struct fake_source fake = fake_of(NULL, NULL);
	struct symbolizer *symbolizer = start("fourteen", &fake);
	struct symbol_module_state state;
	struct build_id id = id_of("full"), unknown;
	int visited = 0;

	CHECK_EQ(build_id_make(BUILD_ID_GO, "x", 1, &unknown), 0);
	CHECK_EQ(symbolizer_module_state(symbolizer, &unknown, &state), -ENOENT);
	note(symbolizer, 1, &id);
	settle(symbolizer);
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	CHECK_STR(state.text,
		"no names; debuginfod does not have it; an upload is wanted from a collector");
	CHECK(state.pending);
	CHECK_STR(state.name, "truth");
	symbolizer_visit_modules(symbolizer, count_visited, &visited);
	CHECK_EQ(visited, 1);
	CHECK_EQ(upload_bytes(symbolizer, NULL, &id, "full"), 0);
	settle(symbolizer);
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	CHECK(strncmp(state.text, "named by DWARF, ", 16) == 0);
	CHECK(!state.pending);
	symbolizer_free(symbolizer);
}

int main(int argc, char **argv)
{
	int hidden = symbolizer_hidden_main(argc, argv);
	SCOPED_FREE char *address = NULL;

	if (hidden >= 0)
		return hidden;
	CHECK_EQ(sandbox_init(&sandbox), 0);
	work_write_text("p.c",
		"__attribute__((noinline)) int hot(int n) { volatile int s = 0;\n"
		"	for (int i = 0; i < n; i++) s += i; return s; }\n"
		"int main(int c, char **v) { (void)v; return hot(c); }\n");
	work_run("gcc -O1 -g -rdynamic -o full p.c");
	work_run("objcopy --only-keep-debug full debug && objcopy --strip-all full dynamic");
	address = work_output("nm full | awk '$3 == \"hot\" { print $1 }'");
	hot_address = strtoull(address, NULL, 16);
	RUN(a_module_that_debuginfod_has_is_named_without_an_upload);
	RUN(what_debuginfod_lacks_one_collector_is_asked_for);
	RUN(a_request_goes_on_when_its_collector_leaves_or_sleeps);
	RUN(a_stripped_upload_does_not_stop_debuginfod);
	RUN(a_dead_debuginfod_is_asked_little_and_keeps_nobody_waiting);
	RUN(files_of_no_use_cost_their_module_only);
	RUN(a_page_in_place_of_a_debug_file_is_no_debug_file);
	RUN(uploads_that_break_the_rules_are_refused);
	RUN(a_person_may_upload_what_nobody_asked_for);
	RUN(kernel_symbols_are_wanted_and_named);
	RUN(a_reader_survives_the_replacement_of_its_index);
	RUN(a_second_owner_of_the_folder_is_refused);
	RUN(a_torn_cache_is_moved_aside_and_made_again);
	RUN(a_cache_whose_owner_was_killed_is_checked_and_kept);
	RUN(a_cache_that_ends_every_server_does_so_a_few_times_only);
	RUN(every_module_has_a_state_to_show);
	sandbox_done(&sandbox);
	return 0;
}
