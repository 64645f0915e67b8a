/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/symbolizer.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/symbol/file_shelf.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (UINT64_C(60) * NS_PER_S)
#define HALF 1000
/* One of so many is killed in time. */
#define KILLS_MAX 20

static struct sandbox sandbox;
static uint64_t file_bytes_max; /* 0: the default */
static uint64_t now_ns = UINT64_C(1000) * NS_PER_S;

static struct clock_reading read_now(void *context)
{
	uint64_t ns = __atomic_load_n(&now_ns, __ATOMIC_SEQ_CST);

	(void)context;
	return (struct clock_reading){.monotonic_ns = ns, .realtime_ns = ns};
}

static void pass(uint64_t ns)
{
	__atomic_fetch_add(&now_ns, ns, __ATOMIC_SEQ_CST);
}

static struct symbolizer *start(const char *folder)
{
	struct symbolizer_options options = {
		.folder = work_path("%s", folder),
		.sandbox = &sandbox,
		.clock = {.read = read_now},
		.upload_bytes_max = 1 << 20,
		.file_bytes_max = file_bytes_max,
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

static uint64_t counter(struct symbolizer *symbolizer, enum symbol_counter which)
{
	uint64_t values[SYMBOL_COUNTER_COUNT];

	symbolizer_read_counters(symbolizer, values);
	return values[which];
}

/* Sends bytes [FROM, FROM + COUNT) of FILE as a part of it; what the end says, or the beginning. */
static int send_part(struct symbolizer *symbolizer, const struct symbol_hand_request *request,
	const char *file, size_t byte_count, enum sandbox_fault *ret_fault)
{
	size_t file_bytes;
	SCOPED_FREE uint8_t *bytes = work_read(file, &file_bytes);
	struct symbol_hand *hand;
	uint64_t offset;
	int r = symbolizer_hand_begin(symbolizer, request, &offset, &hand);

	if (r < 0)
		return r;
	CHECK(request->offset + byte_count <= file_bytes);
	r = symbolizer_hand_append(hand, bytes + request->offset, byte_count);
	if (r < 0) {
		symbolizer_hand_close(hand);
		return r;
	}
	return symbolizer_hand_finish(hand, ret_fault);
}

static size_t size_of(const char *file)
{
	size_t byte_count;
	SCOPED_FREE uint8_t *bytes = work_read(file, &byte_count);

	return bytes ? byte_count : 0;
}

static int send_whole(struct symbolizer *symbolizer, const struct build_id *id, const char *file,
	enum sandbox_fault *ret_fault)
{
	struct symbol_hand_request request = {
		.id = *id, .name = "given", .byte_count = size_of(file)};

	return send_part(symbolizer, &request, file, request.byte_count, ret_fault);
}

static void check_kept(struct symbolizer *symbolizer, const struct build_id *id,
	enum symbol_file file, const char *expected)
{
	SCOPED_FD int fd = -1;
	uint64_t byte_count;
	int r = symbolizer_open_file(symbolizer, id, file, &fd, &byte_count);

