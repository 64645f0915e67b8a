/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_cache.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "store/base/cleanup.h"
#include "store/disk/symbol_check.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static uint64_t now_ns = NS_PER_S;

static struct clock_reading read_now(void *context)
{
	(void)context;
	return (struct clock_reading){.realtime_ns = now_ns};
}

static struct symbol_cache *open_cache(const char *folder, uint64_t bytes_max)
{
	struct symbol_cache_options options = {.folder = work_path("%s", folder),
		.bytes_max = bytes_max,
		.clock = {.read = read_now}};
	struct symbol_cache *cache;

	work_run("mkdir -p %s", folder);
	CHECK_EQ(symbol_cache_new(&options, &cache), 0);
	return cache;
}

static struct build_id id_of(uint32_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
	return id;
}

/* Chunk I of a source is CHUNK_BYTES bytes of the value SEED + I. */
struct source {
	uint8_t seed;
	uint32_t chunk_bytes;
	int fail_at; /* this chunk cannot be read; -1: none */
};

static int read_source(void *context, uint32_t chunk, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	const struct source *source = context;

	if ((int)chunk == source->fail_at)
		return -EIO;
	memset(ret_bytes, source->seed + (int)chunk, source->chunk_bytes);
	*ret_byte_count = source->chunk_bytes;
	return 0;
}

static int store(struct symbol_cache *cache, uint32_t n, struct source source, uint32_t chunk_count)
{
	struct symbol_cache_index index = {
		.id = id_of(n),
		.quality = 30,
		.parser_version = 7,
		.chunk_count = chunk_count,
		.byte_count = (uint64_t)chunk_count * source.chunk_bytes,
		.read = read_source,
		.context = &source,
	};

	return symbol_cache_store(cache, &index);
}

/* The last bytes of the chunks as one number; -1 if the module is not there. */
static long long contents(struct symbol_cache *cache, uint32_t n)
{
	struct build_id id = id_of(n);
	struct symbol_cache_entry entry;
	long long sum = 0;

	if (symbol_cache_find(cache, &id, &entry) < 0)
		return -1;
	CHECK_EQ(entry.quality, 30);
	CHECK_EQ(entry.parser_version, 7);
	for (uint32_t i = 0; i < entry.chunk_count; i++) {
		uint8_t *bytes;
		uint32_t byte_count;

		if (symbol_cache_read(cache, &entry, i, &bytes, &byte_count) < 0)
			return -2;
		sum = (sum * 100 + bytes[byte_count - 1]) % 1000000007;
		free(bytes);
	}
	return sum;
}

static void what_is_stored_is_there_after_a_reopening(void)
{
	struct symbol_cache *cache = open_cache("plain", 1 << 20);

	CHECK_EQ(store(cache, 1, (struct source){10, 5, -1}, 3), 0);
	CHECK_EQ(store(cache, 2, (struct source){50, SYMBOL_CACHE_CHUNK_BYTES_MAX, -1}, 1), 0);
	CHECK_EQ(contents(cache, 1), 101112);
	symbol_cache_free(cache);
	cache = open_cache("plain", 1 << 20);
	CHECK_EQ(contents(cache, 1), 101112);
	CHECK_EQ(contents(cache, 2), 50);
	CHECK_EQ(contents(cache, 3), -1);
	symbol_cache_free(cache);
}

static void a_new_index_replaces_the_old_one_whole(void)
{
	struct symbol_cache *cache = open_cache("replace", 1 << 20);
	struct build_id id = id_of(1);
	struct symbol_cache_entry old;
	uint32_t byte_count;
	uint8_t *bytes;

	CHECK_EQ(store(cache, 1, (struct source){10, 5, -1}, 3), 0);
	CHECK_EQ(symbol_cache_find(cache, &id, &old), 0);
	CHECK_EQ(store(cache, 1, (struct source){20, 5, -1}, 2), 0);
	CHECK_EQ(contents(cache, 1), 2021);
	/* Whoever holds the old entry is told to look again. */
	CHECK_EQ(symbol_cache_read(cache, &old, 0, &bytes, &byte_count), -ENOENT);
	symbol_cache_free(cache);
}

