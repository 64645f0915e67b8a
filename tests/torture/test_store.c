/* SPDX-License-Identifier: Apache-2.0 */
/* What store/ does when there is no memory. Its profile, its blocks and its indexes have scenarios of
 * their own beside their tests. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/base/arena.h"
#include "store/base/bytes.h"
#include "store/base/compress.h"
#include "store/base/index_map.h"
#include "store/base/queue.h"
#include "store/disk/catalog_note.h"
#include "store/disk/catalog_read.h"
#include "store/disk/log_file.h"
#include "store/disk/log_reader.h"
#include "store/disk/profile_store.h"
#include "store/disk/store_dir.h"
#include "store/disk/symbol_cache.h"
#include "store/elf/elf_note.h"
#include "store/elf/elf_section.h"
#include "store/profile/relabel.h"
#include "store/profile/string_table.h"
#include "store/settings/setting.h"
#include "tests/support/catalog_fixture.h"
#include "tests/support/check.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_profile.h"
#include "tests/support/store_fixture.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/torture.h"
#include "tests/support/work_dir.h"

static int texts(void *context)
{
	struct string_table table;
	uint32_t index = 77;
	int r = string_table_init(&table);

	(void)context;
	for (uint32_t i = 0; r == 0 && i < 200; i++) {
		char text[16];
		uint32_t before = table.count;

		(void)snprintf(text, sizeof(text), "text %u", i);
		r = string_table_add(&table, text, strlen(text), &index);
		CHECK_EQ(table.count, before + (r == 0));
		if (r < 0) {
			/* It takes the same text once there is memory again. */
			CHECK(fail_alloc_never());
			CHECK_EQ(string_table_add(&table, text, strlen(text), &index), 0);
			CHECK_EQ(table.count, before + 1);
			string_table_done(&table);
			return r;
		}
	}
	if (r == 0)
		string_table_done(&table);
	return r;
}

static int arena(void *context)
{
	struct arena given;
	int r = 0;

	(void)context;
	arena_init(&given, (size_t)1 << 20);
	for (uint32_t i = 0; r == 0 && i < 100; i++)
		r = arena_alloc(&given, 4000) ? 0 : -ENOMEM;
	arena_done(&given);
	return r;
}

static int queue(void *context)
{
	struct queue given;
	int r = queue_init(&given, 10);

	(void)context;
	if (r == 0)
		queue_done(&given);
	return r;
}

static int writer(void *context)
{
	struct bytes_writer given;
	int r;

	(void)context;
	bytes_writer_init(&given, (size_t)1 << 20);
	for (uint32_t i = 0; i < 5000; i++)
		bytes_write_u64(&given, i);
	r = bytes_writer_fault(&given);
	bytes_writer_done(&given);
	return r;
}

static int compression(void *context)
{
	uint8_t *packed = NULL, *again = NULL;
	size_t packed_bytes = 0, again_bytes = 0;
	char text[3000];
	int r;

	(void)context;
	memset(text, 'x', sizeof(text));
	r = compress_bytes(text, sizeof(text), 1, &packed, &packed_bytes);
	CHECK(r == 0 || (!packed && packed_bytes == 0));
	if (r == 0)
		r = decompress_bytes(packed, packed_bytes, sizeof(text), &again, &again_bytes);
	CHECK((r == 0) == (again != NULL));
	free(packed);
	free(again);
	return r;
}

struct elf_file {
	uint8_t *bytes;
	size_t byte_count;
	int fd;
};

static struct elf_file make_elf(void)
{
	static const uint8_t id[20] = {1, 2, 3};
	static const uint8_t code[64];
	static const struct tiny_symbol symbol = {
		.name = "one", .value = 0x1000, .size = 16, .info = 0x12, .section = 1};
	uint8_t note[64];
	struct elf_file file;
	struct tiny_elf elf;

	tiny_elf_init(&elf);
	(void)tiny_elf_section(&elf, ".text", 1, 6, 0x1000, code, sizeof(code));
	(void)tiny_elf_section(&elf, ".note.gnu.build-id", 7, 2, 0, note,
		tiny_note(note, 0, 4, "GNU", 4, 3, id, sizeof(id)));
	tiny_elf_symbols(&elf, false, &symbol, 1);
	file.bytes = tiny_elf_finish(&elf, &file.byte_count);
	work_write("elf", file.bytes, file.byte_count);
	file.fd = work_open("elf");
	return file;
}

static int sections(void *context)
{
	const struct elf_file *file = context;
	struct section_names names = {0};
	struct image image = {0};
	uint8_t *bytes = NULL;
	size_t byte_count;
	int r = image_open(file->fd, true, &image);

	if (r < 0)
		return r;
	r = section_names_read(&image, &names);
	for (uint32_t i = 1; r == 0 && i < image.section_count; i++) {
		r = section_read(&image, &names, i, 4096, &bytes, &byte_count);
		CHECK((r == 0) == (bytes != NULL));
		free(bytes);
		bytes = NULL;
	}
	section_names_done(&names);
	image_done(&image);
	return r;
}

