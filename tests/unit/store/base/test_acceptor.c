/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/acceptor.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store/base/clock.h"
#include "tests/support/check.h"
#include "tests/support/work_dir.h"

#define PATIENCE_NS (10 * NS_PER_S)
#define TAKEN_MAX 512

/* What the taker was given. */
static struct {
	pthread_mutex_t lock;
	int fds[TAKEN_MAX];
	uint8_t first[TAKEN_MAX];
	int count;
	int answer;
} taken = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct acceptor *acceptor;
static uint16_t port;
static bool tells; /* the taker, what becomes of those that it was given */
static const char *other_words; /* of connections that are passed on */
static in_addr_t here = INADDR_LOOPBACK; /* where it listens and calls come from */

static int take(
	void *context, int fd, const struct peer *peer, const uint8_t *bytes, size_t byte_count)
{
	int answer;

	(void)context;
	CHECK(peer_is_loopback(peer) == (here == INADDR_LOOPBACK));
	CHECK(byte_count > 0);
	pthread_mutex_lock(&taken.lock);
	answer = taken.answer;
	if (answer == 0) {
		taken.first[taken.count] = bytes[0];
		taken.fds[taken.count++] = fd;
	}
	pthread_mutex_unlock(&taken.lock);
	if (answer < 0)
		close(fd);
	return answer;
}

/* What was passed on. */
static struct passed {
	int fd;
	int answer;
	struct peer peer;
} passed = {.fd = -1};

static int pass(void *context, int fd, const struct peer *peer)
{
	struct passed *to = context;

	if (to->answer < 0)
		close(fd);
	else
		to->fd = fd;
	to->peer = *peer;
	return to->answer;
}

static int taken_count(void)
{
	int count;

	pthread_mutex_lock(&taken.lock);
	count = taken.count;
	pthread_mutex_unlock(&taken.lock);
	return count;
}

static void wait_for_taken(int wanted)
{
	uint64_t deadline_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (taken_count() < wanted)
		CHECK(clock_monotonic_ns() < deadline_ns);
}

static uint64_t counted(enum acceptor_counter counter)
{
	uint64_t counts[ACCEPTOR_COUNTER_COUNT];

	acceptor_read_counts(acceptor, counts);
	return counts[counter];
}

static void wait_for_count(enum acceptor_counter counter, uint64_t wanted)
{
	uint64_t deadline_ns = clock_monotonic_ns() + PATIENCE_NS;

	while (counted(counter) != wanted)
		CHECK(clock_monotonic_ns() < deadline_ns);
}

static void start(uint32_t count_max, size_t first_byte_count, uint64_t silence_ns_max)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(here)};
	socklen_t length = sizeof(address);
	struct acceptor_options options = {
		.listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
		.limits = {.count_max = count_max,
			.host_count_max = count_max / 2,
			.loopback_count = 1},
		.first_byte_count = first_byte_count,
		.silence_ns_max = silence_ns_max,
		.take = take,
		.other_words = other_words,
		.pass = pass,
		.pass_context = &passed,
		.tells = tells,
	};

	CHECK(bind(options.listen_fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(options.listen_fd, 512) == 0);
	CHECK(getsockname(options.listen_fd, (struct sockaddr *)&address, &length) == 0);
	port = ntohs(address.sin_port);
	taken.count = 0;
	taken.answer = 0;
	CHECK_EQ(acceptor_new(&options, &acceptor), 0);
	CHECK_EQ(acceptor_start(acceptor), 0);
}

static void stop(void)
{
	for (int i = 0; i < taken.count; i++) {
		if (taken.fds[i] >= 0)
			close(taken.fds[i]);
	}
	acceptor_free(acceptor);
}

static int make_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	return fd;
}

static void call_by(int fd)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(here)};

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
}

static int call(void)
{
	int fd = make_socket();

	call_by(fd);
	return fd;
}

static void say(int fd, const char *words)
{
	CHECK(write(fd, words, strlen(words)) == (ssize_t)strlen(words));
}

/* Waits until the other side has closed. */
static void wait_closed(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char byte;

	CHECK_EQ(poll(&poll_fd, 1, (int)(PATIENCE_NS / NS_PER_MS)), 1);
	CHECK(read(fd, &byte, 1) <= 0);
}

static void check_closed(int fd)
{
	wait_closed(fd);
	close(fd);
}

