/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/store_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct store_dir opened(const char *name)
{
	char problem[STORE_PROBLEM_BYTES] = "";
	struct store_dir dir;
	int r = store_dir_open(&dir, work_path("%s", name), false, problem);

	CHECK_STR(problem, "");
	CHECK_EQ(r, 0);
	return dir;
}

static void only_names_of_log_files_are_listed_and_in_order(void)
{
	struct store_dir dir = opened("listed");
	uint64_t *numbers;
	size_t count;

	CHECK_EQ(store_dir_list(&dir, STORE_LOG, &numbers, &count), 0);
	CHECK_EQ(count, 0);
	free(numbers);
	work_run("cd listed/profiles && touch 0000000010.log 0000000002.log 12345678901.log "
		 "2.log 0000000003.log.old x0000000004.log 0000000005.torn '0000000006.log ' "
		 "00000000007.log 18446744073709551615.log 18446744073709551616.log");
	CHECK_EQ(store_dir_list(&dir, STORE_LOG, &numbers, &count), 0);
	CHECK_EQ(count, 3);
	CHECK_EQ(numbers[0], 2);
	CHECK_EQ(numbers[1], 10);
	CHECK_EQ(numbers[2], 12345678901);
	free(numbers);
	store_dir_close(&dir);
	store_dir_close(&dir);
}

static void many_files_are_listed(void)
{
	struct store_dir dir = opened("many");
	uint64_t *numbers;
	size_t count;

	work_run("cd many/profiles && for i in $(seq 1000); do : >$(printf %%010d.log $i); done");
	CHECK_EQ(store_dir_list(&dir, STORE_LOG, &numbers, &count), 0);
	CHECK_EQ(count, 1000);
	for (size_t i = 0; i < count; i++)
		CHECK_EQ(numbers[i], i + 1);
	free(numbers);
	store_dir_close(&dir);
}

static void a_cut_tail_is_set_aside_and_goes_with_its_file(void)
{
	struct store_dir dir = opened("cut");
	int fd;

	work_run("printf 'keep and cut' >cut/profiles/0000000001.log");
	CHECK_EQ(store_dir_open_file(&dir, STORE_LOG, 1, true, &fd), 0);
	CHECK_EQ(store_dir_cut_tail(&dir, 1, fd, 4), 0);
	close(fd);
	CHECK_EQ(work_try("test \"$(cat cut/profiles/0000000001.log)\" = keep"), 0);
	CHECK_EQ(work_try("test \"$(cat cut/profiles/0000000001.torn)\" = ' and cut'"), 0);
	CHECK_EQ(store_dir_remove(&dir, STORE_LOG, 1), 0);
	CHECK_EQ(work_try("test -z \"$(ls cut/profiles)\""), 0);
	CHECK_EQ(store_dir_remove(&dir, STORE_LOG, 1), 0);
	CHECK_EQ(store_dir_open_file(&dir, STORE_LOG, 1, false, &fd), -ENOENT);
	store_dir_close(&dir);
}

static void links_are_not_followed(void)
{
	struct store_dir dir = opened("links");
	int fd;

	work_run("echo secret >target && ln -s ../../target links/profiles/0000000001.log");
	CHECK_EQ(store_dir_open_file(&dir, STORE_LOG, 1, false, &fd), -ELOOP);
	store_dir_close(&dir);
}

static void a_segment_has_its_name_when_it_is_whole(void)
{
	struct store_dir dir = opened("segment");
	uint64_t *numbers;
	size_t count;
	int fd;

	CHECK_EQ(store_dir_begin_segment(&dir, 7, &fd), 0);
	close(fd);
	CHECK_EQ(store_dir_begin_segment(&dir, 7, &fd), -EEXIST);
	CHECK_EQ(store_dir_open_file(&dir, STORE_SEGMENT, 7, false, &fd), -ENOENT);
	CHECK_EQ(store_dir_list(&dir, STORE_UNFINISHED, &numbers, &count), 0);
	CHECK_EQ(count, 1);
	CHECK_EQ(numbers[0], 7);
	free(numbers);
	CHECK_EQ(store_dir_publish_segment(&dir, 7), 0);
	CHECK_EQ(store_dir_publish_segment(&dir, 7), -ENOENT);
	CHECK_EQ(store_dir_open_file(&dir, STORE_SEGMENT, 7, false, &fd), 0);
	close(fd);
	CHECK_EQ(store_dir_list(&dir, STORE_LOG, &numbers, &count), 0);
	CHECK_EQ(count, 0);
	free(numbers);
	/* What was cut off a log of that number is not the segment's. */
	work_run("touch segment/profiles/0000000007.torn");
	CHECK_EQ(store_dir_remove(&dir, STORE_SEGMENT, 7), 0);
	CHECK_EQ(work_try("test \"$(ls segment/profiles)\" = 0000000007.torn"), 0);
	store_dir_close(&dir);
}

static void an_older_format_becomes_the_present_one(void)
{
	struct store_dir dir = opened("older");
	char problem[STORE_PROBLEM_BYTES];

	store_dir_close(&dir);
	work_write_text("older/format", "cairn data folder, format 1\n");
	CHECK_EQ(store_dir_open(&dir, work_path("older"), true, problem), 0);
	store_dir_close(&dir);
	CHECK_EQ(work_try("grep -q 'format 1$' older/format"), 0);
	dir = opened("older");
	store_dir_close(&dir);
	CHECK_EQ(work_try("grep -q 'format 2$' older/format"), 0);
}

/* The format file is there whole or not at all. */
static void the_format_is_written_once_and_checked_after(void)
{
	struct store_dir dir = opened("format");
	char problem[STORE_PROBLEM_BYTES];

	store_dir_close(&dir);
	CHECK_EQ(work_try("test \"$(cat format/format)\" = 'cairn data folder, format 2'"), 0);
	CHECK_EQ(work_try("test -e format/format.new"), 1);
	work_write_text("format/format", "cairn data folder, format 12\n");
	CHECK_EQ(store_dir_open(&dir, work_path("format"), false, problem), -ENOTSUP);
	work_write_text("format/format", "");
	CHECK_EQ(store_dir_open(&dir, work_path("format"), false, problem), -ENOTSUP);
	work_run("rm format/format");
	CHECK_EQ(store_dir_open(&dir, work_path("format"), true, problem), -ENOENT);
	dir = opened("format");
	store_dir_close(&dir);
}

int main(void)
{
	RUN(only_names_of_log_files_are_listed_and_in_order);
	RUN(many_files_are_listed);
	RUN(a_cut_tail_is_set_aside_and_goes_with_its_file);
	RUN(links_are_not_followed);
	RUN(a_segment_has_its_name_when_it_is_whole);
	RUN(an_older_format_becomes_the_present_one);
	RUN(the_format_is_written_once_and_checked_after);
	return 0;
}
