/* SPDX-License-Identifier: Apache-2.0 */
/* Any text either is refused and leaves the list alone, or prints as the kernel prints it to one
 * that parses to the same CPUs. */
#include <stdio.h>
#include <string.h>

#include "collector/kernel/cpu_list.h"
#include "store/base/must.h"
#include "tests/fuzz/fuzz.h"

/* Every other CPU: a number of at most four digits and a comma each. */
#define TEXT_BYTES_MAX (CPU_LIST_MAX * 5)

static size_t print_list(const struct cpu_list *list, char *ret_text)
{
	size_t length = 0;

	for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
		uint32_t first = cpu;

		if (!cpu_list_has(list, cpu))
			continue;
		while (cpu + 1 < CPU_LIST_MAX && cpu_list_has(list, cpu + 1))
			cpu++;
		length += (size_t)snprintf(ret_text + length, TEXT_BYTES_MAX - length,
			first == cpu ? "%s%u" : "%s%u-%u", length ? "," : "", first, cpu);
		must(length < TEXT_BYTES_MAX);
	}
	return length;
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	static char text[TEXT_BYTES_MAX];
	const struct cpu_list untouched = {.bits = {0x5a}};
	struct cpu_list list = untouched, again;

	if (cpu_list_parse((const char *)bytes, byte_count, &list) < 0) {
		must(memcmp(&list, &untouched, sizeof(list)) == 0);
		return;
	}
	must(cpu_list_count(&list) <= CPU_LIST_MAX);
	must(cpu_list_parse(text, print_list(&list, text), &again) == 0);
	must(memcmp(&list, &again, sizeof(list)) == 0);
}
