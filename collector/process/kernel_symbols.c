/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/kernel_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/process/kallsyms.h"
#include "store/base/bytes.h"
#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/hash.h"
#include "store/elf/elf_note.h"
#include "store/profile/grow.h"

/* Generated code (BPF programs) is in no module: its addresses must not cost a reading each. */
#define REFRESH_INTERVAL_NS (10 * NS_PER_S)
/* Some hundred bytes for build-ID and properties. */
#define NOTES_BYTES_MAX 4096
#define MODULES_BYTES_MAX ((size_t)1 << 20)
/* The end of a module's code is only known to be on the page of its last function. */
#define PAGE_BYTES UINT64_C(4096)

#define KERNEL_NAME "[kernel]"

/* --- reading -----------------------------------------------------------------------------------
 */

static int read_file(const char *path, size_t bytes_max, struct bytes_writer *ret_text)
{
	SCOPED_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	char part[4096];
	ssize_t got;

	if (fd < 0)
		return -errno;
	bytes_writer_init(ret_text, bytes_max);
	while ((got = read(fd, part, sizeof(part))) > 0)
		bytes_write_span(ret_text, part, (size_t)got);
	if (got < 0 || bytes_writer_fault(ret_text) < 0) {
		int r = got < 0 ? -errno : bytes_writer_fault(ret_text);

		bytes_writer_done(ret_text);
		return r;
	}
	return 0;
}

static void read_build_id(const char *path, struct build_id *ret_build_id)
{
	struct bytes_writer notes;

	*ret_build_id = (struct build_id){.byte_count = 0};
	if (read_file(path, NOTES_BYTES_MAX, &notes) < 0)
		return;
	if (note_find_in_span(notes.bytes, notes.byte_count, 4, ret_build_id) < 0)
		*ret_build_id = (struct build_id){.byte_count = 0};
	bytes_writer_done(&notes);
}

struct kernel_bounds {
	uint64_t text;
	uint64_t stext;
	uint64_t end;
};

/* The reading ends when both ends are known, or known to be hidden: the list is long, and not
 * always in order. */
static int find_bounds(void *context, const struct kallsyms_line *line)
{
	struct kernel_bounds *bounds = context;

	if (line->module)
		return -ECANCELED;
	if (kallsyms_is_named(line, "_text"))
		bounds->text = line->address;
	else if (kallsyms_is_named(line, "_stext"))
		bounds->stext = line->address;
	else if (kallsyms_is_named(line, "_etext"))
		bounds->end = line->address;
	if (kallsyms_is_named(line, "_text") && line->address == 0)
		return -ECANCELED;
	return bounds->end != 0 && bounds->text != 0 ? -ECANCELED : 0;
}

static void read_kernel(struct kernel_symbols *symbols)
{
	struct kernel_bounds bounds = {0, 0, 0};
	char path[PATH_MAX];
	int r;

	snprintf(symbols->kernel.name, sizeof(symbols->kernel.name), KERNEL_NAME);
	snprintf(path, sizeof(path), "%s/kernel/notes", symbols->sys_folder);
	read_build_id(path, &symbols->kernel.build_id);
	snprintf(path, sizeof(path), "%s/kallsyms", symbols->proc_folder);
	r = kallsyms_each(path, find_bounds, &bounds);
	if (bounds.text == 0)
		bounds.text = bounds.stext;
	if (r == -ENOENT)
		symbols->state = KERNEL_SYMBOLS_MISSING;
	else if (bounds.text == 0 || bounds.end <= bounds.text)
		symbols->state = KERNEL_SYMBOLS_HIDDEN;
	else
		symbols->state = KERNEL_SYMBOLS_KNOWN;
	symbols->kernel.start = symbols->kernel.text = bounds.text;
	symbols->kernel.end = symbols->kernel.text_end = bounds.end;
}

/* Before `_text` stand the addresses of per-CPU data, most of them above zero. */
static int find_shown(void *context, const struct kallsyms_line *line)
{
	bool *shown = context;

	*shown = line->address != 0;
	return *shown || kallsyms_is_named(line, "_text") ? -ECANCELED : 0;
}

bool kernel_symbols_hidden(const struct kernel_symbols *symbols)
{
	bool shown = false;
	char path[PATH_MAX];

	if (symbols->state != KERNEL_SYMBOLS_KNOWN)
		return true;
	snprintf(path, sizeof(path), "%s/kallsyms", symbols->proc_folder);
	kallsyms_each(path, find_shown, &shown);
	return !shown;
}

/* A name forms a path below /sys/module: the kernel's own, but checked all the same. */
static bool is_module_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && !strchr(name, '/');
}

