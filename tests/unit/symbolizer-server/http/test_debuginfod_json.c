/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/debuginfod_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer-server/symbol/debuginfod_servers.h"
#include "tests/support/check.h"

static struct clock_reading read_now(void *context)
{
	(void)context;
	return (struct clock_reading){.monotonic_ns = 5 * NS_PER_S, .realtime_ns = 100 * NS_PER_S};
}

/* Ended by a NUL, malloc'ed. */
static char *written(struct debuginfod_servers *servers)
{
	struct bytes_writer writer;
	struct json_writer json;
	size_t byte_count;

	bytes_writer_init(&writer, 65536);
	json_writer_init(&json, &writer);
	debuginfod_json_write(&json, servers);
	bytes_write_u8(&writer, '\0');
	CHECK_EQ(bytes_writer_fault(&writer), 0);
	return (char *)bytes_writer_take(&writer, &byte_count);
}

static void ask(struct debuginfod_servers *servers, uint32_t index, int answer)
{
	CHECK(debuginfod_servers_begin(servers, index));
	debuginfod_servers_end(servers, index, answer, answer == 0 ? 7 : 0, 0);
}

static void each_server_tells_how_it_does(void)
{
	struct debuginfod_servers *servers;
	char *text;

	CHECK_EQ(debuginfod_servers_new("http://me:word@one http://two http://three",
			 (struct clock){.read = read_now}, &servers),
		0);
	ask(servers, 0, 0);
	ask(servers, 0, -ENOENT);
	for (int i = 0; i < DEBUGINFOD_FAILURES_MAX; i++)
		ask(servers, 1, -ECONNREFUSED);
	CHECK(!debuginfod_servers_begin(servers, 1));
	ask(servers, 2, -ETIMEDOUT);
	debuginfod_servers_note_known(servers, 2);
	text = written(servers);
	CHECK_STR(text,
		"[{\"url\":\"http://one/\",\"state\":\"ok\",\"failing_since\":0,\"next_try\":0,"
		"\"last_failure\":\"\",\"asked\":2,\"hits\":1,\"misses\":1,\"failures\":0,"
		"\"stopped\":0,\"open\":0,\"bytes\":7,\"spared\":0,\"known\":0},"
		"{\"url\":\"http://two/\",\"state\":\"resting\",\"failing_since\":100000000000,"
		"\"next_try\":105000000000,\"last_failure\":\"Connection refused\",\"asked\":3,"
		"\"hits\":0,\"misses\":0,\"failures\":3,\"stopped\":0,\"open\":0,\"bytes\":0,"
		"\"spared\":1,\"known\":0},"
		"{\"url\":\"http://three/\",\"state\":\"failing\",\"failing_since\":100000000000,"
		"\"next_try\":0,\"last_failure\":\"Connection timed out\",\"asked\":1,\"hits\":0,"
		"\"misses\":0,\"failures\":1,\"stopped\":0,\"open\":0,\"bytes\":0,\"spared\":0,"
		"\"known\":1}]");
	free(text);
	debuginfod_servers_free(servers);
}

static void without_servers_the_list_is_empty(void)
{
	char *text = written(NULL);

	CHECK_STR(text, "[]");
	free(text);
}

int main(void)
{
	RUN(each_server_tells_how_it_does);
	RUN(without_servers_the_list_is_empty);
	return 0;
}
