/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/elf_symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/profile/grow.h"
#include "symbolizer-server/sandbox/symbol_alias.h"
#include "symbolizer-server/sandbox/symbol_index.h"

/* The largest symbol tables of real programs hold some hundred megabytes. */
#define TABLE_BYTES_MAX ((size_t)2 << 30)
#define SYMBOL_COUNT_MAX (64u << 20)

void code_ranges_done(struct code_ranges *ranges)
{
	free(ranges->ranges);
	*ranges = (struct code_ranges){0};
}

static int compare_ranges(const void *one_pointer, const void *other_pointer)
{
	const struct code_span *one = one_pointer, *other = other_pointer;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->end < other->end ? -1 : one->end > other->end;
}

/* Where ranges overlap, the later one begins behind the earlier; of one that lies within nothing is
 * left. So a binary search finds the right one. */
static void sort_ranges(struct code_ranges *ranges)
{
	uint32_t kept = 0;
	uint64_t end = 0;

	if (ranges->count == 0)
		return;
	qsort(ranges->ranges, ranges->count, sizeof(*ranges->ranges), compare_ranges);
	for (uint32_t i = 0; i < ranges->count; i++) {
		struct code_span range = ranges->ranges[i];

		if (range.start < end)
			range.start = end;
		if (range.start >= range.end)
			continue;
		end = range.end;
		ranges->ranges[kept++] = range;
	}
	ranges->count = kept;
}

static void add_range(struct code_ranges *ranges, uint64_t start, uint64_t byte_count)
{
	if (byte_count > 0 && start + byte_count > start)
		ranges->ranges[ranges->count++] =
			(struct code_span){.start = start, .end = start + byte_count};
}

int code_ranges_read(const struct image *image, struct code_ranges *ret_ranges)
{
	struct code_ranges ranges = {0};
	size_t count_max = (size_t)image->section_count + image->segment_count + 1;

	ranges.ranges = calloc(count_max, sizeof(*ranges.ranges));
	if (!ranges.ranges)
		return -ENOMEM;
	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if ((section->flags & SHF_ALLOC) && (section->flags & SHF_EXECINSTR))
			add_range(&ranges, section->address, section->byte_count);
	}
	for (uint32_t i = 0; ranges.count == 0 && i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (segment->type == PT_LOAD && (segment->flags & PF_X))
			add_range(&ranges, segment->address, segment->memory_bytes);
	}
	sort_ranges(&ranges);
	*ret_ranges = ranges;
	return 0;
}

const struct code_span *code_ranges_find(const struct code_ranges *ranges, uint64_t address)
{
	uint32_t low = 0, high = ranges->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < ranges->ranges[low - 1].end ? &ranges->ranges[low - 1] : NULL;
}

/* One entry of a symbol table, whatever its class. */
struct entry {
	uint64_t value;
	uint64_t byte_count;
	uint32_t name;
	uint16_t section;
	uint8_t type;
	uint8_t binding;
};

struct table {
	const struct image *image;
	uint8_t *entries;
	size_t entry_count;
	size_t entry_bytes;
	char *texts;
	size_t text_bytes;
};

static void table_done(struct table *table)
{
	free(table->entries);
	free(table->texts);
}

/* A linker may write a version behind a name, `memcpy@@GLIBC_2.14`: cut there. Names that share
 * their tail are cut at the same place. */
static void cut_versions(char *texts, size_t byte_count)
{
	for (size_t i = 1; i < byte_count; i++)
		if (texts[i] == '@' && texts[i - 1] != '\0')
			texts[i] = '\0';
}

static int table_open(const struct image *image, const struct section_names *names,
	enum elf_symbol_table which, struct table *ret_table)
{
	struct table table = {.image = image};
	uint32_t type = which == ELF_SYMBOLS_DYNAMIC ? SHT_DYNSYM : SHT_SYMTAB;
	uint32_t index = 1, link;
	size_t byte_count;
	int r;

