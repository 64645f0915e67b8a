/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/settings_file.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/check.h"
#include "tests/support/work_dir.h"

static struct settings settings;
static struct settings_fault fault;

static int read_text(const char *text)
{
	settings_done(&settings);
	work_write_text("file.conf", text);
	return settings_file_read(&settings, work_path("file.conf"), &fault);
}

static void texts_numbers_and_lists_are_set(void)
{
	CHECK_EQ(read_text("# a comment\n"
			   "server = \"10.0.0.1:4041\";\n"
			   "hz = 97;\n"
			   "upload-max = 3000000000L;\n"
			   "upload-mbps = \"20\";\n"
			   "upload-deny = [\"/a/*\", \"/b/*\"];\n"
			   "log-level = \"error\";\n"),
		0);
	CHECK_STR(settings.server, "10.0.0.1:4041");
	CHECK_EQ(settings.hz, 97);
	CHECK_EQ(settings.upload_bytes_max, 3000000000);
	CHECK_EQ(settings.upload_mbps, 20);
	CHECK_EQ(settings.upload_deny.count, 2);
	CHECK_STR(settings.upload_deny.items[1], "/b/*");
	CHECK_EQ(settings.log_level, LOG_LEVEL_ERROR);
	CHECK_EQ(read_text(""), 0);
}

static void expect_fault(const char *text, const char *place, const char *what)
{
	CHECK_EQ(read_text(text), -EINVAL);
	if (!strstr(fault.text, place) || !strstr(fault.text, what))
		fprintf(stderr, "fault: %s\n", fault.text);
	CHECK(strstr(fault.text, place));
	CHECK(strstr(fault.text, what));
}

static void faults_name_file_and_line(void)
{
	expect_fault("hz = 97;\nfrequency = 3;\n", "file.conf:2", "frequency");
	expect_fault("\n\nhz = 0;\n", "file.conf:3", "1 to 10000");
	expect_fault("hz = \n", "file.conf:", "");
	expect_fault("hz = true;\n", "file.conf:1", "text or a number");
	expect_fault("hz = 1.5;\n", "file.conf:1", "text or a number");
	expect_fault("server = { host = \"a\"; };\n", "file.conf:1", "text or a number");
	expect_fault("hz = -3;\n", "file.conf:1", "-3");
	CHECK_EQ(settings_file_read(&settings, work_path("missing.conf"), &fault), -ENOENT);
}

int main(void)
{
	RUN(texts_numbers_and_lists_are_set);
	RUN(faults_name_file_and_line);
	settings_done(&settings);
	return 0;
}
