/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/symbol/debuginfod_servers.h"

#include <errno.h>
#include <string.h>

#include "tests/support/check.h"

static uint64_t now_ns;

static struct clock_reading read_now(void *context)
{
	(void)context;
	/* The two clocks differ, as they do. */
	return (struct clock_reading){
		.monotonic_ns = now_ns, .realtime_ns = now_ns + NS_PER_S * 7000};
}

static struct debuginfod_servers *make(const char *urls)
{
	struct debuginfod_servers *servers;

	now_ns = NS_PER_S;
	CHECK_EQ(debuginfod_servers_new(urls, (struct clock){.read = read_now}, &servers), 0);
	return servers;
}

static enum debuginfod_change ask(struct debuginfod_servers *servers, uint32_t index, int answer)
{
	CHECK(debuginfod_servers_begin(servers, index));
	return debuginfod_servers_end(servers, index, answer, 10, 0);
}

static struct debuginfod_server_state state_of(struct debuginfod_servers *servers, uint32_t index)
{
	struct debuginfod_server_state state;

	debuginfod_servers_read(servers, index, &state);
	CHECK_EQ(state.counts[DEBUGINFOD_SERVER_ASKED],
		state.counts[DEBUGINFOD_SERVER_HITS] + state.counts[DEBUGINFOD_SERVER_MISSES] +
			state.counts[DEBUGINFOD_SERVER_FAILURES] +
			state.counts[DEBUGINFOD_SERVER_STOPPED] +
			state.counts[DEBUGINFOD_SERVER_OPEN]);
	return state;
}

static void servers_stand_in_their_order(void)
{
	struct debuginfod_servers *servers = make(" http://u:p@one:1/ \t https://two ");

	CHECK_EQ(debuginfod_servers_count(servers), 2);
	CHECK_STR(debuginfod_servers_url(servers, 0), "http://u:p@one:1/");
	CHECK_STR(state_of(servers, 0).url, "http://one:1/");
	CHECK_STR(state_of(servers, 1).url, "https://two/");
	debuginfod_servers_free(servers);
}

static void what_is_no_list_of_servers_is_refused(void)
{
	struct debuginfod_servers *servers;
	struct clock clock = {.read = read_now};
	char many[DEBUGINFOD_SERVERS_MAX * 9 + 10] = "";

	CHECK_EQ(debuginfod_servers_new("http://one file:///two", clock, &servers), -EINVAL);
	for (int i = 0; i < DEBUGINFOD_SERVERS_MAX; i++)
		strcat(many, "http://h ");
	CHECK_EQ(debuginfod_servers_new(many, clock, &servers), 0);
	debuginfod_servers_free(servers);
	strcat(many, "http://h");
	CHECK_EQ(debuginfod_servers_new(many, clock, &servers), -E2BIG);
}

static void a_server_that_fails_rests_and_the_other_does_not(void)
{
	struct debuginfod_servers *servers = make("http://one http://two");

	CHECK_EQ(ask(servers, 0, -ETIMEDOUT), DEBUGINFOD_NO_CHANGE);
	CHECK_EQ(state_of(servers, 0).failing_since_ns, NS_PER_S * 7001);
	CHECK_EQ(state_of(servers, 0).next_try_ns, 0);
	CHECK_EQ(state_of(servers, 0).error, -ETIMEDOUT);
	now_ns += NS_PER_S;
	CHECK_EQ(ask(servers, 0, -ECONNREFUSED), DEBUGINFOD_NO_CHANGE);
	CHECK_EQ(ask(servers, 0, -ECONNREFUSED), DEBUGINFOD_NOW_RESTS);
	CHECK(!debuginfod_servers_begin(servers, 0));
	CHECK_EQ(debuginfod_servers_rests_until_ns(servers, 0), now_ns + DEBUGINFOD_REST_NS);
	CHECK_EQ(state_of(servers, 0).next_try_ns, now_ns + 7000 * NS_PER_S + DEBUGINFOD_REST_NS);
	CHECK_EQ(state_of(servers, 0).failing_since_ns, NS_PER_S * 7001);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_FAILURES], 3);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_SPARED], 1);
	CHECK_EQ(ask(servers, 1, 0), DEBUGINFOD_NO_CHANGE);
	CHECK_EQ(state_of(servers, 1).failing_since_ns, 0);
	debuginfod_servers_free(servers);
}

