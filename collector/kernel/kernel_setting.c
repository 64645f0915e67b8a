/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/kernel_setting.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "store/base/cleanup.h"

int kernel_setting_read(const char *name, int otherwise)
{
	char path[128], text[32], *end;
	SCOPED_FD int fd = -1;
	ssize_t length;
	long number;

	if (snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name) >= (int)sizeof(path))
		return otherwise;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return otherwise;
	length = read(fd, text, sizeof(text) - 1);
	if (length <= 0)
		return otherwise;
	text[length] = '\0';
	errno = 0;
	number = strtol(text, &end, 10);
	if (end == text || errno != 0 || number < INT_MIN || number > INT_MAX)
		return otherwise;
	return (int)number;
}
