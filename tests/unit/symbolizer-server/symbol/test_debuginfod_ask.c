/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_ask.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/fixed_http.h"

static struct fixed_http server;
static struct debuginfod_servers *servers;
static struct debuginfod_client *client;
static int fd;

static int ask(bool hurried, uint64_t *ret_byte_count)
{
	struct debuginfod_request request = {.path = "/buildid/ab/debuginfo",
		.to_fd = fd,
		.bytes_max = 1000,
		.silence_seconds = 1,
		.time_ms_max = hurried ? 50 : 10000,
		.elf = true};

	return debuginfod_ask(servers, 0, client, request, hurried, ret_byte_count);
}

static uint64_t count_of(enum debuginfod_server_counter counter)
{
	struct debuginfod_server_state state;

	debuginfod_servers_read(servers, 0, &state);
	return state.counts[counter];
}

static void a_file_is_written_anew_for_each_question(void)
{
	uint64_t byte_count = 0;

	fixed_http_answer(&server, FIXED_HTTP_OK, "\177ELF", 100);
	CHECK_EQ(ask(false, &byte_count), 0);
	CHECK_EQ(byte_count, 100);
	fixed_http_answer(&server, FIXED_HTTP_OK, "\177ELF", 50);
	CHECK_EQ(ask(false, &byte_count), 0);
	CHECK_EQ(byte_count, 50);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 50);
	CHECK_EQ(count_of(DEBUGINFOD_SERVER_HITS), 2);
	CHECK_EQ(count_of(DEBUGINFOD_SERVER_BYTES), 150);
}

static void being_in_a_hurry_is_not_held_against_a_server(void)
{
	uint64_t byte_count;

	fixed_http_answer(&server, NULL, NULL, 0);
	for (int i = 0; i < 2 * DEBUGINFOD_FAILURES_MAX; i++)
		CHECK_EQ(ask(true, &byte_count), -ETIMEDOUT);
	CHECK_EQ(count_of(DEBUGINFOD_SERVER_STOPPED), 2 * DEBUGINFOD_FAILURES_MAX);
	CHECK_EQ(count_of(DEBUGINFOD_SERVER_FAILURES), 0);
}

static void a_server_that_fails_is_left_alone(void)
{
	uint64_t byte_count;

	fixed_http_answer(&server, FIXED_HTTP_FAILS, NULL, 0);
	for (int i = 0; i < DEBUGINFOD_FAILURES_MAX; i++)
		CHECK_EQ(ask(false, &byte_count), -EREMOTEIO);
	fixed_http_count(&server);
	CHECK_EQ(ask(false, &byte_count), -EAGAIN);
	CHECK_EQ(fixed_http_count(&server), 0);
	CHECK_EQ(count_of(DEBUGINFOD_SERVER_SPARED), 1);
}

static void of_several_answers_the_one_counts_that_leaves_most_open(void)
{
	CHECK_EQ(debuginfod_worse(-ENOENT, -ENOENT), -ENOENT);
	CHECK_EQ(debuginfod_worse(-ENOENT, -EBADMSG), -EBADMSG);
	CHECK_EQ(debuginfod_worse(-EBADMSG, -ENOENT), -EBADMSG);
	CHECK_EQ(debuginfod_worse(-EBADMSG, -EAGAIN), -EAGAIN);
	CHECK_EQ(debuginfod_worse(-ETIMEDOUT, -EAGAIN), -ETIMEDOUT);
	CHECK_EQ(debuginfod_worse(-ENOENT, -ECONNREFUSED), -ECONNREFUSED);
}

int main(void)
{
	fixed_http_start(&server);
	fd = memfd_create("answer", MFD_CLOEXEC);
	CHECK_EQ(debuginfod_servers_new(server.url, clock_system(), &servers), 0);
	CHECK_EQ(debuginfod_client_new(&client), 0);
	RUN(a_file_is_written_anew_for_each_question);
	RUN(being_in_a_hurry_is_not_held_against_a_server);
	RUN(a_server_that_fails_is_left_alone);
	RUN(of_several_answers_the_one_counts_that_leaves_most_open);
	debuginfod_client_free(client);
	debuginfod_servers_free(servers);
	close(fd);
	fixed_http_stop(&server);
	return 0;
}
