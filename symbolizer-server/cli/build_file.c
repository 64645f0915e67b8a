/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/cli/build_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/fault.h"
#include "store/elf/elf_note.h"

static const char package_suffix[] = ".dwp";

/* A package carries no id; it stands beside its program, `NAME.dwp` beside `NAME`. */
static int find_program_id(const char *path, struct build_id *ret_id)
{
	SCOPED_FREE char *program = strdup(path);
	SCOPED_FD int fd = -1;
	size_t length = strlen(path), suffix = strlen(package_suffix);

	if (!program)
		return -ENOMEM;
	if (length <= suffix || strcmp(path + length - suffix, package_suffix) != 0)
		return -ENOENT;
	program[length - suffix] = '\0';
	fd = open(program, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ENOENT;
	return note_build_id(fd, ret_id) < 0 ? -ENOENT : 0;
}

/* A file without a note is known by the hash of the whole, which only the program itself has. */
static int find_id(
	const struct image *image, const struct build_file *file, struct build_id *ret_id)
{
	int r = note_build_id_of_image(image, ret_id);

	if (r == 0 && ret_id->kind == BUILD_ID_HTL &&
		(!file->contents.has_code || image->type == ET_REL))
		return -ENODATA;
	return r == -ENOENT ? -ENODATA : r;
}

static int read_image(const char *path, const struct image *image, struct build_file *ret_file)
{
	struct section_names names = {0};
	struct build_file file = {.byte_count = image->byte_count};
	int r = section_names_read(image, &names);

	if (r == -ENOMEM)
		return r;
	file.contents = contents_of(image, &names);
	section_names_done(&names);
	if (file.contents.is_package)
		r = find_program_id(path, &file.id);
	else if (!file.contents.has_code && !file.contents.has_dwarf && !file.contents.has_table)
		r = -ENOMSG;
	else
		r = find_id(image, &file, &file.id);
	if (r == 0)
		*ret_file = file;
	return r;
}

int build_file_open(const char *path, struct build_file *ret_file, int *ret_fd)
{
	/* Not to wait for whoever should write into a pipe. */
	SCOPED_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;
	struct image image;
	int r;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode))
		return -ENOEXEC;
	r = image_open(fd, true, &image);
	if (r < 0)
		return r == -EBADMSG ? -ENOEXEC : r;
	r = read_image(path, &image, ret_file);
	image_done(&image);
	if (r == 0)
		*ret_fd = TAKE_FD(fd);
	return r;
}

const char *build_file_text(const struct build_file *file)
{
	if (file->contents.is_package)
		return "split DWARF";
	if (file->contents.has_code)
		return file->contents.has_dwarf ? "program with DWARF" : "program";
	return file->contents.has_dwarf ? "debug file" : "symbol table";
}

static bool is_one_of(const char *word, const char *const words[])
{
	for (size_t i = 0; words[i]; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

bool build_file_is_covered(const struct build_file *file, const char *word)
{
	static const char *const of_package[] = {"dwp", NULL}, *const of_whole[] = {"whole", NULL},
				 *const of_code[] = {"code", "whole", NULL},
				 *const of_debug[] = {"debug", "whole", NULL},
				 *const of_table[] = {"table", "debug", "whole", NULL};

	if (file->contents.is_package)
		return is_one_of(word, of_package);
	if (file->contents.has_code)
		return is_one_of(word, file->contents.has_dwarf ? of_whole : of_code);
	return is_one_of(word, file->contents.has_dwarf ? of_debug : of_table);
}

const char *build_file_error(int error)
{
	switch (error) {
	case -ENOEXEC:
		return "not an ELF file";
	case -ENOMSG:
		return "nothing in it gives names or code";
	case -ENODATA:
		return "it has no build-ID: link with -Wl,--build-id";
	case -ENOENT:
		return "not there, or a .dwp whose program does not stand beside it";
	default:
		return fault_text(error);
	}
}
