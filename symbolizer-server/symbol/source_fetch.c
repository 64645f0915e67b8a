/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/source_fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/whole_io.h"
#include "symbolizer-server/symbol/debuginfod_ask.h"
#include "symbolizer-server/symbol/source_text.h"

/* A person waits for it. A server that has to unpack a source package first takes about this long. */
#define QUESTION_NS (8 * NS_PER_S)
#define QUESTION_SECONDS 8

static int read_all(int fd, size_t byte_count, char **ret_text)
{
	SCOPED_FREE char *text = malloc(byte_count + 1);
	int r = text ? whole_read_at(fd, 0, text, byte_count) : -ENOMEM;

	if (r < 0)
		return r;
	*ret_text = TAKE(text);
	return 0;
}

static int path_of(const struct build_id *id, const char *path, char **ret_path)
{
	char id_text[BUILD_ID_TEXT_MAX];
	SCOPED_FREE char *encoded = NULL;
	int r = debuginfod_path_encoded(path, &encoded);

	if (r < 0)
		return r;
	build_id_format(id, id_text);
	return asprintf(ret_path, "/buildid/%s/source%s", id_text, encoded) < 0 ? -ENOMEM : 0;
}

static int ask_servers(struct debuginfod_servers *servers, struct debuginfod_client *client,
	struct debuginfod_request *request, uint64_t *ret_byte_count)
{
	uint64_t until_ns = clock_monotonic_ns() + QUESTION_NS;
	int worst = -ENOENT;

	for (uint32_t i = 0; i < debuginfod_servers_count(servers); i++) {
		uint64_t now_ns = clock_monotonic_ns();
		int r;

		if (now_ns + NS_PER_MS > until_ns)
			return -ETIMEDOUT;
		request->time_ms_max = (until_ns - now_ns) / NS_PER_MS;
		r = debuginfod_ask(servers, i, client, *request, true, ret_byte_count);
		if (r == 0)
			return 0;
		worst = debuginfod_worse(worst, r);
	}
	return worst;
}

int source_fetch(void *context, const struct build_id *id, const char *path, char **ret_text,
	size_t *ret_byte_count)
{
	SCOPED_FD int fd = memfd_create("source", MFD_CLOEXEC);
	SCOPED_FREE char *url_path = NULL;
	struct debuginfod_request request = {
		.to_fd = fd, .bytes_max = SOURCE_BYTES_MAX, .silence_seconds = QUESTION_SECONDS};
	struct debuginfod_client *client = NULL;
	uint64_t byte_count = 0;
	int r = fd < 0 ? -errno : path_of(id, path, &url_path);

	if (r == 0)
		r = debuginfod_client_new(&client);
	if (r < 0)
		return r;
	request.path = url_path;
	r = ask_servers(context, client, &request, &byte_count);
	debuginfod_client_free(client);
	if (r == 0)
		r = read_all(fd, (size_t)byte_count, ret_text);
	if (r < 0)
		return r;
	*ret_byte_count = (size_t)byte_count;
	return 0;
}