	while (index < image->section_count && image->sections[index].type != type)
		index++;
	if (index >= image->section_count)
		return -ENOENT;
	table.entry_bytes = image->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	link = image->sections[index].link;
	r = section_read(image, names, index, TABLE_BYTES_MAX, &table.entries, &byte_count);
	if (r < 0)
		return r;
	table.entry_count = byte_count / table.entry_bytes;
	r = link == index ? -EBADMSG
			  : section_read(image, names, link, TABLE_BYTES_MAX,
				    (uint8_t **)&table.texts, &table.text_bytes);
	/* Without a NUL at its end the last name would run on. */
	if (r == 0 && (table.text_bytes == 0 || table.texts[table.text_bytes - 1] != '\0'))
		r = -EBADMSG;
	if (r < 0) {
		table_done(&table);
		return r == -ENOENT ? -EBADMSG : r;
	}
	cut_versions(table.texts, table.text_bytes);
	*ret_table = table;
	return 0;
}

static struct entry table_entry(const struct table *table, size_t index)
{
	const uint8_t *bytes = table->entries + index * table->entry_bytes;
	const struct image *image = table->image;
	struct entry entry = {.name = image_u32(image, bytes)};
	uint8_t info;

	if (image->is_64) {
		info = bytes[offsetof(Elf64_Sym, st_info)];
		entry.section = image_u16(image, bytes + offsetof(Elf64_Sym, st_shndx));
		entry.value = image_u64(image, bytes + offsetof(Elf64_Sym, st_value));
		entry.byte_count = image_u64(image, bytes + offsetof(Elf64_Sym, st_size));
	} else {
		info = bytes[offsetof(Elf32_Sym, st_info)];
		entry.section = image_u16(image, bytes + offsetof(Elf32_Sym, st_shndx));
		entry.value = image_u32(image, bytes + offsetof(Elf32_Sym, st_value));
		entry.byte_count = image_u32(image, bytes + offsetof(Elf32_Sym, st_size));
	}
	entry.type = ELF64_ST_TYPE(info);
	entry.binding = ELF64_ST_BIND(info);
	/* The lowest bit of an ARM function says that it is Thumb code. */
	if (image->machine == EM_ARM && entry.type == STT_FUNC)
		entry.value &= ~UINT64_C(1);
	return entry;
}

static const char *entry_name(const struct table *table, const struct entry *entry)
{
	return entry->name < table->text_bytes ? table->texts + entry->name : "";
}

/* Marks of the assembler that name no code: `$x`, `$d.12` (ARM), `.L4`. */
static bool is_mark(const char *name)
{
	return name[0] == '\0' || name[0] == '$' || strncmp(name, ".L", 2) == 0;
}

/* A symbol at a place in the code, whatever it names. */
static bool is_place(const struct table *table, const struct entry *entry)
{
	if (entry->section == SHN_UNDEF || entry->section == SHN_ABS ||
		entry->section == SHN_COMMON)
		return false;
	if (entry->type != STT_FUNC && entry->type != STT_GNU_IFUNC && entry->type != STT_NOTYPE)
		return false;
	return !is_mark(entry_name(table, entry));
}

/* A label that the linker sees is an entry point of assembler code; a local one may be a loop. */
static bool is_function(const struct entry *entry)
{
	return entry->type != STT_NOTYPE || entry->binding != STB_LOCAL;
}

/* What is collected of a table before it is known which names win. */
struct collected {
	struct symbol_alias *sized;
	uint32_t sized_count;
	uint32_t sized_capacity;
	struct symbol_alias *unsized;
	uint32_t unsized_count;
	uint32_t unsized_capacity;
	uint64_t *places; /* every address that a symbol names, functions or not */
	uint32_t place_count;
	uint32_t place_capacity;
};

static void collected_done(struct collected *collected)
{
	free(collected->sized);
	free(collected->unsized);
	free(collected->places);
}

static int add_place(struct collected *collected, uint64_t address)
{
	int r = grow_array(&collected->places, &collected->place_capacity, collected->place_count,
		SYMBOL_COUNT_MAX);

	if (r == 0)
		collected->places[collected->place_count++] = address;
	return r;
}

static int add_symbol(struct collected *collected, const struct symbol_alias *alias, bool unsized)
{
	int r;

	if (unsized) {
		r = grow_array(&collected->unsized, &collected->unsized_capacity,
			collected->unsized_count, SYMBOL_COUNT_MAX);
		if (r == 0)
			collected->unsized[collected->unsized_count++] = *alias;
		return r;
	}
	r = grow_array(&collected->sized, &collected->sized_capacity, collected->sized_count,
		SYMBOL_COUNT_MAX);
	if (r == 0)
		collected->sized[collected->sized_count++] = *alias;
	return r;
}

