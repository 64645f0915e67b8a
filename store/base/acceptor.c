/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   listening socket -> silent -- first bytes --> handed over as FD, a duplicate
 *                         |                         busy <-> idle
 *                       too long                      |  ends: told so, or seen at our own descriptor
 *                         v                           v
 *                       closed                     closed
 *
 * Of each connection we keep a descriptor of our own. It outlives the one that was handed over, so
 * that the end of a connection is seen whoever ended it, and a number of a descriptor is never taken
 * for a connection that it stood for before.
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
#include <unistd.h>

#include "store/base/cleanup.h"
#include "store/base/clock.h"
#include "store/base/must.h"

/* Connections of one round; then those that wait have their turn. */
#define ACCEPT_COUNT_MAX 64
#define EVENT_COUNT_MAX 64
/* With nothing to turn callers away by, they are left in the kernel's queue for so long. */
#define PAUSE_NS (100 * NS_PER_MS)
/* How often the silent ones are looked after. */
#define LOOK_MS 500
/* For so long somebody may ask who a connection was whose descriptor is closed. */
#define REST_NS (10 * NS_PER_S)
/* Numbers that are tried to find one that has rested; one in a row is the usual. */
#define REST_TRIES_MAX 64

/* What wakes the thread beside connections. */
#define EVENT_LISTEN UINT64_MAX
#define EVENT_WAKE (UINT64_MAX - 1)

/* What a descriptor that was handed over stands for, by its number. */
struct handed {
	struct peer peer;
	uint32_t place; /* CONNECTION_NOBODY: of none any more */
	uint64_t closed_at_ns; /* 0: never used */
};

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
	struct handed *handed;
	uint32_t handed_count;
	uint64_t counts[ACCEPTOR_COUNTER_COUNT];
	bool stopping; /* wanted */
	bool stopped; /* nothing is accepted any more */
	bool ending;
};

static void count(struct acceptor *acceptor, enum acceptor_counter counter)
{
	acceptor->counts[counter]++;
}

static void set_state(
	struct acceptor *acceptor, uint32_t place, enum connection_state state, uint64_t now_ns)
{
	connection_list_set(&acceptor->list, place, state, now_ns);
	if (acceptor->list.open_count == 0)
		pthread_cond_broadcast(&acceptor->changed);
}

/* --- the end of a connection; under the lock -------------------------------------------------- */

static void release(struct acceptor *acceptor, uint32_t place)
{
	struct connection *connection = &acceptor->list.places[place];
	uint64_t now_ns = clock_monotonic_ns();

	if (connection->state == CONNECTION_NONE)
		return;
	if (connection->fd >= 0) {
		acceptor->handed[connection->fd].place = CONNECTION_NOBODY;
		acceptor->handed[connection->fd].closed_at_ns = now_ns;
	}
	close(connection->own_fd);
	set_state(acceptor, place, CONNECTION_NONE, now_ns);
}

/* Who has it sees its end and closes it. */
static void displace(struct acceptor *acceptor, uint32_t place)
{
	struct connection *connection = &acceptor->list.places[place];

	count(acceptor, ACCEPTOR_COUNTER_DISPLACED);
	if (connection->fd < 0) {
		release(acceptor, place);
		return;
	}
	set_state(acceptor, place, CONNECTION_LEAVING, clock_monotonic_ns());
	(void)shutdown(connection->own_fd, SHUT_RDWR);
}

/* --- handing over ----------------------------------------------------------------------------- */

static int grow_handed(struct acceptor *acceptor, int fd)
{
	uint32_t wanted = acceptor->handed_count ? acceptor->handed_count : 64;
	struct handed *handed;

	if ((uint32_t)fd < acceptor->handed_count)
		return 0;
	while (wanted <= (uint32_t)fd)
		wanted *= 2;
	handed = realloc(acceptor->handed, wanted * sizeof(*handed));
	if (!handed)
		return -ENOMEM;
	for (uint32_t i = acceptor->handed_count; i < wanted; i++)
		handed[i] = (struct handed){.place = CONNECTION_NOBODY};
	acceptor->handed = handed;
	acceptor->handed_count = wanted;
	return 0;
}

/* Whether nobody can ask after FD any more and mean one from elsewhere. */
static bool has_rested(
	const struct acceptor *acceptor, int fd, const struct peer *peer, uint64_t now_ns)
{
	const struct handed *handed = &acceptor->handed[fd];

	return handed->closed_at_ns == 0 || now_ns - handed->closed_at_ns > REST_NS ||
		peer_is_loopback(&handed->peer) == peer_is_loopback(peer);
}

