/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   listening socket -> silent -- first bytes --> handed over: busy <-> idle
 *                         |                         |
 *                       too long                  ends: told so, or found out
 *                         v                         v
 *                       closed                   forgotten
 *
 * A connection that begins with the words of another protocol goes from silent to forgotten at once, and
 * to another acceptor, in whose list it begins as handed over.
 *
 * gRPC does not say when it has closed a descriptor, so that is found out when it matters: a number
 * that no longer leads to the same socket (each has an inode of its own) is one that was closed. To
 * keep a duplicate and be told by the kernel would take two descriptors a connection, and a socket that
 * gRPC has closed would stay in gRPC's epoll.
 */
#include "store/base/acceptor.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/handed_list.h"
#include "store/base/must.h"

/* Connections of one round; then those that wait have their turn. */
#define ACCEPT_COUNT_MAX 64
#define EVENT_COUNT_MAX 64
/* With nothing to turn callers away by, they are left in the kernel's queue for so long. */
#define PAUSE_NS (100 * NS_PER_MS)
/* Of all connections, so many (one in ...) may be unsettled at a time; who has them does not take
 * longer than that to settle each, or it works for them. */
#define UNSETTLED_SHARE 8
#define UNSETTLED_NS_MAX NS_PER_S
#define SETTLE_STEP_NS (2 * NS_PER_MS)
/* How often the silent ones are looked after. */
#define LOOK_MS 500

/* The end of a connection that was handed over is found out, so whoever waits for it looks as often. */
#define EMPTY_STEP_NS (2 * NS_PER_MS)

/* What wakes the thread beside connections. */
#define EVENT_LISTEN UINT64_MAX
#define EVENT_WAKE (UINT64_MAX - 1)

struct acceptor {
	struct acceptor_options options;
	int epoll_fd;
	int wake_fd;
	int spare_fd; /* given up to turn a caller away; -1: gone */
	uint64_t paused_until_ns; /* the thread's own, as are spare_fd and what follows */
	bool has_silent; /* or may have */
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct connection_list list;
	struct handed_list handed;
	uint64_t counts[ACCEPTOR_COUNTER_COUNT];
	bool stopping; /* wanted */
	bool stopped; /* nothing is accepted any more */
	bool ending;
};

static void count(struct acceptor *acceptor, enum acceptor_counter counter)
{
	acceptor->counts[counter]++;
}

/* --- the end of a connection; under the lock -------------------------------------------------- */

/* A silent one is closed; any other has been, or will be by who has it. */
static void release(struct acceptor *acceptor, uint32_t place)
{
	struct connection *connection = &acceptor->list.places[place];
	uint64_t now_ns = clock_monotonic_ns();

	if (connection->state == CONNECTION_NONE)
		return;
	if (connection->state == CONNECTION_SILENT) {
		close(connection->fd);
	} else {
		handed_list_close(&acceptor->handed, connection->fd, now_ns);
	}
	connection_list_set(&acceptor->list, place, CONNECTION_NONE, now_ns);
}

/* Finds out which of those that were handed over have ended. */
static void sweep(struct acceptor *acceptor)
{
	for (uint32_t i = 0; i < acceptor->list.place_count; i++) {
		if (connection_has_ended(&acceptor->list.places[i]))
			release(acceptor, i);
	}
}

/* Who has it sees its end and closes it: it says so before, so the number is still its own here. */
static void displace(struct acceptor *acceptor, uint32_t place)
{
	struct connection *connection = &acceptor->list.places[place];

	count(acceptor, ACCEPTOR_COUNTER_connections_displaced);
	if (connection->state == CONNECTION_SILENT) {
		release(acceptor, place);
		return;
	}
	connection_list_set(&acceptor->list, place, CONNECTION_LEAVING, clock_monotonic_ns());
	(void)shutdown(connection->fd, SHUT_RDWR);
}

/* --- handing over ----------------------------------------------------------------------------- */