static int build_ids(void *context)
{
	const struct elf_file *file = context;
	struct build_id id = {0};
	int r = note_build_id(file->fd, &id);

	CHECK_EQ(build_id_known(&id), r == 0);
	return r;
}

struct values {
	char *text;
	struct setting_list list;
};

static const struct setting rows[] = {
	{.name = "text",
		.argument = "T",
		.kind = SETTING_TEXT,
		.offset = offsetof(struct values, text),
		.initial = "first"},
	{.name = "list",
		.argument = "T",
		.kind = SETTING_LIST,
		.offset = offsetof(struct values, list)},
};
static const struct setting_table table = {.rows = rows, .count = 2};

static int settings(void *context)
{
	struct values values = {0};
	struct setting_fault fault = {""};
	int r = setting_table_set_initial(&table, &values, &fault);

	(void)context;
	for (int i = 0; r == 0 && i < 3; i++) {
		size_t before = values.list.count;

		r = setting_set(&rows[1], &values, "item", &fault);
		CHECK_EQ(values.list.count, before + (r == 0));
	}
	if (r == 0) {
		r = setting_set(&rows[0], &values, "second", &fault);
		CHECK_STR(values.text, r == 0 ? "second" : "first");
	}
	CHECK_EQ(r == 0, fault.text[0] == '\0');
	setting_table_done(&table, &values);
	return r;
}

