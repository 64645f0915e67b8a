/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/lmdb_env.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct lmdb_span span(const char *text)
{
	return (struct lmdb_span){.bytes = text, .byte_count = strlen(text)};
}

static struct lmdb_env *open_env(const char *folder, uint64_t map_bytes, uint32_t reader_max)
{
	struct lmdb_options options = {
		.folder = work_path("%s", folder),
		.map_bytes = map_bytes,
		.table_max = 4,
		.reader_max = reader_max,
	};
	struct lmdb_env *env;

	work_run("mkdir -p %s", folder);
	CHECK_EQ(lmdb_env_new(&options, &env), 0);
	return env;
}

static void put(struct lmdb_env *env, uint32_t table, const char *key, const char *value)
{
	struct lmdb_txn *txn;

	CHECK_EQ(lmdb_write_begin(env, &txn), 0);
	CHECK_EQ(lmdb_put(txn, table, span(key), span(value)), 0);
	CHECK_EQ(lmdb_write_commit(txn), 0);
}

static void values_are_there_after_a_reopening(void)
{
	struct lmdb_env *env = open_env("plain", 1 << 20, 8);
	struct lmdb_span value;
	struct lmdb_txn *txn;
	uint32_t table;

	CHECK_EQ(lmdb_table_open(env, "t", &table), 0);
	put(env, table, "one", "1");
	put(env, table, "one", "eins");
	lmdb_env_free(env);
	env = open_env("plain", 1 << 20, 8);
	CHECK_EQ(lmdb_table_open(env, "t", &table), 0);
	CHECK_EQ(lmdb_read_begin(env, &txn), 0);
	CHECK_EQ(lmdb_get(txn, table, span("one"), &value), 0);
	CHECK_EQ(value.byte_count, 4);
	CHECK(memcmp(value.bytes, "eins", 4) == 0);
	CHECK_EQ(lmdb_get(txn, table, span("two"), &value), -ENOENT);
	lmdb_read_end(txn);
	lmdb_env_free(env);
}

static void an_aborted_transaction_leaves_nothing(void)
{
	struct lmdb_env *env = open_env("abort", 1 << 20, 8);
	struct lmdb_span value;
	struct lmdb_txn *txn;
	uint32_t table;

	CHECK_EQ(lmdb_table_open(env, "t", &table), 0);
	CHECK_EQ(lmdb_write_begin(env, &txn), 0);
	CHECK_EQ(lmdb_put(txn, table, span("k"), span("v")), 0);
	lmdb_write_abort(txn);
	CHECK_EQ(lmdb_read_begin(env, &txn), 0);
	CHECK_EQ(lmdb_get(txn, table, span("k"), &value), -ENOENT);
	lmdb_read_end(txn);
	lmdb_env_free(env);
}

static int join_keys(void *context, struct lmdb_span key, struct lmdb_span value)
{
	char *text = context;

	(void)value;
	strncat(text, key.bytes, key.byte_count);
	return strlen(text) >= 3 ? -EINTR : 0;
}

