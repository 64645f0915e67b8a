/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/sandbox/sandbox.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/tiny_elf.h"
#include "tests/support/whole_index.h"
#include "tests/support/work_dir.h"

/* An id for which this program, run as the parser, behaves in a way of its own. */
#define ID_INSPECT "00000001"
#define ID_CRASH "00000002"
#define ID_SLEEP "00000003"
#define ID_SPIN "00000004"
#define ID_LIE "00000005"

static struct sandbox sandbox;
static int folder_fd;

/* Whether the run has exactly the descriptors 0 to 3 and no environment. */
static bool alone(void)
{
	for (int fd = 0; fd < 4096; fd++)
		if ((fcntl(fd, F_GETFD) >= 0) != (fd <= 3))
			return false;
	return !environ || !environ[0];
}

/* Behaviours before the real parser would start. 0: none of them was asked for. */
static int behave(const char *deed, const char *id)
{
	volatile unsigned spin = 1;

	if (strcmp(id, ID_INSPECT) == 0)
		return alone() ? SANDBOX_FAULT_NO_NAMES : SANDBOX_FAULT_NO_ID;
	if (strcmp(id, ID_CRASH) == 0 && strcmp(deed, "elf") == 0)
		abort();
	if (strcmp(id, ID_SLEEP) == 0)
		pause();
	while (strcmp(id, ID_SPIN) == 0)
		spin++;
	if (strcmp(id, ID_LIE) == 0) {
		return write(STDOUT_FILENO, "CSIX and then something else altogether", 39) == 39
			? 1000
			: SANDBOX_FAULT_WRITE;
	}
	return 0;
}

static struct sandbox_result index_with(const char *file, const struct sandbox_request *request)
{
	SCOPED_FD int fd = work_open(file);
	struct sandbox_result result;

	CHECK_EQ(sandbox_index(&sandbox, fd, request, &result), 0);
	return result;
}

static struct sandbox_request elf_request(const char *id)
{
	struct sandbox_request request = {.input = SANDBOX_INPUT_ELF, .folder_fd = folder_fd};

	CHECK_EQ(build_id_parse(id, strlen(id), &request.id), 0);
	return request;
}

static struct sandbox_request request_for(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct sandbox_request request = {.input = SANDBOX_INPUT_ELF, .folder_fd = folder_fd};

	CHECK_EQ(note_build_id(fd, &request.id), 0);
	return request;
}

static struct sandbox_result index_file(const char *file)
{
	struct sandbox_request request = request_for(file);

	return index_with(file, &request);
}

static void check_fault(struct sandbox_result result, enum sandbox_fault fault)
{
	if (result.fault != fault)
		fprintf(stderr, "%s\n", sandbox_fault_text(result.fault));
	CHECK_EQ(result.fault, fault);
	CHECK_EQ(result.index_fd, -1);
}

static void the_run_holds_four_descriptors_and_no_environment(void)
{
	struct sandbox_request request = elf_request(ID_INSPECT);
	SCOPED_FD int inherited = open("/", O_RDONLY); /* without O_CLOEXEC, on purpose */

	CHECK(inherited >= 0);
	work_write_text("any", "any");
	check_fault(index_with("any", &request), SANDBOX_FAULT_NO_NAMES);
}

static const char program[] =
	"__attribute__((noinline)) int hot(int n) { volatile int s = 0;\n"
	"	for (int i = 0; i < n; i++) s += i; return s; }\n"
	"static __attribute__((noinline)) int local(int n) { return hot(n) + 1; }\n"
	"int main(int c, char **v) { (void)v; return local(c); }\n";

static uint64_t address_of(const char *file, const char *name)
{
	SCOPED_FREE char *text = work_output("nm %s | awk '$3 == \"%s\" { print $1 }'", file, name);

	CHECK(*text);
	return strtoull(text, NULL, 16);
}