static void read_module(
	const struct kernel_symbols *symbols, const char *name, struct kernel_module *module)
{
	char path[PATH_MAX];
	struct bytes_writer text;

	snprintf(module->name, sizeof(module->name), "[%s]", name);
	module->text = module->start;
	if (!is_module_name(name))
		return;
	snprintf(path, sizeof(path), "%s/module/%s/notes/.note.gnu.build-id", symbols->sys_folder,
		name);
	read_build_id(path, &module->build_id);
	snprintf(path, sizeof(path), "%s/module/%s/sections/.text", symbols->sys_folder, name);
	/* Names count from there. Counted from elsewhere they would be those of other functions, so
	 * without it the module has none. */
	if (read_file(path, 64, &text) < 0) {
		module->build_id = (struct build_id){.byte_count = 0};
		return;
	}
	bytes_write_u8(&text, '\0');
	if (bytes_writer_fault(&text) == 0) {
		uint64_t address = strtoull((const char *)text.bytes, NULL, 16);

		if (address >= module->start && address < module->end)
			module->text = address;
	}
	bytes_writer_done(&text);
}

static int compare_modules(const void *one, const void *other)
{
	const struct kernel_module *first = one, *second = other;

	return first->start < second->start ? -1 : first->start > second->start;
}

/* Columns of a line of /proc/modules: name size references users state address. */
enum { COLUMN_NAME, COLUMN_SIZE, COLUMN_ADDRESS = 5, COLUMN_COUNT };

/* False if the line has fewer columns, no name that fits, a hidden address or no size. */
static bool split_line(char *line, char *ret_columns[COLUMN_COUNT])
{
	uint64_t start;

	for (int i = 0; i < COLUMN_COUNT; i++) {
		ret_columns[i] = strsep(&line, " ");
		if (!ret_columns[i])
			return false;
	}
	start = strtoull(ret_columns[COLUMN_ADDRESS], NULL, 16);
	return *ret_columns[COLUMN_NAME] &&
		strlen(ret_columns[COLUMN_NAME]) <= KERNEL_MODULE_NAME_MAX && start != 0 &&
		start + strtoull(ret_columns[COLUMN_SIZE], NULL, 10) > start;
}

static int parse_modules(struct kernel_symbols *symbols, char *text)
{
	uint32_t capacity = 0;
	char *rest = text;
	char *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		char *columns[COLUMN_COUNT];
		struct kernel_module *module;
		int r;

		if (!split_line(line, columns))
			continue;
		r = grow_array(
			&symbols->modules, &capacity, symbols->count, KERNEL_MODULE_COUNT_MAX);
		if (r < 0)
			return r;
		module = &symbols->modules[symbols->count++];
		*module = (struct kernel_module){
			.start = strtoull(columns[COLUMN_ADDRESS], NULL, 16)};
		module->end = module->start + strtoull(columns[COLUMN_SIZE], NULL, 10);
		read_module(symbols, columns[COLUMN_NAME], module);
	}
	return 0;
}

int kernel_symbols_refresh(struct kernel_symbols *symbols)
{
	struct bytes_writer text;
	char path[PATH_MAX];
	uint64_t hash;
	int r;

	if (symbols->state != KERNEL_SYMBOLS_KNOWN)
		return 0;
	snprintf(path, sizeof(path), "%s/modules", symbols->proc_folder);
	r = read_file(path, MODULES_BYTES_MAX, &text);
	/* A kernel that loads no modules has no such file. */
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	bytes_write_u8(&text, '\0');
	r = bytes_writer_fault(&text);
	hash = r == 0 ? hash_bytes(text.bytes, text.byte_count) : 0;
	if (r == 0 && hash != symbols->modules_hash) {
		free(symbols->modules);
		symbols->modules = NULL;
		symbols->count = 0;
		r = parse_modules(symbols, (char *)text.bytes);
		if (symbols->count > 0)
			qsort(symbols->modules, symbols->count, sizeof(*symbols->modules),
				compare_modules);
		symbols->modules_hash = hash;
		tally_add(symbols->tally, TALLY_kernel_symbol_refreshes, 1);
	}
	bytes_writer_done(&text);
	return r;
}

int kernel_symbols_init(struct kernel_symbols *symbols, const char *proc_folder,
	const char *sys_folder, struct tally *tally)
{
	*symbols = (struct kernel_symbols){
		.proc_folder = proc_folder ? proc_folder : "/proc",
		.sys_folder = sys_folder ? sys_folder : "/sys",
		.tally = tally,
	};
	read_kernel(symbols);
	return kernel_symbols_refresh(symbols);
}

