/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/connection_list.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/check.h"

static const struct connection_limits limits = {
	.count_max = 8, .host_count_max = 3, .loopback_count = 2};
static const struct peer local = {.family = AF_INET, .address = {127, 0, 0, 1}};

static struct peer host(uint8_t number)
{
	return (struct peer){.family = AF_INET, .address = {10, 0, 0, number}};
}

/* Adds one in STATE; gives its place, or the negative errno of its refusal. */
static int add(struct connection_list *list, struct peer peer, enum connection_state state,
	uint64_t now_ns, uint32_t *ret_displaced)
{
	uint32_t place;
	int r = connection_list_admit(list, &peer, ret_displaced);

	if (r < 0)
		return r;
	if (*ret_displaced != CONNECTION_NOBODY)
		connection_list_set(list, *ret_displaced, CONNECTION_LEAVING, now_ns);
	r = connection_list_add(list, 100, &peer, now_ns, &place);
	if (r < 0)
		return r;
	connection_list_set(list, place, state, now_ns);
	return (int)place;
}

static void the_longest_idle_one_goes_when_the_port_is_full(void)
{
	struct connection_list list;
	uint32_t displaced;

	CHECK_EQ(connection_list_init(&list, &limits), 0);
	for (uint64_t i = 0; i < 8; i++) {
		CHECK_EQ(add(&list, local, i == 0 ? CONNECTION_BUSY : CONNECTION_IDLE, 10 - i,
				 &displaced),
			(int)i);
		CHECK(displaced == CONNECTION_NOBODY);
	}
	CHECK_EQ(list.open_count, 8);
	CHECK(add(&list, local, CONNECTION_IDLE, 20, &displaced) >= 0);
	CHECK_EQ(displaced, 7);
	CHECK_EQ(list.open_count, 8);
	connection_list_set(&list, 3, CONNECTION_SILENT, 30);
	CHECK(add(&list, local, CONNECTION_IDLE, 40, &displaced) >= 0);
	CHECK_EQ(displaced, 3);
	connection_list_done(&list);
}

static void nobody_goes_who_is_being_worked_for(void)
{
	struct connection_list list;
	uint32_t displaced;

	CHECK_EQ(connection_list_init(&list, &limits), 0);
	for (int i = 0; i < 8; i++)
		CHECK(add(&list, local, CONNECTION_BUSY, 1, &displaced) >= 0);
	CHECK_EQ(add(&list, local, CONNECTION_BUSY, 1, &displaced), -ENOBUFS);
	connection_list_set(&list, 5, CONNECTION_NONE, 2);
	CHECK_EQ(add(&list, local, CONNECTION_BUSY, 1, &displaced), 5);
	CHECK(displaced == CONNECTION_NOBODY);
	CHECK_EQ(list.places[5].generation, 2);
	connection_list_done(&list);
}

static void a_host_displaces_its_own(void)
{
	struct connection_list list;
	uint32_t displaced;

	CHECK_EQ(connection_list_init(&list, &limits), 0);
	CHECK(add(&list, host(2), CONNECTION_IDLE, 1, &displaced) >= 0);
	for (int i = 0; i < 3; i++)
		CHECK_EQ(add(&list, host(1), CONNECTION_IDLE, 5, &displaced), 1 + i);
	CHECK(add(&list, host(1), CONNECTION_BUSY, 6, &displaced) >= 0);
	CHECK_EQ(displaced, 1);
	for (uint32_t i = 0; i < list.place_count; i++) {
		if (list.places[i].state == CONNECTION_IDLE)
			connection_list_set(&list, i, CONNECTION_BUSY, 7);
	}
	CHECK_EQ(add(&list, host(1), CONNECTION_BUSY, 8, &displaced), -EDQUOT);
	CHECK(add(&list, host(2), CONNECTION_BUSY, 8, &displaced) >= 0);
	connection_list_done(&list);
}

