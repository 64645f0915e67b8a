/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/plt_names.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/base/cleanup.h"

/* A program calls some thousands of functions of others. */
#define TABLE_BYTES_MAX ((size_t)64 << 20)
/* On x86-64 and AArch64 alike. */
#define STUB_BYTES 16
#define SHORT_STUB_BYTES 8
/* Longer names are cut in a stub's, too. */
#define STUB_NAME_MAX 4096

static const char stub_suffix[] = "@plt";

/* A slot of the global offset table and the symbol that the linker puts there. */
struct slot {
	uint64_t address;
	uint32_t symbol;
};

struct stubs {
	const struct image *image;
	const struct section_names *names;
	struct string_table *strings;
	struct function_list *list;
	uint8_t *symbols; /* .dynsym */
	size_t symbol_bytes;
	char *texts; /* .dynstr */
	size_t text_bytes;
	struct slot *ordered; /* of .rela.plt, as they stand there */
	size_t ordered_count;
	struct slot *slots; /* those and the ones of .rela.dyn, by address */
	size_t slot_count;
};

static void stubs_done(struct stubs *stubs)
{
	free(stubs->symbols);
	free(stubs->texts);
	free(stubs->ordered);
	free(stubs->slots);
}

static int read_symbols(struct stubs *stubs)
{
	uint32_t index = section_find(stubs->image, stubs->names, ".dynsym"), link;
	int r = section_read(stubs->image, stubs->names, index, TABLE_BYTES_MAX, &stubs->symbols,
		&stubs->symbol_bytes);

	if (r < 0)
		return r;
	link = stubs->image->sections[index].link;
	r = link == index ? -EBADMSG
			  : section_read(stubs->image, stubs->names, link, TABLE_BYTES_MAX,
				    (uint8_t **)&stubs->texts, &stubs->text_bytes);
	if (r == 0 && (stubs->text_bytes == 0 || stubs->texts[stubs->text_bytes - 1] != '\0'))
		r = -EBADMSG;
	return r;
}

/* Slots of the relocations in section NAME; none if there is no such section. */
static int read_slots(
	const struct stubs *stubs, const char *name, struct slot **ret_slots, size_t *ret_count)
{
	SCOPED_FREE uint8_t *bytes = NULL;
	size_t byte_count = 0, count;
	int r = section_read(stubs->image, stubs->names,
		section_find(stubs->image, stubs->names, name), TABLE_BYTES_MAX, &bytes,
		&byte_count);

	if (r < 0 && r != -ENOENT)
		return r;
	count = byte_count / sizeof(Elf64_Rela);
	*ret_slots = calloc(count + 1, sizeof(**ret_slots));
	if (!*ret_slots)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *entry = bytes + i * sizeof(Elf64_Rela);

		(*ret_slots)[i] = (struct slot){
			.address = image_u64(stubs->image, entry + offsetof(Elf64_Rela, r_offset)),
			.symbol = (uint32_t)ELF64_R_SYM(
				image_u64(stubs->image, entry + offsetof(Elf64_Rela, r_info))),
		};
	}
	*ret_count = count;
	return 0;
}

static int compare_slots(const void *one_pointer, const void *other_pointer)
{
	const struct slot *one = one_pointer, *other = other_pointer;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->symbol < other->symbol ? -1 : one->symbol > other->symbol;
}

static int read_relocations(struct stubs *stubs)
{
	struct slot *dynamic = NULL;
	size_t dynamic_count = 0;
	int r = read_slots(stubs, ".rela.plt", &stubs->ordered, &stubs->ordered_count);

	if (r == 0)
		r = read_slots(stubs, ".rela.dyn", &dynamic, &dynamic_count);
	if (r == 0) {
		stubs->slot_count = stubs->ordered_count + dynamic_count;
		stubs->slots = calloc(stubs->slot_count + 1, sizeof(*stubs->slots));
		r = stubs->slots ? 0 : -ENOMEM;
	}
	if (r == 0) {
		for (size_t i = 0; i < stubs->ordered_count; i++)
			stubs->slots[i] = stubs->ordered[i];
		for (size_t i = 0; i < dynamic_count; i++)
			stubs->slots[stubs->ordered_count + i] = dynamic[i];
		qsort(stubs->slots, stubs->slot_count, sizeof(struct slot), compare_slots);
	}
	free(dynamic);
	return r;
}

/* The symbol's name up to its version; the empty text if it has none. */
static const char *symbol_name(const struct stubs *stubs, uint32_t symbol, size_t *ret_length)
{
	const uint8_t *entry = stubs->symbols + (size_t)symbol * sizeof(Elf64_Sym);
	uint32_t offset;

	*ret_length = 0;
	if (symbol == 0 || symbol >= stubs->symbol_bytes / sizeof(Elf64_Sym))
		return "";
	offset = image_u32(stubs->image, entry + offsetof(Elf64_Sym, st_name));
	if (offset >= stubs->text_bytes)
		return "";
	*ret_length = strcspn(stubs->texts + offset, "@");
	return stubs->texts + offset;
}

