/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/file_budget.h"

#include <errno.h>

/* A fleet's dashboards, and a fleet of thousands of hosts. */
#define HTTP_CONNECTIONS_MAX 1024u
#define GRPC_CONNECTIONS_MAX 4096u
/* Where there are not enough for all, HTTP's share. */
#define HTTP_SHARE 5u

int file_budget_divide(uint64_t file_count_max, struct file_budget *ret_budget)
{
	uint64_t connections;
	struct file_budget budget = {
		.http_connections = HTTP_CONNECTIONS_MAX, .grpc_connections = GRPC_CONNECTIONS_MAX};

	if (file_count_max < FILE_BUDGET_MIN)
		return -EMFILE;
	connections = file_count_max - FILE_BUDGET_OWN;
	budget.is_whole = connections >= HTTP_CONNECTIONS_MAX + GRPC_CONNECTIONS_MAX;
	if (!budget.is_whole) {
		if (connections / HTTP_SHARE < HTTP_CONNECTIONS_MAX)
			budget.http_connections = (uint32_t)(connections / HTTP_SHARE);
		budget.grpc_connections = (uint32_t)connections - budget.http_connections;
	}
	*ret_budget = budget;
	return 0;
}
