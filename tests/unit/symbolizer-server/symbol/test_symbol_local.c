/* SPDX-License-Identifier: Apache-2.0 */
/* Files of this machine through the symbolizer that uses them. */
#include <errno.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/symbol/symbol_source.h"
#include "symbolizer-server/symbol/symbolizer.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)

static struct sandbox sandbox;
static uint64_t now_ns = UINT64_C(1000) * NS_PER_S;

static struct clock_reading read_now(void *context)
{
	uint64_t ns = __atomic_load_n(&now_ns, __ATOMIC_SEQ_CST);

	(void)context;
	return (struct clock_reading){.monotonic_ns = ns, .realtime_ns = ns};
}

static struct symbolizer *start(const char *folder)
{
	const char *folders[] = {work_path("laid")};
	struct symbolizer_options options = {
		.folder = work_path("%s", folder),
		.folders = folders,
		.folder_count = 1,
		.sandbox = &sandbox,
		.clock = {.read = read_now},
	};
	struct symbolizer *symbolizer;

	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	return symbolizer;
}

static struct build_id id_of(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct build_id id;

	CHECK_EQ(note_build_id(fd, &id), 0);
	return id;
}

static void note(struct symbolizer *symbolizer, const struct build_id *id)
{
	struct symbol_origin origin = {{1}};

	CHECK_EQ(
		symbolizer_note_module(symbolizer, &origin, id, "prog", SYMBOL_WHAT_EXECUTABLE), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
}

static enum symbol_quality quality(struct symbolizer *symbolizer, const struct build_id *id)
{
	struct symbol_module_state state;

	CHECK_EQ(symbolizer_module_state(symbolizer, id, &state), 0);
	return state.quality;
}

static void give(struct symbolizer *symbolizer, const struct build_id *id, const char *file)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = work_read(file, &byte_count);
	struct symbol_hand_request request = {.id = *id, .name = "prog", .byte_count = byte_count};
	enum sandbox_fault fault;
	struct symbol_hand *hand;
	uint64_t offset;

	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &hand), 0);
	CHECK_EQ(symbolizer_hand_append(hand, bytes, byte_count), 0);
	CHECK_EQ(symbolizer_hand_finish(hand, &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
}

static void clear(void)
{
	work_run("rm -rf laid data && mkdir laid");
	__atomic_fetch_add(&now_ns, 100 * NS_PER_S, __ATOMIC_SEQ_CST);
}

/* What a newer parser does, too: the index is gone, the file is there. */
static void a_kept_file_is_read_again_when_its_index_is_gone(void)
{
	struct build_id id = id_of("full");
	struct symbolizer *symbolizer;

	clear();
	symbolizer = start("data");
	give(symbolizer, &id, "full");
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	symbolizer_free(symbolizer);
	work_run("rm -r data/cache");
	symbolizer = start("data");
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	symbolizer_free(symbolizer);
}

static void a_file_that_is_laid_into_a_folder_gives_names(void)
{
	struct build_id id = id_of("full");
	struct symbolizer *symbolizer;
	SCOPED_FREE char *text = NULL;
	SCOPED_FD int fd = -1;
	uint64_t byte_count;

	clear();
	symbolizer = start("data");
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_NONE);
	text = work_output("readelf -n full | sed -n 's/.*Build ID: //p'");
	work_run("mkdir -p laid/.build-id/%.2s && cp debug laid/.build-id/%.2s/%s.debug", text,
		text, text + 2);
	/* A folder is not looked through at every batch. */
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_NONE);
	__atomic_fetch_add(&now_ns, 61 * NS_PER_S, __ATOMIC_SEQ_CST);
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	/* Debuggers get it, too. */
	CHECK_EQ(symbolizer_open_file(symbolizer, &id, SYMBOL_FILE_DEBUGINFO, &fd, &byte_count), 0);
	CHECK(byte_count > 0);
	symbolizer_free(symbolizer);
}

static void a_file_of_another_build_is_passed_over(void)
{
	struct build_id id = id_of("full");
	struct symbolizer *symbolizer;
	uint64_t byte_count;
	int fd;

	clear();
	symbolizer = start("data");
	work_run("cp other laid/prog && cp debug laid/prog.debug");
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	CHECK_EQ(symbolizer_open_file(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, &fd, &byte_count),
		-ENOENT);
	symbolizer_free(symbolizer);
	clear();
	symbolizer = start("data");
	work_run("cp other laid/prog.debug && echo '<html>' >laid/prog");
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_NONE);
	symbolizer_free(symbolizer);
}

/* A program without a build-ID, whose debug file is known by its CRC alone. */
static void a_debug_link_leads_to_its_file(void)
{
	struct build_id id = id_of("noted");
	struct symbolizer *symbolizer;

	clear();
	symbolizer = start("data");
	work_run("mkdir laid/.debug && cp noted.dbg laid/.debug/");
	give(symbolizer, &id, "noted");
	note(symbolizer, &id);
	CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_DWARF);
	symbolizer_free(symbolizer);
	clear();
	symbolizer = start("data");
	work_run("cp debug laid/noted.dbg");
	give(symbolizer, &id, "noted");
	note(symbolizer, &id);
	CHECK(quality(symbolizer, &id) < SYMBOL_QUALITY_DWARF);
	symbolizer_free(symbolizer);
}

