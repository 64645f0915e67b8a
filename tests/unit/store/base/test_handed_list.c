/* SPDX-License-Identifier: Apache-2.0 */
#include "store/base/handed_list.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <unistd.h>

#include "store/base/connection_list.h"
#include "tests/support/check.h"

#define NOW_NS (100 * NS_PER_S)

static const struct handed local = {.peer = {.family = AF_INET, .address = {127, 0, 0, 1}}};
static const struct handed foreign = {.peer = {.family = AF_INET, .address = {192, 0, 2, 1}}};

static int open_one(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

static void a_number_stands_for_what_was_set_until_it_is_closed(void)
{
	struct handed_list list = {.items = NULL};
	struct handed handed = local;
	int fd = open_one();

	CHECK(!handed_list_get(&list, fd));
	CHECK(!handed_list_get(&list, -1));
	CHECK_EQ(handed_list_find_number(&list, fd, &handed, NOW_NS), fd);
	CHECK(!handed_list_get(&list, fd));
	handed.place = 7;
	handed_list_set(&list, fd, &handed);
	CHECK_EQ(handed_list_get(&list, fd)->place, 7);
	handed_list_close(&list, fd, NOW_NS);
	CHECK(!handed_list_get(&list, fd));
	close(fd);
	handed_list_done(&list);
}

/* Whether a number that stood for ONE, closed so long ago, may stand for OTHER. */
static bool may_follow(const struct handed *one, const struct handed *other, uint64_t ago_ns)
{
	struct handed_list list = {.items = NULL};
	int fd = open_one(), found;

	CHECK_EQ(handed_list_find_number(&list, fd, one, NOW_NS), fd);
	handed_list_set(&list, fd, one);
	handed_list_close(&list, fd, NOW_NS - ago_ns);
	found = handed_list_find_number(&list, fd, other, NOW_NS);
	CHECK(found >= 0);
	/* The other number is the same file; this one is closed then. */
	CHECK_EQ(fcntl(fd, F_GETFD) >= 0, found == fd);
	close(found);
	handed_list_done(&list);
	return found == fd;
}

static void a_number_rests_before_it_stands_for_another_sort(void)
{
	struct handed adopted = local;

	adopted.adopted = true;
	CHECK(may_follow(&local, &local, 0));
	CHECK(may_follow(&adopted, &adopted, 0));
	CHECK(!may_follow(&local, &foreign, 0));
	CHECK(!may_follow(&foreign, &local, HANDED_REST_NS / 2));
	CHECK(!may_follow(&local, &adopted, HANDED_REST_NS / 2));
	CHECK(!may_follow(&adopted, &local, 0));
	CHECK(may_follow(&foreign, &local, HANDED_REST_NS + 1));
	CHECK(may_follow(&adopted, &local, HANDED_REST_NS + 1));
}

static void one_whose_end_was_not_told_counts_as_just_closed(void)
{
	struct handed_list list = {.items = NULL};
	int fd = open_one(), found;

	CHECK_EQ(handed_list_find_number(&list, fd, &local, NOW_NS), fd);
	handed_list_set(&list, fd, &local);
	CHECK_EQ(handed_list_find_number(&list, fd, &local, 2 * NOW_NS), fd);
	found = handed_list_find_number(&list, fd, &foreign, 2 * NOW_NS);
	CHECK(found >= 0 && found != fd);
	close(found);
	handed_list_done(&list);
}

int main(void)
{
	RUN(a_number_stands_for_what_was_set_until_it_is_closed);
	RUN(a_number_rests_before_it_stands_for_another_sort);
	RUN(one_whose_end_was_not_told_counts_as_just_closed);
	return 0;
}
