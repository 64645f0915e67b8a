/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/paint.h"

#include <stdlib.h>

#include "tests/support/check.h"

static void only_what_is_painted_has_sequences(void)
{
	CHECK_STR(paint_of(PAINT_ERROR, false), "");
	CHECK_STR(paint_of(PAINT_ERROR, true), "\033[1;31m");
	CHECK_STR(paint_of(PAINT_PLAIN, true), "\033[0m");
}

static void who_refuses_colour_gets_none(void)
{
	setenv("TERM", "xterm", 1);
	setenv("NO_COLOR", "1", 1);
	CHECK(!paint_wanted());
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	CHECK(!paint_wanted());
}

int main(void)
{
	RUN(only_what_is_painted_has_sequences);
	RUN(who_refuses_colour_gets_none);
	return 0;
}
