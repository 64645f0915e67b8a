/* SPDX-License-Identifier: Apache-2.0 */
/* Against Debian's debuginfod. It listens on every address, so this program runs itself again in a
 * network namespace of its own, which holds nothing but a loopback interface. */
#include "symbolizer-server/symbol/debuginfod_source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/disk/symbol_cache.h"
#include "store/elf/elf_note.h"
#include "tests/support/check.h"
#include "tests/support/fixed_http.h"
#include "tests/support/work_dir.h"

#define PORT "8002"
#define REAL "http://127.0.0.1:" PORT
#define FULL_ID "0102030405060708"
#define PATIENCE_NS (60 * NS_PER_S)
#define HOLD_NS (600 * NS_PER_S)
/* Nobody listens there. */
#define DEAD "http://127.0.0.1:9"

static pid_t server;
static uint64_t skew_ns;

/* The clock of this machine, set forward now and then. */
static struct clock_reading read_skewed(void *context)
{
	struct clock system = clock_system();
	struct clock_reading now = clock_read(&system);

	(void)context;
	now.monotonic_ns += skew_ns;
	now.realtime_ns += skew_ns;
	return now;
}

static const struct clock skewed = {.read = read_skewed};

/* A source, and all that it needs. */
struct setup {
	struct symbol_cache *cache;
	struct debuginfod_servers *servers;
	struct symbol_source *source;
	int folder_fd;
};

static struct setup make(const char *urls)
{
	struct symbol_cache_options cache = {
		.folder = work_path("cache"), .bytes_max = 1 << 20, .clock = skewed};
	struct debuginfod_source_options options = {.clock = skewed};
	struct setup setup;

	work_run("mkdir -p cache files");
	setup.folder_fd = open(work_path("files"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(setup.folder_fd >= 0);
	CHECK_EQ(symbol_cache_new(&cache, &setup.cache), 0);
	CHECK_EQ(debuginfod_servers_new(urls, skewed, &setup.servers), 0);
	options.servers = setup.servers;
	options.folder_fd = setup.folder_fd;
	options.misses = symbol_cache_misses(setup.cache);
	CHECK_EQ(debuginfod_source_new(&options, &setup.source), 0);
	return setup;
}

/* What was found out of servers goes, what they do not have stays. */
static void end(struct setup *setup)
{
	setup->source->free(setup->source);
	debuginfod_servers_free(setup->servers);
	symbol_cache_free(setup->cache);
	close(setup->folder_fd);
}

static void end_and_forget(struct setup *setup)
{
	end(setup);
	work_run("rm -rf cache");
}

static struct build_id id_of(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct build_id id;

	CHECK_EQ(note_build_id(fd, &id), 0);
	return id;
}

static struct build_id id_number(uint8_t number)
{
	struct build_id id;

	CHECK_EQ(build_id_make(BUILD_ID_GNU, &number, 1, &id), 0);
	return id;
}

static int fetch_again(struct setup *setup, const struct build_id *id, enum symbol_file file,
	uint32_t skip, struct symbol_fetched *ret_fetched)
{
	struct symbol_question question = {
		.id = *id, .file = file, .name = "p", .skip = skip, .hold_ns = HOLD_NS};

	return setup->source->fetch(setup->source, 0, &question, ret_fetched);
}

static int fetch(struct setup *setup, const struct build_id *id, enum symbol_file file)
{
	struct symbol_fetched fetched;
	int r = fetch_again(setup, id, file, 0, &fetched);

	if (r == 0)
		setup->source->release(setup->source, &fetched);
	return r;
}

static uint64_t rests_until_ns(struct setup *setup, const struct build_id *id)
{
	struct symbol_question question = {.id = *id, .file = SYMBOL_FILE_DEBUGINFO, .name = "p"};

	return setup->source->rests_until_ns(setup->source, &question);
}

static void end_server(void)
{
	if (server > 0) {
		kill(server, SIGTERM);
		waitpid(server, NULL, 0);
	}
}

/* debuginfod with what is in the folder `served`, indexed before it is asked. */
static void start_server(void)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	work_run("mkdir served && mv debug served/");
	server = fork();
	CHECK(server >= 0);
	if (server == 0) {
		CHECK(chdir(work_dir()) == 0);
		CHECK(freopen("debuginfod.log", "w", stderr));
		CHECK(freopen("/dev/null", "w", stdout));
		execlp("debuginfod", "debuginfod", "-F", "-p", PORT, "-d", ":memory:", "-t", "0",
			"-g", "0", "--disable-source-scan", "served", NULL);
		_exit(127);
	}
	CHECK(atexit(end_server) == 0);
	while (work_try("curl -fs http://127.0.0.1:" PORT "/metrics | "
			"grep -q 'thread_work_total{role=\"traverse\"} 1'") != 0) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(100000);
	}
	/* Traversed is not yet indexed. */
	while (work_try("curl -fs -o /dev/null http://127.0.0.1:" PORT "/buildid/" FULL_ID
			"/debuginfo") != 0) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(100000);
	}
}