/* Under the lock: from here on it counts as handed over; on failure it is closed, and counted. */
static int prepare_hand_over(struct acceptor *acceptor, uint32_t place, bool adopted)
{
	struct connection *connection = &acceptor->list.places[place];
	const struct handed handed = {connection->peer, adopted, place, 0}, *before;
	int fd;

	/* Whatever number it gets, it is not watched here any more. */
	(void)epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
	fd = handed_list_find_number(
		&acceptor->handed, connection->fd, &handed, clock_monotonic_ns());
	if (fd < 0) {
		count(acceptor, ACCEPTOR_COUNTER_connections_refused_descriptors);
		release(acceptor, place);
		return fd;
	}
	/* Whoever had the number has closed it, and we were not told. */
	before = handed_list_get(&acceptor->handed, fd);
	if (before)
		release(acceptor, before->place);
	handed_list_set(&acceptor->handed, fd, &handed);
	connection->fd = fd;
	connection->inode = connection_inode(fd);
	connection_list_set(&acceptor->list, place,
		acceptor->options.tells ? CONNECTION_HANDED : CONNECTION_BUSY,
		clock_monotonic_ns());
	return fd;
}

/* Under the lock: the place of a connection that is handed over, or CONNECTION_NOBODY. */
static uint32_t place_of(const struct acceptor *acceptor, int fd)
{
	const struct handed *handed = handed_list_get(&acceptor->handed, fd);

	return handed ? handed->place : CONNECTION_NOBODY;
}

static void hand_over(
	struct acceptor *acceptor, uint32_t place, const uint8_t *bytes, size_t byte_count)
{
	struct peer peer;
	int fd, r;

	pthread_mutex_lock(&acceptor->lock);
	peer = acceptor->list.places[place].peer;
	fd = prepare_hand_over(acceptor, place, false);
	pthread_mutex_unlock(&acceptor->lock);
	if (fd < 0)
		return;
	r = acceptor->options.take(acceptor->options.context, fd, &peer, bytes, byte_count);
	if (r == 0)
		return;
	pthread_mutex_lock(&acceptor->lock);
	count(acceptor,
		r == -EPROTO ? ACCEPTOR_COUNTER_connections_refused_protocol
			     : ACCEPTOR_COUNTER_connections_refused_full);
	if (place_of(acceptor, fd) == place)
		release(acceptor, place);
	pthread_mutex_unlock(&acceptor->lock);
}

/* It is forgotten before the other has it, so that it counts in one place at a time. */
static void pass_on(struct acceptor *acceptor, uint32_t place)
{
	struct connection *connection = &acceptor->list.places[place];
	struct peer peer;
	int fd, r;

	pthread_mutex_lock(&acceptor->lock);
	peer = connection->peer;
	fd = connection->fd;
	(void)epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	connection_list_set(&acceptor->list, place, CONNECTION_NONE, clock_monotonic_ns());
	pthread_mutex_unlock(&acceptor->lock);
	r = acceptor->options.pass(acceptor->options.pass_context, fd, &peer);
	pthread_mutex_lock(&acceptor->lock);
	count(acceptor,
		r == -EPROTO ? ACCEPTOR_COUNTER_connections_refused_protocol
			     : ACCEPTOR_COUNTER_connections_moved);
	pthread_mutex_unlock(&acceptor->lock);
}

/* --- accepting -------------------------------------------------------------------------------- */

/* Under the lock: as connection_list_admit, once it is sure who is there. */
static int admit(struct acceptor *acceptor, const struct peer *peer, uint32_t *ret_displaced)
{
	int r = connection_list_admit(&acceptor->list, peer, ret_displaced);

	if (r == 0 && *ret_displaced == CONNECTION_NOBODY)
		return 0;
	sweep(acceptor);
	return connection_list_admit(&acceptor->list, peer, ret_displaced);
}

/* Under the lock; takes FD: a new, silent one, if the limits allow it. -EDQUOT, -ENOBUFS. */
static int find_place(
	struct acceptor *acceptor, int fd, const struct peer *peer, uint32_t *ret_place)
{
	uint32_t displaced = CONNECTION_NOBODY;
	int r = admit(acceptor, peer, &displaced);

