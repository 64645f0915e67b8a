/* SPDX-License-Identifier: Apache-2.0 */
/* Who may upload is a question of where the peer is, so this test makes a network namespace with an
 * address that is not loopback. */
#include "symbolizer-server/service/service_parts.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/wire/symbols_wire.h"
#include "store/log/log.h"
#include "symbolizer-server/service/symbols_service.h"
#include "tests/support/call_probe.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define OUTSIDE "192.0.2.1"

static struct service_counts counts;
static struct service_parts parts;
static struct rpc_method methods[2];

static struct rpc_server *serve(const char *host, bool insecure_uploads)
{
	struct rpc_server_options options = {.methods = methods, .method_count = 2};
	struct rpc_server *server;
	char address[64];

	memset(&counts, 0, sizeof(counts));
	parts = (struct service_parts){.counts = &counts, .insecure_uploads = insecure_uploads};
	methods[0] = symbols_service_want_method(&parts);
	methods[1] = symbols_service_upload_method(&parts);
	snprintf(address, sizeof(address), "%s:0", host);
	options.address = address;
	CHECK_EQ(rpc_server_new(&options, &server), 0);
	return server;
}

/* A message that is none tells the two apart: it is read only from those who may upload. */
static void check_upload(const char *host, bool insecure_uploads, const char *path, int result)
{
	struct rpc_server *server = serve(host, insecure_uploads);
	struct rpc_client_options options;
	struct rpc_client *client;
	struct call_probe probe;
	char address[64];

	snprintf(address, sizeof(address), "%s:%u", host, rpc_server_port(server));
	options = (struct rpc_client_options){.server = address};
	CHECK_EQ(rpc_client_new(&options, &client), 0);
	probe_open(&probe, client, path);
	(void)rpc_call_send(probe.call, "\xff", 1);
	CHECK_EQ(probe_wait_closed(&probe), result);
	if (result == -EACCES)
		CHECK(strstr(probe.text, "--insecure-uploads"));
	probe_close(&probe);
	rpc_client_free(client);
	rpc_server_free(server);
	CHECK_EQ(atomic_load(&counts.values[SERVICE_COUNTER_UPLOADS_FORBIDDEN]),
		result == -EACCES ? 1 : 0);
}

static void uploads_come_from_this_host_only(void)
{
	check_upload("127.0.0.1", false, SYMBOLS_UPLOAD_PATH, -EINVAL);
	check_upload("[::1]", false, SYMBOLS_UPLOAD_PATH, -EINVAL);
	check_upload(OUTSIDE, false, SYMBOLS_UPLOAD_PATH, -EACCES);
	check_upload(OUTSIDE, false, SYMBOLS_WANT_PATH, -EACCES);
}

static void unless_the_server_was_told_otherwise(void)
{
	check_upload(OUTSIDE, true, SYMBOLS_UPLOAD_PATH, -EINVAL);
	check_upload(OUTSIDE, true, SYMBOLS_WANT_PATH, -EINVAL);
}

int main(void)
{
	log_init("test", LOG_LEVEL_ERROR);
	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) {
		perror("this test needs a network namespace: run it as root");
		return 1;
	}
	work_run("ip link set lo up && ip address add " OUTSIDE "/32 dev lo");
	RUN(uploads_come_from_this_host_only);
	RUN(unless_the_server_was_told_otherwise);
	return 0;
}