/* A duplicate under a number that may be used. -EMFILE. */
static int duplicate(struct acceptor *acceptor, int own_fd, const struct peer *peer)
{
	int unfit[REST_TRIES_MAX], unfit_count = 0, fd, r = 0;
	uint64_t now_ns = clock_monotonic_ns();

	for (;;) {
		fd = fcntl(own_fd, F_DUPFD_CLOEXEC, 0);
		r = fd < 0 ? -errno : grow_handed(acceptor, fd);
		if (r < 0)
			break;
		/* Whoever had it has closed it, and we were not told yet. */
		if (acceptor->handed[fd].place != CONNECTION_NOBODY)
			release(acceptor, acceptor->handed[fd].place);
		if (has_rested(acceptor, fd, peer, now_ns) || unfit_count == REST_TRIES_MAX)
			break;
		unfit[unfit_count++] = fd;
	}
	if (r == 0 && !has_rested(acceptor, fd, peer, now_ns))
		r = -EMFILE;
	if (r < 0 && fd >= 0)
		close(fd);
	while (unfit_count > 0)
		close(unfit[--unfit_count]);
	return r < 0 ? r : fd;
}

/* Under the lock: from here on it counts as handed over. */
static int prepare_hand_over(struct acceptor *acceptor, uint32_t place)
{
	struct connection *connection = &acceptor->list.places[place];
	/* Both directions ended, or broken: always told. */
	struct epoll_event event = {.data.u64 = (uint64_t)connection->generation << 32 | place};
	int fd = duplicate(acceptor, connection->own_fd, &connection->peer);

	if (fd < 0)
		return fd;
	acceptor->handed[fd] = (struct handed){.peer = connection->peer, .place = place};
	connection->fd = fd;
	set_state(acceptor, place, CONNECTION_BUSY, clock_monotonic_ns());
	(void)epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_MOD, connection->own_fd, &event);
	return fd;
}

static void hand_over(
	struct acceptor *acceptor, uint32_t place, const uint8_t *bytes, size_t byte_count)
{
	struct peer peer;
	int fd, r;

	pthread_mutex_lock(&acceptor->lock);
	peer = acceptor->list.places[place].peer;
	fd = prepare_hand_over(acceptor, place);
	if (fd < 0) {
		count(acceptor, ACCEPTOR_COUNTER_REFUSED_DESCRIPTORS);
		release(acceptor, place);
	}
	pthread_mutex_unlock(&acceptor->lock);
	if (fd < 0)
		return;
	r = acceptor->options.take(acceptor->options.context, fd, &peer, bytes, byte_count);
	if (r == 0)
		return;
	pthread_mutex_lock(&acceptor->lock);
	count(acceptor,
		r == -EPROTO ? ACCEPTOR_COUNTER_REFUSED_PROTOCOL : ACCEPTOR_COUNTER_REFUSED_FULL);
	if (acceptor->handed[fd].place == place)
		release(acceptor, place);
	pthread_mutex_unlock(&acceptor->lock);
}

/* --- accepting -------------------------------------------------------------------------------- */

/* Under the lock; takes OWN_FD. */
static void admit(struct acceptor *acceptor, int own_fd, const struct peer *peer)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
	uint32_t displaced, place;
	int r = connection_list_admit(&acceptor->list, peer, &displaced);

	if (r == 0 && displaced != CONNECTION_NOBODY)
		displace(acceptor, displaced);
	if (r == 0)
		r = connection_list_add(
			&acceptor->list, own_fd, peer, clock_monotonic_ns(), &place);
	if (r < 0) {
		count(acceptor,
			r == -EDQUOT ? ACCEPTOR_COUNTER_REFUSED_HOST
				     : ACCEPTOR_COUNTER_REFUSED_FULL);
		close(own_fd);
		return;
	}
	acceptor->has_silent = true;
	event.data.u64 = (uint64_t)acceptor->list.places[place].generation << 32 | place;
	if (epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_ADD, own_fd, &event) < 0) {
		count(acceptor, ACCEPTOR_COUNTER_REFUSED_DESCRIPTORS);
		release(acceptor, place);
	}
}

