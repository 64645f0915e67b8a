/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/capability.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"

_Static_assert(CAPABILITY_SYSLOG == CAP_SYSLOG, "the number in the header");

/* Numbers of Linux 5.9, which older headers lack. */
#define CHECKPOINT_RESTORE 40

const struct capability_need capability_needs[] = {
	{"CAP_SYS_PTRACE", CAP_SYS_PTRACE, FEATURE_other_processes,
		CAPABILITY_REMEDY("CAP_SYS_PTRACE")},
	{"CAP_CHECKPOINT_RESTORE", CHECKPOINT_RESTORE, FEATURE_mapped_files,
		CAPABILITY_REMEDY("CAP_CHECKPOINT_RESTORE")},
	{"CAP_DAC_READ_SEARCH", CAP_DAC_READ_SEARCH, FEATURE_private_files,
		CAPABILITY_REMEDY("CAP_DAC_READ_SEARCH")},
};
const size_t capability_need_count = sizeof(capability_needs) / sizeof(capability_needs[0]);

int capability_parse(const char *text, uint64_t *ret_effective)
{
	const char *line = strstr(text, "\nCapEff:");
	char *end;
	uint64_t effective;

	if (!line)
		return -EBADMSG;
	line += strlen("\nCapEff:");
	effective = strtoull(line, &end, 16);
	if (end == line)
		return -EBADMSG;
	*ret_effective = effective;
	return 0;
}

int capability_read(uint64_t *ret_effective)
{
	SCOPED_FD int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	char text[8192];
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	return capability_parse(text, ret_effective);
}

bool capability_has(uint64_t effective, unsigned number)
{
	/* It was split off from CAP_SYS_ADMIN, which still holds it. */
	if (number == CHECKPOINT_RESTORE && (effective >> CAP_SYS_ADMIN & 1))
		return true;
	/* Overriding permissions includes reading. */
	if (number == CAP_DAC_READ_SEARCH && (effective >> CAP_DAC_OVERRIDE & 1))
		return true;
	return effective >> number & 1;
}

void capability_apply(uint64_t effective, struct features *features)
{
	for (size_t i = 0; i < capability_need_count; i++) {
		const struct capability_need *need = &capability_needs[i];

		if (!capability_has(effective, need->number))
			features_switch_off(
				features, need->feature, need->remedy, "%s is missing", need->name);
	}
}
