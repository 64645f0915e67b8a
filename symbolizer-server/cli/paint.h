/* SPDX-License-Identifier: Apache-2.0 */
/* Paint: colour for terminals that show it.
 *
 * What it is   a sequence for each meaning; nothing where output is no terminal, where NO_COLOR is
 *              set, and on a dumb terminal.
 * Ownership    static texts.
 * Threads      one.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>

enum paint { PAINT_PLAIN, PAINT_TITLE, PAINT_QUIET, PAINT_WARNING, PAINT_ERROR };

/* Whether standard output is to be painted. */
bool paint_wanted(void);
/* What begins text of that meaning (PAINT_PLAIN: what ends it); "" if not PAINTED. */
const char *paint_of(enum paint paint, bool painted);
