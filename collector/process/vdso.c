/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/vdso.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/base/cleanup.h"

/* Kernels have one of one to four pages. */
#define VDSO_BYTES_MAX UINT64_C(65536)

/* The image ends with its section headers, which are part of what the kernel maps. */
static uint64_t image_bytes(const Elf64_Ehdr *header)
{
	uint64_t bytes = header->e_shoff + (uint64_t)header->e_shnum * header->e_shentsize;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
		header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shoff == 0)
		return 0;
	return bytes <= VDSO_BYTES_MAX ? bytes : 0;
}

int vdso_open(void)
{
	unsigned long address = getauxval(AT_SYSINFO_EHDR);
	SCOPED_FD int fd = -1;
	const void *image;
	uint64_t byte_count;
	ssize_t written;

	memcpy(&image, &address, sizeof(image));
	byte_count = image ? image_bytes(image) : 0;
	if (byte_count == 0)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	written = write(fd, image, byte_count);
	if (written != (ssize_t)byte_count)
		return written < 0 ? -errno : -EIO;
	return TAKE_FD(fd);
}
