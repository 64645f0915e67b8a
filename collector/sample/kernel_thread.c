/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/kernel_thread.h"

#include <stddef.h>
#include <string.h>

void kernel_thread_name(const char *comm, char *ret_name)
{
	size_t whole = strnlen(comm, COMM_BYTES - 1);
	size_t length = 0;

	while (length < whole && comm[length] != '/' && comm[length] != ':')
		length++;
	/* What stands before a separator is the whole name: the 2 of jbd2 belongs to it. */
	if (length == whole) {
		while (length > 0 && comm[length - 1] >= '0' && comm[length - 1] <= '9')
			length--;
		while (length > 0 && (comm[length - 1] == '_' || comm[length - 1] == '-'))
			length--;
	}
	if (length == 0)
		length = whole;
	ret_name[0] = '[';
	memcpy(ret_name + 1, comm, length);
	ret_name[length + 1] = ']';
	ret_name[length + 2] = '\0';
}