static void this_machine_finds_a_place_that_others_do_not_get(void)
{
	struct connection_list list;
	uint32_t displaced;

	CHECK_EQ(connection_list_init(&list, &limits), 0);
	for (uint8_t i = 0; i < 6; i++)
		CHECK(add(&list, host(i), CONNECTION_BUSY, 1, &displaced) >= 0);
	CHECK_EQ(list.foreign_count, 6);
	CHECK_EQ(add(&list, host(99), CONNECTION_BUSY, 1, &displaced), -ENOBUFS);
	CHECK(add(&list, local, CONNECTION_IDLE, 1, &displaced) >= 0);
	CHECK(displaced == CONNECTION_NOBODY);
	/* Nor do they displace it. */
	CHECK_EQ(add(&list, host(99), CONNECTION_BUSY, 1, &displaced), -ENOBUFS);
	connection_list_set(&list, 2, CONNECTION_IDLE, 2);
	CHECK(add(&list, host(99), CONNECTION_BUSY, 3, &displaced) >= 0);
	CHECK_EQ(displaced, 2);
	connection_list_done(&list);
}

static void those_that_do_not_leave_use_up_places_in_the_end(void)
{
	struct connection_list list;
	uint32_t displaced;
	int r = 0, added = 0;

	CHECK_EQ(connection_list_init(&list, &limits), 0);
	while (r >= 0) {
		r = add(&list, local, CONNECTION_IDLE, 1, &displaced);
		added++;
	}
	CHECK_EQ(r, -ENOBUFS);
	CHECK_EQ(added, (int)list.place_count + 1);
	connection_list_done(&list);
}

static void who_has_just_been_handed_over_or_told_to_go_is_unsettled(void)
{
	struct connection_list list;
	uint32_t displaced;

	CHECK_EQ(connection_list_init(&list, &limits), 0);
	for (uint64_t i = 0; i < 8; i++)
		CHECK_EQ(add(&list, local, CONNECTION_HANDED, 10 + i, &displaced), (int)i);
	CHECK_EQ(list.open_count, 8);
	CHECK_EQ(add(&list, local, CONNECTION_IDLE, 20, &displaced), -ENOBUFS);
	CHECK_EQ(connection_list_unsettled(&list, 0), 8);
	CHECK_EQ(connection_list_unsettled(&list, 13), 4);
	connection_list_set(&list, 7, CONNECTION_BUSY, 18);
	connection_list_set(&list, 6, CONNECTION_IDLE, 18);
	connection_list_set(&list, 5, CONNECTION_NONE, 18);
	CHECK_EQ(connection_list_unsettled(&list, 0), 5);
	connection_list_set(&list, 0, CONNECTION_LEAVING, 18);
	CHECK_EQ(connection_list_unsettled(&list, 17), 1);
	connection_list_done(&list);
}

static void the_end_of_a_connection_shows_by_its_number(void)
{
	struct connection connection = {.state = CONNECTION_BUSY};
	int fds[2];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	connection.fd = fds[0];
	connection.inode = connection_inode(fds[0]);
	CHECK(connection.inode != 0 && connection.inode != connection_inode(fds[1]));
	CHECK(!connection_has_ended(&connection));
	/* The number is another one's now. */
	CHECK_EQ(dup2(fds[1], fds[0]), fds[0]);
	CHECK(connection_has_ended(&connection));
	connection.state = CONNECTION_SILENT;
	CHECK(!connection_has_ended(&connection));
	close(fds[0]);
	close(fds[1]);
	CHECK_EQ(connection_inode(fds[0]), 0);
}

int main(void)
{
	RUN(who_has_just_been_handed_over_or_told_to_go_is_unsettled);
	RUN(the_longest_idle_one_goes_when_the_port_is_full);
	RUN(nobody_goes_who_is_being_worked_for);
	RUN(a_host_displaces_its_own);
	RUN(this_machine_finds_a_place_that_others_do_not_get);
	RUN(those_that_do_not_leave_use_up_places_in_the_end);
	RUN(the_end_of_a_connection_shows_by_its_number);
	return 0;
}