static void check_result(
	struct sandbox_result result, enum symbol_quality quality, uint64_t hot, uint64_t local)
{
	struct symbol_index_function function;
	struct whole_index index;

	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	CHECK_EQ(result.header.quality, quality);
	whole_index_load(&index, result.index_fd);
	CHECK_STR(whole_index_name(&index, hot, &function), "hot");
	CHECK_EQ(function.start, hot);
	CHECK_STR(whole_index_name(&index, function.end - 1, &function), "hot");
	if (quality != SYMBOL_QUALITY_DYNAMIC)
		CHECK_STR(whole_index_name(&index, local, &function), "local");
	else
		CHECK(!whole_index_name(&index, local, &function));
	whole_index_done(&index);
	sandbox_result_done(&result);
}

static void check_named(const char *file, enum symbol_quality quality, uint64_t hot, uint64_t local)
{
	check_result(index_file(file), quality, hot, local);
}

/* A packed file, which carries the id of another one inside. */
static void check_packed(const char *file, const char *whole, uint64_t hot, uint64_t local)
{
	struct sandbox_request request = request_for(whole);
	SCOPED_FD int fd = work_open(file);
	enum sandbox_fault fault;
	struct file_facts facts;

	check_result(index_with(file, &request), SYMBOL_QUALITY_DWARF, hot, local);
	CHECK_EQ(sandbox_describe(&sandbox, fd, &request, &fault, &facts), 0);
	CHECK_EQ(fault, SANDBOX_FAULT_NONE);
	CHECK(facts.is_packed && facts.contents.has_dwarf);
	CHECK(build_id_equal(&facts.id, &request.id));
}

static void each_source_names_what_it_knows(void)
{
	uint64_t hot, local;

	work_write_text("p.c", program);
	work_run("gcc -O1 -g -rdynamic -o full p.c");
	work_run("objcopy --only-keep-debug full debug");
	work_run("objcopy --strip-debug full table");
	work_run("objcopy --strip-all full dynamic");
	hot = address_of("full", "hot");
	local = address_of("full", "local");
	check_named("full", SYMBOL_QUALITY_DWARF, hot, local);
	check_named("debug", SYMBOL_QUALITY_DWARF, hot, local);
	check_named("table", SYMBOL_QUALITY_TABLE, hot, local);
	check_named("dynamic", SYMBOL_QUALITY_DYNAMIC, hot, local);
	/* As Fedora does it: a small table of the local functions, packed, in a stripped program.
	 */
	work_run("objcopy -S --keep-symbol=local --strip-debug table mini && xz -q -f mini && "
		 "objcopy --add-section .gnu_debugdata=mini.xz dynamic withmini");
	check_named("withmini", SYMBOL_QUALITY_MINIDEBUG, hot, local);
	work_run("head -c 200 mini.xz > cut.xz && "
		 "objcopy --add-section .gnu_debugdata=cut.xz dynamic withcut");
	check_named("withcut", SYMBOL_QUALITY_DYNAMIC, hot, local);
	work_run("objcopy --compress-debug-sections=zlib full zlib");
	check_named("zlib", SYMBOL_QUALITY_DWARF, hot, local);
	work_run("clang-14 -O1 -gdwarf-4 -o dwarf4 -fuse-ld=lld p.c");
	check_named("dwarf4", SYMBOL_QUALITY_DWARF, address_of("dwarf4", "hot"),
		address_of("dwarf4", "local"));
	/* As kernels install their modules: packed as a whole, whatever they are called. */
	work_run("objcopy --compress-debug-sections=zlib full inner && xz -q -k inner && zstd -q "
		 "inner && "
		 "gzip inner");
	check_packed("inner.xz", "full", hot, local);
	check_packed("inner.zst", "full", hot, local);
	check_packed("inner.gz", "full", hot, local);
	/* Split DWARF whose other half is not there: what the file itself holds must do. */
	work_run("gcc -O1 -gsplit-dwarf -rdynamic -o split p.c && rm -f *.dwo");
	check_named("split", SYMBOL_QUALITY_TABLE, address_of("split", "hot"),
		address_of("split", "local"));
}

