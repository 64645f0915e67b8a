/* SPDX-License-Identifier: Apache-2.0 */
/* Against Debian's debuginfod. It listens on every address, so this program runs itself again in a
 * network namespace of its own, which holds nothing but a loopback interface. */
#include "symbolizer-server/symbol/debuginfod_source.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/elf/elf_note.h"
#include "symbolizer-server/symbol/debuginfod_steps.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PORT "8002"
#define SILENT_PORT 8003
#define FIXED_PORT 8004
#define FULL_ID "0102030405060708"
#define PATIENCE_NS (60 * NS_PER_S)

static pid_t server;

static struct build_id id_of(const char *file)
{
	SCOPED_FD int fd = work_open(file);
	struct build_id id;

	CHECK_EQ(note_build_id(fd, &id), 0);
	return id;
}

static struct symbol_source *make_source(const char *urls)
{
	struct symbol_source *source;

	work_run("rm -rf cache && mkdir cache");
	CHECK_EQ(debuginfod_source_new(urls, work_path("cache"), &source), 0);
	return source;
}

static int fetch(struct symbol_source *source, const struct build_id *id, enum symbol_file file,
	struct symbol_fetched *ret_fetched)
{
	struct symbol_question question = {.id = *id, .file = file, .name = "p"};

	return source->fetch(source, 0, &question, ret_fetched);
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

static void a_debug_file_is_fetched_and_gone_once_it_is_released(void)
{
	struct symbol_source *source = make_source("http://127.0.0.1:" PORT);
	struct build_id id = id_of("full"), inside;
	struct symbol_fetched fetched;

	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched), 0);
	CHECK(fetched.byte_count > 1000);
	CHECK_EQ(note_build_id(fetched.fd, &inside), 0);
	CHECK(build_id_equal(&id, &inside));
	CHECK(fcntl(fetched.fd, F_GETFD) & FD_CLOEXEC);
	source->release(source, &fetched);
	work_run("test -z \"$(find cache -name debuginfo)\"");
	source->free(source);
}

static void what_is_not_there_is_asked_for_again_once_it_may_be(void)
{
	struct symbol_source *source = make_source("http://127.0.0.1:" PORT);
	struct build_id id = id_of("later");
	struct symbol_fetched fetched;
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;

	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched), -ENOENT);
	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_EXECUTABLE, &fetched), -ENOENT);
	work_run("cp later served/");
	kill(server, SIGUSR1); /* look again */
	while (fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched) == -ENOENT) {
		CHECK(clock_monotonic_ns() < until_ns);
		usleep(200000);
	}
	source->release(source, &fetched);
	source->free(source);
}

static void a_closed_port_is_a_failure_and_not_a_no(void)
{
	struct symbol_source *source = make_source("http://127.0.0.1:9");
	struct build_id id = id_of("full");
	struct symbol_fetched fetched;

	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched), -ECONNREFUSED);
	source->free(source);
}

static void of_two_servers_one_is_enough(void)
{
	struct symbol_source *source = make_source("http://127.0.0.1:9 http://127.0.0.1:" PORT);
	struct build_id id = id_of("full");
	struct symbol_fetched fetched;

	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched), 0);
	source->release(source, &fetched);
	source->free(source);
}

/* A socket that takes connections and never says a word. */
static int open_port(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int again = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(fd >= 0);
	CHECK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again)) == 0);
	CHECK(bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(fd, 16) == 0);
	return fd;
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
	SCOPED_FD int silent = open_port(SILENT_PORT);
	struct symbol_source *source = make_source("http://127.0.0.1:8003");
	struct build_id id = id_of("full");
	struct symbol_fetched fetched;
	uint64_t started_ns = clock_monotonic_ns();
	pthread_t stopper;

	CHECK(silent >= 0);
	CHECK_EQ(pthread_create(&stopper, NULL, stop_soon, source), 0);
	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched), -ECANCELED);
	CHECK(clock_monotonic_ns() - started_ns < 8 * NS_PER_S);
	pthread_join(stopper, NULL);
	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched), -ECANCELED);
	source->free(source);
}