static int collect(
	const struct table *table, const struct code_ranges *code, struct collected *collected)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < table->entry_count; i++) {
		struct entry entry = table_entry(table, i);
		const struct code_span *range = code_ranges_find(code, entry.value);
		uint64_t room;

		if (!range || !is_place(table, &entry))
			continue;
		room = range->end - entry.value;
		r = add_place(collected, entry.value);
		if (r < 0 || !is_function(&entry))
			continue;
		r = add_symbol(collected,
			&(struct symbol_alias){
				.start = entry.value,
				.end = entry.value +
					(entry.byte_count < room ? entry.byte_count : room),
				.name = entry_name(table, &entry),
				.binding = entry.binding == STB_LOCAL ? SYMBOL_BINDING_LOCAL
					: entry.binding == STB_WEAK   ? SYMBOL_BINDING_WEAK
								      : SYMBOL_BINDING_GLOBAL,
			},
			entry.byte_count == 0);
	}
	return r;
}

static int add_named(struct function_list *list, struct string_table *strings,
	const struct symbol_alias *alias, uint64_t end, uint32_t order)
{
	size_t length = strnlen(alias->name, SYMBOL_NAME_BYTES_MAX - 1);
	uint32_t name;
	int r = string_table_add(strings, alias->name, length, &name);

	return r < 0 ? r : function_list_add(list, alias->start, end, name, order);
}

static int add_sized(
	struct collected *collected, struct string_table *strings, struct function_list *list)
{
	int r = 0;

	symbol_alias_sort(collected->sized, collected->sized_count);
	/* Sorted by preference within equal starts: so the position is the order. */
	for (uint32_t i = 0; r == 0 && i < collected->sized_count; i++)
		r = add_named(list, strings, &collected->sized[i], collected->sized[i].end, i);
	return r == 0 ? function_list_resolve(list) : r;
}

static int compare_addresses(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? -1 : a > b;
}

/* How far a function without a size reaches: to whatever comes next. PLACE moves along with rising
 * starts. */
static uint64_t unsized_end(const struct collected *collected, const struct function_list *sized,
	const struct code_span *range, uint64_t start, uint32_t *place)
{
	uint64_t end = range->end - start > UNSIZED_FUNCTION_BYTES_MAX
		? start + UNSIZED_FUNCTION_BYTES_MAX
		: range->end;
	uint32_t next_sized = function_list_from(sized, start);

	while (*place < collected->place_count && collected->places[*place] <= start)
		(*place)++;
	if (*place < collected->place_count && collected->places[*place] < end)
		end = collected->places[*place];
	if (next_sized < sized->count && sized->functions[next_sized].start < end)
		end = sized->functions[next_sized].start;
	return end;
}

/* Functions without a size fill gaps only: inside of a sized one they are labels. */
static int add_unsized(struct collected *collected, const struct code_ranges *code,
	struct string_table *strings, struct function_list *list)
{
	struct function_list unsized = {0};
	uint32_t place = 0;
	int r = 0;

	symbol_alias_sort(collected->unsized, collected->unsized_count);
	if (collected->place_count > 0)
		qsort(collected->places, collected->place_count, sizeof(*collected->places),
			compare_addresses);
	for (uint32_t i = 0; r == 0 && i < collected->unsized_count; i++) {
		const struct symbol_alias *alias = &collected->unsized[i];
		const struct code_span *range = code_ranges_find(code, alias->start);

		if (!range || function_list_find(list, alias->start))
			continue;
		r = add_named(&unsized, strings, alias,
			unsized_end(collected, list, range, alias->start, &place), i);
	}
	if (r == 0)
		r = function_list_resolve(&unsized);
	if (r == 0)
		r = function_list_overlay(list, &unsized);
	function_list_done(&unsized);
	return r;
}

int elf_symbols_read(const struct image *image, const struct section_names *names,
	const struct code_ranges *code, enum elf_symbol_table which, struct string_table *strings,
	struct function_list *ret_list)
{
	struct collected collected = {0};
	struct function_list list = {0};
	struct table table;
	int r = table_open(image, names, which, &table);

	if (r < 0)
		return r;
	r = collect(&table, code, &collected);
	if (r == 0)
		r = add_sized(&collected, strings, &list);
	if (r == 0 && which == ELF_SYMBOLS_WHOLE)
		r = add_unsized(&collected, code, strings, &list);
	collected_done(&collected);
	table_done(&table);
	if (r < 0) {
		function_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
