/* SPDX-License-Identifier: Apache-2.0 */
/* Module table: the binaries that frames lie in.
 *
 * What it is   {build-ID, base name} pairs, each once. Module 0 is "none": JIT code, anonymous
 *              memory, unmapped addresses and frames that came with a name.
 * Ownership    names are indices into the profile's string table.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many modules.
 */
#pragma once

#include <stdint.h>

#include "store/base/index_map.h"
#include "store/profile/build_id.h"

/* A process may map thousands of files and a host run hundreds of processes in one window. */
#define MODULE_COUNT_MAX (256u << 10)

struct module {
	struct build_id build_id; /* unknown if the file had none and could not be hashed */
	uint32_t name; /* string index: base name of the file, `[kernel]`, `[name]`, `[vdso]` */
};

struct module_table {
	struct module *modules;
	uint32_t count;
	uint32_t capacity;
	struct index_map map;
};

int module_table_init(struct module_table *table);
void module_table_done(struct module_table *table);
int module_table_add(struct module_table *table, const struct module *module, uint32_t *ret_index);
