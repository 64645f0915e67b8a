/* SPDX-License-Identifier: Apache-2.0 */
/* cairn-server: takes profiles, keeps them, gives them names and shows them.
 * Exit status: 0 ended by a signal with everything flushed, 1 failed while running, 2 wrong usage.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "store/base/clock.h"
#include "store/log/log.h"
#include "symbolizer-server/server.h"
#include "symbolizer-server/settings.h"
#include "symbolizer-server/symbol/symbolizer.h"

#define EXIT_RUNTIME 1
#define EXIT_USAGE 2

/* Threads inherit the mask: only the main thread takes these, by waiting for them. */
static void block_signals(sigset_t *ret_signals)
{
	sigemptyset(ret_signals);
	sigaddset(ret_signals, SIGTERM);
	sigaddset(ret_signals, SIGINT);
	sigaddset(ret_signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ret_signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int run(const struct settings *settings)
{
	struct server *server;
	sigset_t signals;
	int signal_number;

	block_signals(&signals);
	/* What went wrong was said where it did. */
	if (server_start(settings, &server) < 0)
		return EXIT_RUNTIME;
	while (sigwait(&signals, &signal_number) != 0)
		;
	log_info("%s: stopping", sigdescr_np(signal_number));
	return server_stop(server) < 0 ? EXIT_RUNTIME : 0;
}

int main(int argc, char **argv)
{
	struct setting_fault fault = {{0}};
	enum command_line_action action;
	struct settings settings;
	int r, status;

	status = symbolizer_hidden_main(argc, argv);
	if (status >= 0)
		return status;
	r = settings_parse(argc - 1, argv + 1, &settings, &action, &fault);
	if (r < 0) {
		fprintf(stderr, "cairn-server: %s\n", fault.text);
		return r == -EINVAL || r == -ENOENT ? EXIT_USAGE : EXIT_RUNTIME;
	}
	log_init("cairn-server", (enum log_level)settings.log_level);
	status = 0;
	switch (action) {
	case COMMAND_LINE_HELP:
		command_line_print_help(&settings_table, stdout);
		break;
	case COMMAND_LINE_VERSION:
		puts("cairn-server " CAIRN_VERSION);
		break;
	case COMMAND_LINE_RUN:
		if (settings.clock_start_ns > 0)
			clock_start_at(settings.clock_start_ns);
		status = run(&settings);
		break;
	}
	log_done();
	settings_done(&settings);
	return status;
}
