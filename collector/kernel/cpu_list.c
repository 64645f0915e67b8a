/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/kernel/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/base/cleanup.h"

/* 8192 CPUs, every other one offline, are 4096 numbers of at most 4 digits and a comma. */
#define LIST_TEXT_BYTES_MAX ((size_t)32 * 1024)

struct cursor {
	const char *at;
	const char *end;
};

static int parse_number(struct cursor *cursor, uint32_t *ret_number)
{
	uint32_t number = 0;

	if (cursor->at == cursor->end || !isdigit((unsigned char)*cursor->at))
		return -EINVAL;
	while (cursor->at < cursor->end && isdigit((unsigned char)*cursor->at)) {
		number = number * 10 + (uint32_t)(*cursor->at - '0');
		if (number >= CPU_LIST_MAX)
			return -E2BIG;
		cursor->at++;
	}
	*ret_number = number;
	return 0;
}

static bool skip(struct cursor *cursor, char c)
{
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* `7` or `0-3`. */
static int parse_range(struct cursor *cursor, struct cpu_list *list)
{
	uint32_t first, last;
	int r = parse_number(cursor, &first);

	if (r < 0)
		return r;
	last = first;
	if (skip(cursor, '-'))
		r = parse_number(cursor, &last);
	if (r < 0)
		return r;
	if (last < first)
		return -EINVAL;
	for (uint32_t cpu = first; cpu <= last; cpu++)
		list->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return 0;
}

int cpu_list_parse(const char *text, size_t text_length, struct cpu_list *ret_list)
{
	struct cursor cursor = {text, text + text_length};
	struct cpu_list list = {0};

	if (text_length > 0 && text[text_length - 1] == '\n')
		cursor.end--;
	if (cursor.at < cursor.end) {
		do {
			int r = parse_range(&cursor, &list);

			if (r < 0)
				return r;
		} while (skip(&cursor, ','));
	}
	if (cursor.at != cursor.end)
		return -EINVAL;
	*ret_list = list;
	return 0;
}

int cpu_list_read(const char *path, struct cpu_list *ret_list)
{
	SCOPED_FREE char *text = malloc(LIST_TEXT_BYTES_MAX);
	SCOPED_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return -errno;
	if (!text)
		return -ENOMEM;
	length = read(fd, text, LIST_TEXT_BYTES_MAX);
	if (length < 0)
		return -errno;
	if ((size_t)length == LIST_TEXT_BYTES_MAX)
		return -E2BIG;
	return cpu_list_parse(text, (size_t)length, ret_list);
}

bool cpu_list_has(const struct cpu_list *list, uint32_t cpu)
{
	return cpu < CPU_LIST_MAX && (list->bits[cpu / 64] >> cpu % 64 & 1) != 0;
}

uint32_t cpu_list_count(const struct cpu_list *list)
{
	uint32_t count = 0;

	for (size_t i = 0; i < CPU_LIST_MAX / 64; i++)
		count += (uint32_t)__builtin_popcountll(list->bits[i]);
	return count;
}