static void a_silent_server_costs_its_time_and_no_more(void)
{
	SCOPED_FD int silent = open_port(SILENT_PORT);
	struct symbol_source *source = make_source("http://127.0.0.1:8003");
	struct build_id id = id_of("full");
	struct symbol_fetched fetched;
	uint64_t started_ns = clock_monotonic_ns();
	int r = fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched);

	CHECK(silent >= 0);
	CHECK(r < 0 && r != -ENOENT && r != -ECANCELED);
	CHECK(clock_monotonic_ns() - started_ns < 30 * NS_PER_S);
	source->free(source);
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

/* Takes connections and answers each with the same text. */
struct fixed_server {
	int fd;
	const char *answer;
	unsigned count;
	pthread_t thread;
};

static void *answer_all(void *context)
{
	struct fixed_server *fixed = context;
	char request[4096];

	for (;;) {
		SCOPED_FD int fd = accept(fixed->fd, NULL, NULL);

		if (fd < 0)
			return NULL;
		fixed->count++;
		if (recv(fd, request, sizeof(request), 0) > 0)
			send(fd, fixed->answer, strlen(fixed->answer), MSG_NOSIGNAL);
		shutdown(fd, SHUT_WR);
		while (recv(fd, request, sizeof(request), 0) > 0)
			;
	}
}

/* What the source makes of ANSWER. */
static int ask_fixed(const char *answer, unsigned *ret_count)
{
	struct fixed_server fixed = {.fd = open_port(FIXED_PORT), .answer = answer};
	struct symbol_source *source = make_source("http://127.0.0.1:8004");
	struct build_id id = id_of("full");
	struct symbol_fetched fetched;
	int r;

	CHECK_EQ(pthread_create(&fixed.thread, NULL, answer_all, &fixed), 0);
	r = fetch(source, &id, SYMBOL_FILE_DEBUGINFO, &fetched);
	/* Nothing of an earlier question is held against a later one. */
	CHECK_EQ(fetch(source, &id, SYMBOL_FILE_EXECUTABLE, &fetched), r);
	source->free(source);
	shutdown(fixed.fd, SHUT_RDWR);
	pthread_join(fixed.thread, NULL);
	close(fixed.fd);
	*ret_count = fixed.count;
	return r;
}

#define REST "Content-Length: 0\r\nConnection: close\r\n\r\n"

static void only_a_server_that_says_so_does_not_have_it(void)
{
	unsigned count;

	CHECK_EQ(ask_fixed("HTTP/1.1 404 Not Found\r\n" REST, &count), -ENOENT);
	CHECK_EQ(ask_fixed("HTTP/1.1 503 Service Unavailable\r\n" REST, &count), -EREMOTEIO);
	CHECK_EQ(
		ask_fixed("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf", &count), -EREMOTEIO);
	CHECK_EQ(ask_fixed("", &count), -EREMOTEIO);
}

static void a_round_of_redirects_ends(void)
{
	unsigned count;
	int r = ask_fixed("HTTP/1.1 302 Found\r\nLocation: /again\r\n" REST, &count);

	CHECK(r < 0 && r != -ENOENT);
	/* Two questions, and as many redirects more as happen before the library asks us. */
	CHECK(count < 2 * 10 * DEBUGINFOD_REDIRECTS_MAX);
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
	RUN(a_closed_port_is_a_failure_and_not_a_no);
	RUN(of_two_servers_one_is_enough);
	RUN(a_silent_server_is_given_up_when_we_stop);
	RUN(a_silent_server_costs_its_time_and_no_more);
	RUN(only_a_server_that_says_so_does_not_have_it);
	RUN(a_round_of_redirects_ends);
	return 0;
}
