/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/import_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/check.h"

static char folder[] = "/tmp/cairn-import-XXXXXX";
static char error[IMPORT_ERROR_BYTES_MAX];

static const char *file_of(const char *name, const char *text)
{
	static char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	CHECK(file);
	CHECK(fputs(text, file) >= 0);
	CHECK_EQ(fclose(file), 0);
	return path;
}

/* A program in the place of perf. */
static const char *perf_of(const char *script)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s", file_of("perf", script));
	CHECK_EQ(chmod(path, 0755), 0);
	return path;
}

static void forget(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK_EQ(unlink(path), 0);
}

static void a_file_is_read_as_it_is(void)
{
	struct import_source source;

	CHECK_EQ(import_source_read(file_of("a", "main;f 1\n"), "none", &source, error), 0);
	CHECK_EQ(source.byte_count, 9);
	CHECK(memcmp(source.bytes, "main;f 1\n", 9) == 0);
	CHECK(!source.format);
	import_source_done(&source);
	CHECK_EQ(import_source_read(file_of("a", ""), "none", &source, error), 0);
	CHECK_EQ(source.byte_count, 0);
	import_source_done(&source);
	forget("a");
	CHECK_EQ(import_source_read("/nowhere/a", "none", &source, error), -EIO);
	CHECK(strstr(error, "No such file"));
}

static void what_perf_recorded_is_given_to_perf(void)
{
	struct import_source source;
	const char *perf = perf_of("#!/bin/sh\necho \"$1 $2 $4 $5\"; test -f \"$3\"\n");

	CHECK_EQ(import_source_read(file_of("a", "PERFILE2 and more"), perf, &source, error), 0);
	CHECK_STR(source.format, "perf_script");
	CHECK_EQ(source.byte_count, strlen("script -i -F +pid\n"));
	CHECK(memcmp(source.bytes, "script -i -F +pid\n", source.byte_count) == 0);
	import_source_done(&source);
	perf = perf_of("#!/bin/sh\nexit 3\n");
	CHECK_EQ(import_source_read(file_of("a", "PERFILE2"), perf, &source, error), -EIO);
	CHECK(strstr(error, "script failed"));
	CHECK_EQ(import_source_read(file_of("a", "PERFILE2"), "/nowhere/perf", &source, error),
		-EIO);
	CHECK(strstr(error, "not installed") && strstr(error, "linux-perf"));
	forget("a");
	forget("perf");
}

static void a_file_that_is_too_large_is_named(void)
{
	struct import_source source;
	const char *path = file_of("a", "main");

	CHECK_EQ(truncate(path, (off_t)IMPORT_BYTES_MAX + 1), 0);
	CHECK_EQ(import_source_read(path, "none", &source, error), -EIO);
	CHECK(strstr(error, "64 MiB"));
	forget("a");
}

static void check_name(const char *path, const char *expected)
{
	char name[IMPORT_NAME_BYTES_MAX];

	import_source_name(path, name);
	CHECK_STR(name, expected);
}

static void services_are_called_like_files(void)
{
	check_name("/srv/web.speedscope.json", "web");
	check_name("perf.data", "perf");
	check_name("a b{c,d}.folded", "a_b_c_d_");
	check_name("-", "standard-input");
	check_name(".hidden", "hidden");
	check_name("x/", "_");
}

int main(void)
{
	CHECK(mkdtemp(folder));
	RUN(a_file_is_read_as_it_is);
	RUN(what_perf_recorded_is_given_to_perf);
	RUN(a_file_that_is_too_large_is_named);
	RUN(services_are_called_like_files);
	CHECK_EQ(rmdir(folder), 0);
	return 0;
}