static void who_speaks_is_handed_over_with_what_was_said(void)
{
	char word[8] = "";
	int fd, silent;

	start(8, 1, PATIENCE_NS);
	silent = call();
	fd = call();
	say(fd, "hello");
	wait_for_taken(1);
	CHECK_EQ(taken.first[0], 'h');
	CHECK_EQ(recv(taken.fds[0], word, sizeof(word), 0), 5);
	CHECK_STR(word, "hello");
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 2);
	say(silent, "x");
	wait_for_taken(2);
	close(fd);
	close(silent);
	stop();
}

static void as_many_first_bytes_as_wanted_are_waited_for(void)
{
	int fd;

	start(8, 4, PATIENCE_NS);
	fd = call();
	say(fd, "PR");
	wait_for_count(ACCEPTOR_COUNTER_connections_open, 1);
	CHECK_EQ(taken_count(), 0);
	say(fd, "I ");
	wait_for_taken(1);
	close(fd);
	fd = call();
	say(fd, "P");
	close(fd);
	/* One that goes without having said enough leaves nothing. */
	wait_for_count(ACCEPTOR_COUNTER_connections, 2);
	wait_for_count(ACCEPTOR_COUNTER_connections_open, 1);
	CHECK_EQ(taken_count(), 1);
	stop();
}

static void the_silent_are_closed_in_time(void)
{
	int fd;

	start(8, 1, 50 * NS_PER_MS);
	fd = call();
	check_closed(fd);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_silent), 1);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 0);
	stop();
}

static void the_longest_silent_makes_room(void)
{
	int fds[3];

	start(2, 1, PATIENCE_NS);
	for (int i = 0; i < 3; i++) {
		fds[i] = call();
		wait_for_count(ACCEPTOR_COUNTER_connections, (uint64_t)i + 1);
	}
	check_closed(fds[0]);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_displaced), 1);
	say(fds[2], "x");
	wait_for_taken(1);
	close(fds[1]);
	close(fds[2]);
	stop();
}

static void who_is_idle_makes_room_and_who_is_busy_does_not(void)
{
	int fds[4];
	char byte;

	start(2, 1, PATIENCE_NS);
	for (int i = 0; i < 2; i++) {
		fds[i] = call();
		say(fds[i], "x");
		wait_for_taken(i + 1);
	}
	fds[2] = call();
	check_closed(fds[2]);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_refused_full), 1);
	acceptor_set_idle(acceptor, taken.fds[1], true);
	fds[3] = call();
	say(fds[3], "x");
	wait_for_taken(3);
	/* Its taker sees the end. */
	CHECK_EQ(recv(taken.fds[1], &byte, 1, 0), 1);
	CHECK_EQ(recv(taken.fds[1], &byte, 1, 0), 0);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 2);
	for (int i = 0; i < 4; i++) {
		if (i != 2)
			close(fds[i]);
	}
	stop();
}

static void while_much_is_unsettled_callers_wait(void)
{
	int fds[3];

	tells = true;
	start(2, 1, PATIENCE_NS);
	for (int i = 0; i < 2; i++) {
		fds[i] = call();
		say(fds[i], "x");
		if (i == 0) {
			wait_for_taken(1);
			acceptor_set_idle(acceptor, taken.fds[0], false);
		}
	}
	wait_for_taken(2);
	fds[2] = call();
	say(fds[2], "x");
	for (int i = 0; i < 10000; i++)
		CHECK_EQ(counted(ACCEPTOR_COUNTER_connections), 2);
	acceptor_set_idle(acceptor, taken.fds[1], true);
	wait_for_taken(3);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_displaced), 1);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_refused_full), 0);
	for (int i = 0; i < 3; i++) {
		acceptor_closed(acceptor, taken.fds[i]);
		close(fds[i]);
	}
	stop();
	tells = false;
}

static void who_never_settles_keeps_nobody_waiting_for_long(void)
{
	int fds[3];

	tells = true;
	start(2, 1, PATIENCE_NS);
	for (int i = 0; i < 2; i++) {
		fds[i] = call();
		say(fds[i], "x");
	}
	wait_for_taken(1);
	acceptor_set_idle(acceptor, taken.fds[0], false);
	wait_for_taken(2);
	fds[2] = call();
	check_closed(fds[2]);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_refused_full), 1);
	close(fds[0]);
	close(fds[1]);
	stop();
	tells = false;
}

