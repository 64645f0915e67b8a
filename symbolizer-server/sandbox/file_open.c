/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/file_open.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/elf/elf_note.h"
#include "symbolizer-server/sandbox/file_facts.h"
#include "symbolizer-server/sandbox/file_unpack.h"

enum sandbox_fault file_fault(int error)
{
	switch (error) {
	case 0:
		return SANDBOX_FAULT_NONE;
	case -ENOMEM:
		return SANDBOX_FAULT_MEMORY;
	case -EFBIG:
	case -E2BIG:
	case -ENOSPC: /* of unpacked sections */
		return SANDBOX_FAULT_WRITE;
	case -EBADMSG:
	case -ENOTSUP:
		return SANDBOX_FAULT_DAMAGED;
	default:
		return SANDBOX_FAULT_READ;
	}
}

/* Why a file that is no ELF file is none: an empty or zeroed upload is told apart, since its cause
 * is another one. */
static enum sandbox_fault not_elf(int fd)
{
	uint8_t bytes[65536];
	uint64_t offset = 0;
	ssize_t got;

	while ((got = pread(fd, bytes, sizeof(bytes), (off_t)offset)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (bytes[i]) {
				return offset == 0 && got >= SELFMAG &&
						memcmp(bytes, ELFMAG, SELFMAG) == 0
					? SANDBOX_FAULT_DAMAGED
					: SANDBOX_FAULT_NOT_ELF;
			}
		}
		offset += (uint64_t)got;
	}
	if (got < 0)
		return SANDBOX_FAULT_READ;
	return offset == 0 ? SANDBOX_FAULT_EMPTY : SANDBOX_FAULT_ZEROS;
}

/* The id inside must be the one that was asked for: names of another build are worse than none. */
static enum sandbox_fault check_id(const struct image *image, const struct sandbox_request *request)
{
	enum build_id_kind kind = (enum build_id_kind)request->id.kind;
	struct build_id id;
	int r;

	if (kind == BUILD_ID_HTL && request->reduced)
		return SANDBOX_FAULT_NONE;
	if (kind == BUILD_ID_HTL)
		r = note_content_hash(image->fd, &id);
	else
		r = note_find(image, kind, &id);
	if (r == -ENOENT)
		return SANDBOX_FAULT_NO_ID;
	if (r < 0)
		return file_fault(r);
	return build_id_equal(&id, &request->id) ? SANDBOX_FAULT_NONE : SANDBOX_FAULT_OTHER_ID;
}

enum sandbox_fault file_open(int fd, const struct sandbox_request *request, struct image *ret_image)
{
	struct image image;
	enum sandbox_fault fault;
	int r = image_open(fd, true, &image);

	if (r == -EBADMSG && request->scratch_fd > 0 && file_unpack(fd, request->scratch_fd) == 0)
		r = image_open(request->scratch_fd, true, &image);
	if (r == -EBADMSG)
		return not_elf(fd);
	if (r < 0)
		return file_fault(r);
	fault = build_id_known(&request->id) ? check_id(&image, request) : SANDBOX_FAULT_NONE;
	if (fault != SANDBOX_FAULT_NONE) {
		image_done(&image);
		return fault;
	}
	*ret_image = image;
	return SANDBOX_FAULT_NONE;
}

/* Whether all that the file's tables tell of lies inside of it. What was cut off on its way is
 * refused while its sender listens, and never takes the place of the whole file. */
static bool is_whole(const struct image *image)
{
	for (uint32_t i = 1; i < image->section_count; i++) {
		const struct image_section *section = &image->sections[i];

		if (section->type != SHT_NULL && section->type != SHT_NOBITS &&
			(section->offset > image->byte_count ||
				section->byte_count > image->byte_count - section->offset))
			return false;
	}
	return !image->sections_missing;
}

enum sandbox_fault file_describe(
	int fd, const struct sandbox_request *request, struct file_facts *ret_facts)
{
	struct section_names names = {0};
	struct image image = {.fd = -1};
	enum sandbox_fault fault = file_open(fd, request, &image);
	int r;

	if (fault != SANDBOX_FAULT_NONE)
		return fault;
	if (!is_whole(&image)) {
		image_done(&image);
		return SANDBOX_FAULT_DAMAGED;
	}
	r = section_names_read(&image, &names);
	if (r == 0 || r == -ENOENT || r == -EBADMSG || r == -ENOTSUP)
		r = file_facts_read(&image, &names, ret_facts);
	if (r == 0)
		ret_facts->is_packed = image.fd != fd;
	section_names_done(&names);
	image_done(&image);
	return file_fault(r);
}
