/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/ability.h"

#include <errno.h>

#include <bpf/btf.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

DEFINE_SCOPED(struct btf *, btf__free)

/* The type information of a kernel with these two enumerators, as a file. */
static const char *kernel_with(const char *helper, const char *controller)
{
	SCOPED(btf__free) struct btf *btf = btf__new_empty();
	const void *bytes;
	uint32_t byte_count;

	CHECK(btf != NULL);
	CHECK(btf__add_enum(btf, "bpf_func_id", 4) > 0);
	CHECK_EQ(btf__add_enum_value(btf, "BPF_FUNC_unspec", 0), 0);
	CHECK_EQ(btf__add_enum_value(btf, helper, 175), 0);
	CHECK(btf__add_enum(btf, "cgroup_subsys_id", 4) > 0);
	CHECK_EQ(btf__add_enum_value(btf, controller, 4), 0);
	bytes = btf__raw_data(btf, &byte_count);
	CHECK(bytes != NULL);
	work_write("btf", bytes, byte_count);
	return work_path("btf");
}

static void what_the_kernel_names_is_there(void)
{
	struct abilities abilities = {0};

	CHECK_EQ(abilities_read(kernel_with("BPF_FUNC_task_pt_regs", "memory_cgrp_id"), &abilities),
		0);
	CHECK(abilities.saved_registers);
	CHECK(abilities.memory_cgroups);
}

static void each_is_asked_for_by_itself(void)
{
	struct abilities abilities = {0};

	CHECK_EQ(abilities_read(kernel_with("BPF_FUNC_task_pt_reg", "memory_cgrp_id"), &abilities),
		0);
	CHECK(!abilities.saved_registers);
	CHECK(abilities.memory_cgroups);
	CHECK_EQ(
		abilities_read(kernel_with("BPF_FUNC_task_pt_regs", "cpu_cgrp_id"), &abilities), 0);
	CHECK(abilities.saved_registers);
	CHECK(!abilities.memory_cgroups);
}

static void a_kernel_without_such_types_has_nothing(void)
{
	struct abilities abilities = {true, true};
	SCOPED(btf__free) struct btf *btf = btf__new_empty();
	const void *bytes;
	uint32_t byte_count;

	CHECK(btf != NULL);
	CHECK(btf__add_int(btf, "int", 4, BTF_INT_SIGNED) > 0);
	bytes = btf__raw_data(btf, &byte_count);
	work_write("btf", bytes, byte_count);
	CHECK_EQ(abilities_read(work_path("btf"), &abilities), 0);
	CHECK(!abilities.saved_registers && !abilities.memory_cgroups);
}

static void what_is_no_type_information_is_an_error_and_leaves_the_output(void)
{
	struct abilities abilities = {true, false};

	work_write_text("text", "no BTF at all, only words that fill some bytes of a file\n");
	CHECK(abilities_read(work_path("text"), &abilities) < 0);
	CHECK_EQ(abilities_read(work_path("none"), &abilities), -ENOENT);
	CHECK(abilities.saved_registers && !abilities.memory_cgroups);
}

int main(void)
{
	RUN(what_the_kernel_names_is_there);
	RUN(each_is_asked_for_by_itself);
	RUN(a_kernel_without_such_types_has_nothing);
	RUN(what_is_no_type_information_is_an_error_and_leaves_the_output);
	return 0;
}
