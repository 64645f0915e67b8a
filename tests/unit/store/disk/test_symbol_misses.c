/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/symbol_misses.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static uint64_t now_ns = NS_PER_S;

static struct clock_reading read_now(void *context)
{
	(void)context;
	return (struct clock_reading){.realtime_ns = now_ns};
}

static struct lmdb_env *open_misses(struct symbol_misses *ret_misses)
{
	struct lmdb_options options = {.folder = work_path("misses"),
		.map_bytes = 1 << 20,
		.table_max = 4,
		.reader_max = 4};
	struct lmdb_env *env;

	work_run("mkdir -p misses");
	CHECK_EQ(lmdb_env_new(&options, &env), 0);
	CHECK_EQ(symbol_misses_open(ret_misses, env, (struct clock){.read = read_now}), 0);
	return env;
}

static struct build_id id_of(uint32_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, sizeof(n), &id), 0);
	return id;
}

static int find(struct symbol_misses *misses, uint8_t source, uint32_t n)
{
	struct build_id id = id_of(n);
	uint32_t reason = 0;
	uint64_t until_ns = 0;
	int r = symbol_misses_find(misses, source, &id, &reason, &until_ns);

	return r < 0 ? r : (int)reason;
}

static void note(struct symbol_misses *misses, uint8_t source, uint32_t n, uint32_t reason,
	uint64_t until_ns)
{
	struct build_id id = id_of(n);

	CHECK_EQ(symbol_misses_note(misses, source, &id, reason, until_ns), 0);
}

static void each_source_has_its_own_and_the_last_word_holds(void)
{
	struct symbol_misses misses;
	struct lmdb_env *env = open_misses(&misses);

	CHECK_EQ(find(&misses, 1, 1), -ENOENT);
	note(&misses, 1, 1, 11, 2 * NS_PER_S);
	note(&misses, 2, 1, 12, 2 * NS_PER_S);
	CHECK_EQ(find(&misses, 1, 1), 11);
	CHECK_EQ(find(&misses, 2, 1), 12);
	CHECK_EQ(find(&misses, 1, 2), -ENOENT);
	note(&misses, 1, 1, 13, 2 * NS_PER_S);
	CHECK_EQ(find(&misses, 1, 1), 13);
	lmdb_env_free(env);
}

static void what_is_known_outlives_the_program_until_its_time(void)
{
	struct symbol_misses misses;
	struct lmdb_env *env = open_misses(&misses);

	note(&misses, 1, 3, 14, 2 * NS_PER_S);
	lmdb_env_free(env);
	env = open_misses(&misses);
	now_ns = 2 * NS_PER_S - 1;
	CHECK_EQ(find(&misses, 1, 3), 14);
	now_ns = 2 * NS_PER_S;
	CHECK_EQ(find(&misses, 1, 3), -ENOENT);
	/* Not only passed over: a clock that is set back brings nothing back. */
	now_ns = NS_PER_S;
	CHECK_EQ(find(&misses, 1, 3), -ENOENT);
	lmdb_env_free(env);
}

static void forgetting_is_of_one_and_never_fails_for_none(void)
{
	struct build_id one = id_of(5);
	struct symbol_misses misses;
	struct lmdb_env *env = open_misses(&misses);

	note(&misses, 1, 5, 15, 2 * NS_PER_S);
	note(&misses, 1, 6, 16, 2 * NS_PER_S);
	CHECK_EQ(symbol_misses_forget(&misses, 1, &one), 0);
	CHECK_EQ(symbol_misses_forget(&misses, 1, &one), 0);
	CHECK_EQ(find(&misses, 1, 5), -ENOENT);
	CHECK_EQ(find(&misses, 1, 6), 16);
	lmdb_env_free(env);
}

int main(void)
{
	RUN(each_source_has_its_own_and_the_last_word_holds);
	RUN(what_is_known_outlives_the_program_until_its_time);
	RUN(forgetting_is_of_one_and_never_fails_for_none);
	return 0;
}