void kernel_symbols_done(struct kernel_symbols *symbols)
{
	free(symbols->modules);
	symbols->modules = NULL;
	symbols->count = 0;
}

/* --- looking up --------------------------------------------------------------------------------
 */

/* The module that begins last at or below ADDRESS and holds it. */
static struct kernel_module *find_module(struct kernel_symbols *symbols, uint64_t address)
{
	uint32_t low = 0, high = symbols->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (symbols->modules[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= symbols->modules[low - 1].end)
		return NULL;
	return &symbols->modules[low - 1];
}

static struct kernel_module *module_named(
	struct kernel_symbols *symbols, const char *name, size_t length)
{
	for (uint32_t i = 0; i < symbols->count; i++) {
		struct kernel_module *module = &symbols->modules[i];

		if (strlen(module->name) == length + 2 &&
			memcmp(module->name + 1, name, length) == 0)
			return module;
	}
	return NULL;
}

struct text_ends {
	struct kernel_symbols *symbols;
	struct kernel_module *last; /* symbols of a module stand together */
};

static int note_text_end(void *context, const struct kallsyms_line *line)
{
	struct text_ends *ends = context;
	struct kernel_module *module = ends->last;

	if (!line->module || !kallsyms_is_function(line))
		return 0;
	if (!module || strlen(module->name) != line->module_length + 2 ||
		memcmp(module->name + 1, line->module, line->module_length) != 0)
		module = module_named(ends->symbols, line->module, line->module_length);
	ends->last = module;
	if (module && line->address >= module->text && line->address < module->end &&
		line->address >= module->text_end)
		module->text_end = (line->address / PAGE_BYTES + 1) * PAGE_BYTES;
	return 0;
}

/* What /proc/modules calls the size of a module takes in its data, which may lie elsewhere; so code
 * of others may lie in that range, and would get the name of the module's last function. The list
 * of symbols tells where the functions end; it is long, so it is read when a module is first
 * sampled. */
static void read_text_ends(struct kernel_symbols *symbols)
{
	struct text_ends ends = {symbols, NULL};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/kallsyms", symbols->proc_folder);
	kallsyms_each(path, note_text_end, &ends);
	for (uint32_t i = 0; i < symbols->count; i++) {
		struct kernel_module *module = &symbols->modules[i];

		if (module->text_end == 0)
			module->text_end = module->text;
	}
}

static struct kernel_module *find(struct kernel_symbols *symbols, uint64_t address)
{
	struct kernel_module *module;

	if (address >= symbols->kernel.start && address < symbols->kernel.end)
		return &symbols->kernel;
	module = find_module(symbols, address);
	if (module && module->text_end == 0)
		read_text_ends(symbols);
	if (!module || address < module->text || address >= module->text_end)
		return NULL;
	return module;
}

struct kernel_module *kernel_symbols_locate(
	struct kernel_symbols *symbols, uint64_t address, uint64_t now_ns, uint64_t *ret_relative)
{
	struct kernel_module *module;

	if (symbols->state != KERNEL_SYMBOLS_KNOWN)
		return NULL;
	module = find(symbols, address);
	if (!module && now_ns >= symbols->refresh_at_ns) {
		symbols->refresh_at_ns = now_ns + REFRESH_INTERVAL_NS;
		kernel_symbols_refresh(symbols);
		module = find(symbols, address);
	}
	if (module)
		*ret_relative = address - module->text;
	return module;
}

const struct kernel_module *kernel_symbols_find(
	const struct kernel_symbols *symbols, const struct build_id *build_id)
{
	if (!build_id_known(build_id))
		return NULL;
	if (build_id_equal(&symbols->kernel.build_id, build_id))
		return &symbols->kernel;
	for (uint32_t i = 0; i < symbols->count; i++) {
		if (build_id_equal(&symbols->modules[i].build_id, build_id))
			return &symbols->modules[i];
	}
	return NULL;
}

int kernel_symbols_text(const char *proc_folder, const struct kernel_module *module,
	uint8_t **ret_text, size_t *ret_byte_count)
{
	char name[sizeof(module->name)];
	struct kallsyms_range range = {
		.base = module->text, .end = module->text_end ? module->text_end : module->end};
	char path[PATH_MAX];

	if (strcmp(module->name, KERNEL_NAME) != 0) {
		snprintf(name, sizeof(name), "%.*s", (int)strlen(module->name) - 2,
			module->name + 1);
		range.module = name;
	}
	snprintf(path, sizeof(path), "%s/kallsyms", proc_folder ? proc_folder : "/proc");
	return kallsyms_text(path, &range, ret_text, ret_byte_count);
}
