/* SPDX-License-Identifier: Apache-2.0 */
#include "store/disk/retention.h"

#include "tests/support/check.h"

#define NOW 1000

/* Verdicts as letters: k(ept), e(xpired), v (evicted). */
static void check(struct retention_file *files, size_t count, struct retention_limits limits,
	const char *expected)
{
	char verdicts[16] = "";

	retention_decide(files, count, &limits);
	for (size_t i = 0; i < count; i++)
		verdicts[i] = "kev"[files[i].verdict];
	CHECK_STR(verdicts, expected);
}

static void files_past_their_age_expire(void)
{
	struct retention_file files[] = {{.newest_ns = 899}, {.newest_ns = 900}, {.newest_ns = 901},
		{.newest_ns = 2000}, {.newest_ns = 0}};

	check(files, 5, (struct retention_limits){NOW, 100, UINT64_MAX, UINT64_MAX}, "eekke");
	check(files, 5, (struct retention_limits){NOW, UINT64_MAX, UINT64_MAX, UINT64_MAX},
		"kkkkk");
	check(files, 5, (struct retention_limits){NOW, NOW, UINT64_MAX, UINT64_MAX}, "kkkkk");
	check(files, 5, (struct retention_limits){NOW, 0, UINT64_MAX, UINT64_MAX}, "eeeke");
}

static void the_oldest_go_until_the_rest_fits(void)
{
	struct retention_file files[] = {{500, 10, 1, 0}, {300, 20, 1, 0}, {400, 30, 1, 0}};
	uint64_t none = UINT64_MAX;

	check(files, 3, (struct retention_limits){NOW, none, 60, none}, "kkk");
	check(files, 3, (struct retention_limits){NOW, none, 59, none}, "kvk");
	check(files, 3, (struct retention_limits){NOW, none, 40, none}, "kvk");
	check(files, 3, (struct retention_limits){NOW, none, 39, none}, "kvv");
	check(files, 3, (struct retention_limits){NOW, none, 0, none}, "vvv");
	check(files, 3, (struct retention_limits){NOW, none, none, 2}, "kvk");
	check(files, 3, (struct retention_limits){NOW, none, none, 0}, "vvv");
}

static void what_expires_makes_room(void)
{
	struct retention_file files[] = {{500, 50, 1, 0}, {950, 20, 1, 0}, {960, 30, 1, 0}};

	check(files, 3, (struct retention_limits){NOW, 100, 50, UINT64_MAX}, "ekk");
	check(files, 3, (struct retention_limits){NOW, 100, 49, UINT64_MAX}, "evk");
}

static void no_files_need_no_verdict(void)
{
	struct retention_limits limits = {NOW, 0, 0, 0};

	retention_decide(NULL, 0, &limits);
	CHECK_EQ(retention_edge_ns(&limits), NOW);
	limits.age_ns = NOW + 1;
	CHECK_EQ(retention_edge_ns(&limits), 0);
}

int main(void)
{
	RUN(files_past_their_age_expire);
	RUN(the_oldest_go_until_the_rest_fits);
	RUN(what_expires_makes_room);
	RUN(no_files_need_no_verdict);
	return 0;
}
