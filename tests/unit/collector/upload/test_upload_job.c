/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/upload/upload_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/compress.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static uint8_t *read_all(struct upload_job *job, size_t *ret_byte_count)
{
	size_t room = 64 << 20, byte_count = 0;
	uint8_t *bytes = malloc(room);
	ssize_t got;

	CHECK(bytes);
	while ((got = upload_job_read(job, bytes + byte_count, room - byte_count)) > 0)
		byte_count += (size_t)got;
	CHECK_EQ(got, 0);
	CHECK_EQ(job->offset, byte_count);
	*ret_byte_count = byte_count;
	return bytes;
}

static void a_whole_file_is_sent_as_it_is(void)
{
	struct upload_job *job;
	size_t byte_count, expected_count;
	uint8_t *bytes, *expected;

	work_run("head -c 300000 /dev/urandom > whole");
	expected = work_read("whole", &expected_count);
	CHECK_EQ(upload_job_new_file(work_open("whole"), false, &job), 0);
	CHECK_EQ(job->byte_count, 300000);
	bytes = read_all(job, &byte_count);
	CHECK_EQ(byte_count, expected_count);
	CHECK(memcmp(bytes, expected, byte_count) == 0);
	free(bytes);
	free(expected);
	upload_job_free(job);
}

/* What was taken before the connection broke is not sent again. */
static void an_upload_goes_on_behind_what_was_taken(void)
{
	struct upload_job *whole, *rest;
	size_t whole_count, rest_count = 0;
	uint8_t *expected, bytes[77];
	ssize_t got;

	work_run("echo 'int main(void){return 0;}' > r.c && gcc -g -o r r.c");
	CHECK_EQ(upload_job_new_file(work_open("r"), true, &whole), 0);
	CHECK_EQ(upload_job_new_file(work_open("r"), true, &rest), 0);
	expected = read_all(whole, &whole_count);
	rest->resume_at = 1001;
	while ((got = upload_job_read(rest, bytes, sizeof(bytes))) > 0) {
		CHECK(memcmp(bytes, expected + 1001 + rest_count, (size_t)got) == 0);
		rest_count += (size_t)got;
	}
	CHECK_EQ(got, 0);
	CHECK_EQ(rest_count, whole_count - 1001);
	free(expected);
	upload_job_free(whole);
	upload_job_free(rest);
	/* It was longer then. */
	CHECK_EQ(upload_job_new_file(work_open("r"), true, &rest), 0);
	rest->resume_at = whole_count + 1;
	CHECK_EQ(upload_job_read(rest, bytes, sizeof(bytes)), -EBADMSG);
	upload_job_free(rest);
}

static void a_slim_file_says_its_length_beforehand(void)
{
	struct upload_job *job;
	size_t byte_count;
	uint64_t announced;

	work_run("echo 'int main(void){return 0;}' > a.c && gcc -g -o a a.c");
	CHECK_EQ(upload_job_new_file(work_open("a"), true, &job), 0);
	announced = job->byte_count;
	free(read_all(job, &byte_count));
	CHECK_EQ(byte_count, announced);
	upload_job_free(job);
	work_write_text("text", "no ELF file at all, and longer than a header would have to be");
	CHECK_EQ(upload_job_new_file(work_open("text"), true, &job), -EBADMSG);
}

static void a_file_that_shrinks_breaks_the_upload(void)
{
	struct upload_job *job;
	uint8_t bytes[1000];

	work_run("head -c 3000 /dev/zero > shrinks");
	CHECK_EQ(upload_job_new_file(work_open("shrinks"), false, &job), 0);
	CHECK_EQ(upload_job_read(job, bytes, sizeof(bytes)), 1000);
	work_run("truncate -s 1000 shrinks");
	CHECK_EQ(upload_job_read(job, bytes, sizeof(bytes)), -EBADMSG);
	upload_job_free(job);
}

/* As root, so that addresses are not hidden. */
static void symbols_of_the_kernel_come_packed(void)
{
	struct kernel_symbols kernel;
	struct tally tally = {{0}};
	struct upload_job *job;
	uint8_t *packed, *text;
	size_t packed_bytes, text_bytes;

	CHECK_EQ(kernel_symbols_init(&kernel, NULL, NULL, &tally), 0);
	CHECK_EQ(upload_job_new_symbols(&kernel.kernel, &job), 0);
	packed = read_all(job, &packed_bytes);
	CHECK_EQ(decompress_bytes(packed, packed_bytes, 64 << 20, &text, &text_bytes), 0);
	CHECK(packed_bytes < text_bytes / 2);
	CHECK(memmem(text, text_bytes, " schedule\n", 10));
	CHECK(!memmem(text, text_bytes, "ffffffff", 8));
	free(packed);
	free(text);
	upload_job_free(job);

	kernel.kernel.text = 1;
	kernel.kernel.text_end = 2;
	CHECK_EQ(upload_job_new_symbols(&kernel.kernel, &job), 0);
	CHECK_EQ(upload_job_read(job, &text, 1), -ENOENT);
	upload_job_free(job);
	kernel_symbols_done(&kernel);
}

int main(void)
{
	RUN(a_whole_file_is_sent_as_it_is);
	RUN(an_upload_goes_on_behind_what_was_taken);
	RUN(a_slim_file_says_its_length_beforehand);
	RUN(a_file_that_shrinks_breaks_the_upload);
	RUN(symbols_of_the_kernel_come_packed);
	upload_job_free(NULL);
	return 0;
}
