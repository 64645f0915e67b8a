/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/ability.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <bpf/btf.h>

#include "store/base/cleanup.h"

DEFINE_SCOPED(struct btf *, btf__free)

static bool has_enumerator(const struct btf *btf, const char *type_name, const char *name)
{
	int id = btf__find_by_name_kind(btf, type_name, BTF_KIND_ENUM);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
	const struct btf_enum *items = type ? btf_enum(type) : NULL;

	for (uint32_t i = 0; type && i < btf_vlen(type); i++) {
		const char *text = btf__name_by_offset(btf, items[i].name_off);

		if (text && strcmp(text, name) == 0)
			return true;
	}
	return false;
}

int abilities_read(const char *btf_path, struct abilities *ret_abilities)
{
	SCOPED(btf__free)
	struct btf *btf = btf_path ? btf__parse(btf_path, NULL) : btf__load_vmlinux_btf();

	if (!btf)
		return -errno;
	ret_abilities->saved_registers =
		has_enumerator(btf, "bpf_func_id", "BPF_FUNC_task_pt_regs");
	ret_abilities->memory_cgroups = has_enumerator(btf, "cgroup_subsys_id", "memory_cgrp_id");
	return 0;
}