static void a_store_that_fails_leaves_the_old_index(void)
{
	struct symbol_cache *cache = open_cache("fails", 64 << 20);

	CHECK_EQ(store(cache, 1, (struct source){10, 5, -1}, 3), 0);
	CHECK_EQ(store(cache, 1, (struct source){20, SYMBOL_CACHE_CHUNK_BYTES_MAX, 30}, 40), -EIO);
	CHECK_EQ(contents(cache, 1), 101112);
	symbol_cache_free(cache);
}

static void the_least_recently_used_make_way(void)
{
	struct symbol_cache *cache = open_cache("evict", 1000);
	struct symbol_cache_usage usage;

	for (uint32_t n = 0; n < 10; n++) {
		now_ns += NS_PER_S;
		CHECK_EQ(store(cache, n, (struct source){10, 100, -1}, 1), 0);
	}
	now_ns += NS_PER_S;
	CHECK_EQ(contents(cache, 0), 10);
	CHECK_EQ(store(cache, 10, (struct source){10, 100, -1}, 1), 0);
	CHECK_EQ(contents(cache, 0), 10);
	CHECK_EQ(contents(cache, 1), -1);
	symbol_cache_usage(cache, &usage);
	CHECK(usage.byte_count <= 1000);
	CHECK(usage.evicted_count > 0);
	CHECK_EQ(store(cache, 11, (struct source){10, 1001, -1}, 1), -ENOSPC);
	now_ns += NS_PER_S;
	CHECK_EQ(contents(cache, 0), 10);
	symbol_cache_free(cache);
	/* The order of use outlives a restart. */
	cache = open_cache("evict", 1000);
	now_ns += NS_PER_S;
	CHECK_EQ(store(cache, 12, (struct source){10, 800, -1}, 1), 0);
	CHECK_EQ(contents(cache, 0), 10);
	symbol_cache_free(cache);
}

static void a_map_that_is_full_before_the_limit_is_survived(void)
{
	/* The map is 64 MiB at least, four times the limit beyond that: fill it with replaced ones.
	 */
	struct symbol_cache *cache = open_cache("map", 16 << 20);

	for (uint32_t n = 0; n < 40; n++) {
		now_ns += NS_PER_S;
		CHECK_EQ(store(cache, n, (struct source){1, SYMBOL_CACHE_CHUNK_BYTES_MAX, -1}, 20),
			0);
		CHECK(contents(cache, n) > 0);
	}
	symbol_cache_free(cache);
}

static void damage_is_seen_and_costs_that_module(void)
{
	struct symbol_cache *cache = open_cache("damage", 1 << 20);
	struct symbol_cache_usage usage;
	size_t byte_count;
	SCOPED_FREE uint8_t *file = NULL;

	CHECK_EQ(store(cache, 1, (struct source){0x5a, 60000, -1}, 1), 0);
	CHECK_EQ(store(cache, 2, (struct source){0x33, 60000, -1}, 1), 0);
	symbol_cache_free(cache);
	file = work_read("damage/data.mdb", &byte_count);
	for (size_t i = 0; i + 1000 < byte_count; i++) {
		if (file[i] == 0x5a && memcmp(file + i, file + i + 1, 999) == 0) {
			file[i + 500] ^= 1;
			break;
		}
	}
	work_write("damage/data.mdb", file, byte_count);
	cache = open_cache("damage", 1 << 20);
	CHECK_EQ(contents(cache, 1), -2);
	CHECK_EQ(contents(cache, 1), -1);
	CHECK_EQ(contents(cache, 2), 0x33);
	symbol_cache_usage(cache, &usage);
	CHECK_EQ(usage.damaged_count, 1);
	symbol_cache_free(cache);
}

