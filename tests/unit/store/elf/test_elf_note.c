/* SPDX-License-Identifier: Apache-2.0 */
#include "store/elf/elf_note.h"

#include <elf.h>
#include <errno.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

static const uint8_t id_bytes[20] = {
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

static void write_tiny(struct tiny_elf *elf, const char *name)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = tiny_elf_finish(elf, &byte_count);

	work_write(name, bytes, byte_count);
}

/* The id of a file of the work folder as a text; NULL and the error if there is none. */
static const char *id_of(const char *name, int *ret_error)
{
	static char text[BUILD_ID_TEXT_MAX];
	SCOPED_FD int fd = work_open(name);
	struct build_id id;

	*ret_error = note_build_id(fd, &id);
	if (*ret_error < 0)
		return NULL;
	build_id_format(&id, text);
	return text;
}

#define CHECK_ID(name, expected)                           \
	do {                                               \
		int error_;                                \
		CHECK_STR(id_of(name, &error_), expected); \
	} while (0)

static bool is_content_hash(const char *name)
{
	int error;
	const char *text = id_of(name, &error);

	return text && strncmp(text, "htl-", 4) == 0 && strlen(text) == 4 + 32;
}

/* A file whose only section is this span of notes, in a PT_NOTE segment, too. */
static void write_notes(
	const char *name, const uint8_t *notes, size_t byte_count, unsigned alignment, bool segment)
{
	struct tiny_elf elf;
	uint32_t index;

	tiny_elf_init(&elf);
	index = tiny_elf_section(&elf, ".note.x", segment ? SHT_PROGBITS : SHT_NOTE, SHF_ALLOC,
		0x400, notes, byte_count);
	tiny_elf_section_at(&elf, index)->alignment = alignment;
	if (segment) {
		tiny_elf_segment(&elf,
			&(struct tiny_segment){.type = PT_NOTE,
				.offset = tiny_elf_section_at(&elf, index)->offset,
				.file_bytes = byte_count,
				.alignment = alignment});
	}
	write_tiny(&elf, name);
}

static void linkers_ids_of_every_length_are_read(void)
{
	work_write_text("m.c", "int main(void){return 0;}\n");
	work_run("gcc -o sha1 -Wl,--build-id=sha1 m.c");
	work_run("gcc -o md5 -Wl,--build-id=md5 m.c");
	work_run("gcc -o one -Wl,--build-id=0xab m.c");
	work_run("clang-14 -o lld -fuse-ld=lld -Wl,--build-id=sha1 m.c");
	work_run("clang-14 -o odd -fuse-ld=lld -Wl,--build-id=0x00112233445566778899aabbccddeeff11 "
		 "m.c");
	for (const char *const *name = (const char *[]){"sha1", "md5", "lld", NULL}; *name;
		name++) {
		SCOPED_FREE char *told =
			work_output("readelf -n %s | sed -n 's/.*Build ID: //p'", *name);

		CHECK_ID(*name, told);
	}
	/* readelf does not print notes of odd lengths. */
	CHECK_ID("one", "ab");
	CHECK_ID("odd", "00112233445566778899aabbccddeeff11");
}

static void a_file_without_an_id_gets_a_hash_of_its_content(void)
{
	SCOPED_FREE char *told = NULL;
	char expected[64];
	uint8_t length[8];
	size_t byte_count;

	work_run("gcc -o none -Wl,--build-id=none m.c");
	CHECK(is_content_hash("none"));
	/* Computed by other tools: head, tail and the length in eight big-endian bytes. */
	free(work_read("none", &byte_count));
	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)((uint64_t)byte_count >> (56 - 8 * i));
	work_write("length", length, sizeof(length));
	told = work_output("{ head -c 4096 none; tail -c 4096 none; cat length; } | sha256sum | "
			   "cut -c1-32");
	snprintf(expected, sizeof(expected), "htl-%s", told);
	CHECK_ID("none", expected);

	work_run("cp sha1 gone && objcopy --remove-section=.note.gnu.build-id gone");
	CHECK(is_content_hash("gone"));
}

