/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/symbol_remedy.h"

#include <string.h>

static const struct symbol_remedy named = {.text = "", .command = ""};
static const struct symbol_remedy nowhere = {
	.text = "These addresses lie in no file: code that a runtime made, or a mapping that was "
		"gone "
		"when it was looked for. There is nothing to upload.",
	.command = "",
};
static const struct symbol_remedy without_id = {
	.text = "The file carries no build-ID and could not be read by the collector. Link it with "
		"-Wl,--build-id, and run it again.",
	.command = "",
};
static const struct symbol_remedy hidden_kernel = {
	.text = "The kernel does not tell its addresses, or the collector may not read them "
		"(CAP_SYSLOG): let it, and start the collector again.",
	.command = "sysctl kernel.kptr_restrict=1",
};
static const struct symbol_remedy pending = {
	.text = "Symbols are being looked for: names appear in this range when they come. A file "
		"given "
		"by hand is taken at once.",
	.command = "cairn symbols upload FILE",
	.upload = true,
};
static const struct symbol_remedy gaps = {
	.text = "The file with all there is to know was read; these addresses lie in no function "
		"that it "
		"tells of, such as hand-written assembler without symbols.",
	.command = "",
};
static const struct symbol_remedy upload = {
	.text = "Give its debug file, or the program before it was stripped: on the page, by the "
		"command, in a folder that --symbols-folder names, or on a debuginfod server that "
		"--debuginfod-urls names.",
	.command = "cairn symbols upload FILE",
	.upload = true,
};

struct symbol_remedy symbol_remedy_for(const struct coverage_module *module, const char *name,
	const struct symbol_module_state *state)
{
	bool is_kernel = strcmp(name, "[kernel]") == 0;

	if (module->unnamed_count == 0)
		return named;
	if (!*name && !build_id_known(&module->build_id))
		return nowhere;
	if (is_kernel && (!state || state->quality == SYMBOL_QUALITY_NONE))
		return hidden_kernel;
	if (!build_id_known(&module->build_id))
		return without_id;
	if (state && state->quality == SYMBOL_QUALITY_DWARF)
		return gaps;
	if (state && state->pending)
		return pending;
	return is_kernel ? gaps : upload;
}
