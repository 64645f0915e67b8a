/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/upload_spool.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct build_id id_of(const char *text)
{
	struct build_id id;

	CHECK_EQ(build_id_parse(text, strlen(text), &id), 0);
	return id;
}

static void files_bear_the_name_of_their_id(void)
{
	struct build_id gnu = id_of("00ff"), go = id_of("go-0102");
	struct upload_file one, two;
	struct upload_spool spool;

	work_run("mkdir spool");
	CHECK_EQ(upload_spool_init(&spool, work_path("spool"), 100), 0);
	CHECK_EQ(upload_file_begin(&spool, &gnu, "", 0, &one), 0);
	CHECK_EQ(upload_file_begin(&spool, &go, "", 0, &two), 0);
	CHECK_EQ(upload_file_append(&spool, &one, "hello ", 6), 0);
	CHECK_EQ(upload_file_append(&spool, &one, "world", 5), 0);
	work_run("test \"$(cat spool/00ff)\" = 'hello world' && test -f spool/go-0102");
	CHECK_EQ(upload_file_begin(&spool, &gnu, "", 0, &two), -EEXIST);
	upload_file_remove(&spool, &one);
	upload_file_remove(&spool, &one);
	CHECK_EQ(atomic_load(&spool.byte_count), 0);
	work_run("test ! -e spool/00ff");
	upload_file_remove(&spool, &two);
	upload_spool_done(&spool);
}

static void limits_hold_for_one_file_and_for_all(void)
{
	struct build_id one_id = id_of("01"), two_id = id_of("02");
	struct upload_file one, two;
	struct upload_spool spool;

	CHECK_EQ(upload_spool_init(&spool, work_path("spool"), 10), 0);
	spool.bytes_max = 15;
	CHECK_EQ(upload_file_begin(&spool, &one_id, "", 11, &one), -EFBIG);
	CHECK_EQ(upload_file_begin(&spool, &one_id, "", 5, &one), 0);
	CHECK_EQ(upload_file_append(&spool, &one, "123456", 6), -EFBIG);
	CHECK_EQ(upload_file_append(&spool, &one, "12345", 5), 0);
	CHECK_EQ(upload_file_append(&spool, &one, "1", 1), -EFBIG);
	upload_file_remove(&spool, &one);
	CHECK_EQ(upload_file_begin(&spool, &one_id, "", 0, &one), 0);
	CHECK_EQ(upload_file_begin(&spool, &two_id, "", 0, &two), 0);
	CHECK_EQ(upload_file_append(&spool, &one, "1234567890", 10), 0);
	CHECK_EQ(upload_file_append(&spool, &two, "123456", 6), -ENOSPC);
	CHECK_EQ(upload_file_append(&spool, &two, "12345", 5), 0);
	upload_file_remove(&spool, &one);
	upload_file_remove(&spool, &two);
	CHECK_EQ(atomic_load(&spool.byte_count), 0);
	upload_spool_done(&spool);
}

static void what_a_full_disk_took_of_a_piece_is_taken_back(void)
{
	struct build_id id = id_of("04");
	struct upload_spool spool;
	struct upload_file file;
	struct rlimit before, limit;

	CHECK_EQ(upload_spool_init(&spool, work_path("spool"), 100), 0);
	CHECK_EQ(upload_file_begin(&spool, &id, "", 0, &file), 0);
	CHECK_EQ(upload_file_append(&spool, &file, "hello ", 6), 0);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 8;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	CHECK_EQ(upload_file_append(&spool, &file, "world", 5), -EFBIG);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	CHECK_EQ(file.byte_count, 6);
	CHECK_EQ(atomic_load(&spool.byte_count), 6);
	work_run("test \"$(cat spool/04)\" = 'hello '");
	CHECK_EQ(upload_file_append(&spool, &file, "world", 5), 0);
	work_run("test \"$(cat spool/04)\" = 'hello world'");
	upload_file_remove(&spool, &file);
	CHECK_EQ(atomic_load(&spool.byte_count), 0);
	upload_spool_done(&spool);
}

static void leftovers_of_an_earlier_run_are_removed(void)
{
	struct upload_spool spool;

	work_run("mkdir left && echo x > left/00ff && mkdir left/folder");
	CHECK_EQ(upload_spool_init(&spool, work_path("left"), 10), 0);
	work_run("test ! -e left/00ff && test -d left/folder");
	upload_spool_done(&spool);
	CHECK_EQ(upload_spool_init(&spool, work_path("absent"), 10), -ENOENT);
}

static void a_link_that_lies_in_wait_is_not_followed(void)
{
	struct build_id id = id_of("03");
	struct upload_spool spool;
	struct upload_file file;

	CHECK_EQ(upload_spool_init(&spool, work_path("spool"), 10), 0);
	work_run("echo keep > precious && ln -s ../precious spool/03");
	CHECK_EQ(upload_file_begin(&spool, &id, "", 0, &file), -EEXIST);
	work_run("test \"$(cat precious)\" = keep");
	CHECK_EQ(upload_file_begin(&spool, &(struct build_id){0}, "", 0, &file), -EINVAL);
	upload_spool_done(&spool);
}

int main(void)
{
	RUN(files_bear_the_name_of_their_id);
	RUN(limits_hold_for_one_file_and_for_all);
	RUN(what_a_full_disk_took_of_a_piece_is_taken_back);
	RUN(leftovers_of_an_earlier_run_are_removed);
	RUN(a_link_that_lies_in_wait_is_not_followed);
	return 0;
}