static void two_files_without_an_id_never_share_one(void)
{
	int error;
	SCOPED_FREE char *first = NULL;

	work_write_text("n.c", "int main(void){return 1;}\n");
	work_run("gcc -o none2 -Wl,--build-id=none n.c");
	first = strdup(id_of("none", &error));
	CHECK(strcmp(first, id_of("none2", &error)) != 0);
}

static void a_short_file_is_hashed_whole_twice(void)
{
	struct build_id id;
	char text[BUILD_ID_TEXT_MAX], expected[64];
	SCOPED_FD int fd = -1;
	SCOPED_FREE char *told = NULL;

	work_write_text("short", "hello");
	fd = work_open("short");
	CHECK_EQ(note_content_hash(fd, &id), 0);
	told = work_output(
		"printf 'hellohello\\0\\0\\0\\0\\0\\0\\0\\005' | sha256sum | cut -c1-32");
	snprintf(expected, sizeof(expected), "htl-%s", told);
	build_id_format(&id, text);
	CHECK_STR(text, expected);
}

static void the_id_is_found_behind_other_notes_at_either_alignment(void)
{
	uint8_t notes[1024], property[20] = {2, 0, 0, 0xc0};

	for (unsigned alignment = 4; alignment <= 8; alignment += 4) {
		size_t length = 0;

		length = tiny_note(notes, length, alignment, "GNU", 4, NT_GNU_PROPERTY_TYPE_0,
			property, sizeof(property));
		length = tiny_note(notes, length, alignment, "stapsdt", 8, 3, property, 9);
		length = tiny_note(
			notes, length, alignment, "GNU", 4, NT_GNU_BUILD_ID, id_bytes, 20);
		write_notes("segment", notes, length, alignment, true);
		CHECK_ID("segment", "0102030405060708090a0b0c0d0e0f1011121314");
		write_notes("section", notes, length, alignment, false);
		CHECK_ID("section", "0102030405060708090a0b0c0d0e0f1011121314");
		/* Declared the other way round, as some linkers did. */
		write_notes("declared", notes, length, 12 - alignment, true);
		CHECK_ID("declared", "0102030405060708090a0b0c0d0e0f1011121314");
	}
}

static void the_gnu_id_wins_over_go_s(void)
{
	const char *go =
		"aaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbb/cccccccccccccccccccc/dddddddddd";
	uint8_t notes[1024];
	size_t length = tiny_note(notes, 0, 4, "Go\0", 4, 4, go, strlen(go));
	SCOPED_FREE char *told = work_output("printf %%s '%s' | sha256sum | cut -c1-64", go);
	char expected[80];

	write_notes("go", notes, length, 4, true);
	snprintf(expected, sizeof(expected), "go-%s", told);
	CHECK_ID("go", expected);
	length = tiny_note(notes, length, 4, "GNU", 4, NT_GNU_BUILD_ID, id_bytes, 20);
	write_notes("both", notes, length, 4, true);
	CHECK_ID("both", "0102030405060708090a0b0c0d0e0f1011121314");
}

static void ids_that_name_nothing_are_none(void)
{
	static const uint8_t zeros[80];
	uint8_t notes[1024];
	size_t length = tiny_note(notes, 0, 4, "GNU", 4, NT_GNU_BUILD_ID, "", 0);

	write_notes("empty", notes, length, 4, true);
	CHECK(is_content_hash("empty"));
	length = tiny_note(notes, 0, 4, "GNU", 4, NT_GNU_BUILD_ID, zeros, 20);
	write_notes("zero", notes, length, 4, true);
	CHECK(is_content_hash("zero"));
	length = tiny_note(notes, 0, 4, "Go\0", 4, 4, "redacted", 8);
	write_notes("redacted", notes, length, 4, true);
	CHECK(is_content_hash("redacted"));
	/* Another vendor's note of the same number. */
	length = tiny_note(notes, 0, 4, "GNX", 4, NT_GNU_BUILD_ID, id_bytes, 20);
	write_notes("vendor", notes, length, 4, true);
	CHECK(is_content_hash("vendor"));
}

