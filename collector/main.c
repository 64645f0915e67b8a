/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "collector/agent.h"
#include "collector/settings.h"

/* docs/operating.md says what they mean. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2 };

int main(int argument_count, char **arguments)
{
	struct settings settings;
	struct setting_fault fault = {{0}};
	enum command_line_action action;
	int r = settings_parse(argument_count - 1, arguments + 1, &settings, &action, &fault);

	if (r < 0) {
		fprintf(stderr, "cairn-collector: error: %s\n", fault.text);
		return r == -EINVAL || r == -ENOENT ? EXIT_MISUSED : EXIT_FAILED;
	}
	log_init("cairn-collector", (enum log_level)settings.log_level);
	switch (action) {
	case COMMAND_LINE_HELP:
		command_line_print_help(&settings_table, stdout);
		break;
	case COMMAND_LINE_VERSION:
		printf("cairn-collector %s\n", CAIRN_VERSION);
		break;
	case COMMAND_LINE_RUN:
		r = agent_run(&settings);
		break;
	}
	log_done();
	settings_done(&settings);
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}