static void the_end_is_seen_whoever_ends_it(void)
{
	int one, other;

	start(8, 1, PATIENCE_NS);
	one = call();
	say(one, "x");
	wait_for_taken(1);
	other = call();
	say(other, "x");
	wait_for_taken(2);
	/* As gRPC does. */
	CHECK(shutdown(taken.fds[0], SHUT_RDWR) == 0);
	close(taken.fds[0]);
	taken.fds[0] = -1;
	wait_for_count(ACCEPTOR_COUNTER_connections_open, 1);
	/* As one does who says so. */
	acceptor_closed(acceptor, taken.fds[1]);
	close(taken.fds[1]);
	taken.fds[1] = -1;
	CHECK_EQ(acceptor_wait_empty(acceptor, 0), 0);
	check_closed(one);
	check_closed(other);
	stop();
}

static void who_speaks_something_else_is_closed(void)
{
	int fd;

	start(8, 1, PATIENCE_NS);
	taken.answer = -EPROTO;
	fd = call();
	say(fd, "x");
	check_closed(fd);
	wait_for_count(ACCEPTOR_COUNTER_connections_refused_protocol, 1);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 0);
	stop();
}

static void a_peer_is_known_by_its_number(void)
{
	struct peer peer;
	bool adopted = true;
	int fd;

	start(8, 1, PATIENCE_NS);
	fd = call();
	say(fd, "x");
	wait_for_taken(1);
	CHECK_EQ(acceptor_peer(acceptor, taken.fds[0], &peer, &adopted), 0);
	CHECK(!adopted);
	CHECK(peer_is_loopback(&peer));
	CHECK_EQ(acceptor_peer(acceptor, -1, &peer, &adopted), -ENOENT);
	CHECK_EQ(acceptor_peer(acceptor, 9999, &peer, &adopted), -ENOENT);
	close(fd);
	stop();
}

static void stopping_leaves_alone_who_was_handed_over(void)
{
	int fd, silent;

	start(8, 1, PATIENCE_NS);
	fd = call();
	say(fd, "x");
	wait_for_taken(1);
	silent = call();
	wait_for_count(ACCEPTOR_COUNTER_connections_open, 2);
	acceptor_stop(acceptor);
	check_closed(silent);
	CHECK_EQ(acceptor_wait_empty(acceptor, NS_PER_MS), -ETIMEDOUT);
	say(taken.fds[0], "y");
	close(fd);
	stop();
}

static void who_begins_with_other_words_is_passed_on_and_forgotten(void)
{
	char words[8] = "";
	int fd, other;

	other_words = "PRI * H";
	start(8, 1, PATIENCE_NS);
	fd = call();
	/* What might become a POST, too, is waited for. */
	say(fd, "P");
	other = call();
	say(other, "PO");
	wait_for_taken(1);
	say(fd, "RI * ");
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 2);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_moved), 0);
	say(fd, "H");
	wait_for_count(ACCEPTOR_COUNTER_connections_moved, 1);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections), 2);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 1);
	CHECK_EQ(taken_count(), 1);
	CHECK(peer_is_loopback(&passed.peer));
	/* Nothing was eaten. */
	CHECK_EQ(recv(passed.fd, words, sizeof(words), 0), 7);
	CHECK_STR(words, other_words);
	close(passed.fd);
	close(fd);
	fd = call();
	passed.answer = -EPROTO;
	say(fd, other_words);
	wait_for_count(ACCEPTOR_COUNTER_connections_refused_protocol, 1);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_moved), 1);
	passed.answer = 0;
	close(fd);
	close(other);
	stop();
	other_words = NULL;
}

static void half_of_the_other_words_is_silence(void)
{
	int fd;

	other_words = "PRI * H";
	start(8, 1, 50 * NS_PER_MS);
	fd = call();
	say(fd, "PRI ");
	check_closed(fd);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_silent), 1);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_moved), 0);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 0);
	stop();
	other_words = NULL;
}

/* One that has come in elsewhere: RET_FDS[1] is its client's. */
static void make_connection(int ret_fds[2], struct peer *ret_peer)
{
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ret_fds), 0);
	*ret_peer = (struct peer){.family = AF_INET, .address = {127, 0, 0, 1}};
}