/* ---- A real server ---- */

static void a_debug_file_is_fetched_and_gone_once_it_is_released(void)
{
	struct setup setup = make(REAL);
	struct build_id id = id_of("full"), inside;
	struct symbol_fetched fetched;

	CHECK_EQ(fetch_again(&setup, &id, SYMBOL_FILE_DEBUGINFO, 0, &fetched), 0);
	CHECK(fetched.byte_count > 1000);
	CHECK_EQ(note_build_id(fetched.fd, &inside), 0);
	CHECK(build_id_equal(&id, &inside));
	CHECK(fcntl(fetched.fd, F_GETFD) & FD_CLOEXEC);
	work_run("test -z \"$(ls -A files)\"");
	setup.source->release(setup.source, &fetched);
	end_and_forget(&setup);
}

static void what_is_not_there_is_asked_for_again_once_it_may_be(void)
{
	struct setup setup = make(REAL);
	struct build_id id = id_of("later");
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
	int r;

	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ENOENT);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_EXECUTABLE), -ENOENT);
	work_run("cp later served/");
	kill(server, SIGUSR1); /* look again */
	do {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(200000);
		skew_ns += HOLD_NS;
		r = fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO);
	} while (r == -ENOENT);
	CHECK_EQ(r, 0);
	end_and_forget(&setup);
}

static void of_two_servers_one_is_enough(void)
{
	struct setup setup = make(DEAD " " REAL);
	struct build_id id = id_of("full");
	struct debuginfod_server_state state;

	for (int i = 0; i < 5; i++)
		CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), 0);
	debuginfod_servers_read(setup.servers, 0, &state);
	CHECK_EQ(state.error, -ECONNREFUSED);
	CHECK_EQ(state.counts[DEBUGINFOD_SERVER_FAILURES], DEBUGINFOD_FAILURES_MAX);
	CHECK_EQ(state.counts[DEBUGINFOD_SERVER_SPARED], 2);
	debuginfod_servers_read(setup.servers, 1, &state);
	CHECK_EQ(state.counts[DEBUGINFOD_SERVER_HITS], 5);
	CHECK_EQ(state.failing_since_ns, 0);
	end_and_forget(&setup);
}

/* ---- Servers of one answer ---- */

static void a_closed_port_is_a_failure_and_not_a_no(void)
{
	struct setup setup = make(DEAD);
	struct build_id id = id_number(1);

	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ECONNREFUSED);
	CHECK_EQ(rests_until_ns(&setup, &id), 0);
	end_and_forget(&setup);
}

static void a_server_is_asked_once_for_what_it_does_not_have(void)
{
	struct fixed_http first, second;
	struct build_id id = id_number(2), other = id_number(3);
	struct setup setup;
	char urls[160];

	fixed_http_start(&first);
	fixed_http_start(&second);
	snprintf(urls, sizeof(urls), "%s %s %s", first.url, DEAD, second.url);
	setup = make(urls);
	/* The dead one may have it; the others are not asked a second time. */
	for (int i = 0; i < DEBUGINFOD_FAILURES_MAX; i++)
		CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ECONNREFUSED);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -EAGAIN);
	CHECK(rests_until_ns(&setup, &id) > 0);
	CHECK_EQ(fixed_http_count(&first), 1);
	CHECK_EQ(fixed_http_count(&second), 1);
	CHECK_EQ(rests_until_ns(&setup, &other), 0);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_EXECUTABLE), -EAGAIN);
	CHECK_EQ(fixed_http_count(&first), 1);
	/* Nor after a restart; but when it may be there. */
	end(&setup);
	setup = make(urls);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ECONNREFUSED);
	CHECK_EQ(fixed_http_count(&first), 0);
	skew_ns += HOLD_NS;
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ECONNREFUSED);
	CHECK_EQ(fixed_http_count(&first), 1);
	end_and_forget(&setup);
	fixed_http_stop(&first);
	fixed_http_stop(&second);
}

