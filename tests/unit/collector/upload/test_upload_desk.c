/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/upload/upload_desk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

/* The sink of this test: keeps what it was given. */
#define KEPT_MAX 16

struct rpc_sink {
	struct upload uploads[KEPT_MAX];
	unsigned upload_count;
	char reasons[KEPT_MAX][128];
	unsigned reason_count;
	int answer;
};

int rpc_sink_upload(struct rpc_sink *sink, const struct upload *upload)
{
	if (sink->answer == 0)
		sink->uploads[sink->upload_count++] = *upload;
	return sink->answer;
}

int rpc_sink_refuse_want(
	struct rpc_sink *sink, const struct build_id *id, uint32_t what, const char *reason)
{
	(void)id;
	(void)what;
	snprintf(sink->reasons[sink->reason_count++], 128, "%s", reason);
	return 0;
}

static struct tally tally;
static struct process_table processes;
static struct kernel_symbols kernel;
static struct rpc_sink sink;
static struct upload_desk *desk;
static struct build_id build_id;
static void *mapped;

/* This process maps a program, so that the desk can find it. */
static void set_up(const struct upload_rules *rules)
{
	struct process_table_config process_config = {.tally = &tally};
	struct upload_desk_config config = {
		.rules = *rules, .processes = &processes, .kernel = &kernel, .tally = &tally};
	struct process_sighting sighting = {.pid = (uint32_t)getpid()};
	struct process *process;
	int fd;

	tally = (struct tally){{0}};
	sink = (struct rpc_sink){.answer = 0};
	fd = work_open("prog");
	CHECK_EQ(note_build_id(fd, &build_id), 0);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(mapped != MAP_FAILED);
	close(fd);
	CHECK_EQ(process_table_init(&processes, &process_config), 0);
	kernel.state = KERNEL_SYMBOLS_KNOWN;
	process = process_table_see(&processes, &sighting);
	CHECK(process);
	for (uint32_t i = 0; i < process->mappings->count; i++) {
		const struct mapping *mapping = &process->mappings->mappings[i];
		struct binary_mapping shown = {process->pid, 0, mapping->start, mapping->end};

		if (mapping->binary)
			binary_read(&processes.binaries, mapping->binary, &shown, 1);
	}
	CHECK_EQ(upload_desk_new(&config, &desk), 0);
}

static void tear_down(void)
{
	for (unsigned i = 0; i < sink.upload_count; i++)
		sink.uploads[i].done(sink.uploads[i].context, -ECANCELED);
	upload_desk_free(desk);
	process_table_done(&processes);
	munmap(mapped, 4096);
}

static void want(const struct build_id *id, uint32_t what)
{
	struct upload_want made = {.id = *id, .what = what, .name = "prog"};

	upload_desk_want(desk, &made);
}

static bool is_ready(void)
{
	struct pollfd pollfd = {.fd = upload_desk_poll_fd(desk), .events = POLLIN};

	return poll(&pollfd, 1, 0) == 1;
}

static const struct upload_rules stripped = {.mode = UPLOAD_MODE_STRIPPED, .bytes_max = UINT64_MAX};

static void a_wanted_file_is_sent_in_the_form_that_is_set(void)
{
	static const enum upload_mode modes[] = {UPLOAD_MODE_STRIPPED, UPLOAD_MODE_FULL};

	for (int i = 0; i < 2; i++) {
		struct upload_rules rules = {.mode = modes[i], .bytes_max = UINT64_MAX};
		uint8_t bytes[4];

		set_up(&rules);
		CHECK(!is_ready());
		want(&build_id, UPLOAD_EXECUTABLE);
		CHECK(is_ready());
		upload_desk_serve(desk, &sink);
		CHECK(!is_ready());
		CHECK_EQ(sink.upload_count, 1);
		CHECK(build_id_equal(&sink.uploads[0].id, &build_id));
		CHECK_EQ(sink.uploads[0].reduced, modes[i] == UPLOAD_MODE_STRIPPED);
		CHECK(!sink.uploads[0].zstd);
		CHECK(sink.uploads[0].byte_count > 1000);
		CHECK_EQ(sink.uploads[0].read(sink.uploads[0].context, bytes, 4), 4);
		CHECK(memcmp(bytes, "\177ELF", 4) == 0);
		tear_down();
	}
}

static void expect_refusal(const struct upload_rules *rules, const struct build_id *id,
	uint32_t what, const char *reason)
{
	set_up(rules);
	want(id ? id : &build_id, what);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 0);
	CHECK_EQ(sink.reason_count, 1);
	CHECK_STR(sink.reasons[0], reason);
	CHECK_EQ(tally_value(&tally, TALLY_uploads_refused), 1);
	tear_down();
}

static void settings_refuse_with_their_name(void)
{
	struct upload_rules never = {.mode = UPLOAD_MODE_NEVER, .bytes_max = UINT64_MAX};
	struct upload_rules small = {.mode = UPLOAD_MODE_FULL, .bytes_max = 100};
	char any_program[] = "/*/prog", elsewhere[] = "/opt/*";
	char *deny_list[] = {elsewhere, any_program};
	struct upload_rules deny = {UPLOAD_MODE_STRIPPED, UINT64_MAX, deny_list, 2};

	expect_refusal(&never, NULL, UPLOAD_EXECUTABLE, "denied by --upload never");
	expect_refusal(&small, NULL, UPLOAD_EXECUTABLE, "larger than --upload-max");
	expect_refusal(&deny, NULL, UPLOAD_EXECUTABLE, "denied by --upload-deny");
	deny.deny_count = 1;
	set_up(&deny);
	want(&build_id, UPLOAD_EXECUTABLE);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 1);
	tear_down();
}

