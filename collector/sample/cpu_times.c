/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/cpu_times.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/profile/grow.h"

/* One of 8192 CPUs takes at most 215 bytes. */
#define TEXT_BYTES_MAX ((size_t)2 << 20)
#define TEXT_BYTES_FIRST ((size_t)16 << 10)
#define CPU_COUNT_MAX 8192

/* Columns of a line `cpuN`, see proc(5). Guests' time is part of user time. */
enum column { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMN_COUNT };

void cpu_times_done(struct cpu_times *times)
{
	free(times->items);
	*times = (struct cpu_times){NULL, 0, 0};
}

static uint64_t read_number(const char **at, const char *end)
{
	uint64_t value = 0;

	while (*at < end && **at == ' ')
		++*at;
	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		value = value * 10 + (uint64_t)(**at - '0');
	return value;
}

static int parse_line(struct cpu_times *times, const char *line, const char *end, uint64_t tick_ns)
{
	uint64_t columns[COLUMN_COUNT];
	const char *at = line;
	uint64_t cpu = read_number(&at, end);
	int r;

	if (cpu >= CPU_COUNT_MAX)
		return -EBADMSG;
	/* They come in order, and whoever looks for one relies on it. */
	if (times->count > 0 && cpu <= times->items[times->count - 1].cpu)
		return -EBADMSG;
	for (int i = 0; i < COLUMN_COUNT; i++)
		columns[i] = read_number(&at, end) * tick_ns;
	r = grow_array(&times->items, &times->capacity, times->count, CPU_COUNT_MAX);
	if (r < 0)
		return r;
	times->items[times->count++] = (struct cpu_time){
		.cpu = (uint32_t)cpu,
		.busy_ns = columns[USER] + columns[NICE] + columns[SYSTEM] + columns[IRQ] +
			columns[SOFTIRQ],
		.idle_ns = columns[IDLE] + columns[IOWAIT],
		.steal_ns = columns[STEAL],
	};
	return 0;
}

int cpu_times_parse(struct cpu_times *times, const char *text, size_t length, uint64_t tick_ns)
{
	const char *end = text + length;
	const char *line_end;

	times->count = 0;
	for (; (line_end = memchr(text, '\n', (size_t)(end - text))) != NULL; text = line_end + 1) {
		int r;

		if (line_end - text < 5 || memcmp(text, "cpu", 3) != 0)
			break;
		/* The first line is the sum of all. */
		if (text[3] < '0' || text[3] > '9')
			continue;
		r = parse_line(times, text + 3, line_end, tick_ns);
		if (r < 0) {
			times->count = 0;
			return r;
		}
	}
	return times->count > 0 ? 0 : -EBADMSG;
}

static int read_all(int fd, char **text, size_t *ret_length)
{
	size_t capacity = TEXT_BYTES_FIRST, length = 0;

	for (;;) {
		char *grown = realloc(*text, capacity);
		ssize_t got;

		if (!grown)
			return -ENOMEM;
		*text = grown;
		got = read(fd, grown + length, capacity - length);
		if (got < 0)
			return -errno;
		length += (size_t)got;
		if (got == 0 || capacity == TEXT_BYTES_MAX)
			break;
		if (length == capacity)
			capacity *= 2;
	}
	*ret_length = length;
	return 0;
}

int cpu_times_read(struct cpu_times *times, const char *path)
{
	SCOPED_FD int fd = open(path ? path : "/proc/stat", O_RDONLY | O_CLOEXEC);
	SCOPED_FREE char *text = NULL;
	size_t length = 0;
	int r;

	times->count = 0;
	if (fd < 0)
		return -errno;
	r = read_all(fd, &text, &length);
	if (r < 0)
		return r;
	return cpu_times_parse(times, text, length, NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t passed(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

struct cpu_time cpu_time_since(const struct cpu_times *before, const struct cpu_time *now)
{
	struct cpu_time zero = {.cpu = now->cpu};
	const struct cpu_time *then = &zero;

	/* Where every CPU is online, its number is its index. */
	if (now->cpu < before->count && before->items[now->cpu].cpu == now->cpu) {
		then = &before->items[now->cpu];
	} else {
		for (uint32_t i = 0; i < before->count; i++) {
			if (before->items[i].cpu == now->cpu)
				then = &before->items[i];
		}
	}
	return (struct cpu_time){
		.cpu = now->cpu,
		.busy_ns = passed(then->busy_ns, now->busy_ns),
		.idle_ns = passed(then->idle_ns, now->idle_ns),
		.steal_ns = passed(then->steal_ns, now->steal_ns),
	};
}