static int add_stub(struct stubs *stubs, uint64_t start, uint64_t byte_count, uint32_t symbol)
{
	char text[STUB_NAME_MAX + sizeof(stub_suffix)];
	size_t length;
	const char *name = symbol_name(stubs, symbol, &length);
	uint32_t index;
	int r;

	if (length == 0 || start + byte_count < start)
		return 0;
	if (length > STUB_NAME_MAX)
		length = STUB_NAME_MAX;
	memcpy(text, name, length);
	memcpy(text + length, stub_suffix, sizeof(stub_suffix));
	r = string_table_add(stubs->strings, text, length + sizeof(stub_suffix) - 1, &index);
	return r < 0 ? r : function_list_add(stubs->list, start, start + byte_count, index, 0);
}

/* The slot that a stub jumps through: `ff 25` and its distance from the next instruction, perhaps
 * behind `endbr64` and a `bnd` prefix. 0: it is none. */
static uint64_t jump_slot(const struct stubs *stubs, const uint8_t *code, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = memcmp(code, endbr64, sizeof(endbr64)) == 0 ? sizeof(endbr64) : 0;
	int32_t distance;

	if (code[at] == 0xf2)
		at++;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	distance = (int32_t)image_u32(stubs->image, code + at + 2);
	return address + at + 6 + (uint64_t)(int64_t)distance;
}

static const struct slot *find_slot(const struct stubs *stubs, uint64_t address)
{
	size_t low = 0, high = stubs->slot_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stubs->slots[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < stubs->slot_count && stubs->slots[low].address == address ? &stubs->slots[low]
									       : NULL;
}

/* Stubs by what their code says. */
static int read_code(struct stubs *stubs, uint32_t index, const uint8_t *code, size_t byte_count)
{
	const struct image_section *section = &stubs->image->sections[index];
	size_t step = section->entry_bytes == SHORT_STUB_BYTES ? SHORT_STUB_BYTES : STUB_BYTES;
	int r = 0;

	for (size_t at = 0; r == 0 && at + step <= byte_count; at += step) {
		uint8_t stub[STUB_BYTES] = {0};
		const struct slot *slot;

		memcpy(stub, code + at, step);
		slot = find_slot(stubs, jump_slot(stubs, stub, section->address + at));
		if (slot)
			r = add_stub(stubs, section->address + at, step, slot->symbol);
	}
	return r;
}

/* Stubs by their order: behind HEADER_BYTES, one for each relocation. */
static int read_order(struct stubs *stubs, uint32_t index, uint64_t header_bytes)
{
	const struct image_section *section = &stubs->image->sections[index];
	int r = 0;

	/* Any other length is another layout. */
	if (section->byte_count != header_bytes + (uint64_t)stubs->ordered_count * STUB_BYTES)
		return 0;
	for (size_t i = 0; r == 0 && i < stubs->ordered_count; i++)
		r = add_stub(stubs, section->address + header_bytes + i * STUB_BYTES, STUB_BYTES,
			stubs->ordered[i].symbol);
	return r;
}

static int read_section(struct stubs *stubs, const char *name, uint64_t header_bytes)
{
	uint32_t index = section_find(stubs->image, stubs->names, name);
	SCOPED_FREE uint8_t *code = NULL;
	size_t byte_count = 0;
	int r;

	if (index == 0 || !(stubs->image->sections[index].flags & SHF_EXECINSTR))
		return 0;
	if (stubs->image->machine != EM_X86_64)
		return read_order(stubs, index, header_bytes);
	r = section_read(stubs->image, stubs->names, index, TABLE_BYTES_MAX, &code, &byte_count);
	if (r == 0)
		return read_code(stubs, index, code, byte_count);
	/* The code was left out; what stands in .plt.got has no order that is known. */
	if (r == -ENOENT && strcmp(name, ".plt.got") != 0)
		return read_order(stubs, index, header_bytes);
	return r == -ENOENT ? 0 : r;
}

static int read_sections(struct stubs *stubs)
{
	const uint64_t header_bytes = stubs->image->machine == EM_AARCH64 ? 32 : 16;
	int r = read_section(stubs, ".plt", header_bytes);

	if (r == 0)
		r = read_section(stubs, ".plt.sec", 0);
	if (r == 0)
		r = read_section(stubs, ".plt.got", 0);
	return r == 0 ? function_list_resolve(stubs->list) : r;
}

int plt_names_read(const struct image *image, const struct section_names *names,
	struct string_table *strings, struct function_list *ret_list)
{
	struct function_list list = {0};
	struct stubs stubs = {.image = image, .names = names, .strings = strings, .list = &list};
	int r;

	if (!image->is_64 || (image->machine != EM_X86_64 && image->machine != EM_AARCH64))
		return -ENOENT;
	r = read_symbols(&stubs);
	if (r == 0)
		r = read_relocations(&stubs);
	if (r == 0)
		r = read_sections(&stubs);
	stubs_done(&stubs);
	if (r < 0) {
		function_list_done(&list);
		return r;
	}
	*ret_list = list;
	return 0;
}
