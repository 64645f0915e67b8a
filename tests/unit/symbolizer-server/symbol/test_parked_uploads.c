/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/parked_uploads.h"

#include <errno.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct upload_spool spool;
static const struct symbol_origin one = {{1}}, other = {{2}};

static struct symbol_upload_request request_of(uint8_t n, uint64_t offset)
{
	struct symbol_upload_request request = {.origin = &one,
		.what = SYMBOL_WHAT_EXECUTABLE,
		.byte_count = 100,
		.reduced = true,
		.offset = offset};

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &n, 1, &request.id), 0);
	return request;
}

static void park(struct parked_uploads *parked, uint8_t n, uint64_t now_ns)
{
	struct symbol_upload_request request = request_of(n, 0);
	struct upload_file file;

	CHECK_EQ(upload_file_begin(&spool, &request.id, "", 100, &file), 0);
	CHECK_EQ(upload_file_append(&spool, &file, "12345", 5), 0);
	parked_uploads_put(parked, &request, &file, now_ns);
}

static void the_same_sender_goes_on_with_the_same_file(void)
{
	struct symbol_upload_request request = request_of(1, 5);
	struct parked_uploads parked;
	struct upload_file file;

	parked_uploads_init(&parked, &spool);
	CHECK_EQ(parked_uploads_take(&parked, &request, &file), -ERANGE);
	park(&parked, 1, 0);
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &one), 5);
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &other), 0);
	CHECK_EQ(parked_uploads_take(&parked, &request, &file), 0);
	CHECK_EQ(file.byte_count, 5);
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &one), 0);
	upload_file_remove(&spool, &file);
	parked_uploads_done(&parked);
}

/* It would be put together of two. */
static void another_file_never_goes_on_with_it(void)
{
	struct symbol_upload_request wrong[6];
	struct parked_uploads parked;
	struct upload_file file;

	for (int i = 0; i < 6; i++)
		wrong[i] = request_of(1, 5);
	wrong[0].origin = &other;
	wrong[1].offset = 4;
	wrong[2].byte_count = 101;
	wrong[3].reduced = false;
	wrong[4].encoding = SYMBOL_ENCODING_ZSTD;
	wrong[5].origin = NULL;
	parked_uploads_init(&parked, &spool);
	for (int i = 0; i < 6; i++) {
		park(&parked, 1, 0);
		CHECK_EQ(parked_uploads_take(&parked, &wrong[i], &file), -ERANGE);
		/* Nor does it stand in the way. */
		CHECK_EQ(parked_uploads_offset(&parked, &wrong[0].id, &one), 0);
		work_run("test -z \"$(ls spool)\"");
	}
	parked_uploads_done(&parked);
}

static void what_nobody_comes_back_for_goes(void)
{
	struct symbol_upload_request request = request_of(0, 0);
	struct parked_uploads parked;

	parked_uploads_init(&parked, &spool);
	for (uint8_t i = 0; i < PARKED_COUNT_MAX + 1; i++)
		park(&parked, i, i);
	/* The first had to make room. */
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &one), 0);
	request = request_of(1, 0);
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &one), 5);
	parked_uploads_expire(&parked, PARKED_IDLE_NS + 1);
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &one), 0);
	request = request_of(2, 0);
	CHECK_EQ(parked_uploads_offset(&parked, &request.id, &one), 5);
	parked_uploads_done(&parked);
	work_run("test -z \"$(ls spool)\"");
	CHECK_EQ(atomic_load(&spool.byte_count), 0);
}

int main(void)
{
	work_run("mkdir spool");
	CHECK_EQ(upload_spool_init(&spool, work_path("spool"), 1000), 0);
	RUN(the_same_sender_goes_on_with_the_same_file);
	RUN(another_file_never_goes_on_with_it);
	RUN(what_nobody_comes_back_for_goes);
	upload_spool_done(&spool);
	return 0;
}
