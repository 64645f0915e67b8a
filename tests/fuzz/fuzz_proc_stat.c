/* SPDX-License-Identifier: Apache-2.0 */
/* Any text either is refused, or prints as the kernel prints it to one that parses to the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/process/proc_reader.h"
#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

/* From the kernel's include/linux/sched.h. */
#define PF_KTHREAD 0x00200000u

static int print_stat(const struct proc_stat *stat, char *ret_text, size_t text_bytes)
{
	return snprintf(ret_text, text_bytes,
		"1 (%s) S %u 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 %u 0 %llu 0 0\n", stat->name,
		stat->parent_pid, stat->is_kernel_thread ? PF_KTHREAD : 0, stat->thread_count,
		(unsigned long long)stat->started_at_ticks);
}

static bool is_same(const struct proc_stat *one, const struct proc_stat *other)
{
	return strcmp(one->name, other->name) == 0 && one->parent_pid == other->parent_pid &&
		one->thread_count == other->thread_count &&
		one->is_kernel_thread == other->is_kernel_thread &&
		one->started_at_ticks == other->started_at_ticks;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FREE char *text = malloc(byte_count + 1);
	struct proc_stat stat, again;
	char printed[256];
	int length;

	must(text);
	memcpy(text, bytes, byte_count);
	text[byte_count] = '\0';
	if (proc_parse_stat(text, byte_count, &stat) < 0)
		return;
	must(strnlen(stat.name, sizeof(stat.name)) < sizeof(stat.name));
	length = print_stat(&stat, printed, sizeof(printed));
	must(length > 0 && (size_t)length < sizeof(printed));
	must(proc_parse_stat(printed, (size_t)length, &again) == 0);
	must(is_same(&stat, &again));
}