static void cursors_walk_in_order_of_keys(void)
{
	struct lmdb_env *env = open_env("cursor", 1 << 20, 8);
	struct lmdb_span key, value;
	struct lmdb_cursor *cursor;
	struct lmdb_txn *txn;
	char text[16] = "";
	uint32_t table;
	uint64_t count;

	CHECK_EQ(lmdb_table_open(env, "t", &table), 0);
	put(env, table, "c", "3");
	put(env, table, "a", "1");
	put(env, table, "b", "2");
	CHECK_EQ(lmdb_read_begin(env, &txn), 0);
	CHECK_EQ(lmdb_count(txn, table, &count), 0);
	CHECK_EQ(count, 3);
	CHECK_EQ(lmdb_cursor_new(txn, table, &cursor), 0);
	CHECK_EQ(lmdb_cursor_seek(cursor, span("aa"), &key, &value), 0);
	CHECK(memcmp(key.bytes, "b", 1) == 0);
	CHECK_EQ(lmdb_cursor_next(cursor, &key, &value), 0);
	CHECK(memcmp(value.bytes, "3", 1) == 0);
	CHECK_EQ(lmdb_cursor_next(cursor, &key, &value), -ENOENT);
	CHECK_EQ(lmdb_cursor_seek(cursor, span(""), &key, &value), 0);
	CHECK(memcmp(key.bytes, "a", 1) == 0);
	CHECK_EQ(lmdb_cursor_last(cursor, &key, &value), 0);
	CHECK(memcmp(key.bytes, "c", 1) == 0);
	CHECK_EQ(lmdb_cursor_seek(cursor, span("d"), &key, &value), -ENOENT);
	lmdb_cursor_free(cursor);
	CHECK_EQ(lmdb_visit(txn, table, join_keys, text), -EINTR);
	CHECK_STR(text, "abc");
	lmdb_read_end(txn);
	lmdb_env_free(env);
}

static void a_full_map_says_so_and_room_that_is_made_is_used(void)
{
	static uint8_t block[100000];
	struct lmdb_env *env = open_env("full", 1 << 20, 8);
	struct lmdb_txn *txn;
	uint32_t table, kept = 0;
	char key[16];
	int r = 0;

	CHECK_EQ(lmdb_table_open(env, "t", &table), 0);
	for (; r == 0; kept++) {
		snprintf(key, sizeof(key), "k%04u", kept);
		CHECK_EQ(lmdb_write_begin(env, &txn), 0);
		r = lmdb_put(txn, table, span(key), (struct lmdb_span){block, sizeof(block)});
		if (r == 0)
			r = lmdb_write_commit(txn);
		else
			lmdb_write_abort(txn);
	}
	CHECK_EQ(r, -ENOSPC);
	CHECK(kept > 4);
	for (int i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "k%04d", i);
		CHECK_EQ(lmdb_write_begin(env, &txn), 0);
		CHECK_EQ(lmdb_delete(txn, table, span(key)), 0);
		CHECK_EQ(lmdb_write_commit(txn), 0);
	}
	CHECK_EQ(lmdb_write_begin(env, &txn), 0);
	CHECK_EQ(lmdb_put(txn, table, span("again"), (struct lmdb_span){block, sizeof(block)}), 0);
	CHECK_EQ(lmdb_write_commit(txn), 0);
	lmdb_env_free(env);
}

struct reader {
	struct lmdb_env *env;
	uint32_t table;
};

static void *read_often(void *context)
{
	const struct reader *reader = context;

	for (int i = 0; i < 20; i++) {
		struct lmdb_span value;
		struct lmdb_txn *txn;

		CHECK_EQ(lmdb_read_begin(reader->env, &txn), 0);
		CHECK_EQ(lmdb_get(txn, reader->table, span("k"), &value), 0);
		lmdb_read_end(txn);
	}
	return NULL;
}

static void three_hundred_threads_read_at_a_time(void)
{
	struct lmdb_env *env = open_env("threads", 1 << 20, 512);
	struct reader reader = {.env = env};
	pthread_t threads[300];

	CHECK_EQ(lmdb_table_open(env, "t", &reader.table), 0);
	put(env, reader.table, "k", "v");
	for (size_t i = 0; i < 300; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, read_often, &reader), 0);
	for (size_t i = 0; i < 300; i++)
		pthread_join(threads[i], NULL);
	lmdb_env_free(env);
}

static void more_readers_than_slots_are_refused_not_lost(void)
{
	struct lmdb_env *env = open_env("slots", 1 << 20, 2);
	struct lmdb_txn *first, *second, *third;

	CHECK_EQ(lmdb_read_begin(env, &first), 0);
	CHECK_EQ(lmdb_read_begin(env, &second), 0);
	CHECK_EQ(lmdb_read_begin(env, &third), -EUSERS);
	lmdb_read_end(second);
	CHECK_EQ(lmdb_read_begin(env, &third), 0);
	lmdb_read_end(third);
	lmdb_read_end(first);
	lmdb_env_free(env);
}