static int log_files(void *context)
{
	struct log_file file = {.fd = -1};
	int dir_fd = open(work_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	(void)context;
	CHECK(dir_fd >= 0);
	(void)unlinkat(dir_fd, "torture.log", 0);
	r = log_file_create(&file, dir_fd, "torture.log", 1);
	/* On failure nothing is left behind. */
	if (r < 0)
		CHECK(faccessat(dir_fd, "torture.log", F_OK, 0) < 0);
	if (r == 0)
		r = log_file_seal(&file);
	log_file_done(&file);
	close(dir_fd);
	return r;
}

static int found_none(void *context, const struct log_found *found)
{
	(void)context;
	(void)found;
	return 0;
}

/* CONTEXT: the descriptor of a log file with records. */
static int log_scans(void *context)
{
	struct log_scan scan = {.record_count = 77};
	int r = log_reader_scan(*(const int *)context, found_none, NULL, &scan);

	CHECK(r == 0 ? scan.record_count > 0 : scan.record_count == 77);
	return r;
}

static int chunk(void *context, uint32_t number, uint8_t *ret_bytes, uint32_t *ret_byte_count)
{
	(void)context;
	memset(ret_bytes, (int)number, 100);
	*ret_byte_count = 100;
	return 0;
}

static uint64_t realtime_ns = NS_PER_S;

static struct clock_reading now(void *context)
{
	(void)context;
	return (struct clock_reading){.realtime_ns = realtime_ns};
}

/* In a folder that exists. */
static int symbol_cache(void *context)
{
	struct symbol_cache_options options = {
		.folder = context, .bytes_max = 1 << 20, .clock = {.read = now}};
	struct symbol_cache_index index = {.quality = 1,
		.parser_version = 1,
		.chunk_count = 3,
		.byte_count = 300,
		.read = chunk};
	struct symbol_cache *cache = NULL;
	struct symbol_cache_entry entry;
	uint8_t *bytes = NULL;
	uint32_t byte_count;
	int r = symbol_cache_new(&options, &cache);

	CHECK((r == 0) == (cache != NULL));
	if (r < 0)
		return r;
	CHECK_EQ(build_id_make(BUILD_ID_GNU, "id", 2, &index.id), 0);
	r = symbol_cache_store(cache, &index);
	if (r == 0)
		r = symbol_cache_find(cache, &index.id, &entry);
	if (r == 0)
		r = symbol_cache_read(cache, &entry, 1, &bytes, &byte_count);
	CHECK((r == 0) == (bytes != NULL));
	free(bytes);
	symbol_cache_free(cache);
	return r;
}

struct store_case {
	struct profile *profile;
	unsigned run; /* each has a folder of its own */
};

static void ignore(void *context, int result)
{
	*(int *)context = result;
}

static int count_profiles(void *context, const struct profile *profile)
{
	(void)profile;
	++*(uint32_t *)context;
	return 0;
}

static int profile_store(void *context)
{
	struct store_case *given = context;
	struct profile_store_config config = fixture_config(work_path("data%u", given->run++));
	struct batch_key key = fixture_key(9, 1);
	struct profile_store *store = NULL;
	struct profile_store_report report;
	uint32_t count = 0;
	int result = -1, r = profile_store_open(&config, &report, &store);

	CHECK((r == 0) == (store != NULL));
	if (r < 0)
		return r;
	r = profile_store_append(store, &key, given->profile, ignore, &result);
	if (r == 0)
		r = profile_store_flush(store);
	if (r == 0)
		CHECK_EQ(result, 0);
	if (r == 0)
		r = profile_store_visit(store, 0, UINT64_MAX, NULL, count_profiles, &count);
	CHECK(r < 0 || count == 1);
	profile_store_close(store);
	return r;
}

struct catalog_case {
	struct catalog_known known;
	struct catalog_fixture fixture;
	struct profile *profile;
};

static int catalog_notes(void *context)
{
	const struct catalog_case *given = context;
	struct catalog_note *note = NULL;
	int r = catalog_note_new(&given->known, given->profile, &note);

	CHECK((r == 0) == (note != NULL));
	catalog_note_free(note);
	return r;
}

/* Of all days, with a matcher and without. */
static int catalog_lists(void *context)
{
	const struct catalog_case *given = context;
	const struct profile_store_label_matcher matcher = {"a", "1", 1};
	struct profile_store_label_query query = {.until_ns = UINT64_MAX, .limit = 9};
	struct catalog_fixture_list list = {.text = ""};
	bool more;
	int r = catalog_read_values(
		&given->fixture.tables, "b", &query, catalog_fixture_put, &list, &more);

	query.matchers = &matcher;
	query.matcher_count = 1;
	if (r == 0)
		r = catalog_read_values(
			&given->fixture.tables, "b", &query, catalog_fixture_put, &list, &more);
	if (r == 0)
		r = catalog_read_names(
			&given->fixture.tables, &query, catalog_fixture_put, &list, &more);
	if (r == 0)
		CHECK_STR(list.text, "2 3 2 a b host ");
	return r;
}

/* Every set becomes itself. */
static int relabelling(void *context)
{
	struct profile *profile = ((const struct catalog_case *)context)->profile;
	uint64_t samples = profile_sample_count(profile);
	struct label_table labels;
	uint32_t sets[64];
	int r = label_table_init(&labels);

	CHECK(profile->labels.count <= 64);
	for (uint32_t i = 0; r == 0 && i < profile->labels.count; i++) {
		const struct label_set *set = &profile->labels.sets[i];

		r = label_table_add(&labels, &profile->strings, profile->labels.labels + set->first,
			set->count, &sets[i]);
	}
	if (r == 0)
		r = profile_relabel(profile, &labels, sets);
	label_table_done(&labels);
	CHECK_EQ(profile_sample_count(profile), samples);
	return r;
}

static void without_memory_the_catalogue_gives_errors(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct catalog_case given = {
		.profile = fake_profile(&host, FIXTURE_START_NS, FIXTURE_WINDOW_NS, 1)};

	work_run("mkdir -p catalog");
	CHECK_EQ(catalog_known_init(&given.known), 0);
	catalog_fixture_open(&given.fixture, work_path("catalog"));
	catalog_fixture_add(&given.fixture, CATALOG_FIXTURE_HOUR, NULL, "a=1,b=2");
	catalog_fixture_add(&given.fixture, CATALOG_FIXTURE_HOUR + 30, NULL, "a=2,b=3");
	torture(catalog_notes, &given, 4);
	torture(catalog_lists, &given, 6);
	torture(relabelling, &given, 6);
	catalog_fixture_close(&given.fixture);
	catalog_known_done(&given.known);
	profile_free(given.profile);
}

static void without_memory_the_base_gives_errors(void)
{
	torture(texts, NULL, 5);
	torture(arena, NULL, 2);
	torture(queue, NULL, 1);
	torture(writer, NULL, 3);
	/* Memory that can't be given back is kept. */
	torture_tolerant(compression, NULL, 2);
}

static void without_memory_no_file_is_half_read(void)
{
	struct elf_file file = make_elf();

	torture(sections, &file, 6);
	torture(build_ids, &file, 2);
	free(file.bytes);
	close(file.fd);
}

static void without_memory_settings_stay(void)
{
	torture(settings, NULL, 7);
}

static void without_memory_the_disk_keeps_what_it_has(void)
{
	struct fake_host host = fake_small_host("db-1");
	struct store_case store = {0};
	const char *cache_folder = work_path("cache");
	int fd;

	work_run("mkdir -p cache");
	/* When it was used last may be forgotten. */
	torture_tolerant(symbol_cache, (void *)(uintptr_t)cache_folder, 4);
	/* Memory that can't be given back is kept, here and in what the store writes. */
	torture_tolerant(log_files, NULL, 2);
	store.profile = fake_profile(&host, FIXTURE_START_NS, FIXTURE_WINDOW_NS, 1);
	torture_tolerant(profile_store, &store, 10);
	profile_free(store.profile);
	/* Of the last run, which got through. */
	work_run("cp data%u/profiles/*.log records", store.run - 1);
	fd = work_open("records");
	torture(log_scans, &fd, 1);
	close(fd);
}

int main(void)
{
	RUN(without_memory_the_base_gives_errors);
	RUN(without_memory_no_file_is_half_read);
	RUN(without_memory_settings_stay);
	RUN(without_memory_the_catalogue_gives_errors);
	RUN(without_memory_the_disk_keeps_what_it_has);
	return 0;
}
