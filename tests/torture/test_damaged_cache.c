/* SPDX-License-Identifier: Apache-2.0 */
/* 300 damaged copies of a real symbol cache that was not closed in order, one in six cut off, the
 * others with flipped bits: a server that finds one starts, answers, and has all names again. Each
 * server is a process of its own, since LMDB maps a file without checksums: if one dies, the next
 * start must find the way out, and that may not take more than a few. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/symbol/symbolizer.h"
#include "tests/support/check.h"
#include "tests/support/random.h"
#include "tests/support/work_dir.h"

#define COPY_COUNT 300
#define CUT_ONE_IN 6
#define FLIP_COUNT 20
#define PAGE_BYTES 4096
/* Header of a page and the first of its offsets. */
#define PAGE_HEAD_BYTES 32
#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)
/* As often as a cache may end a server before it is moved aside, and once more. */
#define STARTS_MAX 7
#define FILE_COUNT 3

static const char *const files[FILE_COUNT] = {"small", "large", "exported"};
static struct sandbox sandbox;
static struct build_id ids[FILE_COUNT];

static struct symbolizer *start(void)
{
	struct symbolizer_options options = {
		.folder = work_path("data"), .sandbox = &sandbox, .clock = clock_system()};
	struct symbolizer *symbolizer;

	CHECK_EQ(symbolizer_new(&options, &symbolizer), 0);
	return symbolizer;
}

static void give(struct symbolizer *symbolizer, const struct build_id *id, const char *file)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = work_read(file, &byte_count);
	struct symbol_hand_request request = {.id = *id, .name = file, .byte_count = byte_count};
	enum sandbox_fault fault;
	struct symbol_hand *hand;
	uint64_t offset;

	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &hand), 0);
	CHECK_EQ(symbolizer_hand_append(hand, bytes, byte_count), 0);
	CHECK_EQ(symbolizer_hand_finish(hand, &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
}

/* Looks up addresses all over a module; how many have names. */
static uint32_t count_names(struct symbolizer *symbolizer, const struct build_id *id)
{
	struct symbol_reader *reader;
	struct symbol symbol;
	uint32_t count = 0;

	if (symbolizer_open(symbolizer, id, &reader) < 0)
		return 0;
	for (uint64_t address = 0; address < 0x40000; address += 64)
		count += symbol_reader_find(reader, address, &symbol) == 0 && symbol.name[0];
	symbol_reader_free(reader);
	return count;
}

static void note(struct symbolizer *symbolizer, const struct build_id *id)
{
	struct symbol_origin origin = {{1}};

	CHECK_EQ(symbolizer_note_module(symbolizer, &origin, id, "p", SYMBOL_WHAT_EXECUTABLE), 0);
}

static void make_cache(uint32_t ret_counts[FILE_COUNT])
{
	struct symbolizer *symbolizer = start();

	for (int i = 0; i < FILE_COUNT; i++) {
		SCOPED_FD int fd = work_open(files[i]);

		CHECK_EQ(note_build_id(fd, &ids[i]), 0);
		give(symbolizer, &ids[i], files[i]);
		ret_counts[i] = count_names(symbolizer, &ids[i]);
		CHECK(ret_counts[i] > 0);
	}
	symbolizer_free(symbolizer);
}

/* One life of a server: it answers, and looks for what is lost. 0: it lived, and all names were
 * there at its end. */
static int serve(const uint32_t counts[FILE_COUNT])
{
	struct symbolizer *symbolizer = start();
	int r = 0;

	for (int i = 0; i < FILE_COUNT; i++)
		(void)count_names(symbolizer, &ids[i]);
	for (int i = 0; i < FILE_COUNT; i++)
		note(symbolizer, &ids[i]);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	for (int i = 0; i < FILE_COUNT; i++)
		r |= count_names(symbolizer, &ids[i]) != counts[i];
	symbolizer_free(symbolizer);
	return r;
}

static void damage(uint8_t *bytes, size_t *byte_count, struct random *random)
{
	if (random_below(random, CUT_ONE_IN) == 0) {
		*byte_count = random_below(random, (uint32_t)*byte_count);
		return;
	}
	for (int i = 0; i < FLIP_COUNT; i++) {
		/* Half of them where they do most. */
		size_t page = random_below(random, (uint32_t)(*byte_count / PAGE_BYTES));
		size_t within = random_below(
			random, random_chance(random, 50) ? PAGE_HEAD_BYTES : PAGE_BYTES);

		bytes[page * PAGE_BYTES + within] ^= (uint8_t)(1 << random_below(random, 8));
	}
}

/* Starts servers until one lives; how many died before. */
static int start_until_one_lives(const uint32_t counts[FILE_COUNT], uint64_t copy)
{
	for (int deaths = 0; deaths < STARTS_MAX; deaths++) {
		pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (pid == 0)
			_exit(serve(counts));
		CHECK(waitpid(pid, &status, 0) == pid);
		if (WIFEXITED(status)) {
			if (WEXITSTATUS(status) != 0)
				fprintf(stderr, "copy %llu\n", (unsigned long long)copy);
			CHECK_EQ(WEXITSTATUS(status), 0);
			return deaths;
		}
	}
	fprintf(stderr, "copy %llu\n", (unsigned long long)copy);
	CHECK(!"a server that lives");
	return STARTS_MAX;
}

static void every_damaged_cache_is_got_over(void)
{
	uint32_t counts[FILE_COUNT];
	size_t whole_bytes;
	int deaths = 0;

	make_cache(counts);
	SCOPED_FREE uint8_t *whole = work_read("data/cache/data.mdb", &whole_bytes);
	SCOPED_FREE uint8_t *copy = malloc(whole_bytes);

	CHECK(copy);
	for (uint64_t i = 0; i < COPY_COUNT; i++) {
		struct random random = {.state = i};
		size_t byte_count = whole_bytes;

		memcpy(copy, whole, whole_bytes);
		damage(copy, &byte_count, &random);
		work_run("rm -rf data/cache data/cache.damaged data/starts && mkdir data/cache");
		work_write("data/cache/data.mdb", copy, byte_count);
		deaths += start_until_one_lives(counts, i);
	}
	printf("%d copies, %zu bytes; %d servers died of one\n", COPY_COUNT, whole_bytes, deaths);
}

int main(int argc, char **argv)
{
	int hidden = symbolizer_hidden_main(argc, argv);

	if (hidden >= 0)
		return hidden;
	CHECK_EQ(sandbox_init(&sandbox), 0);
	work_write_text("p.c",
		"#define F(n) int f##n(int x) { volatile int s = x; return s + n; }\n"
		"#define G(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)\n"
		"#define H(n) G(n##0) G(n##1) G(n##2) G(n##3) G(n##4) G(n##5) G(n##6) G(n##7)\n"
		"#ifdef LARGE\n"
		"H(1) H(2) H(3) H(4) H(5) H(6) H(7) H(8) H(10) H(11) H(12) H(13) H(14) H(15)\n"
		"#endif\n"
		"int main(void) { return 0; }\n");
	work_run("gcc -g -o small p.c && gcc -DLARGE -o large p.c");
	work_run("gcc -DLARGE -rdynamic -Wl,-s -o exported p.c");
	RUN(every_damaged_cache_is_got_over);
	sandbox_done(&sandbox);
	return 0;
}