static void lengths_that_lie_read_nothing_outside(void)
{
	uint32_t notes[8] = {UINT32_MAX, UINT32_MAX, NT_GNU_BUILD_ID, 0x554e47};

	write_notes("huge", (uint8_t *)notes, sizeof(notes), 4, true);
	CHECK(is_content_hash("huge"));
	notes[0] = 4;
	write_notes("body", (uint8_t *)notes, sizeof(notes), 4, true);
	CHECK(is_content_hash("body"));
	write_notes("stump", (uint8_t *)notes, 5, 4, true);
	CHECK(is_content_hash("stump"));
}

static void other_classes_and_byte_orders_are_read(void)
{
	uint8_t notes[64], swapped[64];
	size_t length = tiny_note(notes, 0, 4, "GNU", 4, NT_GNU_BUILD_ID, id_bytes, 20);
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	elf.is_32 = true;
	tiny_elf_section(&elf, ".note", SHT_NOTE, 0, 0, notes, length);
	write_tiny(&elf, "small");
	CHECK_ID("small", "0102030405060708090a0b0c0d0e0f1011121314");

	memcpy(swapped, notes, length);
	for (size_t i = 0; i < 12; i++)
		swapped[i] = notes[i / 4 * 4 + 3 - i % 4];
	for (int is_32 = 0; is_32 <= 1; is_32++) {
		tiny_elf_init(&elf);
		elf.is_32 = is_32;
		elf.big_endian = true;
		tiny_elf_section(&elf, ".note", SHT_NOTE, 0, 0, swapped, length);
		write_tiny(&elf, "big");
		CHECK_ID("big", "0102030405060708090a0b0c0d0e0f1011121314");
	}
}

static void what_is_no_elf_file_is_refused(void)
{
	int error;

	work_write_text("html", "<html><body>503 Service Unavailable</body></html>");
	CHECK(!id_of("html", &error));
	CHECK_EQ(error, -EBADMSG);
	work_write_text("nothing", "");
	CHECK(!id_of("nothing", &error));
	CHECK_EQ(error, -EBADMSG);
	work_run("head -c 40 sha1 > cut");
	CHECK(!id_of("cut", &error));
	CHECK_EQ(error, -EBADMSG);
}

static void a_cut_file_still_tells_the_id_of_its_segments(void)
{
	SCOPED_FREE char *told = work_output("readelf -n sha1 | sed -n 's/.*Build ID: //p'");

	work_run("head -c 8000 sha1 > head");
	CHECK_ID("head", told);
}

static void a_span_of_notes_without_a_file_is_read(void)
{
	uint8_t notes[256];
	struct build_id id;
	size_t length = tiny_note(notes, 0, 4, "Linux", 6, 0x101, "xyz", 3);

	CHECK_EQ(note_find_in_span(notes, length, 4, &id), -ENOENT);
	length = tiny_note(notes, length, 4, "GNU", 4, NT_GNU_BUILD_ID, id_bytes, 20);
	CHECK_EQ(note_find_in_span(notes, length, 4, &id), 0);
	CHECK_EQ(id.byte_count, 20);
	CHECK_EQ(note_find_in_span(notes, length - 1, 4, &id), -ENOENT);
	CHECK_EQ(note_find_in_span(notes, length, 3, &id), -EINVAL);
}

int main(void)
{
	RUN(linkers_ids_of_every_length_are_read);
	RUN(a_file_without_an_id_gets_a_hash_of_its_content);
	RUN(two_files_without_an_id_never_share_one);
	RUN(a_short_file_is_hashed_whole_twice);
	RUN(the_id_is_found_behind_other_notes_at_either_alignment);
	RUN(the_gnu_id_wins_over_go_s);
	RUN(ids_that_name_nothing_are_none);
	RUN(lengths_that_lie_read_nothing_outside);
	RUN(other_classes_and_byte_orders_are_read);
	RUN(what_is_no_elf_file_is_refused);
	RUN(a_cut_file_still_tells_the_id_of_its_segments);
	RUN(a_span_of_notes_without_a_file_is_read);
	return 0;
}
