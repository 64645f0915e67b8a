/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/file_facts.h"

#include <elf.h>
#include <errno.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/work_dir.h"

static int read_memory(const uint8_t *bytes, size_t byte_count, struct file_facts *ret_facts)
{
	struct section_names names = {0};
	struct image image;
	int r;

	CHECK_EQ(image_open_memory(bytes, byte_count, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	r = file_facts_read(&image, &names, ret_facts);
	section_names_done(&names);
	image_done(&image);
	return r;
}

/* The facts of a file whose .gnu_debuglink holds these bytes. */
static struct file_facts with_link(const void *bytes, size_t byte_count)
{
	struct tiny_elf elf;
	struct file_facts facts;
	size_t file_bytes;
	SCOPED_FREE uint8_t *file = NULL;

	tiny_elf_init(&elf);
	tiny_elf_section(&elf, ".gnu_debuglink", SHT_PROGBITS, 0, 0, bytes, byte_count);
	file = tiny_elf_finish(&elf, &file_bytes);
	CHECK_EQ(read_memory(file, file_bytes, &facts), 0);
	return facts;
}

static void a_link_of_any_length_is_read(void)
{
	/* Name, NUL, padding to a multiple of four, CRC. */
	static const struct {
		const char *bytes;
		size_t byte_count;
		const char *name;
	} links[] = {
		{"abcd\0\0\0\0\4\3\2\1", 12, "abcd"},
		{"abcde\0\0\0\4\3\2\1", 12, "abcde"},
		{"abcdef\0\0\4\3\2\1", 12, "abcdef"},
		{"abcdefg\0\4\3\2\1", 12, "abcdefg"},
		{"abcdefgh\0\0\0\0\4\3\2\1", 16, "abcdefgh"},
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		struct file_facts facts = with_link(links[i].bytes, links[i].byte_count);

		CHECK_STR(facts.link_name, links[i].name);
		CHECK_EQ(facts.link_crc, 0x01020304);
		/* One byte less, and no CRC can be told. */
		facts = with_link(links[i].bytes, links[i].byte_count - 1);
		CHECK_STR(facts.link_name, "");
	}
}

static void a_link_that_is_no_plain_name_is_none(void)
{
	static const char *const wrong[] = {
		"../x", "/etc/x", "a/b", "..", ".", "", "a\nb", "a\177"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char bytes[32] = "";

		memcpy(bytes, wrong[i], strlen(wrong[i]));
		CHECK_STR(with_link(bytes, (strlen(wrong[i]) + 4) / 4 * 4 + 4).link_name, "");
		CHECK(!file_name_is_plain(wrong[i]));
	}
	CHECK(file_name_is_plain("libc.so.6.debug"));
	CHECK(file_name_is_plain("..."));
}

static void a_record_comes_back_as_it_was(void)
{
	uint8_t bytes[FILE_FACTS_BYTES];
	struct file_facts facts = {.contents = {.has_code = true, .has_dwarf = true},
		.is_object = true,
		.link_name = "x.debug",
		.link_crc = 0xfffefdfc};
	struct file_facts back;

	CHECK_EQ(build_id_make(BUILD_ID_GO, "\1\2\3", 3, &facts.id), 0);
	file_facts_encode(&facts, bytes);
	CHECK_EQ(file_facts_decode(bytes, sizeof(bytes), &back), 0);
	CHECK(build_id_equal(&back.id, &facts.id));
	CHECK(back.contents.has_code && back.contents.has_dwarf && back.is_object);
	CHECK(!back.contents.has_table && !back.contents.is_package);
	CHECK_STR(back.link_name, "x.debug");
	CHECK_EQ(back.link_crc, 0xfffefdfc);
	facts.id = (struct build_id){.byte_count = 0};
	file_facts_encode(&facts, bytes);
	CHECK_EQ(file_facts_decode(bytes, sizeof(bytes), &back), 0);
	CHECK(!build_id_known(&back.id));
}

static void a_record_that_breaks_a_rule_is_refused(void)
{
	static const struct {
		size_t at;
		uint8_t value;
	} wrong[] = {{0, 'X'}, {4, 9}, {4, 0}, {5, 0}, {5, 65}, {6, 0x80}, {76, '/'}, {76, '\n'}};
	uint8_t bytes[FILE_FACTS_BYTES];
	struct file_facts facts = {.link_name = "x"}, back = {.link_crc = 5};

	CHECK_EQ(build_id_make(BUILD_ID_GNU, "\1\2\3", 3, &facts.id), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		file_facts_encode(&facts, bytes);
		bytes[wrong[i].at] = wrong[i].value;
		CHECK_EQ(file_facts_decode(bytes, sizeof(bytes), &back), -EBADMSG);
	}
	file_facts_encode(&facts, bytes);
	memset(bytes + 76, 'a', FILE_LINK_NAME_BYTES_MAX);
	CHECK_EQ(file_facts_decode(bytes, sizeof(bytes), &back), -EBADMSG);
	CHECK_EQ(file_facts_decode(bytes, sizeof(bytes) - 1, &back), -EBADMSG);
	CHECK_EQ(back.link_crc, 5);
}

static void real_files_say_what_they_are(void)
{
	SCOPED_FD int fd = -1;
	struct section_names names = {0};
	struct file_facts facts;
	struct image image;

	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o full p.c && objcopy --only-keep-debug full full.debug");
	work_run("strip full && objcopy --add-gnu-debuglink=full.debug full");
	fd = work_open("full");
	CHECK_EQ(image_open(fd, true, &image), 0);
	CHECK_EQ(section_names_read(&image, &names), 0);
	CHECK_EQ(file_facts_read(&image, &names, &facts), 0);
	CHECK_STR(facts.link_name, "full.debug");
	CHECK_EQ(facts.id.kind, BUILD_ID_GNU);
	CHECK(facts.contents.has_code && !facts.contents.has_dwarf && !facts.is_object);
	section_names_done(&names);
	image_done(&image);
}

int main(void)
{
	RUN(a_link_of_any_length_is_read);
	RUN(a_link_that_is_no_plain_name_is_none);
	RUN(a_record_comes_back_as_it_was);
	RUN(a_record_that_breaks_a_rule_is_refused);
	RUN(real_files_say_what_they_are);
	return 0;
}