static void rests_grow_up_to_a_limit_and_one_question_tries(void)
{
	struct debuginfod_servers *servers = make("http://one");
	uint64_t rest_ns = DEBUGINFOD_REST_NS;

	for (int i = 0; i < DEBUGINFOD_FAILURES_MAX; i++)
		ask(servers, 0, -ETIMEDOUT);
	for (int i = 0; i < 20; i++) {
		now_ns += rest_ns - 1;
		CHECK(!debuginfod_servers_begin(servers, 0));
		now_ns += 1;
		CHECK(debuginfod_servers_begin(servers, 0));
		/* While that one waits for its answer, nobody else is to. */
		CHECK(!debuginfod_servers_begin(servers, 0));
		CHECK_EQ(
			debuginfod_servers_end(servers, 0, -ETIMEDOUT, 0, 0), DEBUGINFOD_NO_CHANGE);
		rest_ns =
			rest_ns * 2 < DEBUGINFOD_REST_NS_MAX ? rest_ns * 2 : DEBUGINFOD_REST_NS_MAX;
	}
	CHECK_EQ(rest_ns, DEBUGINFOD_REST_NS_MAX);
	now_ns += rest_ns;
	CHECK_EQ(ask(servers, 0, -ENOENT), DEBUGINFOD_ANSWERS_AGAIN);
	CHECK_EQ(debuginfod_servers_rests_until_ns(servers, 0), 0);
	CHECK_EQ(state_of(servers, 0).failing_since_ns, 0);
	CHECK_EQ(ask(servers, 0, -ETIMEDOUT), DEBUGINFOD_NO_CHANGE);
	debuginfod_servers_free(servers);
}

static void a_try_that_hangs_keeps_others_for_a_while_only(void)
{
	struct debuginfod_servers *servers = make("http://one");

	for (int i = 0; i < DEBUGINFOD_FAILURES_MAX; i++)
		ask(servers, 0, -ETIMEDOUT);
	now_ns += DEBUGINFOD_REST_NS;
	CHECK(debuginfod_servers_begin(servers, 0));
	now_ns += DEBUGINFOD_TRY_NS;
	CHECK(debuginfod_servers_begin(servers, 0));
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_OPEN], 2);
	debuginfod_servers_end(servers, 0, 0, 5, 0);
	debuginfod_servers_end(servers, 0, -ECANCELED, 0, 0);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_STOPPED], 1);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_BYTES],
		5 + 10 * DEBUGINFOD_FAILURES_MAX);
	debuginfod_servers_free(servers);
}

static void a_server_that_asks_for_time_gets_it(void)
{
	struct debuginfod_servers *servers = make("http://one");

	CHECK(debuginfod_servers_begin(servers, 0));
	CHECK_EQ(debuginfod_servers_end(servers, 0, -EREMOTEIO, 0, 30), DEBUGINFOD_NOW_RESTS);
	CHECK_EQ(debuginfod_servers_rests_until_ns(servers, 0), now_ns + 30 * NS_PER_S);
	debuginfod_servers_free(servers);
}

static void no_answer_but_a_failure_makes_it_rest(void)
{
	static const int answers[] = {0, -ENOENT, -EBADMSG, -EFBIG, -ECANCELED, -ENOMEM, -ENOSPC};
	struct debuginfod_servers *servers = make("http://one");

	for (int i = 0; i < 5; i++)
		for (size_t j = 0; j < sizeof(answers) / sizeof(answers[0]); j++)
			CHECK_EQ(ask(servers, 0, answers[j]), DEBUGINFOD_NO_CHANGE);
	debuginfod_servers_note_known(servers, 0);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_KNOWN], 1);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_HITS], 5);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_MISSES], 5);
	CHECK_EQ(state_of(servers, 0).counts[DEBUGINFOD_SERVER_FAILURES], 10);
	CHECK_EQ(state_of(servers, 0).failing_since_ns, 0);
	CHECK_EQ(state_of(servers, 0).error, -EFBIG);
	debuginfod_servers_free(servers);
}

static void counters_have_names(void)
{
	for (int i = 0; i < DEBUGINFOD_SERVER_COUNTER_COUNT; i++) {
		CHECK(*debuginfod_counter_name(i));
		CHECK(*debuginfod_counter_meaning(i));
	}
	CHECK_STR(debuginfod_counter_name(DEBUGINFOD_SERVER_SPARED), "spared");
}

int main(void)
{
	RUN(servers_stand_in_their_order);
	RUN(what_is_no_list_of_servers_is_refused);
	RUN(a_server_that_fails_rests_and_the_other_does_not);
	RUN(rests_grow_up_to_a_limit_and_one_question_tries);
	RUN(a_try_that_hangs_keeps_others_for_a_while_only);
	RUN(a_server_that_asks_for_time_gets_it);
	RUN(no_answer_but_a_failure_makes_it_rest);
	RUN(counters_have_names);
	return 0;
}