static void listen_again(struct acceptor *acceptor, bool again)
{
	struct epoll_event event = {.events = again ? EPOLLIN : 0, .data.u64 = EVENT_LISTEN};

	(void)epoll_ctl(acceptor->epoll_fd, EPOLL_CTL_MOD, acceptor->options.listen_fd, &event);
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
		count(acceptor, ACCEPTOR_COUNTER_ACCEPTED);
		count(acceptor, ACCEPTOR_COUNTER_REFUSED_DESCRIPTORS);
	}
	pthread_mutex_unlock(&acceptor->lock);
	if (fd < 0 || acceptor->spare_fd < 0) {
		acceptor->paused_until_ns = clock_monotonic_ns() + PAUSE_NS;
		listen_again(acceptor, false);
	}
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
		int fd = accept4(acceptor->options.listen_fd, (struct sockaddr *)&address, &length,
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
		count(acceptor, ACCEPTOR_COUNTER_ACCEPTED);
		admit(acceptor, fd, &peer);
		pthread_mutex_unlock(&acceptor->lock);
	}
}

/* --- the thread ------------------------------------------------------------------------------- */

/* Something came from one that was silent. Edges only: what is too short stays where it is. */
static void hear(struct acceptor *acceptor, uint32_t place, int own_fd, bool has_ended)
{
	uint8_t bytes[ACCEPTOR_FIRST_BYTES_MAX];
	ssize_t got = recv(own_fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	if (got >= (ssize_t)acceptor->options.first_byte_count) {
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
	if (connection.state != CONNECTION_NONE && connection.state != CONNECTION_SILENT &&
		(event->events & (EPOLLHUP | EPOLLERR)))
		release(acceptor, place);
	pthread_mutex_unlock(&acceptor->lock);
	if (connection.state == CONNECTION_SILENT)
		hear(acceptor, place, connection.own_fd,
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
			count(acceptor, ACCEPTOR_COUNTER_SILENT);
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
	if (acceptor->paused_until_ns)
		return (int)(PAUSE_NS / NS_PER_MS);
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
static int start_thread(struct acceptor *acceptor)
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
	if (r == 0)
		r = start_thread(acceptor);
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
	pthread_mutex_lock(&acceptor->lock);
	acceptor->stopping = true;
	wake(acceptor);
	while (!acceptor->stopped)
		pthread_cond_wait(&acceptor->changed, &acceptor->lock);
	pthread_mutex_unlock(&acceptor->lock);
}

int acceptor_wait_empty(struct acceptor *acceptor, uint64_t timeout_ns)
{
	uint64_t until_ns = clock_monotonic_ns() + timeout_ns;
	struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
	int error = 0;

	pthread_mutex_lock(&acceptor->lock);
	while (acceptor->list.open_count > 0 && error == 0)
		error = pthread_cond_timedwait(&acceptor->changed, &acceptor->lock, &until);
	pthread_mutex_unlock(&acceptor->lock);
	return -error;
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
	for (uint32_t i = 0; acceptor->list.places && i < acceptor->list.place_count; i++)
		release(acceptor, i);
	cleanup_fd(&acceptor->options.listen_fd);
	cleanup_fd(&acceptor->epoll_fd);
	cleanup_fd(&acceptor->wake_fd);
	cleanup_fd(&acceptor->spare_fd);
	connection_list_done(&acceptor->list);
	free(acceptor->handed);
	pthread_cond_destroy(&acceptor->changed);
	pthread_mutex_destroy(&acceptor->lock);
	free(acceptor);
}

/* --- those who have a connection -------------------------------------------------------------- */

/* Under the lock: the place of a connection that is handed over, or CONNECTION_NOBODY. */
static uint32_t place_of(const struct acceptor *acceptor, int fd)
{
	if (fd < 0 || (uint32_t)fd >= acceptor->handed_count)
		return CONNECTION_NOBODY;
	return acceptor->handed[fd].place;
}

int acceptor_peer(struct acceptor *acceptor, int fd, struct peer *ret_peer)
{
	int r = -ENOENT;

	pthread_mutex_lock(&acceptor->lock);
	if (fd >= 0 && (uint32_t)fd < acceptor->handed_count &&
		acceptor->handed[fd].peer.family != AF_UNSPEC) {
		*ret_peer = acceptor->handed[fd].peer;
		r = 0;
	}
	pthread_mutex_unlock(&acceptor->lock);
	return r;
}

void acceptor_set_idle(struct acceptor *acceptor, int fd, bool idle)
{
	uint32_t place;

	pthread_mutex_lock(&acceptor->lock);
	place = place_of(acceptor, fd);
	if (place != CONNECTION_NOBODY && acceptor->list.places[place].state != CONNECTION_LEAVING)
		set_state(acceptor, place, idle ? CONNECTION_IDLE : CONNECTION_BUSY,
			clock_monotonic_ns());
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
	memcpy(ret_counts, acceptor->counts, sizeof(acceptor->counts));
	ret_counts[ACCEPTOR_COUNTER_OPEN] = acceptor->list.open_count;
	pthread_mutex_unlock(&acceptor->lock);
}
