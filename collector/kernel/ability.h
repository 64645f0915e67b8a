/* SPDX-License-Identifier: Apache-2.0 */
/* Ability: what the BPF programs do without on this kernel.
 *
 * What it is   asks the kernel's type information what the programs ask it when they are loaded:
 *              does this enumerator exist? Never which version it is.
 * Ownership    values only.
 * Threads      any.
 * Errors       negative errno: the type information can't be read.
 */
#pragma once

#include <stdbool.h>

struct abilities {
	bool saved_registers; /* bpf_task_pt_regs: bpf/lib/registers.bpf.h */
	bool memory_cgroups; /* the memory controller: bpf/lib/task.bpf.h */
};

/* BTF_PATH of NULL is the kernel's own. */
int abilities_read(const char *btf_path, struct abilities *ret_abilities);