	if (!expected) {
		CHECK_EQ(r, -ENOENT);
		return;
	}
	CHECK_EQ(r, 0);
	CHECK_EQ(byte_count, size_of(expected));
}

/* What was cut off behind its build-ID still carries it. */
static void a_file_that_was_cut_off_is_refused_at_once(void)
{
	struct symbolizer *symbolizer = start("cut");
	struct build_id id = id_of("full");
	enum sandbox_fault fault;

	work_run("size=$(wc -c <full); head -c $((size - 1)) full > cut_table;"
		 " head -c $((size / 2)) full > cut_half");
	/* A section that reaches beyond the end. */
	work_run("at=$(od -An -tu8 -j40 -N8 full); cp full cut_section &&"
		 " printf '\\377\\377\\377\\017' |"
		 " dd of=cut_section bs=1 seek=$((at + 64 + 24)) conv=notrunc status=none");
	CHECK_EQ(send_whole(symbolizer, &id, "code", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(send_whole(symbolizer, &id, "cut_table", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_DAMAGED);
	CHECK_EQ(send_whole(symbolizer, &id, "cut_half", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_DAMAGED);
	CHECK_EQ(send_whole(symbolizer, &id, "cut_section", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_DAMAGED);
	check_kept(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, "code");
	symbolizer_free(symbolizer);
}

static void a_file_that_is_given_gives_names_and_is_kept(void)
{
	struct symbolizer *symbolizer = start("one");
	struct symbol_module_state state;
	struct build_id id = id_of("full");
	enum sandbox_fault fault;

	CHECK_EQ(send_whole(symbolizer, &id, "debug", &fault), 0);
	/* Whoever waits for its names sees that they are on their way, until they are there. */
	do {
		CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
		CHECK(state.pending || state.quality == SYMBOL_QUALITY_DWARF);
	} while (state.pending);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	CHECK_EQ(state.quality, SYMBOL_QUALITY_DWARF);
	CHECK_STR(state.name, "given");
	check_kept(symbolizer, &id, SYMBOL_FILE_DEBUGINFO, "debug");
	check_kept(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, NULL);
	/* There is nothing better, but a debugger may want the program. */
	CHECK_EQ(send_whole(symbolizer, &id, "code", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	check_kept(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, "code");
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_FILES_KEPT), 2);
	CHECK_EQ(
		counter(symbolizer, SYMBOL_COUNTER_KEPT_BYTES), size_of("debug") + size_of("code"));
	CHECK_EQ(send_whole(symbolizer, &id, "full", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(send_whole(symbolizer, &id, "code", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_FILES_NOT_KEPT), 1);
	check_kept(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, "full");
	symbolizer_free(symbolizer);
	/* Kept files survive a restart. */
	symbolizer = start("one");
	check_kept(symbolizer, &id, SYMBOL_FILE_DEBUGINFO, "debug");
	symbolizer_free(symbolizer);
}

/* Sends a file and dies as soon as it was told that it is here. */
static void send_and_be_killed(const char *folder, const struct build_id *id, const char *file)
{
	enum sandbox_fault fault;
	struct symbolizer *symbolizer = start(folder);

	if (send_whole(symbolizer, id, file, &fault) == 0)
		raise(SIGKILL);
	_exit(1);
}

/* Whether it had no time to read what it took, as is the rule; a busy machine may give it some. */
static bool killed_before_it_read(const char *folder, const struct build_id *id)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0)
		send_and_be_killed(folder, id, "debug");
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	return work_try("test -n \"$(ls %s/unread)\"", folder) == 0;
}

static void what_was_taken_is_read_after_a_kill(void)
{
	struct build_id id = id_of("full");
	struct symbol_module_state state;
	struct symbolizer *symbolizer;
	char folder[32];
	bool unread = false;

	for (int i = 0; i < KILLS_MAX && !unread; i++) {
		(void)snprintf(folder, sizeof(folder), "killed%d", i);
		unread = killed_before_it_read(folder, &id);
	}
	CHECK(unread);
	symbolizer = start(folder);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	CHECK_EQ(state.quality, SYMBOL_QUALITY_DWARF);
	CHECK_STR(state.name, "given");
	check_kept(symbolizer, &id, SYMBOL_FILE_DEBUGINFO, "debug");
	symbolizer_free(symbolizer);
	CHECK_EQ(work_try("test -z \"$(ls %s/unread)\"", folder), 0);
}

static void kept_files_stay_within_their_limit(void)
{
	struct symbolizer *symbolizer = start("five");
	struct build_id id = id_of("full"), other = id_of("other");
	enum sandbox_fault fault;

	symbolizer_free(symbolizer);
	file_bytes_max = size_of("full") + 100;
	symbolizer = start("five");
	CHECK_EQ(send_whole(symbolizer, &id, "full", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	pass(NS_PER_S);
	CHECK_EQ(send_whole(symbolizer, &other, "other", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_KEPT_EVICTED), 1);
	check_kept(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, NULL);
	check_kept(symbolizer, &other, SYMBOL_FILE_EXECUTABLE, "other");
	symbolizer_free(symbolizer);
	file_bytes_max = 0;
}

static void a_file_goes_on_where_its_connection_broke(void)
{
	struct symbolizer *symbolizer = start("two");
	struct symbol_hand_request request = {.id = id_of("full"), .byte_count = size_of("full")};
	enum sandbox_fault fault;

	CHECK_EQ(send_part(symbolizer, &request, "full", HALF, &fault), -EINPROGRESS);
	CHECK_EQ(symbolizer_hand_offset(symbolizer, &request.id, false), HALF);
	CHECK_EQ(symbolizer_hand_offset(symbolizer, &request.id, true), 0);
	request.offset = HALF + 1;
	CHECK_EQ(send_part(symbolizer, &request, "full", 1, &fault), -ERANGE);
	request.offset = HALF;
	request.byte_count++;
	CHECK_EQ(send_part(symbolizer, &request, "full", 1, &fault), -ERANGE);
	request.byte_count--;
	CHECK_EQ(send_part(symbolizer, &request, "full", request.byte_count - HALF, &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	check_kept(symbolizer, &request.id, SYMBOL_FILE_EXECUTABLE, "full");
	CHECK_EQ(symbolizer_hand_offset(symbolizer, &request.id, false), 0);
	/* From its beginning, it begins anew. */
	request.offset = 0;
	CHECK_EQ(send_part(symbolizer, &request, "full", HALF, &fault), -EINPROGRESS);
	CHECK_EQ(send_part(symbolizer, &request, "full", HALF + 1, &fault), -EINPROGRESS);
	CHECK_EQ(symbolizer_hand_offset(symbolizer, &request.id, false), HALF + 1);
	/* Nobody comes back. */
	pass(UINT64_C(601) * NS_PER_S);
	request.offset = HALF + 1;
	CHECK_EQ(send_part(symbolizer, &request, "full", 1, &fault), -ERANGE);
	CHECK_EQ(work_try("test -z \"$(ls two/uploads)\""), 0);
	symbolizer_free(symbolizer);
}

static void one_connection_at_a_time_sends_a_file(void)
{
	struct symbolizer *symbolizer = start("three");
	struct symbol_hand_request request = {.id = id_of("full"), .byte_count = 10};
	struct symbol_hand *hand, *second;
	uint64_t offset;

	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &hand), 0);
	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &second), -EBUSY);
	request.package = true;
	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &second), 0);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_UPLOADS_OPEN), 2);
	CHECK_EQ(symbolizer_hand_append(hand, "12345678901", 11), -EFBIG);
	symbolizer_hand_close(hand);
	symbolizer_hand_close(second);
	symbolizer_hand_close(NULL);
	request.byte_count = (1 << 20) + 1;
	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &hand), -EFBIG);
	request.id.byte_count = 0;
	CHECK_EQ(symbolizer_hand_begin(symbolizer, &request, &offset, &hand), -EINVAL);
	CHECK_EQ(counter(symbolizer, SYMBOL_COUNTER_UPLOADS_ASKED),
		counter(symbolizer, SYMBOL_COUNTER_UPLOADS_REFUSED) +
			counter(symbolizer, SYMBOL_COUNTER_UPLOADS_BROKEN));
	symbolizer_free(symbolizer);
}

static void what_a_file_is_not_is_said(void)
{
	struct symbolizer *symbolizer = start("four");
	struct build_id id = id_of("full"), other = id_of("other");
	struct symbol_hand_request package = {
		.id = id, .package = true, .byte_count = size_of("full")};
	enum sandbox_fault fault;

	CHECK_EQ(send_whole(symbolizer, &id, "p.c", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_NOT_ELF);
	CHECK_EQ(send_whole(symbolizer, &id, "other", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_OTHER_ID);
	CHECK_EQ(send_whole(symbolizer, &id, "noted", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_NO_ID);
	CHECK_EQ(send_whole(symbolizer, &id, "empty", &fault), -EBADMSG);
	CHECK_EQ(fault, SANDBOX_FAULT_EMPTY);
	CHECK_EQ(send_part(symbolizer, &package, "full", package.byte_count, &fault), -EBADMSG);
	check_kept(symbolizer, &id, SYMBOL_FILE_EXECUTABLE, NULL);
	check_kept(symbolizer, &other, SYMBOL_FILE_EXECUTABLE, NULL);
	CHECK_EQ(work_try("test -z \"$(ls four/uploads)\""), 0);
	symbolizer_free(symbolizer);
}

static const char *name_at(struct symbolizer *symbolizer, const struct build_id *id, uint64_t at)
{
	static char name[64];
	struct symbol_reader *reader;
	struct symbol symbol;

	if (symbolizer_open(symbolizer, id, &reader) < 0)
		return "-";
	snprintf(name, sizeof(name), "%s",
		symbol_reader_find(reader, at, &symbol) == 0 ? symbol.name : "-");
	symbol_reader_free(reader);
	return name;
}

/* Its addresses count from where its code begins, as those of its list of symbols do. */
static void the_image_of_a_kernel_names_it_better_than_its_list(void)
{
	struct symbolizer *symbolizer = start("six");
	struct build_id id = id_of("vmlinux");
	struct symbol_upload_request list = {.id = id, .what = SYMBOL_WHAT_KERNEL_SYMBOLS};
	SCOPED_FREE char *text = work_output("nm vmlinux | awk '$3 == \"do_idle\" { print $1 }'");
	uint64_t offset = strtoull(text, NULL, 16) - 0x81000000;
	struct symbol_module_state state;
	struct symbol_upload *upload;
	enum sandbox_fault fault;

	CHECK_EQ(symbolizer_note_module(
			 symbolizer, NULL, &id, "[kernel]", SYMBOL_WHAT_KERNEL_SYMBOLS),
		0);
	CHECK_EQ(symbolizer_upload_begin(symbolizer, &list, &upload), 0);
	CHECK_EQ(symbolizer_upload_append(upload, "0 listed\n1000 b\n", 16), 0);
	CHECK_EQ(symbolizer_upload_finish(upload), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_STR(name_at(symbolizer, &id, offset), "listed");
	CHECK_EQ(send_whole(symbolizer, &id, "vmlinux", &fault), 0);
	CHECK_EQ(symbolizer_drain(symbolizer, PATIENCE_NS), 0);
	CHECK_STR(name_at(symbolizer, &id, offset), "do_idle");
	CHECK_STR(name_at(symbolizer, &id, 0x81000000 + offset), "-");
	CHECK_EQ(symbolizer_module_state(symbolizer, &id, &state), 0);
	CHECK_EQ(state.quality, SYMBOL_QUALITY_DWARF);
	symbolizer_free(symbolizer);
}

int main(int argc, char **argv)
{
	int hidden = symbolizer_hidden_main(argc, argv);

	if (hidden >= 0)
		return hidden;
	CHECK_EQ(sandbox_init(&sandbox), 0);
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o full p.c && objcopy --only-keep-debug full debug && : >empty");
	work_run("objcopy --strip-all full code && gcc -O1 -o other p.c");
	work_run("gcc -Wl,--build-id=none -o noted p.c");
	work_write_text("k.c",
		"__asm__(\".section __ksymtab, \\\"a\\\"\\n.quad 0\\n.text\");\n"
		"__attribute__((noinline)) int do_idle(int n) { volatile int s = n; return s; }\n"
		"int start_kernel(void) { return do_idle(1) + do_idle(2); }\n");
	work_run("gcc -g -O1 -nostdlib -static -no-pie -Wl,-Ttext=0x81000000 -Wl,-e,start_kernel"
		 " -Wl,--build-id=0x6b65726e656c -o vmlinux k.c");
	RUN(the_image_of_a_kernel_names_it_better_than_its_list);
	RUN(a_file_that_was_cut_off_is_refused_at_once);
	RUN(a_file_that_is_given_gives_names_and_is_kept);
	RUN(what_was_taken_is_read_after_a_kill);
	RUN(kept_files_stay_within_their_limit);
	RUN(a_file_goes_on_where_its_connection_broke);
	RUN(one_connection_at_a_time_sends_a_file);
	RUN(what_a_file_is_not_is_said);
	sandbox_done(&sandbox);
	return 0;
}