/* How many functions the index of a module has. */
static uint32_t function_count(struct symbolizer *symbolizer, const struct build_id *id)
{
	struct symbol_module_state state;

	CHECK_EQ(symbolizer_module_state(symbolizer, id, &state), 0);
	return state.function_count;
}

/* The calls at the start of `main`, innermost first, as one text. */
static const char *chain_at(
	struct symbolizer *symbolizer, const struct build_id *id, uint64_t address)
{
	static char text[256];
	struct symbol_chain *chain = malloc(sizeof(*chain));
	struct symbol_reader *reader;

	CHECK(chain);
	text[0] = '\0';
	CHECK_EQ(symbolizer_open(symbolizer, id, &reader), 0);
	CHECK_EQ(symbol_reader_chain(reader, address, chain), 0);
	for (uint32_t i = 0; i < chain->count; i++) {
		strncat(text, chain->calls[i].name, 60);
		strncat(text, i + 1 < chain->count ? " " : "", 2);
	}
	symbol_reader_free(reader);
	free(chain);
	return text;
}

/* An address of inlined code: that of the instruction that stores 12345. */
static uint64_t inlined_address(const char *file)
{
	SCOPED_FREE char *text = work_output("objdump -d %s | grep -m1 '$0x3039' |"
					     " sed -E 's/^ *([0-9a-f]+):.*/\\1/'",
		file);

	CHECK(*text);
	return strtoull(text, NULL, 16);
}

