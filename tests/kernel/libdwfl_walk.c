/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/libdwfl_walk.h"

#include <elfutils/libdwfl.h>

#include "store/base/clock.h"
#include "tests/support/check.h"

struct libdwfl_process {
	struct libdwfl_process *next;
	uint32_t pid;
	Dwfl *dwfl;
	struct libdwfl_walk *walk;
};

/* --- what libdwfl asks for --------------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-function-size): libdwfl says what it is called with. */
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
	const char *file_name, const char *link_file, GElf_Word link_crc, char **ret_name)
{
	(void)module, (void)data, (void)name, (void)base;
	(void)file_name, (void)link_file, (void)link_crc, (void)ret_name;
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **cursor)
{
	struct libdwfl_process *process = context;

	(void)dwfl;
	if (*cursor)
		return 0;
	*cursor = process;
	return (pid_t)process->walk->stack->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **ret_context)
{
	(void)dwfl, (void)tid;
	*ret_context = context;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret_word, void *context)
{
	const struct libdwfl_process *process = context;
	const struct perf_stack *stack = process->walk->stack;
	uint64_t offset = address - stack->registers[7];

	(void)dwfl;
	if (offset > stack->stack_bytes || stack->stack_bytes - offset < sizeof(*ret_word))
		return false;
	memcpy(ret_word, stack->stack + offset, sizeof(*ret_word));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct libdwfl_process *process = context;
	Dwarf_Word words[PERF_STACK_REGISTERS];

	for (int i = 0; i < PERF_STACK_REGISTERS; i++)
		words[i] = process->walk->stack->registers[i];
	return dwfl_thread_state_registers(thread, 0, PERF_STACK_REGISTERS, words);
}

static const Dwfl_Callbacks files = {
	.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debug_file};
static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* --- processes --------------------------------------------------------------------------------- */

static bool open_process(struct libdwfl_process *process)
{
	process->dwfl = dwfl_begin(&files);
	CHECK(process->dwfl != NULL);
	return dwfl_linux_proc_report(process->dwfl, (pid_t)process->pid) == 0 &&
		dwfl_report_end(process->dwfl, NULL, NULL) == 0 &&
		dwfl_attach_state(process->dwfl, NULL, (pid_t)process->pid, &threads, process);
}

static struct libdwfl_process *find_process(struct libdwfl_walk *walk, uint32_t pid)
{
	struct libdwfl_process *process = walk->processes;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct libdwfl_process *get_process(struct libdwfl_walk *walk, uint32_t pid)
{
	struct libdwfl_process *process = find_process(walk, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	CHECK(process != NULL);
	process->pid = pid;
	process->walk = walk;
	if (!open_process(process)) {
		dwfl_end(process->dwfl);
		free(process);
		return NULL;
	}
	process->next = walk->processes;
	walk->processes = process;
	return process;
}

void libdwfl_walk_forget(struct libdwfl_walk *walk, uint32_t pid)
{
	struct libdwfl_process **link = &walk->processes;

	while (*link && (*link)->pid != pid)
		link = &(*link)->next;
	if (*link) {
		struct libdwfl_process *process = *link;

		*link = process->next;
		dwfl_end(process->dwfl);
		free(process);
	}
}

void libdwfl_walk_init(struct libdwfl_walk *walk)
{
	*walk = (struct libdwfl_walk){0};
}

void libdwfl_walk_done(struct libdwfl_walk *walk)
{
	while (walk->processes)
		libdwfl_walk_forget(walk, walk->processes->pid);
}

/* --- walking ----------------------------------------------------------------------------------- */

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct libdwfl_walk *walk = context;
	Dwarf_Addr ip;

	if (walk->count == LIBDWFL_FRAMES_MAX || !dwfl_frame_pc(frame, &ip, NULL))
		return DWARF_CB_ABORT;
	walk->ips[walk->count++] = ip;
	return DWARF_CB_OK;
}

bool libdwfl_walk_stack(struct libdwfl_walk *walk, const struct perf_stack *stack)
{
	struct libdwfl_process *process;
	uint64_t began_ns;

	walk->stack = stack;
	walk->count = 0;
	process = get_process(walk, stack->pid);
	if (!process)
		return false;
	began_ns = clock_monotonic_ns();
	/* Where it ends, rightly or not, is what is compared. */
	(void)dwfl_getthread_frames(process->dwfl, (pid_t)stack->tid, take_frame, walk);
	walk->walk_ns += clock_monotonic_ns() - began_ns;
	walk->frame_count += walk->count;
	return true;
}

const char *libdwfl_walk_place(
	struct libdwfl_walk *walk, uint32_t pid, uint64_t address, uint64_t *ret_within)
{
	struct libdwfl_process *process = find_process(walk, pid);
	Dwfl_Module *module = process ? dwfl_addrmodule(process->dwfl, address) : NULL;
	GElf_Addr bias = 0;

	*ret_within = address;
	if (!module)
		return "";
	if (dwfl_module_getelf(module, &bias))
		*ret_within = address - bias;
	return dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}
