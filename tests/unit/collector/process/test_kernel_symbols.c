/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/kernel_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

static struct tally tally;
static char proc_folder[256];
static char sys_folder[256];

#define TEXT UINT64_C(0xffffffff81000000)
#define MODULES UINT64_C(0xffffffffc0000000)

static void write_note(const char *path, const char *id)
{
	uint8_t note[64];
	size_t length = tiny_note(note, 0, 4, "GNU", 4, 3, id, strlen(id));

	work_write(path, note, length);
}

static void make_kernel(void)
{
	snprintf(proc_folder, sizeof(proc_folder), "%s", work_path("proc"));
	snprintf(sys_folder, sizeof(sys_folder), "%s", work_path("sys"));
	work_run("rm -rf proc sys; mkdir -p proc sys/kernel");
	write_note("sys/kernel/notes", "kernel-id");
	work_write_text("proc/kallsyms",
		"ffffffff81000000 T _stext\n"
		"ffffffff81000000 T _text\n"
		"ffffffff81000100 T start_kernel\n"
		"ffffffff82000000 T _etext\n"
		"ffffffff82100000 D data\n"
		"ffffffffc0001000 t one_first\t[one]\n"
		"ffffffffc0002800 t one_last\t[one]\n"
		"ffffffffc0011000 t two_only\t[two]\n");
}

static void make_module(const char *name, const char *text)
{
	char path[128];

	work_run("mkdir -p sys/module/%s/notes sys/module/%s/sections", name, name);
	snprintf(path, sizeof(path), "sys/module/%s/notes/.note.gnu.build-id", name);
	write_note(path, name);
	snprintf(path, sizeof(path), "sys/module/%s/sections/.text", name);
	work_write_text(path, text);
}

static void make_modules(void)
{
	make_module("one", "0xffffffffc0001000\n");
	make_module("two", "0xffffffffc0010000\n");
	work_write_text("proc/modules",
		"two 8192 0 - Live 0xffffffffc0010000\n"
		"one 16384 2 two,x, Live 0xffffffffc0000000 (OE)\n"
		"hidden 4096 0 - Live 0x0000000000000000\n"
		"nonsense\n");
}

static void expect(
	struct kernel_symbols *symbols, uint64_t address, const char *name, uint64_t relative)
{
	uint64_t got;
	struct kernel_module *module = kernel_symbols_locate(symbols, address, NS_PER_S, &got);

	if (!name) {
		CHECK(!module);
		return;
	}
	CHECK(module);
	CHECK_STR(module->name, name);
	CHECK(got == relative);
}

static void addresses_are_relative_to_kernel_and_modules(void)
{
	struct kernel_symbols symbols;

	make_kernel();
	make_modules();
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	CHECK_EQ(symbols.state, KERNEL_SYMBOLS_KNOWN);
	CHECK_EQ(symbols.count, 2);
	expect(&symbols, TEXT, "[kernel]", 0);
	expect(&symbols, TEXT + 0x123, "[kernel]", 0x123);
	expect(&symbols, TEXT + 0x1000000, NULL, 0);
	expect(&symbols, MODULES + 0x1004, "[one]", 4);
	expect(&symbols, MODULES + 0x2fff, "[one]", 0x1fff);
	expect(&symbols, MODULES + 0x11004, "[two]", 0x1004);
	CHECK(memcmp(symbols.kernel.build_id.bytes, "kernel-id", 9) == 0);
	CHECK(kernel_symbols_find(&symbols, &symbols.kernel.build_id) == &symbols.kernel);
	CHECK(kernel_symbols_find(&symbols, &symbols.modules[1].build_id) == &symbols.modules[1]);
	kernel_symbols_done(&symbols);
}

/* Between the code of a module and the end of what it is said to measure, others may lie. */
static void code_behind_a_modules_last_function_is_not_the_modules(void)
{
	struct kernel_symbols symbols;

	make_kernel();
	make_modules();
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	expect(&symbols, MODULES + 0x3000, NULL, 0);
	expect(&symbols, MODULES + 0x3fff, NULL, 0);
	expect(&symbols, MODULES + 0x800, NULL, 0);
	kernel_symbols_done(&symbols);
}

static void modules_loaded_later_are_found_at_the_first_unknown_address(void)
{
	struct kernel_symbols symbols;
	uint64_t relative;

	make_kernel();
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	CHECK(!kernel_symbols_locate(&symbols, MODULES + 0x1004, NS_PER_S, &relative));
	make_modules();
	CHECK(!kernel_symbols_locate(&symbols, MODULES + 0x1004, 2 * NS_PER_S, &relative));
	CHECK(kernel_symbols_locate(&symbols, MODULES + 0x1004, 11 * NS_PER_S, &relative));
	CHECK_EQ(relative, 4);
	kernel_symbols_done(&symbols);
}

