/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/folder_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "symbolizer-server/sandbox/file_facts.h"

#define READ_BYTES (64u << 10)
/* Of .gnu_debuglink: the reversed polynomial of zlib and Ethernet. */
#define CRC_POLYNOMIAL 0xedb88320u

struct folder_source {
	struct symbol_source source;
	char *folders[SYMBOL_FOLDERS_MAX];
	struct kernel_tree *trees[SYMBOL_FOLDERS_MAX];
	size_t folder_count;
	uint32_t crc_table[256];
};

static void fill_crc_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ CRC_POLYNOMIAL : value >> 1;
		table[i] = value;
	}
}

static int crc_of(const struct folder_source *source, int fd, uint32_t *ret_crc)
{
	SCOPED_FREE uint8_t *bytes = malloc(READ_BYTES);
	uint32_t crc = UINT32_MAX;
	off_t offset = 0;
	ssize_t got;

	if (!bytes)
		return -ENOMEM;
	while ((got = pread(fd, bytes, READ_BYTES, offset)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			crc = source->crc_table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
		offset += got;
	}
	if (got < 0)
		return -errno;
	*ret_crc = ~crc;
	return 0;
}

/* Takes over an open file; -ENOENT for whatever is none. */
static int take_file(int opened, struct symbol_fetched *ret_fetched)
{
	SCOPED_FD int fd = opened;
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode))
		return -ENOENT;
	*ret_fetched =
		(struct symbol_fetched){.fd = TAKE_FD(fd), .byte_count = (uint64_t)stat.st_size};
	return 0;
}

static int open_path(const char *path, struct symbol_fetched *ret_fetched)
{
	return take_file(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret_fetched);
}

static int open_kernel(struct kernel_tree *tree, const struct symbol_question *question,
	struct symbol_fetched *ret_fetched)
{
	int fd = -1;
	int r = kernel_tree_open(tree, question->name, &question->id, clock_monotonic_ns(), &fd);

	return r < 0 ? r : take_file(fd, ret_fetched);
}

static int open_in(const char *folder, const char *below, const char *name, const char *suffix,
	struct symbol_fetched *ret_fetched)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s%s%s", folder, below, name, suffix);

	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENOENT;
	return open_path(path, ret_fetched);
}

static const char *suffix_of(enum symbol_file file)
{
	switch (file) {
	case SYMBOL_FILE_DEBUGINFO:
		return ".debug";
	case SYMBOL_FILE_EXECUTABLE:
		return "";
	case SYMBOL_FILE_PACKAGE:
		return ".dwp";
	}
	return "";
}

/* The places of one folder where the file may stand, best first; what is not worth a look is empty. */
enum place { PLACE_BUILD_ID, PLACE_NAME, PLACE_LINK, PLACE_LINK_FOLDER, PLACE_KERNEL, PLACE_COUNT };

static int open_place(const struct folder_source *source, size_t number, enum place place,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	const char *folder = source->folders[number];
	char text[BUILD_ID_TEXT_MAX], below[32];
	const char *link = question->file == SYMBOL_FILE_DEBUGINFO ? question->link_name : NULL;

	switch (place) {
	case PLACE_BUILD_ID:
		/* The hexadecimal digits are our own text. */
		if (question->id.kind != BUILD_ID_GNU || question->id.byte_count < 2)
			return -ENOENT;
		build_id_format(&question->id, text);
		snprintf(below, sizeof(below), ".build-id/%.2s/", text);
		return open_in(folder, below, text + 2, suffix_of(question->file), ret_fetched);
	case PLACE_NAME:
		if (!file_name_is_plain(question->name))
			return -ENOENT;
		return open_in(folder, "", question->name, suffix_of(question->file), ret_fetched);
	case PLACE_LINK:
	case PLACE_LINK_FOLDER:
		if (!link || !file_name_is_plain(link))
			return -ENOENT;
		return open_in(folder, place == PLACE_LINK ? "" : ".debug/", link, "", ret_fetched);
	case PLACE_KERNEL:
		/* What has code and no debug information says less than the kernel's own list. */
		if (!question->kernel || question->file != SYMBOL_FILE_DEBUGINFO)
			return -ENOENT;
		return open_kernel(source->trees[number], question, ret_fetched);
	case PLACE_COUNT:
		break;
	}
	return -ENOENT;
}

/* The right file of a link has its CRC. Another one may still carry the id: its reader will tell. */
static void match_link(const struct folder_source *source, const struct symbol_question *question,
	struct symbol_fetched *fetched)
{
	uint32_t crc = 0;

	fetched->matched = crc_of(source, fetched->fd, &crc) == 0 && crc == question->link_crc;
}

static int fetch(struct symbol_source *base, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	const struct folder_source *source = (const struct folder_source *)base;
	struct symbol_fetched fetched;
	uint32_t found = 0;

	(void)worker;
	for (size_t i = 0; i < source->folder_count * PLACE_COUNT; i++) {
		enum place place = (enum place)(i % PLACE_COUNT);

		if (open_place(source, i / PLACE_COUNT, place, question, &fetched) < 0)
			continue;
		if (found++ < question->skip) {
			close(fetched.fd);
			continue;
		}
		if (place == PLACE_LINK || place == PLACE_LINK_FOLDER)
			match_link(source, question, &fetched);
		*ret_fetched = fetched;
		return 0;
	}
	return -ENOENT;
}

static void release(struct symbol_source *base, struct symbol_fetched *fetched)
{
	(void)base;
	close(fetched->fd);
}

/* Nothing here waits. */
static void stop(struct symbol_source *base)
{
	(void)base;
}

static void source_free(struct symbol_source *base)
{
	struct folder_source *source = (struct folder_source *)base;

	for (size_t i = 0; i < source->folder_count; i++) {
		free(source->folders[i]);
		kernel_tree_free(source->trees[i]);
	}
	free(source);
}

static int add_folder(struct folder_source *source, const char *folder, kernel_identify_fn identify,
	void *context)
{
	size_t number = source->folder_count++;

	source->folders[number] = strdup(folder);
	if (!source->folders[number])
		return -ENOMEM;
	return kernel_tree_new(folder, identify, context, &source->trees[number]);
}

int folder_source_new(const char *const *folders, size_t folder_count, kernel_identify_fn identify,
	void *context, struct symbol_source **ret_source)
{
	struct folder_source *source;
	int r = 0;

	if (folder_count > SYMBOL_FOLDERS_MAX)
		return -E2BIG;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ENOMEM;
	source->source = (struct symbol_source){
		.name = "a folder",
		.fetch = fetch,
		.release = release,
		.stop = stop,
		.free = source_free,
	};
	fill_crc_table(source->crc_table);
	for (size_t i = 0; r == 0 && i < folder_count; i++)
		r = add_folder(source, folders[i], identify, context);
	if (r < 0) {
		source_free(&source->source);
		return r;
	}
	*ret_source = &source->source;
	return 0;
}
