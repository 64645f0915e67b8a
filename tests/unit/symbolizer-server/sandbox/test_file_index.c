/* SPDX-License-Identifier: Apache-2.0 */
/* A real library against what binutils say of it, address by address: Debian's libc, stripped as it
 * is shipped and with the debug file of libc6-dbg. */
#include "symbolizer-server/sandbox/file_index.h"

#include <fcntl.h>
#include <inttypes.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/whole_index.h"
#include "tests/support/work_dir.h"

#define INDEX_BYTES_MAX ((size_t)256 << 20)
#define FUNCTIONS_MAX 20000

/* Functions as nm -S tells them. Those without a size (end == start) come from assembler: where
 * they end nobody says, so they may only name what no other holds. */
struct told {
	uint64_t start;
	uint64_t end;
	char *name;
};

static struct told told[FUNCTIONS_MAX];
static uint32_t told_count;

static void read_nm(const char *options, const char *file)
{
	SCOPED_FREE char *text = work_output("nm -S --defined-only %s %s | awk '"
					     "NF == 4 && $3 ~ /[tTwWi]/ { print $1, $2, $4 } "
					     "NF == 3 && $2 ~ /[tTwW]/ { print $1, 0, $3 }'",
		options, file);
	char *line = text, *rest;

	told_count = 0;
	while ((line = strtok_r(told_count ? NULL : line, "\n", &rest))) {
		struct told *each = &told[told_count++];
		char name[512];
		uint64_t byte_count;

		CHECK(told_count < FUNCTIONS_MAX);
		CHECK_EQ(sscanf(line, "%" SCNx64 " %" SCNx64 " %511[^@\n]", &each->start,
				 &byte_count, name),
			3);
		each->end = each->start + byte_count;
		each->name = strdup(name);
		CHECK(each->name);
	}
	CHECK(told_count > 1000);
}

static void forget_nm(void)
{
	for (uint32_t i = 0; i < told_count; i++)
		free(told[i].name);
}

static struct whole_index index_of(const char *file, bool tables_only)
{
	SCOPED_FD int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct sandbox_request request = {.input = SANDBOX_INPUT_ELF, .tables_only = tables_only};
	struct whole_index index;
	struct dwarf_missing missing;
	uint8_t *bytes;
	size_t byte_count;

	CHECK(fd >= 0);
	CHECK_EQ(note_build_id(fd, &request.id), 0);
	CHECK_EQ(file_index(fd, &request, INDEX_BYTES_MAX, &bytes, &byte_count, &missing),
		SANDBOX_FAULT_NONE);
	whole_index_adopt(&index, bytes, byte_count);
	return index;
}

static bool anybody_s(uint64_t address)
{
	for (uint32_t i = 0; i < told_count; i++)
		if (address >= told[i].start && address < told[i].end)
			return true;
	return false;
}

static bool unsized_before(uint64_t address, const char *name)
{
	for (uint32_t i = 0; i < told_count; i++) {
		if (told[i].end == told[i].start && address >= told[i].start &&
			strcmp(told[i].name, name) == 0)
			return true;
	}
	return false;
}

/* NAME is one of the names that hold ADDRESS; DWARF calls the cold part by its function's name. */
static bool one_of_the_names(uint64_t address, const char *name)
{
	for (uint32_t i = 0; i < told_count; i++) {
		if (address >= told[i].start && address < told[i].end &&
			(strcmp(told[i].name, name) == 0 || strstr(told[i].name, ".cold")))
			return true;
	}
	return !anybody_s(address) && unsized_before(address, name);
}

static void check_address(const struct whole_index *index, uint64_t address)
{
	struct symbol_index_function function;
	const char *name = whole_index_name(index, address, &function);

	if (name ? !one_of_the_names(address, name) : anybody_s(address))
		fprintf(stderr, "%#" PRIx64 ": %s\n", address, name ? name : "-");
	if (name)
		CHECK(one_of_the_names(address, name));
	else
		CHECK(!anybody_s(address));
}

/* The first and last byte of each function, and what stands on either side of it. */
static void check_all(const struct whole_index *index)
{
	for (uint32_t i = 0; i < told_count; i++) {
		check_address(index, told[i].start);
		check_address(index, told[i].end - 1);
		check_address(index, told[i].start - 1);
		check_address(index, told[i].end);
	}
}

static const char *libc_path(void)
{
	static char *path;

	if (!path)
		path = work_output("ldd /bin/ls | awk '$1 == \"libc.so.6\" { print $3 }'");
	return path;
}

static const char *libc_debug_path(void)
{
	static char path[256];
	char text[BUILD_ID_TEXT_MAX];
	SCOPED_FD int fd = open(libc_path(), O_RDONLY | O_CLOEXEC);
	struct build_id id;

	CHECK(fd >= 0);
	CHECK_EQ(note_build_id(fd, &id), 0);
	build_id_format(&id, text);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);
	return path;
}

static void the_exports_of_libc_are_named_as_nm_names_them(void)
{
	struct whole_index index = index_of(libc_path(), false);

	CHECK_EQ(index.header.quality, SYMBOL_QUALITY_DYNAMIC);
	read_nm("-D", libc_path());
	check_all(&index);
	forget_nm();
	whole_index_done(&index);
}

static void the_symbols_of_libc_are_named_as_nm_names_them(void)
{
	struct whole_index index = index_of(libc_debug_path(), true);

	CHECK_EQ(index.header.quality, SYMBOL_QUALITY_TABLE);
	read_nm("", libc_debug_path());
	check_all(&index);
	forget_nm();
	whole_index_done(&index);
}

static void the_dwarf_of_libc_names_the_same_functions(void)
{
	struct whole_index index = index_of(libc_debug_path(), false);
	struct symbol_index_function function;

	CHECK_EQ(index.header.quality, SYMBOL_QUALITY_DWARF);
	read_nm("", libc_debug_path());
	check_all(&index);
	for (uint32_t i = 0; i < told_count; i++) {
		if (strcmp(told[i].name, "malloc") == 0 || strcmp(told[i].name, "printf") == 0 ||
			strcmp(told[i].name, "write") == 0)
			CHECK_STR(whole_index_name(&index, told[i].start, &function), told[i].name);
	}
	forget_nm();
	whole_index_done(&index);
}

int main(void)
{
	RUN(the_exports_of_libc_are_named_as_nm_names_them);
	RUN(the_symbols_of_libc_are_named_as_nm_names_them);
	RUN(the_dwarf_of_libc_names_the_same_functions);
	return 0;
}
