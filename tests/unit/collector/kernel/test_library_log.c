/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/library_log.h"

#include <unistd.h>

#include <bpf/libbpf.h>

#include "tests/support/check.h"

/* Opening something that is no object makes libbpf complain. */
static void make_libbpf_complain(void)
{
	CHECK(bpf_object__open("/there/is/no/such/object") == NULL);
}

static void complaints_are_kept_and_not_printed(void)
{
	char caught[64];
	int ends[2], saved = dup(STDERR_FILENO);

	CHECK_EQ(pipe(ends), 0);
	CHECK(dup2(ends[1], STDERR_FILENO) >= 0);
	library_log_start();
	make_libbpf_complain();
	CHECK(dup2(saved, STDERR_FILENO) >= 0);
	close(ends[1]);
	CHECK_EQ(read(ends[0], caught, sizeof(caught)), 0);
	CHECK(strstr(library_log_text(), "/there/is/no/such/object") != NULL);
	close(ends[0]);
	close(saved);
}

static void the_log_begins_anew(void)
{
	library_log_start();
	CHECK_STR(library_log_text(), "");
}

static void only_the_end_of_much_text_is_kept(void)
{
	library_log_start();
	for (int i = 0; i < 1000; i++)
		make_libbpf_complain();
	CHECK(strlen(library_log_text()) < 16384);
	CHECK(strlen(library_log_text()) > 4096);
	CHECK(strstr(library_log_text(), "/there/is/no/such/object") != NULL);
}

int main(void)
{
	RUN(complaints_are_kept_and_not_printed);
	RUN(the_log_begins_anew);
	RUN(only_the_end_of_much_text_is_kept);
	return 0;
}
