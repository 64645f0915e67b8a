/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/service/grpc_service.h"

#include <errno.h>
#include <stdio.h>

#include "tests/support/call_probe.h"
#include "tests/support/check.h"

#define COUNTER_COUNT_MAX 64

/* Neither is called for what is tested here. */
static struct grpc_service_options options_for(const char *address)
{
	return (struct grpc_service_options){.address = address, .clock = clock_system()};
}

static void methods_that_are_not_there_yet_are_unimplemented(void)
{
	struct grpc_service_options options = options_for("127.0.0.1:0");
	struct grpc_service *service;
	struct rpc_client *client;
	struct call_probe probe;

	CHECK_EQ(grpc_service_new(&options, &service), 0);
	client = probe_client(grpc_service_port(service));
	probe_open(&probe, client, "/cairn.v1.Control/Commands");
	CHECK_EQ(probe_wait_closed(&probe), -ENOSYS);
	probe_close(&probe);
	rpc_client_free(client);
	CHECK_EQ(grpc_service_stop(service, NS_PER_S), 0);
	grpc_service_free(service);
}

static void a_port_in_use_is_told(void)
{
	struct grpc_service_options options = options_for("127.0.0.1:0");
	struct grpc_service *service, *second = NULL;
	char address[32];

	CHECK_EQ(grpc_service_new(&options, &service), 0);
	snprintf(address, sizeof(address), "127.0.0.1:%u", grpc_service_port(service));
	options = options_for(address);
	CHECK_EQ(grpc_service_new(&options, &second), -EADDRINUSE);
	CHECK(!second);
	grpc_service_free(service);
}

struct names {
	const char *names[COUNTER_COUNT_MAX];
	size_t count;
};

static void keep_name(void *context, const struct counted *counted)
{
	struct names *names = context;

	CHECK(strlen(counted->meaning) > 5);
	CHECK(names->count < COUNTER_COUNT_MAX);
	for (size_t i = 0; i < names->count; i++)
		CHECK(strcmp(names->names[i], counted->name) != 0);
	names->names[names->count++] = counted->name;
}

static void every_counter_has_a_name_of_its_own_and_a_meaning(void)
{
	struct grpc_service_options options = options_for("127.0.0.1:0");
	struct grpc_service *service;
	struct names names = {.count = 0};

	CHECK_EQ(grpc_service_new(&options, &service), 0);
	grpc_service_visit_counters(service, keep_name, &names);
	CHECK(names.count > 20);
	grpc_service_free(service);
}

int main(void)
{
	RUN(methods_that_are_not_there_yet_are_unimplemented);
	RUN(a_port_in_use_is_told);
	RUN(every_counter_has_a_name_of_its_own_and_a_meaning);
	return 0;
}
