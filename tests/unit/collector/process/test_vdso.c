/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/process/vdso.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include "store/elf/elf_map.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"

static void the_vdso_is_an_elf_file_with_a_build_id(void)
{
	struct build_id build_id;
	struct load_map segments;
	struct image image;
	uint64_t address;
	int fd = vdso_open();

	CHECK(fd >= 0);
	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK(image.section_count > 4);
	CHECK_EQ(note_build_id_of_image(&image, &build_id), 0);
	CHECK_EQ(build_id.kind, BUILD_ID_GNU);
	CHECK_EQ(load_map_of_image(&image, &segments), 0);
	CHECK_EQ(load_map_address(&segments, 0x100, &address), 0);
	CHECK_EQ(address, 0x100);
	image_done(&image);
	close(fd);
}

static void only_that_of_64_bit_processes_is_ours(void)
{
	CHECK(vdso_is_ours(0x7ffd12345000));
	CHECK(!vdso_is_ours(0xf7fc1000));
}

int main(void)
{
	RUN(the_vdso_is_an_elf_file_with_a_build_id);
	RUN(only_that_of_64_bit_processes_is_ours);
	return 0;
}