static void a_file_of_zstd_is_unpacked_and_named(void)
{
	struct sandbox_request request = request_for("full");
	struct sandbox_result result;

	request.zstd = true;
	check_fault(index_with("full", &request), SANDBOX_FAULT_NOT_COMPRESSED);
	work_run("zstd -q -f full -o full.zst && zstd -q -f -c < full > stream.zst");
	for (int i = 0; i < 2; i++) {
		result = index_with(i ? "stream.zst" : "full.zst", &request);
		CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
		CHECK_EQ(result.header.quality, SYMBOL_QUALITY_DWARF);
		sandbox_result_done(&result);
	}
	work_run("head -c 2000 full.zst > cut.zst");
	check_fault(index_with("cut.zst", &request), SANDBOX_FAULT_NOT_COMPRESSED);
}

static void files_that_are_not_what_they_should_be_are_told_apart(void)
{
	struct sandbox_request request = request_for("full");

	work_write_text("html", "<html><head><title>Sign in</title></head></html>");
	check_fault(index_with("html", &request), SANDBOX_FAULT_NOT_ELF);
	work_run("head -c 1048576 /dev/zero > zeros");
	check_fault(index_with("zeros", &request), SANDBOX_FAULT_ZEROS);
	work_write_text("empty", "");
	check_fault(index_with("empty", &request), SANDBOX_FAULT_EMPTY);
	work_run("head -c $(($(stat -c %%s full) / 2)) full > half");
	check_fault(index_with("half", &request), SANDBOX_FAULT_DAMAGED);
	work_run("head -c 30 full > stump");
	check_fault(index_with("stump", &request), SANDBOX_FAULT_DAMAGED);
	work_run("gcc -g -O1 -o other p.c -Wl,--build-id=0x00112233");
	check_fault(index_with("other", &request), SANDBOX_FAULT_OTHER_ID);
	work_run("gcc -g -O1 -o none p.c -Wl,--build-id=none");
	check_fault(index_with("none", &request), SANDBOX_FAULT_NO_ID);
	work_run("gcc -c -g -O1 -o object.o p.c && "
		 "gcc -r -o object object.o -Wl,--build-id=0x00112233 && "
		 "cp object foreign && "
		 "printf '\\363' | dd of=foreign bs=1 seek=18 conv=notrunc status=none");
	/* Of a machine (RISC-V) whose relocations are not known. */
	check_fault(index_file("foreign"), SANDBOX_FAULT_RELOCATABLE);
	work_run("gcc -O1 -s -static -nostdlib -Wl,--build-id=0x0011 -o bare "
		 "-x assembler - <<'E'\n.globl _start\n_start: nop\nE");
	check_fault(index_file("bare"), SANDBOX_FAULT_NO_NAMES);
}

static void a_content_hash_must_be_that_of_the_file_unless_parts_were_left_out(void)
{
	struct sandbox_request request = request_for("none");
	struct sandbox_result result = index_with("none", &request);

	CHECK_EQ(request.id.kind, BUILD_ID_HTL);
	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	sandbox_result_done(&result);
	work_run("objcopy --strip-debug none less");
	check_fault(index_with("less", &request), SANDBOX_FAULT_OTHER_ID);
	request.reduced = true;
	result = index_with("less", &request);
	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	sandbox_result_done(&result);
}

static void a_crash_over_dwarf_leaves_the_symbol_tables(void)
{
	struct sandbox_request request = elf_request(ID_CRASH);
	struct sandbox_result result;

	work_run("gcc -g -O1 -o crash p.c -Wl,--build-id=0x" ID_CRASH);
	result = index_with("crash", &request);
	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	CHECK_EQ(result.dwarf_fault, SANDBOX_FAULT_CRASHED);
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_TABLE);
	sandbox_result_done(&result);
}

static void a_run_that_does_not_end_is_ended(void)
{
	struct sandbox_request request = elf_request(ID_SLEEP);
	uint64_t started_ns = clock_monotonic_ns();

	sandbox.wall_ns_max = 200 * NS_PER_MS;
	check_fault(index_with("any", &request), SANDBOX_FAULT_TIMED_OUT);
	sandbox.wall_ns_max = 100 * NS_PER_S;
	CHECK(clock_monotonic_ns() - started_ns < 30 * NS_PER_S);
}

static void a_result_that_breaks_the_format_is_thrown_away(void)
{
	struct sandbox_request request = elf_request(ID_LIE);

	check_fault(index_with("any", &request), SANDBOX_FAULT_BAD_RESULT);
}

