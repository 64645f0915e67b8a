/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/privilege.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"

static int has(const struct __user_cap_data_struct *sets, int capability)
{
	return (sets[capability / 32].effective >> capability % 32 & 1) != 0;
}

void privilege_need_sampling(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	CHECK_EQ(syscall(SYS_capget, &header, sets), 0);
	if (has(sets, CAP_SYS_ADMIN) || (has(sets, CAP_BPF) && has(sets, CAP_PERFMON)))
		return;
	fprintf(stderr,
		"This test samples the running kernel: it needs root, or CAP_BPF and "
		"CAP_PERFMON, and has neither.\n");
	exit(1);
}

void privilege_need_kernel_symbols(void)
{
	SCOPED_FILE FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long address = 0;

	if (file && fscanf(file, "%llx", &address) == 1 && address != 0)
		return;
	/* The first symbol of some kernels is at 0 by right: look for any other. */
	while (file && fscanf(file, "%*[^\n]\n%llx", &address) == 1)
		if (address > UINT32_MAX)
			return;
	fprintf(stderr,
		"This test names kernel frames: it needs root or CAP_SYSLOG to see "
		"addresses in /proc/kallsyms.\n");
	exit(1);
}
