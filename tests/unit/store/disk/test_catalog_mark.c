/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/catalog_mark.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* More than is read at a time. */
#define FILL "mkdir -p %s && head -c 1500000 /dev/zero > %s/data.mdb"

static void a_mark_is_taken_once_and_fits_what_was_closed(void)
{
	const char *folder = work_path("once");
	struct catalog_mark mark;

	work_run(FILL, "once", "once");
	CHECK_EQ(catalog_mark_take(folder, &mark), -ENOENT);
	CHECK_EQ(catalog_mark_leave(folder, 77), 0);
	CHECK_EQ(catalog_mark_take(folder, &mark), 0);
	CHECK_EQ(mark.watermark, 77);
	CHECK_EQ(catalog_mark_verify(folder, &mark), 0);
	CHECK_EQ(catalog_mark_take(folder, &mark), -ENOENT);
}

static void other_bytes_do_not_fit(void)
{
	const char *folder = work_path("other");
	struct catalog_mark mark;

	work_run(FILL, "other", "other");
	CHECK_EQ(catalog_mark_leave(folder, 1), 0);
	CHECK_EQ(catalog_mark_take(folder, &mark), 0);
	work_run("printf x | dd of=other/data.mdb bs=1 seek=1400000 conv=notrunc status=none");
	CHECK_EQ(catalog_mark_verify(folder, &mark), -ENOENT);
	work_run("truncate -s 1000 other/data.mdb");
	CHECK_EQ(catalog_mark_verify(folder, &mark), -ENOENT);
	work_run("rm other/data.mdb");
	CHECK(catalog_mark_verify(folder, &mark) < 0);
}

static void a_damaged_mark_is_none(void)
{
	const char *folder = work_path("damaged");
	struct catalog_mark mark;

	work_run(FILL, "damaged", "damaged");
	for (int at = 0; at < 49; at++) {
		CHECK_EQ(catalog_mark_leave(folder, 1), 0);
		if (at < 48) {
			work_run("printf Z | dd of=damaged/closed-in-order bs=1 seek=%d "
				 "conv=notrunc status=none",
				at);
		} else {
			work_run("truncate -s 40 damaged/closed-in-order");
		}
		CHECK_EQ(catalog_mark_take(folder, &mark), -ENOENT);
		at += at < 40 ? 6 : 0;
	}
}

static void wiping_leaves_the_folder_alone(void)
{
	const char *folder = work_path("wipe");

	work_run(FILL, "wipe", "wipe");
	CHECK_EQ(catalog_mark_leave(folder, 1), 0);
	catalog_mark_wipe(folder);
	CHECK_EQ(work_try("test -z \"$(ls wipe)\""), 0);
	catalog_mark_wipe(work_path("absent"));
	CHECK(catalog_mark_leave(work_path("absent"), 1) < 0);
}

int main(void)
{
	RUN(a_mark_is_taken_once_and_fits_what_was_closed);
	RUN(other_bytes_do_not_fit);
	RUN(a_damaged_mark_is_none);
	RUN(wiping_leaves_the_folder_alone);
	return 0;
}