static void an_index_that_grows_too_large_is_refused(void)
{
	struct sandbox_request request = request_for("full");
	uint64_t before = sandbox.index_bytes_max;

	sandbox.index_bytes_max = 100;
	check_fault(index_with("full", &request), SANDBOX_FAULT_WRITE);
	sandbox.index_bytes_max = before;
}

static void kernel_symbols_are_named(void)
{
	struct sandbox_request request = elf_request("0a0b");
	struct symbol_index_function function;
	struct sandbox_result result;
	struct whole_index index;

	request.input = SANDBOX_INPUT_KERNEL_SYMBOLS;
	work_write_text("kernel", "0 _text\n1000 do_one\n1040 do_two\n");
	result = index_with("kernel", &request);
	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_KERNEL);
	whole_index_load(&index, result.index_fd);
	CHECK_STR(whole_index_name(&index, 0x103f, &function), "do_one");
	whole_index_done(&index);
	sandbox_result_done(&result);
	work_write_text("hidden", "0 a\n0 b\n0 c\n");
	check_fault(index_with("hidden", &request), SANDBOX_FAULT_HIDDEN_ADDRESSES);
	check_fault(index_with("html", &request), SANDBOX_FAULT_NOT_SYMBOLS);
}

/* The result for FILE, with other files beside it: NULL: none. */
static struct sandbox_result index_beside(
	const char *file, const char *supplementary, const char *package)
{
	SCOPED_FD int supplementary_fd = supplementary ? work_open(supplementary) : -1;
	SCOPED_FD int package_fd = package ? work_open(package) : -1;
	struct sandbox_request request = request_for(file);
	struct sandbox_result result;

	request.supplementary_fd = supplementary_fd;
	request.package_fd = package_fd;
	result = index_with(file, &request);
	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	return result;
}

/* The bytes of an index; its result is released. */
static uint8_t *bytes_of(struct sandbox_result *result, size_t *ret_byte_count)
{
	struct whole_index index;

	CHECK_EQ(result->fault, SANDBOX_FAULT_NONE);
	whole_index_load(&index, result->index_fd);
	*ret_byte_count = index.header.total_bytes;
	sandbox_result_done(result);
	return index.bytes;
}

static struct sandbox_result index_with_companion(const char *file, const char *companion)
{
	SCOPED_FD int companion_fd = companion ? work_open(companion) : -1;
	struct sandbox_request request = request_for(file);

	request.companion_fd = companion_fd;
	return index_with(file, &request);
}

static bool has_name(const struct whole_index *index, const char *name)
{
	return memmem(index->bytes, index->header.total_bytes, name, strlen(name) + 1) != NULL;
}

/* Debug file and stripped program say together what the program said before it was taken apart. */
static void two_files_of_a_module_are_read_as_one(void)
{
	struct sandbox_result result;
	struct whole_index index;
	size_t sizes[3];
	uint8_t *bytes[3];

	work_write_text("calls.c",
		"#include <stdlib.h>\n"
		"int main(int c, char **v) { return c > 5 ? abs(rand()) : atoi(v[0]); }\n");
	work_run("gcc -O1 -g -fcf-protection=none -o calls calls.c &&"
		 " objcopy --only-keep-debug calls calls.debug && strip -o calls.code calls &&"
		 " gcc -O2 -g -o stranger calls.c");
	result = index_with_companion("calls.debug", "calls.code");
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_DWARF);
	bytes[0] = bytes_of(&result, &sizes[0]);
	result = index_with_companion("calls.code", "calls.debug");
	bytes[1] = bytes_of(&result, &sizes[1]);
	result = index_with_companion("calls", NULL);
	bytes[2] = bytes_of(&result, &sizes[2]);
	CHECK(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0);
	CHECK(sizes[0] == sizes[2] && memcmp(bytes[0], bytes[2], sizes[0]) == 0);
	whole_index_adopt(&index, bytes[0], sizes[0]);
	CHECK(has_name(&index, "rand@plt"));
	free(bytes[0]);
	free(bytes[1]);
	free(bytes[2]);
	/* What is no file of this module is as good as none. */
	result = index_with_companion("calls.debug", "stranger");
	bytes[0] = bytes_of(&result, &sizes[0]);
	whole_index_adopt(&index, bytes[0], sizes[0]);
	CHECK(!has_name(&index, "rand@plt"));
	CHECK(has_name(&index, "main"));
	free(bytes[0]);
}

