/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/ingest/form_data.h"

#include <errno.h>

#include "tests/support/check.h"

#define TYPE "multipart/form-data; boundary=xyz"

static struct form_data form;
static struct form_part part;
static struct ingest_fault fault;

static int begin(const char *type, const char *body)
{
	return form_data_init(&form, type, (struct ingest_text){body, strlen(body)}, &fault);
}

static void check_part(const char *name, bool is_file, const char *body)
{
	CHECK_EQ(form_data_next(&form, &part, &fault), 1);
	CHECK_EQ(part.name.length, strlen(name));
	CHECK(memcmp(part.name.text, name, part.name.length) == 0);
	CHECK_EQ(part.is_file, is_file);
	CHECK_EQ(part.body.length, strlen(body));
	CHECK(memcmp(part.body.text, body, part.body.length) == 0);
}

static void parts_have_names_and_bodies(void)
{
	CHECK_EQ(
		begin(TYPE,
			"--xyz\r\n"
			"Content-Disposition: form-data; name=\"profile\"; filename=\"p.pprof\"\r\n"
			"Content-Type: application/octet-stream\r\n\r\n"
			"some\r\n--xy bytes\r\n"
			"--xyz\r\n"
			"content-disposition: form-data; filename=labels; name=labels\r\n\r\n"
			"\r\n--xyz\r\n"
			"Content-Disposition: form-data; name=\"field\"\r\n\r\n"
			"v\r\n--xyz--\r\n"),
		0);
	check_part("profile", true, "some\r\n--xy bytes");
	check_part("labels", true, "");
	check_part("field", false, "v");
	CHECK_EQ(form_data_next(&form, &part, &fault), 0);
}

static void a_boundary_may_be_quoted_and_lines_may_end_in_a_newline(void)
{
	CHECK_EQ(begin("Multipart/Form-Data; charset=x; boundary=\"a b\"",
			 "--a b\nContent-Disposition: form-data; name=\"x\"\n\nbody\n--a b--"),
		0);
	check_part("x", false, "body");
	CHECK_EQ(form_data_next(&form, &part, &fault), 0);
}

static void what_does_not_end_is_refused(void)
{
	CHECK_EQ(begin(TYPE, "--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\nbody"), 0);
	CHECK_EQ(form_data_next(&form, &part, &fault), -EBADMSG);
	CHECK(strstr(fault.text, "cut off"));
	CHECK_EQ(begin(TYPE, "--xyz"), 0);
	CHECK_EQ(form_data_next(&form, &part, &fault), -EBADMSG);
}

static void a_form_needs_its_boundary(void)
{
	CHECK_EQ(begin("multipart/form-data", "--xyz--"), -EBADMSG);
	CHECK(strstr(fault.text, "boundary"));
	CHECK_EQ(begin(TYPE, "main;a 1\n"), -EBADMSG);
	CHECK(form_data_is(TYPE));
	CHECK(!form_data_is("text/plain"));
	CHECK(!form_data_is(NULL));
}

int main(void)
{
	RUN(parts_have_names_and_bodies);
	RUN(a_boundary_may_be_quoted_and_lines_may_end_in_a_newline);
	RUN(what_does_not_end_is_refused);
	RUN(a_form_needs_its_boundary);
	return 0;
}
