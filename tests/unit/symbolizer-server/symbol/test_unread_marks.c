/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/unread_marks.h"

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct build_id id_of(uint8_t n)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, 1, &id), 0);
	return id;
}

static struct unread_marks open_marks(void)
{
	struct unread_marks marks;

	CHECK_EQ(unread_marks_init(&marks, work_path("unread")), 0);
	return marks;
}

static uint32_t old_count(const struct unread_marks *marks)
{
	struct unread_old old;
	uint32_t count = 0;

	while (unread_marks_old(marks, count, &old))
		count++;
	return count;
}

static void what_was_not_read_is_known_to_the_next_run(void)
{
	struct build_id one = id_of(1), other = id_of(2);
	struct unread_marks marks = open_marks();
	struct unread_old old;
	uint32_t number;

	CHECK_EQ(unread_marks_add(&marks, &one, "read", &number), 0);
	unread_marks_remove(&marks, &one, number);
	CHECK_EQ(unread_marks_add(&marks, &other, "libother.so", &number), 0);
	CHECK_EQ(old_count(&marks), 0);
	unread_marks_done(&marks);
	marks = open_marks();
	CHECK_EQ(old_count(&marks), 1);
	CHECK(unread_marks_old(&marks, 0, &old));
	CHECK(build_id_equal(&old.id, &other));
	CHECK_STR(old.name, "libother.so");
	unread_marks_done(&marks);
}

/* What is sent while the old file is read is another file. */
static void a_newer_mark_outlives_the_old_ones(void)
{
	struct build_id id = id_of(2);
	struct unread_marks marks = open_marks();
	uint32_t number;

	CHECK_EQ(unread_marks_add(&marks, &id, "newer", &number), 0);
	unread_marks_forget_old(&marks, &id);
	CHECK_EQ(old_count(&marks), 0);
	unread_marks_done(&marks);
	marks = open_marks();
	CHECK_EQ(old_count(&marks), 1);
	unread_marks_forget_old(&marks, &id);
	unread_marks_done(&marks);
	CHECK_EQ(work_try("test -z \"$(ls unread)\""), 0);
}

static void what_is_no_mark_is_left_alone(void)
{
	struct unread_marks marks;

	work_run("touch unread/README unread/00ff unread/00ff.x unread/00ff.0000000g");
	marks = open_marks();
	CHECK_EQ(old_count(&marks), 0);
	unread_marks_done(&marks);
	unread_marks_done(&(struct unread_marks){.folder_fd = -1});
	CHECK_EQ(work_try("test -e unread/README"), 0);
}

int main(void)
{
	work_run("mkdir unread");
	RUN(what_was_not_read_is_known_to_the_next_run);
	RUN(a_newer_mark_outlives_the_old_ones);
	RUN(what_is_no_mark_is_left_alone);
	return 0;
}