static void what_a_file_refers_to_is_read_or_asked_for(void)
{
	struct sandbox_result result;

	work_run("gcc -O1 -g -o one p.c && gcc -O2 -g -o two p.c && dwz -m common one two");
	work_run("gcc -O1 -gdwarf-4 -gsplit-dwarf -o split p.c && dwp -e split -o split.dwp");
	result = index_beside("one", "common", NULL);
	CHECK_EQ(result.dwarf_fault, SANDBOX_FAULT_NONE);
	CHECK_EQ(result.supplementary_id.byte_count, 0);
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_DWARF);
	sandbox_result_done(&result);
	result = index_beside("one", NULL, "split.dwp");
	CHECK_EQ(result.dwarf_fault, SANDBOX_FAULT_NO_SUPPLEMENTARY);
	CHECK_EQ(result.supplementary_id.byte_count, 20);
	sandbox_result_done(&result);
	result = index_beside("split", NULL, "split.dwp");
	CHECK_EQ(result.dwarf_fault, SANDBOX_FAULT_NONE);
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_DWARF);
	sandbox_result_done(&result);
	result = index_beside("split", "common", "split.dwp");
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_DWARF);
	sandbox_result_done(&result);
	result = index_beside("split", NULL, NULL);
	CHECK_EQ(result.dwarf_fault, SANDBOX_FAULT_NO_PACKAGE);
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_TABLE);
	sandbox_result_done(&result);
}

static void packed_sections_are_unpacked_within_the_confinement(void)
{
	struct sandbox_result result;

	work_run("gcc -O1 -g -o packed p.c && objcopy --compress-debug-sections=zlib packed");
	result = index_file("packed");
	CHECK_EQ(result.fault, SANDBOX_FAULT_NONE);
	CHECK_EQ(result.header.quality, SYMBOL_QUALITY_DWARF);
	sandbox_result_done(&result);
}

static void the_program_can_run_itself_for_a_check(void)
{
	char verb[] = "--exit-with", status[] = "7";
	char *arguments[] = {verb, status, NULL};
	int got = 0;

	CHECK_EQ(sandbox_run_self(&sandbox, arguments, &got), 0);
	CHECK_EQ(got, 7);
	arguments[1] = (char[]){"abort"};
	CHECK_EQ(sandbox_run_self(&sandbox, arguments, &got), -ECHILD);
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], SANDBOX_VERB) == 0) {
		int status = behave(argv[2], argv[3]);

		if (status)
			_exit(status == 1000 ? 0 : status);
		return sandbox_main(argc, argv);
	}
	if (argc > 2 && strcmp(argv[1], "--exit-with") == 0) {
		if (strcmp(argv[2], "abort") == 0)
			abort();
		_exit((int)strtol(argv[2], NULL, 10));
	}
	CHECK_EQ(sandbox_init(&sandbox), 0);
	folder_fd = open(work_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder_fd >= 0);
	RUN(the_run_holds_four_descriptors_and_no_environment);
	RUN(each_source_names_what_it_knows);
	RUN(a_file_of_zstd_is_unpacked_and_named);
	RUN(files_that_are_not_what_they_should_be_are_told_apart);
	RUN(a_content_hash_must_be_that_of_the_file_unless_parts_were_left_out);
	RUN(a_crash_over_dwarf_leaves_the_symbol_tables);
	RUN(a_run_that_does_not_end_is_ended);
	RUN(a_result_that_breaks_the_format_is_thrown_away);
	RUN(an_index_that_grows_too_large_is_refused);
	RUN(kernel_symbols_are_named);
	RUN(two_files_of_a_module_are_read_as_one);
	RUN(what_a_file_refers_to_is_read_or_asked_for);
	RUN(packed_sections_are_unpacked_within_the_confinement);
	RUN(the_program_can_run_itself_for_a_check);
	close(folder_fd);
	sandbox_done(&sandbox);
	return 0;
}