static void a_module_in_anothers_place_is_another(void)
{
	struct kernel_symbols symbols;
	uint64_t refreshes;

	make_kernel();
	make_modules();
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	expect(&symbols, MODULES + 0x1004, "[one]", 4);
	make_module("three", "0xffffffffc0001000\n");
	work_write_text("proc/modules", "three 16384 0 - Live 0xffffffffc0000000\n");
	work_run("sed -i s/one/three/g proc/kallsyms");
	refreshes = tally_value(&tally, TALLY_kernel_symbol_refreshes);
	CHECK_EQ(kernel_symbols_refresh(&symbols), 0);
	CHECK_EQ(tally_value(&tally, TALLY_kernel_symbol_refreshes), refreshes + 1);
	expect(&symbols, MODULES + 0x1004, "[three]", 4);
	kernel_symbols_done(&symbols);
}

static void hidden_addresses_are_a_state_and_nothing_is_looked_up(void)
{
	struct kernel_symbols symbols;
	uint64_t relative;

	make_kernel();
	make_modules();
	work_run("sed -i 's/^[0-9a-f]*/0000000000000000/' proc/kallsyms && "
		 "sed -i 's/0xf[0-9a-f]*/0x0000000000000000/' proc/modules");
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	CHECK_EQ(symbols.state, KERNEL_SYMBOLS_HIDDEN);
	CHECK(build_id_known(&symbols.kernel.build_id));
	CHECK(!kernel_symbols_locate(&symbols, 0, NS_PER_S, &relative));
	CHECK(!kernel_symbols_locate(&symbols, TEXT, NS_PER_S, &relative));
	kernel_symbols_done(&symbols);

	work_run("rm proc/kallsyms");
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	CHECK_EQ(symbols.state, KERNEL_SYMBOLS_MISSING);
	kernel_symbols_done(&symbols);
}

static void addresses_may_be_hidden_after_the_start(void)
{
	struct kernel_symbols symbols;

	make_kernel();
	make_modules();
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	CHECK(!kernel_symbols_hidden(&symbols));
	work_run("sed -i 's/^[0-9a-f]*/0000000000000000/' proc/kallsyms");
	CHECK(kernel_symbols_hidden(&symbols));
	CHECK_EQ(symbols.state, KERNEL_SYMBOLS_KNOWN);
	kernel_symbols_done(&symbols);
}

static void the_text_of_a_module_is_relative_to_it(void)
{
	struct kernel_symbols symbols;
	uint8_t *text;
	size_t byte_count;

	make_kernel();
	make_modules();
	CHECK_EQ(kernel_symbols_init(&symbols, proc_folder, sys_folder, &tally), 0);
	expect(&symbols, MODULES + 0x1004, "[one]", 4);
	CHECK_EQ(kernel_symbols_text(proc_folder, &symbols.kernel, &text, &byte_count), 0);
	CHECK_EQ(byte_count, strlen("0 _stext\n0 _text\n100 start_kernel\n"));
	CHECK(memcmp(text, "0 _stext\n0 _text\n100 start_kernel\n", byte_count) == 0);
	free(text);
	CHECK_EQ(kernel_symbols_text(proc_folder, &symbols.modules[0], &text, &byte_count), 0);
	CHECK_EQ(byte_count, strlen("0 one_first\n1800 one_last\n"));
	CHECK(memcmp(text, "0 one_first\n1800 one_last\n", byte_count) == 0);
	free(text);
	kernel_symbols_done(&symbols);
}

/* As root, so that addresses are not hidden. */
static void this_kernel_is_read(void)
{
	struct kernel_symbols symbols;
	uint64_t relative;
	uint8_t *text;
	size_t byte_count;

	CHECK_EQ(kernel_symbols_init(&symbols, NULL, NULL, &tally), 0);
	if (symbols.state != KERNEL_SYMBOLS_KNOWN)
		fprintf(stderr, "this test needs root, and kernel.kptr_restrict below 2\n");
	CHECK_EQ(symbols.state, KERNEL_SYMBOLS_KNOWN);
	CHECK(build_id_known(&symbols.kernel.build_id));
	CHECK(kernel_symbols_locate(&symbols, symbols.kernel.text + 64, NS_PER_S, &relative));
	CHECK_EQ(relative, 64);
	CHECK_EQ(kernel_symbols_text(NULL, &symbols.kernel, &text, &byte_count), 0);
	CHECK(byte_count > 100000);
	CHECK(memmem(text, byte_count, " schedule\n", 10));
	free(text);
	kernel_symbols_done(&symbols);
}

int main(void)
{
	RUN(addresses_are_relative_to_kernel_and_modules);
	RUN(code_behind_a_modules_last_function_is_not_the_modules);
	RUN(modules_loaded_later_are_found_at_the_first_unknown_address);
	RUN(a_module_in_anothers_place_is_another);
	RUN(hidden_addresses_are_a_state_and_nothing_is_looked_up);
	RUN(addresses_may_be_hidden_after_the_start);
	RUN(the_text_of_a_module_is_relative_to_it);
	RUN(this_kernel_is_read);
	return 0;
}
