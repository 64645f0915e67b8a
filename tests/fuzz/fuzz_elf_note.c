/* SPDX-License-Identifier: Apache-2.0 */
/* Any file has at most one build-ID, of 1 to 64 bytes that stand in it (or are a hash of it), and
 * the order GNU, Go, hash is kept. */
#include <errno.h>
#include <string.h>

#include "store/base/cleanup.h"
#include "store/base/must.h"
#include "store/elf/elf_note.h"
#include "tests/fuzz/file_input.h"
#include "tests/fuzz/fuzz.h"

static void check_id(const struct build_id *id, const uint8_t *bytes, size_t byte_count)
{
	must(id->byte_count >= 1 && id->byte_count <= BUILD_ID_BYTES_MAX);
	if (id->kind == BUILD_ID_GNU)
		must(memmem(bytes, byte_count, id->bytes, id->byte_count));
	if (id->kind == BUILD_ID_HTL)
		must(id->byte_count == 16);
}

static void check_order(const struct image *image, const struct build_id *chosen)
{
	struct build_id gnu, go;
	bool has_gnu = note_find(image, BUILD_ID_GNU, &gnu) == 0;
	bool has_go = note_find(image, BUILD_ID_GO, &go) == 0;

	if (has_gnu)
		must(build_id_equal(&gnu, chosen));
	else if (has_go)
		must(build_id_equal(&go, chosen));
	else
		must(chosen->kind == BUILD_ID_HTL);
}

static void check_file(const uint8_t *bytes, size_t byte_count)
{
	SCOPED_FD int fd = file_input(bytes, byte_count);
	struct build_id id, again;
	struct image image;
	int r = note_build_id(fd, &id);

	must(note_build_id(fd, &again) == r);
	if (r < 0)
		return;
	must(build_id_equal(&id, &again));
	check_id(&id, bytes, byte_count);
	if (image_open(fd, true, &image) == 0) {
		check_order(&image, &id);
		image_done(&image);
	}
}

void fuzz_one(const uint8_t *bytes, size_t byte_count)
{
	struct build_id id;

	check_file(bytes, byte_count);
	for (unsigned alignment = 4; alignment <= 8; alignment += 4)
		if (note_find_in_span(bytes, byte_count, alignment, &id) == 0)
			check_id(&id, bytes, byte_count);
}