/* Runs ACTION in a process that is killed at the end of it. */
static void run_and_kill(void (*action)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		action();
		raise(SIGKILL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void store_two(void)
{
	struct symbol_cache *cache = open_cache("killed", 64 << 20);

	CHECK_EQ(store(cache, 1, (struct source){10, 5, -1}, 3), 0);
	/* Some of its transactions are in, the last is not. */
	CHECK_EQ(store(cache, 2, (struct source){20, SYMBOL_CACHE_CHUNK_BYTES_MAX, 30}, 40), -EIO);
}

static void a_killed_owner_is_noticed_and_its_remains_are_swept_out(void)
{
	struct symbol_cache *cache;
	struct symbol_cache_usage usage;

	work_run("mkdir killed");
	CHECK(symbol_cache_closed_in_order(work_path("killed")));
	run_and_kill(store_two);
	CHECK(!symbol_cache_closed_in_order(work_path("killed")));
	CHECK_EQ(symbol_check(work_path("killed")), 0);
	cache = open_cache("killed", 64 << 20);
	CHECK_EQ(contents(cache, 1), 101112);
	CHECK_EQ(contents(cache, 2), -1);
	symbol_cache_usage(cache, &usage);
	CHECK_EQ(usage.module_count, 1);
	CHECK(!symbol_cache_closed_in_order(work_path("killed")));
	symbol_cache_free(cache);
	CHECK(symbol_cache_closed_in_order(work_path("killed")));
}

static void a_torn_file_fails_the_check_or_kills_who_runs_it(void)
{
	struct symbol_cache *cache = open_cache("torn", 1 << 20);
	int status;
	pid_t pid;

	for (uint32_t n = 0; n < 20; n++)
		CHECK_EQ(store(cache, n, (struct source){1, 20000, -1}, 1), 0);
	symbol_cache_free(cache);
	work_run("truncate -s 40000 torn/data.mdb");
	pid = fork();
	if (pid == 0)
		_exit(symbol_check(work_path("torn")) == 0 ? 0 : 1);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(status != 0);
}

static void misses_last_as_long_as_they_were_said_to(void)
{
	struct symbol_cache *cache = open_cache("misses", 1 << 20);
	struct symbol_misses *misses = symbol_cache_misses(cache);
	struct build_id id = id_of(1), other = id_of(2);
	uint32_t reason;
	uint64_t until_ns;

	CHECK_EQ(symbol_misses_note(misses, 1, &id, 404, now_ns + 10), 0);
	CHECK_EQ(symbol_misses_find(misses, 1, &id, &reason, &until_ns), 0);
	CHECK_EQ(reason, 404);
	CHECK_EQ(until_ns, now_ns + 10);
	CHECK_EQ(symbol_misses_find(misses, 2, &id, &reason, &until_ns), -ENOENT);
	CHECK_EQ(symbol_misses_find(misses, 1, &other, &reason, &until_ns), -ENOENT);
	symbol_cache_free(cache);
	cache = open_cache("misses", 1 << 20);
	misses = symbol_cache_misses(cache);
	CHECK_EQ(symbol_misses_find(misses, 1, &id, &reason, &until_ns), 0);
	now_ns += 10;
	CHECK_EQ(symbol_misses_find(misses, 1, &id, &reason, &until_ns), -ENOENT);
	CHECK_EQ(symbol_misses_note(misses, 1, &id, 1, now_ns + 10), 0);
	CHECK_EQ(symbol_misses_forget(misses, 1, &id), 0);
	CHECK_EQ(symbol_misses_forget(misses, 1, &id), 0);
	CHECK_EQ(symbol_misses_find(misses, 1, &id, &reason, &until_ns), -ENOENT);
	symbol_cache_free(cache);
}

int main(void)
{
	RUN(what_is_stored_is_there_after_a_reopening);
	RUN(a_new_index_replaces_the_old_one_whole);
	RUN(a_store_that_fails_leaves_the_old_index);
	RUN(the_least_recently_used_make_way);
	RUN(a_map_that_is_full_before_the_limit_is_survived);
	RUN(damage_is_seen_and_costs_that_module);
	RUN(a_killed_owner_is_noticed_and_its_remains_are_swept_out);
	RUN(a_torn_file_fails_the_check_or_kills_who_runs_it);
	RUN(misses_last_as_long_as_they_were_said_to);
	return 0;
}