	if (r == 0 && displaced != CONNECTION_NOBODY)
		displace(acceptor, displaced);
	if (r == 0)
		r = connection_list_add(&acceptor->list, fd, peer, clock_monotonic_ns(), ret_place);
	if (r < 0) {
		count(acceptor,
			r == -EDQUOT ? ACCEPTOR_COUNTER_connections_refused_host
				     : ACCEPTOR_COUNTER_connections_refused_full);
		close(fd);
	}
	return r;
}

/* Under the lock; takes FD. */
static void let_in(struct acceptor *acceptor, int fd, const struct peer *peer)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
	uint32_t place = CONNECTION_NOBODY;

	if (find_place(acceptor, fd, peer, &place) < 0)
		return;
	acceptor->has_silent = true;
	event.data.u64 = (uint64_t)acceptor->list.places[place].generation << 32 | place;
	if (epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
		count(acceptor, ACCEPTOR_COUNTER_connections_refused_descriptors);
		release(acceptor, place);
	}
}

static void listen_again(struct acceptor *acceptor, bool again)
{
	struct epoll_event event = {.events = again ? EPOLLIN : 0, .data.u64 = EVENT_LISTEN};

	(void)epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_MOD, acceptor->options.listen_fd, &event);
}

static void pause_for(struct acceptor *acceptor, uint64_t time_ns)
{
	acceptor->paused_until_ns = clock_monotonic_ns() + time_ns;
	listen_again(acceptor, false);
}

static bool is_settling(struct acceptor *acceptor)
{
	uint64_t since_ns = clock_monotonic_ns() - UNSETTLED_NS_MAX;
	uint32_t count = 0;

	pthread_mutex_lock(&acceptor->lock);
	if (acceptor->options.tells)
		count = connection_list_unsettled(&acceptor->list, since_ns);
	pthread_mutex_unlock(&acceptor->lock);
	return count > acceptor->options.limits.count_max / UNSETTLED_SHARE;
}

/* There is no descriptor for who waits: the spare one is given up for as long as it takes to let the
 * caller know. Without it nobody can be told, and looking again at once would only burn CPU. */
