/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_ask.h"

#include <errno.h>
#include <unistd.h>

#include "store/log/log.h"

static void log_change(struct debuginfod_servers *servers, uint32_t index,
	enum debuginfod_change change, int error)
{
	struct debuginfod_server_state state;

	if (change == DEBUGINFOD_NO_CHANGE)
		return;
	debuginfod_servers_read(servers, index, &state);
	if (change == DEBUGINFOD_NOW_RESTS) {
		log_warning(error,
			"debuginfod server %s does not answer; it is asked again now and then",
			state.url);
	} else {
		log_info("debuginfod server %s answers again", state.url);
	}
}

int debuginfod_ask(struct debuginfod_servers *servers, uint32_t index,
	struct debuginfod_client *client, struct debuginfod_request request, bool hurried,
	uint64_t *ret_byte_count)
{
	struct debuginfod_answer answer;
	enum debuginfod_change change;
	int r;

	if (ftruncate(request.to_fd, 0) < 0 || lseek(request.to_fd, 0, SEEK_SET) < 0)
		return -EIO;
	if (!debuginfod_servers_begin(servers, index))
		return -EAGAIN;
	request.url = debuginfod_servers_url(servers, index);
	r = debuginfod_client_get(client, &request, &answer);
	change = debuginfod_servers_end(servers, index, r == -ETIMEDOUT && hurried ? -ECANCELED : r,
		answer.byte_count, answer.wait_seconds);
	log_change(servers, index, change, r);
	if (r == 0)
		*ret_byte_count = answer.byte_count;
	return r;
}

/* How much an answer says against the others. */
static int weight(int error)
{
	switch (error) {
	case -ENOENT:
		return 0;
	case -EBADMSG:
	case -EFBIG:
		return 1;
	case -EAGAIN:
		return 2;
	default:
		return 3;
	}
}

int debuginfod_worse(int error, int other)
{
	return weight(other) > weight(error) ? other : error;
}
