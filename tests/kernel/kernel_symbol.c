/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/kernel_symbol.h"

#include "store/base/cleanup.h"
#include "tests/support/check.h"

#define SYMBOLS_MAX 1000000
#define NAME_BYTES 48

struct symbol {
	uint64_t address;
	char name[NAME_BYTES];
};

static struct symbol *symbols;
static size_t symbol_count;

static int compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void load(void)
{
	SCOPED_FILE FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024], type;
	unsigned long long address;

	CHECK(file != NULL);
	symbols = calloc(SYMBOLS_MAX, sizeof(*symbols));
	CHECK(symbols != NULL);
	while (symbol_count < SYMBOLS_MAX && fgets(line, sizeof(line), file)) {
		struct symbol *symbol = &symbols[symbol_count];

		if (sscanf(line, "%llx %c %47s", &address, &type, symbol->name) != 3)
			continue;
		if (type != 't' && type != 'T')
			continue;
		symbol->address = address;
		symbol_count++;
	}
	qsort(symbols, symbol_count, sizeof(*symbols), compare);
}

bool kernel_symbol_starts_with(uint64_t address, const char *prefix)
{
	size_t low = 0, high;

	if (!symbols)
		load();
	high = symbol_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* Several names may stand at the same address. */
	for (size_t i = low; i > 0 && symbols[i - 1].address == symbols[low - 1].address; i--)
		if (strncmp(symbols[i - 1].name, prefix, strlen(prefix)) == 0)
			return true;
	return false;
}
