/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the kernel's list of modules: those that are taken lie in order of their start, each
 * with a name in brackets and an end behind its start. */
#include <string.h>

#include "collector/process/kernel_symbols.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/work_dir.h"

static struct tally tally;

static void check_modules(const struct kernel_symbols *symbols)
{
	must(symbols->count <= KERNEL_MODULE_COUNT_MAX);
	for (uint32_t i = 0; i < symbols->count; i++) {
		const struct kernel_module *module = &symbols->modules[i];
		size_t length = strnlen(module->name, sizeof(module->name));

		must(length >= 3 && length < sizeof(module->name));
		must(module->name[0] == '[' && module->name[length - 1] == ']');
		must(module->start < module->end);
		if (i > 0)
			must(symbols->modules[i - 1].start <= module->start);
	}
}

/* A kernel of one symbol, in a folder that stands for /proc and /sys. */
static void make_kernel(void)
{
	static bool is_made;

	if (is_made)
		return;
	work_write_text("kallsyms", "ffffffff81000000 T _text\nffffffff82000000 T _etext\n");
	is_made = true;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct kernel_symbols symbols;

	make_kernel();
	work_write("modules", bytes, byte_count);
	if (kernel_symbols_init(&symbols, work_dir(), work_dir(), &tally) < 0)
		return;
	if (kernel_symbols_refresh(&symbols) == 0)
		check_modules(&symbols);
	kernel_symbols_done(&symbols);
}
