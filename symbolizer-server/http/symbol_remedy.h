/* SPDX-License-Identifier: Apache-2.0 */
/* Symbol remedy: what a person can do for a module whose frames have no names.
 *
 * What it is   the advice that stands behind a row of the list of symbols: a sentence, and a command
 *              where there is one.
 * Ownership    static texts.
 * Threads      any.
 * Errors       none.
 */
#pragma once

#include <stdbool.h>

#include "symbolizer-server/query/coverage.h"
#include "symbolizer-server/symbol/symbol_types.h"

struct symbol_remedy {
	const char *text; /* empty: nothing is missing */
	const char *command; /* to be typed; empty: there is none */
	bool upload; /* a file given by hand would help */
};

/* NAME is the module's; STATE is NULL if the symbolizer does not know it. */
struct symbol_remedy symbol_remedy_for(const struct coverage_module *module, const char *name,
	const struct symbol_module_state *state);