static void a_page_or_a_wrong_file_sends_us_to_the_next_server(void)
{
	struct fixed_http first, second;
	struct build_id id = id_number(4);
	struct symbol_fetched fetched;
	struct setup setup;
	uint32_t next;
	char urls[160];

	fixed_http_start(&first);
	fixed_http_start(&second);
	snprintf(urls, sizeof(urls), "%s %s", first.url, second.url);
	setup = make(urls);
	fixed_http_answer(&first, FIXED_HTTP_OK, "<html>", 600);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -EBADMSG);
	CHECK_EQ(fixed_http_count(&second), 1);
	fixed_http_answer(&second, FIXED_HTTP_OK, "\177ELF 2", 600);
	id = id_number(5);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), 0);
	/* What looks right, and whose reader finds that it is another file. */
	fixed_http_answer(&first, FIXED_HTTP_OK, "\177ELF 1", 600);
	id = id_number(6);
	CHECK_EQ(fetch_again(&setup, &id, SYMBOL_FILE_DEBUGINFO, 0, &fetched), 0);
	next = fetched.next;
	CHECK(next > 0);
	setup.source->release(setup.source, &fetched);
	CHECK_EQ(fetch_again(&setup, &id, SYMBOL_FILE_DEBUGINFO, next, &fetched), 0);
	next = fetched.next;
	setup.source->release(setup.source, &fetched);
	fixed_http_count(&first);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), 0);
	CHECK_EQ(fixed_http_count(&first), 0);
	/* Nor is the last one asked, whose file was wrong, too. */
	fixed_http_count(&second);
	CHECK_EQ(fetch_again(&setup, &id, SYMBOL_FILE_DEBUGINFO, next, &fetched), -ENOENT);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ENOENT);
	CHECK_EQ(fixed_http_count(&second), 0);
	end_and_forget(&setup);
	fixed_http_stop(&first);
	fixed_http_stop(&second);
}

static void *stop_soon(void *context)
{
	struct symbol_source *source = context;

	usleep(300000);
	source->stop(source);
	return NULL;
}

static void a_silent_server_is_given_up_when_we_stop(void)
{
	struct fixed_http silent;
	struct build_id id = id_number(7);
	struct setup setup;
	pthread_t stopper;

	fixed_http_start(&silent);
	fixed_http_answer(&silent, NULL, NULL, 0);
	setup = make(silent.url);
	CHECK_EQ(pthread_create(&stopper, NULL, stop_soon, setup.source), 0);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ECANCELED);
	pthread_join(stopper, NULL);
	CHECK_EQ(fetch(&setup, &id, SYMBOL_FILE_DEBUGINFO), -ECANCELED);
	end_and_forget(&setup);
	fixed_http_stop(&silent);
}

static int run_in_own_network(const char *program)
{
	char command[1024];
	int status;

	snprintf(command, sizeof(command),
		"exec unshare -rn sh -c 'ip link set lo up && exec \"%s\" inside'", program);
	status = system(command); /* NOLINT(cert-env33-c): the test's own command */
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	char program[512];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (argc < 2) {
		CHECK(length > 0);
		program[length] = '\0';
		return run_in_own_network(program);
	}
	(void)argv;
	work_write_text("p.c", "int main(void) { return 0; }\n");
	work_run("gcc -g -o full p.c -Wl,--build-id=0x" FULL_ID " && "
		 "gcc -g -o later p.c -Wl,--build-id=0x1112131415161718 && "
		 "objcopy --only-keep-debug full debug");
	start_server();
	RUN(a_debug_file_is_fetched_and_gone_once_it_is_released);
	RUN(what_is_not_there_is_asked_for_again_once_it_may_be);
	RUN(of_two_servers_one_is_enough);
	RUN(a_closed_port_is_a_failure_and_not_a_no);
	RUN(a_server_is_asked_once_for_what_it_does_not_have);
	RUN(a_page_or_a_wrong_file_sends_us_to_the_next_server);
	RUN(a_silent_server_is_given_up_when_we_stop);
	return 0;
}
