/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/paint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool paint_wanted(void)
{
	const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(refused && *refused) && terminal &&
		strcmp(terminal, "dumb") != 0;
}

const char *paint_of(enum paint paint, bool painted)
{
	static const char *const sequences[] = {
		[PAINT_PLAIN] = "\033[0m",
		[PAINT_TITLE] = "\033[1m",
		[PAINT_QUIET] = "\033[2m",
		[PAINT_WARNING] = "\033[33m",
		[PAINT_ERROR] = "\033[1;31m",
	};

	return painted ? sequences[paint] : "";
}
