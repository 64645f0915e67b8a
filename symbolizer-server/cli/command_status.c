/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>

#include "symbolizer-server/cli/command.h"
#include "symbolizer-server/cli/paint.h"
#include "symbolizer-server/cli/status_page.h"

int command_status(const struct options *options)
{
	struct status_page page = {
		.out = stdout,
		.server = options->server,
		.host = options->host,
		.all = options->all,
		.painted = paint_wanted(),
	};
	int exit_status;
	struct cJSON *status = command_fetch_json(options, "/api/v1/status", 0, &exit_status);
	int r;

	if (!status)
		return exit_status;
	r = status_page_print(&page, status);
	cJSON_Delete(status);
	if (r < 0)
		return command_fail("no host of that name has sent anything; without --host, all "
				    "are listed");
	return command_finish();
}