/* A process that opens the environment, begins to read and is killed. */
static void leave_a_dead_reader(const char *folder)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct lmdb_env *env = open_env(folder, 1 << 20, 2);
		struct lmdb_txn *txn;

		CHECK_EQ(lmdb_read_begin(env, &txn), 0);
		raise(SIGKILL);
	}
	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void slots_of_dead_readers_are_freed(void)
{
	struct lmdb_env *env;
	struct lmdb_txn *first, *second;
	struct lmdb_usage usage;
	uint32_t freed_count = 0;

	work_run("mkdir -p dead");
	env = open_env("dead", 1 << 20, 2);
	/* Forked before this process has a transaction; the child opens an environment of its own.
	 */
	leave_a_dead_reader("dead");
	leave_a_dead_reader("dead");
	/* Both slots are taken by the dead: beginning to read frees them. */
	CHECK_EQ(lmdb_read_begin(env, &first), 0);
	CHECK_EQ(lmdb_read_begin(env, &second), 0);
	lmdb_read_end(second);
	lmdb_read_end(first);
	CHECK_EQ(lmdb_env_check_readers(env, &freed_count), 0);
	CHECK_EQ(lmdb_env_usage(env, &usage), 0);
	CHECK_EQ(usage.reader_max, 2);
	lmdb_env_free(env);
}

static void a_map_larger_than_the_address_space_allows_is_made_smaller(void)
{
	SCOPED_FREE char *used_pages = work_output("cut -d' ' -f1 /proc/%d/statm", getpid());
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		/* Room for 1 GiB beyond what a sanitizer may have taken already. */
		rlim_t bytes = (rlim_t)strtoull(used_pages, NULL, 10) * 4096 + ((rlim_t)1 << 30);
		struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
		struct lmdb_usage usage;
		struct lmdb_env *env;

		CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
		env = open_env("small", UINT64_C(1) << 40, 8);
		CHECK_EQ(lmdb_env_usage(env, &usage), 0);
		CHECK(usage.map_bytes <= (UINT64_C(1) << 30));
		lmdb_env_free(env);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static void what_is_no_environment_is_refused(void)
{
	struct lmdb_options options = {
		.folder = work_path("odd"), .map_bytes = 1 << 20, .table_max = 4, .reader_max = 8};
	struct lmdb_env *env = NULL;

	CHECK_EQ(lmdb_env_new(&options, &env), -ENOENT);
	work_run("mkdir odd && head -c 100000 /dev/urandom > odd/data.mdb");
	CHECK_EQ(lmdb_env_new(&options, &env), -EUCLEAN);
	CHECK(!env);
}

static void a_read_only_environment_makes_nothing(void)
{
	struct lmdb_options options = {.folder = work_path("plain"),
		.map_bytes = 1 << 20,
		.table_max = 4,
		.reader_max = 8,
		.read_only = true};
	struct lmdb_env *env;
	uint32_t table;

	CHECK_EQ(lmdb_env_new(&options, &env), 0);
	CHECK_EQ(lmdb_table_open(env, "t", &table), 0);
	CHECK_EQ(lmdb_table_open(env, "new", &table), -ENOENT);
	lmdb_env_free(env);
}

int main(void)
{
	RUN(values_are_there_after_a_reopening);
	RUN(an_aborted_transaction_leaves_nothing);
	RUN(cursors_walk_in_order_of_keys);
	RUN(a_full_map_says_so_and_room_that_is_made_is_used);
	RUN(more_readers_than_slots_are_refused_not_lost);
	RUN(slots_of_dead_readers_are_freed);
	RUN(what_is_no_environment_is_refused);
	RUN(a_read_only_environment_makes_nothing);
	RUN(three_hundred_threads_read_at_a_time);
	RUN(a_map_larger_than_the_address_space_allows_is_made_smaller);
	return 0;
}