static void turn_away(struct acceptor *acceptor)
{
	int fd = -1;

	if (acceptor->spare_fd >= 0) {
		close(acceptor->spare_fd);
		fd = accept4(acceptor->options.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
	acceptor->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	pthread_mutex_lock(&acceptor->lock);
	if (fd >= 0) {
		count(acceptor, ACCEPTOR_COUNTER_connections);
		count(acceptor, ACCEPTOR_COUNTER_connections_refused_descriptors);
	}
	pthread_mutex_unlock(&acceptor->lock);
	if (fd < 0 || acceptor->spare_fd < 0)
		pause_for(acceptor, PAUSE_NS);
}

static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void accept_some(struct acceptor *acceptor)
{
	for (int i = 0; i < ACCEPT_COUNT_MAX && acceptor->paused_until_ns == 0; i++) {
		struct sockaddr_storage address;
		socklen_t length = sizeof(address);
		struct peer peer;
		int fd;

		if (is_settling(acceptor)) {
			pause_for(acceptor, SETTLE_STEP_NS);
			return;
		}
		fd = accept4(acceptor->options.listen_fd, (struct sockaddr *)&address, &length,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (fd < 0 && is_shortage(errno))
			turn_away(acceptor);
		/* Other errors are about one connection, which is gone. */
		if (fd < 0)
			continue;
		if (peer_read((const struct sockaddr *)&address, &peer) < 0) {
			close(fd);
			continue;
		}
		pthread_mutex_lock(&acceptor->lock);
		count(acceptor, ACCEPTOR_COUNTER_connections);
		let_in(acceptor, fd, &peer);
		pthread_mutex_unlock(&acceptor->lock);
	}
}

/* --- the thread ------------------------------------------------------------------------------- */

/* How much of the words of another protocol BYTES may be: all of them, some, or 0. */
static size_t other_length(const struct acceptor *acceptor, const uint8_t *bytes, size_t byte_count)
{
	const char *words = acceptor->options.other_words;
	size_t length = words ? strlen(words) : 0;

	if (byte_count < length)
		length = byte_count;
	return length > 0 && memcmp(bytes, words, length) == 0 ? length : 0;
}

/* Something came from one that was silent. Edges only: what is too short stays where it is. */
static void hear(struct acceptor *acceptor, uint32_t place, int fd, bool has_ended)
{
	uint8_t bytes[ACCEPTOR_FIRST_BYTES_MAX];
	ssize_t got = recv(fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
	size_t other = got > 0 ? other_length(acceptor, bytes, (size_t)got) : 0;

	if (other > 0 && !acceptor->options.other_words[other]) {
		pass_on(acceptor, place);
	} else if (other == 0 && got >= (ssize_t)acceptor->options.first_byte_count) {
		hand_over(acceptor, place, bytes, (size_t)got);
	} else if (has_ended || got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		pthread_mutex_lock(&acceptor->lock);
		release(acceptor, place);
		pthread_mutex_unlock(&acceptor->lock);
	}
}

static void serve(struct acceptor *acceptor, const struct epoll_event *event)
{
	uint32_t place = (uint32_t)event->data.u64;
	struct connection connection;

	pthread_mutex_lock(&acceptor->lock);
	connection = acceptor->list.places[place];
	/* The place may have been given to another in this very round. */
	if (connection.generation != (uint32_t)(event->data.u64 >> 32))
		connection.state = CONNECTION_NONE;
	pthread_mutex_unlock(&acceptor->lock);
	if (connection.state == CONNECTION_SILENT)
		hear(acceptor, place, connection.fd,
			(event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
}

static void close_silent(struct acceptor *acceptor, uint64_t longer_than_ns)
{
	uint64_t now_ns = clock_monotonic_ns();

	acceptor->has_silent = false;
	pthread_mutex_lock(&acceptor->lock);
	for (uint32_t i = 0; i < acceptor->list.place_count; i++) {
		const struct connection *connection = &acceptor->list.places[i];

		if (connection->state != CONNECTION_SILENT)
			continue;
		if (now_ns - connection->since_ns < longer_than_ns) {
			acceptor->has_silent = true;
			continue;
		}
		if (longer_than_ns > 0)
			count(acceptor, ACCEPTOR_COUNTER_connections_silent);
		release(acceptor, i);
	}
	pthread_mutex_unlock(&acceptor->lock);
}

static void stop_accepting(struct acceptor *acceptor)
{
	close(acceptor->options.listen_fd);
	acceptor->options.listen_fd = -1;
	acceptor->paused_until_ns = 0;
	close_silent(acceptor, 0);
	pthread_mutex_lock(&acceptor->lock);
	acceptor->stopped = true;
	pthread_cond_broadcast(&acceptor->changed);
	pthread_mutex_unlock(&acceptor->lock);
}

/* Gives false when the thread is to end. */
static bool look_around(struct acceptor *acceptor)
{
	uint64_t value;
	bool stopping, ending;

	while (read(acceptor->wake_fd, &value, sizeof(value)) > 0)
		;
	pthread_mutex_lock(&acceptor->lock);
	stopping = acceptor->stopping && !acceptor->stopped;
	ending = acceptor->ending;
	pthread_mutex_unlock(&acceptor->lock);
	if (stopping)
		stop_accepting(acceptor);
	return !ending;
}

static void end_pause(struct acceptor *acceptor)
{
	if (acceptor->paused_until_ns == 0 || clock_monotonic_ns() < acceptor->paused_until_ns)
		return;
	acceptor->paused_until_ns = 0;
	if (acceptor->spare_fd < 0)
		acceptor->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	listen_again(acceptor, true);
}

static int wait_ms(const struct acceptor *acceptor)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (acceptor->paused_until_ns)
		return (int)((int64_t)(acceptor->paused_until_ns - now_ns) / NS_PER_MS) + 1;
	return acceptor->has_silent ? LOOK_MS : -1;
}

static void *run(void *context)
{
	struct acceptor *acceptor = context;
	uint64_t looked_at_ns = 0;

	while (look_around(acceptor)) {
		struct epoll_event events[EVENT_COUNT_MAX];
		int got =
			epoll_wait(acceptor->epoll_fd, events, EVENT_COUNT_MAX, wait_ms(acceptor));

		for (int i = 0; i < got; i++) {
			if (events[i].data.u64 == EVENT_LISTEN)
				accept_some(acceptor);
			else if (events[i].data.u64 != EVENT_WAKE)
				serve(acceptor, &events[i]);
		}
		end_pause(acceptor);
		if (clock_monotonic_ns() - looked_at_ns >= LOOK_MS * NS_PER_MS) {
			looked_at_ns = clock_monotonic_ns();
			close_silent(acceptor, acceptor->options.silence_ns_max);
		}
	}
	return NULL;
}

/* --- the owner -------------------------------------------------------------------------------- */

static int watch(struct acceptor *acceptor, int fd, uint64_t what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = what};

	return epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int open_all(struct acceptor *acceptor)
{
	int flags = fcntl(acceptor->options.listen_fd, F_GETFL);
	int yes = 1, r;

	acceptor->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	acceptor->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	acceptor->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (acceptor->epoll_fd < 0 || acceptor->wake_fd < 0 || acceptor->spare_fd < 0 ||
		flags < 0 || fcntl(acceptor->options.listen_fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	/* Connections inherit it. Small answers must not wait for one another. */
	(void)setsockopt(acceptor->options.listen_fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	r = watch(acceptor, acceptor->wake_fd, EVENT_WAKE);
	return r < 0 ? r : watch(acceptor, acceptor->options.listen_fd, EVENT_LISTEN);
}

/* Signals are for the program's own threads. */
int acceptor_start(struct acceptor *acceptor)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&acceptor->thread, NULL, run, acceptor);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	acceptor->has_thread = error == 0;
	return -error;
}

int acceptor_new(const struct acceptor_options *options, struct acceptor **ret_acceptor)
{
	struct acceptor *acceptor = calloc(1, sizeof(*acceptor));
	pthread_condattr_t attributes;
	int r;

	must(options->first_byte_count >= 1 &&
		options->first_byte_count <= ACCEPTOR_FIRST_BYTES_MAX);
	must(!options->other_words || strlen(options->other_words) <= ACCEPTOR_FIRST_BYTES_MAX);
	if (!acceptor) {
		close(options->listen_fd);
		return -ENOMEM;
	}
	acceptor->options = *options;
	acceptor->epoll_fd = acceptor->wake_fd = acceptor->spare_fd = -1;
	pthread_mutex_init(&acceptor->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&acceptor->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	r = connection_list_init(&acceptor->list, &options->limits);
	if (r == 0)
		r = open_all(acceptor);
	if (r < 0) {
		acceptor_free(acceptor);
		return r;
	}
	*ret_acceptor = acceptor;
	return 0;
}

static void wake(struct acceptor *acceptor)
{
	static const uint64_t one = 1;

	/* It can only fail where the thread is awake anyway. */
	if (write(acceptor->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void acceptor_stop(struct acceptor *acceptor)
{
	if (!acceptor->has_thread) {
		cleanup_fd(&acceptor->options.listen_fd);
		acceptor->options.listen_fd = -1;
		return;
	}
	pthread_mutex_lock(&acceptor->lock);
	acceptor->stopping = true;
	wake(acceptor);
	while (!acceptor->stopped)
		pthread_cond_wait(&acceptor->changed, &acceptor->lock);
	pthread_mutex_unlock(&acceptor->lock);
}

static uint32_t count_open(struct acceptor *acceptor)
{
	uint32_t count;

	pthread_mutex_lock(&acceptor->lock);
	sweep(acceptor);
	count = acceptor->list.open_count;
	pthread_mutex_unlock(&acceptor->lock);
	return count;
}

int acceptor_wait_empty(struct acceptor *acceptor, uint64_t timeout_ns)
{
	static const struct timespec step = {.tv_nsec = EMPTY_STEP_NS};
	uint64_t until_ns = clock_monotonic_ns() + timeout_ns;

	while (count_open(acceptor) > 0) {
		if (clock_monotonic_ns() >= until_ns)
			return -ETIMEDOUT;
		(void)nanosleep(&step, NULL);
	}
	return 0;
}

void acceptor_free(struct acceptor *acceptor)
{
	if (!acceptor)
		return;
	if (acceptor->has_thread) {
		pthread_mutex_lock(&acceptor->lock);
		acceptor->ending = true;
		pthread_mutex_unlock(&acceptor->lock);
		wake(acceptor);
		pthread_join(acceptor->thread, NULL);
	}
	for (uint32_t i = 0; acceptor->list.places && i < acceptor->list.place_count; i++) {
		if (acceptor->list.places[i].state == CONNECTION_SILENT)
			release(acceptor, i);
	}
	cleanup_fd(&acceptor->options.listen_fd);
	cleanup_fd(&acceptor->epoll_fd);
	cleanup_fd(&acceptor->wake_fd);
	cleanup_fd(&acceptor->spare_fd);
	connection_list_done(&acceptor->list);
	handed_list_done(&acceptor->handed);
	pthread_cond_destroy(&acceptor->changed);
	pthread_mutex_destroy(&acceptor->lock);
	free(acceptor);
}

/* --- from another acceptor -------------------------------------------------------------------- */

int acceptor_adopt(struct acceptor *acceptor, int fd, const struct peer *peer, int *ret_fd)
{
	uint32_t place = CONNECTION_NOBODY;
	int r = -ESHUTDOWN;

	pthread_mutex_lock(&acceptor->lock);
	if (acceptor->stopping) {
		close(fd);
	} else {
		count(acceptor, ACCEPTOR_COUNTER_connections_moved);
		r = find_place(acceptor, fd, peer, &place);
	}
	if (r == 0)
		r = prepare_hand_over(acceptor, place, true);
	pthread_mutex_unlock(&acceptor->lock);
	if (r < 0)
		return r;
	*ret_fd = r;
	return 0;
}

/* --- those who have a connection -------------------------------------------------------------- */

int acceptor_peer(struct acceptor *acceptor, int fd, struct peer *ret_peer, bool *ret_adopted)
{
	const struct handed *handed;

	pthread_mutex_lock(&acceptor->lock);
	handed = handed_list_get(&acceptor->handed, fd);
	if (handed) {
		*ret_peer = handed->peer;
		*ret_adopted = handed->adopted;
	}
	pthread_mutex_unlock(&acceptor->lock);
	return handed ? 0 : -ENOENT;
}

void acceptor_set_idle(struct acceptor *acceptor, int fd, bool idle)
{
	uint32_t place;

	pthread_mutex_lock(&acceptor->lock);
	place = place_of(acceptor, fd);
	if (place != CONNECTION_NOBODY && acceptor->list.places[place].state != CONNECTION_LEAVING)
		connection_list_set(&acceptor->list, place,
			idle ? CONNECTION_IDLE : CONNECTION_BUSY, clock_monotonic_ns());
	pthread_mutex_unlock(&acceptor->lock);
}

void acceptor_closed(struct acceptor *acceptor, int fd)
{
	uint32_t place;

	pthread_mutex_lock(&acceptor->lock);
	place = place_of(acceptor, fd);
	if (place != CONNECTION_NOBODY)
		release(acceptor, place);
	pthread_mutex_unlock(&acceptor->lock);
}

void acceptor_read_counts(struct acceptor *acceptor, uint64_t ret_counts[ACCEPTOR_COUNTER_COUNT])
{
	pthread_mutex_lock(&acceptor->lock);
	sweep(acceptor);
	memcpy(ret_counts, acceptor->counts, sizeof(acceptor->counts));
	ret_counts[ACCEPTOR_COUNTER_connections_open] = acceptor->list.open_count;
	pthread_mutex_unlock(&acceptor->lock);
}
