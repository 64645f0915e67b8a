/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel symbols: where the kernel and its modules lie, and which builds they are.
 *
 * What it is   a kernel address -> module and an address relative to it that is the same on every
 *              host with that build: from _text in the kernel, from .text in a module. Reads
 *              build-IDs from /sys, ranges from /proc.
 * Ownership    owns its table; modules are borrowed until the next refresh or look-up.
 * Threads      one owner.
 * Errors       none that stops: where the kernel hides its addresses (kernel.kptr_restrict, no
 *              CAP_SYSLOG) that is a state, and addresses stay absolute.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collector/tally.h"
#include "store/profile/build_id.h"

/* Longer than the kernel lets a module's name be. */
#define KERNEL_MODULE_NAME_MAX 63
/* A distribution's kernel loads one to two hundred. */
#define KERNEL_MODULE_COUNT_MAX 4096

enum kernel_symbols_state {
	KERNEL_SYMBOLS_KNOWN,
	KERNEL_SYMBOLS_HIDDEN, /* addresses read as zero */
	KERNEL_SYMBOLS_MISSING, /* the kernel was built without its list of symbols */
};

struct kernel_module {
	char name[KERNEL_MODULE_NAME_MAX + 3]; /* `[kernel]`, `[name]` */
	struct build_id build_id; /* may be unknown */
	uint64_t start;
	uint64_t end; /* of all memory of the module, or of the kernel's code */
	uint64_t text; /* addresses count from here */
	uint64_t text_end; /* end of the code; 0: not yet known */
	uint64_t window; /* last window that named it, and the index of its module there */
	uint32_t module;
};

struct kernel_symbols {
	const char *proc_folder;
	const char *sys_folder;
	struct tally *tally;
	enum kernel_symbols_state state;
	struct kernel_module kernel;
	struct kernel_module *modules; /* by start */
	uint32_t count;
	uint64_t modules_hash; /* of the list last read */
	uint64_t refresh_at_ns; /* not before, because of an unknown address */
};

/* Folders: NULL for /proc and /sys; they must outlive the object. */
int kernel_symbols_init(struct kernel_symbols *symbols, const char *proc_folder,
	const char *sys_folder, struct tally *tally);
void kernel_symbols_done(struct kernel_symbols *symbols);

/* True if the kernel shows no addresses now: what it showed at the start may have been hidden since,
 * and then its functions can't be listed any more. */
bool kernel_symbols_hidden(const struct kernel_symbols *symbols);

/* Reads the list of modules and, if it changed, all about them. To be called once a window, so that
 * a module that took another's place is told apart from it. */
int kernel_symbols_refresh(struct kernel_symbols *symbols);

/* The module that holds ADDRESS, and the address relative to it; NULL for generated code, and while
 * addresses are hidden. An address that nothing holds makes the list be read again, once in a
 * while. */
struct kernel_module *kernel_symbols_locate(
	struct kernel_symbols *symbols, uint64_t address, uint64_t now_ns, uint64_t *ret_relative);

/* The kernel or module with this build-ID, or NULL. */
const struct kernel_module *kernel_symbols_find(
	const struct kernel_symbols *symbols, const struct build_id *build_id);

/* The functions of MODULE as text; see kallsyms_text. Copies of MODULE and folder are enough, so
 * another thread may do it. */
int kernel_symbols_text(const char *proc_folder, const struct kernel_module *module,
	uint8_t **ret_text, size_t *ret_byte_count);
