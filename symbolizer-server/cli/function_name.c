/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/function_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer-server/cli/output.h"
#include "symbolizer-server/cli/short_name.h"

/* Such a frame is MODULE+0x1a2b: it tells its module by itself. */
static bool is_named_by_address(const char *name, const char *module)
{
	size_t length = strlen(module);

	return strncmp(name, module, length) == 0 && strncmp(name + length, "+0x", 3) == 0;
}

/* COLUMNS is what name and module may take together; half of it is the most that a module gets. */
void function_name_print(const char *name, const char *module, size_t columns)
{
	/* The kernel's modules bring their brackets along. */
	bool is_bracketed = module[0] == '[';
	size_t around = is_bracketed ? 2 : 4, wanted = output_columns(module, strlen(module));
	size_t given = wanted < columns / 2 - around ? wanted : columns / 2 - around;

	if (!*module || is_named_by_address(name, module)) {
		short_name_print(stdout, name, columns);
		return;
	}
	short_name_print(stdout, name, columns - around - given);
	fputs(is_bracketed ? "  " : "  [", stdout);
	short_name_print(stdout, module, given);
	fputs(is_bracketed ? "" : "]", stdout);
}