static void the_adopted_count_like_others(void)
{
	int fds[2], more[2], fd, own;
	struct peer peer;
	bool adopted = false;

	start(2, 1, PATIENCE_NS);
	own = call();
	say(own, "x");
	wait_for_taken(1);
	make_connection(fds, &peer);
	CHECK_EQ(acceptor_adopt(acceptor, fds[0], &peer, &fd), 0);
	CHECK_EQ(acceptor_peer(acceptor, fd, &peer, &adopted), 0);
	CHECK(adopted);
	CHECK(peer_is_loopback(&peer));
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_open), 2);
	/* Both places are taken: neither sort gets one. */
	make_connection(more, &peer);
	CHECK_EQ(acceptor_adopt(acceptor, more[0], &peer, &more[0]), -ENOBUFS);
	check_closed(more[1]);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_refused_full), 1);
	/* Its end is found out. */
	close(fd);
	wait_for_count(ACCEPTOR_COUNTER_connections_open, 1);
	CHECK_EQ(acceptor_peer(acceptor, fd, &peer, &adopted), -ENOENT);
	make_connection(more, &peer);
	CHECK_EQ(acceptor_adopt(acceptor, more[0], &peer, &fd), 0);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections_moved), 3);
	CHECK_EQ(counted(ACCEPTOR_COUNTER_connections), 1);
	close(fd);
	close(more[1]);
	close(fds[1]);
	acceptor_stop(acceptor);
	make_connection(more, &peer);
	CHECK_EQ(acceptor_adopt(acceptor, more[0], &peer, &fd), -ESHUTDOWN);
	check_closed(more[1]);
	close(own);
	stop();
}

/* In a network of its own, where this machine has an address that others could have. */
static void a_host_of_elsewhere_gets_its_share(void)
{
	int fds[5];

	CHECK(unshare(CLONE_NEWNET) == 0);
	work_run("ip link set lo up && ip address add 10.9.9.9/32 dev lo");
	here = 0x0a090909;
	start(8, 1, PATIENCE_NS);
	for (int i = 0; i < 4; i++) {
		fds[i] = call();
		say(fds[i], "x");
		wait_for_taken(i + 1);
	}
	fds[4] = call();
	check_closed(fds[4]);
	wait_for_count(ACCEPTOR_COUNTER_connections_refused_host, 1);
	CHECK_EQ(taken_count(), 4);
	close(taken.fds[2]);
	taken.fds[2] = -1;
	close(fds[2]);
	fds[2] = call();
	say(fds[2], "x");
	wait_for_taken(5);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	stop();
}

/* Uses up all descriptors; gives how many it took. */
static int exhaust(int *fds, int max)
{
	int count = 0;

	while (count < max && (fds[count] = dup(STDERR_FILENO)) >= 0)
		count++;
	CHECK(count > 0 && count < max);
	return count;
}

static void without_descriptors_callers_are_turned_away_and_later_let_in(void)
{
	struct rlimit limit, low = {.rlim_cur = 128};
	int fds[128], callers[4], count, fd;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	low.rlim_max = limit.rlim_max;
	start(8, 1, PATIENCE_NS);
	CHECK(setrlimit(RLIMIT_NOFILE, &low) == 0);
	/* What this side needs it has before. */
	for (int i = 0; i < 4; i++)
		callers[i] = make_socket();
	count = exhaust(fds, 128);
	for (int i = 0; i < 4; i++)
		call_by(callers[i]);
	for (int i = 0; i < 4; i++)
		wait_closed(callers[i]);
	while (count > 0)
		close(fds[--count]);
	for (int i = 0; i < 4; i++)
		close(callers[i]);
	wait_for_count(ACCEPTOR_COUNTER_connections_refused_descriptors, 4);
	fd = call();
	say(fd, "x");
	wait_for_taken(1);
	close(fd);
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	stop();
}

int main(void)
{
	RUN(who_speaks_is_handed_over_with_what_was_said);
	RUN(as_many_first_bytes_as_wanted_are_waited_for);
	RUN(the_silent_are_closed_in_time);
	RUN(the_longest_silent_makes_room);
	RUN(who_is_idle_makes_room_and_who_is_busy_does_not);
	RUN(while_much_is_unsettled_callers_wait);
	RUN(who_never_settles_keeps_nobody_waiting_for_long);
	RUN(the_end_is_seen_whoever_ends_it);
	RUN(who_speaks_something_else_is_closed);
	RUN(a_peer_is_known_by_its_number);
	RUN(stopping_leaves_alone_who_was_handed_over);
	RUN(who_begins_with_other_words_is_passed_on_and_forgotten);
	RUN(half_of_the_other_words_is_silence);
	RUN(the_adopted_count_like_others);
	RUN(without_descriptors_callers_are_turned_away_and_later_let_in);
	RUN(a_host_of_elsewhere_gets_its_share);
	return 0;
}