static void a_package_that_is_given_later_tells_what_was_inlined(void)
{
	struct build_id id = id_of("split");
	uint64_t address = inlined_address("split");
	struct symbolizer *symbolizer;
	uint64_t generation;
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = NULL;
	struct symbol_hand_request request = {.id = id, .package = true};
	enum sandbox_fault fault;
	struct symbol_hand *hand;
	uint64_t offset;

	clear();
	symbolizer = start("data");
	give(symbolizer, &id, "split");
	CHECK_STR(chain_at(symbolizer, &id, address), "main");
	generation = symbolizer_generation(symbolizer);
	bytes = work_read("split.dwp", &byte_count);
	request.byte_count = byte_count;
	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &hand), 0);
	CHECK_EQ(symbolizer_hand_append(hand, bytes, byte_count), 0);
	CHECK_EQ(symbolizer_hand_finish(hand, &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_STR(chain_at(symbolizer, &id, address), "inlined main");
	CHECK(symbolizer_generation(symbolizer) > generation);
	symbolizer_free(symbolizer);
}

/* dwz has moved what two programs share into a file of its own. */
static void a_supplementary_file_that_is_given_later_gives_its_names(void)
{
	struct build_id id = id_of("dwz_one"), common = id_of("common");
	uint64_t address = inlined_address("dwz_one");
	struct symbolizer *symbolizer;

	clear();
	symbolizer = start("data");
	give(symbolizer, &id, "dwz_one");
	CHECK(function_count(symbolizer, &id) > 0);
	give(symbolizer, &common, "common");
	CHECK_STR(chain_at(symbolizer, &id, address), "inlined main");
	symbolizer_free(symbolizer);
}

/* Whichever comes first: the debug file knows no stubs, the program no lines. */
static void two_files_of_a_module_are_laid_over_each_other(void)
{
	static const char *const orders[2][2] = {
		{"calls.debug", "calls.code"}, {"calls.code", "calls.debug"}};
	struct build_id id = id_of("calls");
	SCOPED_FREE char *text = work_output("objdump -d -j .plt -j .plt.sec calls 2>/dev/null |"
					     " awk '/<rand@plt>:/ { print $1 }'");
	uint64_t stub = strtoull(text, NULL, 16);

	CHECK(stub > 0);
	for (int i = 0; i < 2; i++) {
		struct symbolizer *symbolizer;
		uint32_t count;

		clear();
		symbolizer = start("data");
		give(symbolizer, &id, orders[i][0]);
		count = function_count(symbolizer, &id);
		give(symbolizer, &id, orders[i][1]);
		CHECK_EQ(quality(symbolizer, &id), SYMBOL_QUALITY_DWARF);
		CHECK(function_count(symbolizer, &id) > count);
		CHECK_STR(chain_at(symbolizer, &id, stub), "rand@plt");
		/* The same again when the cache is gone. */
		count = function_count(symbolizer, &id);
		symbolizer_free(symbolizer);
		work_run("rm -r data/cache");
		symbolizer = start("data");
		note(symbolizer, &id);
		CHECK_EQ(function_count(symbolizer, &id), count);
		CHECK_STR(chain_at(symbolizer, &id, stub), "rand@plt");
		symbolizer_free(symbolizer);
	}
}

/* ---- A source that has both ---- */

static bool has_common;
static unsigned common_count;

static int serve(struct symbol_source *source, unsigned worker,
	const struct symbol_question *question, struct symbol_fetched *ret_fetched)
{
	struct build_id id = id_of("dwz_one"), common = id_of("common");
	const char *file = build_id_equal(&question->id, &id) ? "dwz_one" : "common";

	(void)source;
	(void)worker;
	if (question->file != SYMBOL_FILE_DEBUGINFO)
		return -ENOENT;
	if (build_id_equal(&question->id, &common)) {
		common_count++;
		if (!has_common)
			return -ENOENT;
	}
	*ret_fetched = (struct symbol_fetched){.fd = work_open(file), .byte_count = 1};
	return 0;
}

static void take_back(struct symbol_source *source, struct symbol_fetched *fetched)
{
	(void)source;
	close(fetched->fd);
	fetched->fd = -1;
}

static void do_nothing(struct symbol_source *source)
{
	(void)source;
}

static struct symbolizer *start_with_source(void)
{
	static struct symbol_source source = {.name = "test",
		.fetch = serve,
		.release = take_back,
		.stop = do_nothing,
		.free = do_nothing};
	struct symbolizer_options options = {
		.folder = work_path("data"),
		.sandbox = &sandbox,
		.clock = {.read = read_now},
		.source = &source,
	};
	struct symbolizer *symbolizer;

	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	return symbolizer;
}

static void a_supplementary_file_is_asked_for_where_the_file_came_from(void)
{
	struct build_id id = id_of("dwz_one");
	uint64_t address = inlined_address("dwz_one");
	struct symbolizer *symbolizer;

	clear();
	has_common = true;
	common_count = 0;
	symbolizer = start_with_source();
	note(symbolizer, &id);
	CHECK_STR(chain_at(symbolizer, &id, address), "inlined main");
	CHECK_EQ(common_count, 1);
	symbolizer_free(symbolizer);
}

/* Neither for the next module that needs it nor after a restart. */
static void one_that_is_nowhere_is_asked_for_once(void)
{
	struct build_id id = id_of("dwz_one");
	struct symbolizer *symbolizer;

	clear();
	has_common = false;
	common_count = 0;
	for (unsigned i = 0; i < 2; i++) {
		symbolizer = start_with_source();
		note(symbolizer, &id);
		CHECK(function_count(symbolizer, &id) > 0);
		symbolizer_free(symbolizer);
		__atomic_fetch_add(&now_ns, NS_PER_S, __ATOMIC_SEQ_CST);
	}
	CHECK_EQ(common_count, 1);
}

static void make_split_and_shared(void)
{
	work_write_text("q.c",
		"struct shared_by_both { int one, two; struct shared_by_both *next; };\n"
		"static volatile struct shared_by_both kept;\n"
		"static inline __attribute__((always_inline)) void inlined(void)"
		" { kept.one = 12345; }\n"
		"int main(int c, char **v) { (void)v; inlined(); return c + NUMBER; }\n");
	work_run("clang-14 -g -gdwarf-5 -gsplit-dwarf -fno-split-dwarf-inlining -O1 -DNUMBER=0"
		 " -Wl,--build-id -o split q.c &&"
		 " llvm-dwp-14 -e split -o split.dwp && rm -f *.dwo");
	work_run("gcc -g -gdwarf-4 -O1 -DNUMBER=1 -o dwz_one q.c &&"
		 " gcc -g -gdwarf-4 -O1 -DNUMBER=2 -o dwz_two q.c &&"
		 " dwz -m common dwz_one dwz_two");
}

int main(int argc, char **argv)
{
	int hidden = symbolizer_hidden_main(argc, argv);

	if (hidden >= 0)
		return hidden;
	CHECK_EQ(sandbox_init(&sandbox), 0);
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o full p.c && objcopy --only-keep-debug full debug");
	work_run("gcc -g -O1 -o other p.c");
	work_run("gcc -g -rdynamic -Wl,--build-id=none -o noted p.c &&"
		 " objcopy --only-keep-debug noted noted.dbg && strip noted &&"
		 " objcopy --add-gnu-debuglink=noted.dbg noted");
	make_split_and_shared();
	work_write_text("calls.c",
		"#include <stdlib.h>\n"
		"int main(int c, char **v) { return c > 5 ? abs(rand()) : atoi(v[0]); }\n");
	work_run("gcc -O1 -g -o calls calls.c && objcopy --only-keep-debug calls calls.debug &&"
		 " strip -o calls.code calls");
	RUN(two_files_of_a_module_are_laid_over_each_other);
	RUN(a_package_that_is_given_later_tells_what_was_inlined);
	RUN(a_supplementary_file_that_is_given_later_gives_its_names);
	RUN(a_supplementary_file_is_asked_for_where_the_file_came_from);
	RUN(one_that_is_nowhere_is_asked_for_once);
	RUN(a_kept_file_is_read_again_when_its_index_is_gone);
	RUN(a_file_that_is_laid_into_a_folder_gives_names);
	RUN(a_file_of_another_build_is_passed_over);
	RUN(a_debug_link_leads_to_its_file);
	sandbox_done(&sandbox);
	return 0;
}
