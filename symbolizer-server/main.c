/* SPDX-License-Identifier: Apache-2.0 */
/* cairn-server: takes profiles, keeps them, gives them names and shows them.
 * Exit status: 0 ended by a signal with everything flushed, 1 failed while running, 2 wrong usage.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "store/log/log.h"
#include "symbolizer-server/config.h"
#include "symbolizer-server/server.h"
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

static int run(const struct config *config)
{
	struct server *server;
	sigset_t signals;
	int signal_number;

	block_signals(&signals);
	/* What went wrong was said where it did. */
	if (server_start(config, &server) < 0)
		return EXIT_RUNTIME;
	while (sigwait(&signals, &signal_number) != 0)
		;
	log_info("%s: stopping", strsignal(signal_number));
	return server_stop(server) < 0 ? EXIT_RUNTIME : 0;
}

int main(int argc, char **argv)
{
	char error[CONFIG_ERROR_BYTES_MAX] = "out of memory";
	struct config config;
	int r, status;

	status = symbolizer_hidden_main(argc, argv);
	if (status >= 0)
		return status;
	r = config_parse(argc, argv, &config, error);
	if (r < 0) {
		fprintf(stderr, "cairn-server: %s\n", error);
		return r == -EINVAL ? EXIT_USAGE : EXIT_RUNTIME;
	}
	log_init("cairn-server", (enum log_level)config.log_level);
	if (config.help || config.version) {
		if (config.help)
			config_print_help(stdout);
		else
			puts("cairn-server " CAIRN_VERSION);
		status = 0;
	} else {
		status = run(&config);
	}
	config_done(&config);
	return status;
}