static void what_is_unknown_is_refused_with_a_reason(void)
{
	struct build_id other;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, "unknown", 7, &other), 0);
	expect_refusal(&stripped, &other, UPLOAD_EXECUTABLE, "the file is not there any more");
	expect_refusal(&stripped, &other, UPLOAD_KERNEL_SYMBOLS,
		"that kernel or module is not loaded any more");
	expect_refusal(&stripped, NULL, 99, "this collector does not know what is meant");
}

static void kernel_symbols_are_sent_packed(void)
{
	set_up(&stripped);
	want(&kernel.kernel.build_id, UPLOAD_KERNEL_SYMBOLS);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 1);
	CHECK(sink.uploads[0].zstd && !sink.uploads[0].reduced);
	CHECK_EQ(sink.uploads[0].what, UPLOAD_KERNEL_SYMBOLS);
	tear_down();

	set_up(&stripped);
	kernel.state = KERNEL_SYMBOLS_HIDDEN;
	want(&kernel.kernel.build_id, UPLOAD_KERNEL_SYMBOLS);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.reason_count, 1);
	CHECK(strstr(sink.reasons[0], "kptr_restrict"));
	tear_down();
}

static void addresses_hidden_since_the_start_are_a_reason_and_no_upload_that_breaks(void)
{
	const char *proc_folder = kernel.proc_folder;

	set_up(&stripped);
	work_run("mkdir -p hidden");
	work_write_text("hidden/kallsyms",
		"0000000000000000 A per_cpu\n0000000000000000 T _text\n0000000000000000 T "
		"_etext\n");
	kernel.proc_folder = work_path("hidden");
	want(&kernel.kernel.build_id, UPLOAD_KERNEL_SYMBOLS);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 0);
	CHECK_EQ(sink.reason_count, 1);
	CHECK(strstr(sink.reasons[0], "kptr_restrict"));
	kernel.proc_folder = proc_folder;
	tear_down();
}

static void few_uploads_are_under_way_at_a_time(void)
{
	struct upload first, second;

	set_up(&stripped);
	for (int i = 0; i < 10; i++)
		want(&build_id, UPLOAD_EXECUTABLE);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 2);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 2);
	first = sink.uploads[0];
	second = sink.uploads[1];
	sink.upload_count = 0;
	CHECK_EQ(first.read(first.context, (uint8_t[4]){0}, 4), 4);
	first.done(first.context, 0);
	CHECK_EQ(tally_value(&tally, TALLY_upload_bytes), 4);
	CHECK(is_ready());
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 1);
	CHECK_EQ(tally_value(&tally, TALLY_uploads_done), 1);
	second.done(second.context, -EPIPE);
	CHECK_EQ(tally_value(&tally, TALLY_uploads_failed), 1);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 2);
	first = sink.uploads[0];
	sink.uploads[0] = sink.uploads[1];
	sink.upload_count = 1;
	first.done(first.context, -EEXIST);
	CHECK_EQ(tally_value(&tally, TALLY_uploads_done), 1);
	CHECK_EQ(tally_value(&tally, TALLY_uploads_failed), 1);
	tear_down();
}

static void small_files_go_before_large_ones(void)
{
	struct build_id own;
	char *path = work_output("readlink -f /proc/%d/exe", getpid());
	int fd = open(path, O_RDONLY);

	CHECK_EQ(note_build_id(fd, &own), 0);
	close(fd);
	free(path);
	set_up(&stripped);
	/* This test is larger than the program that it maps. Symbols have no known size. */
	want(&own, UPLOAD_EXECUTABLE);
	want(&build_id, UPLOAD_EXECUTABLE);
	want(&kernel.kernel.build_id, UPLOAD_KERNEL_SYMBOLS);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(sink.upload_count, 2);
	CHECK_EQ(sink.uploads[0].what, UPLOAD_KERNEL_SYMBOLS);
	CHECK(build_id_equal(&sink.uploads[1].id, &build_id));
	tear_down();
}

static void a_full_sink_drops_the_upload(void)
{
	set_up(&stripped);
	sink.answer = -ENOBUFS;
	want(&build_id, UPLOAD_EXECUTABLE);
	upload_desk_serve(desk, &sink);
	CHECK_EQ(tally_value(&tally, TALLY_uploads_failed), 1);
	tear_down();
}

static void too_many_wants_are_dropped_and_counted(void)
{
	set_up(&stripped);
	for (int i = 0; i < 5000; i++)
		want(&build_id, UPLOAD_EXECUTABLE);
	CHECK_EQ(tally_value(&tally, TALLY_wants_received), 5000);
	CHECK(tally_value(&tally, TALLY_wants_dropped) > 0);
	tear_down();
}

int main(void)
{
	work_run("echo 'int main(void){return 0;}' > prog.c && gcc -g -o prog prog.c");
	CHECK_EQ(kernel_symbols_init(&kernel, NULL, NULL, &tally), 0);
	RUN(a_wanted_file_is_sent_in_the_form_that_is_set);
	RUN(settings_refuse_with_their_name);
	RUN(what_is_unknown_is_refused_with_a_reason);
	RUN(kernel_symbols_are_sent_packed);
	RUN(addresses_hidden_since_the_start_are_a_reason_and_no_upload_that_breaks);
	RUN(few_uploads_are_under_way_at_a_time);
	RUN(small_files_go_before_large_ones);
	RUN(a_full_sink_drops_the_upload);
	RUN(too_many_wants_are_dropped_and_counted);
	kernel_symbols_done(&kernel);
	return 0;
}
