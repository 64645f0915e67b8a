/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/intake.h"

#include "tests/support/check.h"

static struct {
	int opened, written, finished, closed;
	size_t byte_count;
	bool refuse_open, refuse_write, answers_later;
} seen;

static void *take_open(
	void *context, const struct http_request *request, struct http_answer *answer)
{
	(void)context;
	(void)request;
	seen.opened++;
	if (!seen.refuse_open)
		return &seen;
	http_answer_error(answer, 400, "no");
	return NULL;
}

static bool take_write(
	void *upload, const void *bytes, size_t byte_count, struct http_answer *answer)
{
	CHECK(upload == &seen);
	for (size_t i = 0; i < byte_count; i++)
		CHECK_EQ(((const uint8_t *)bytes)[i], (uint8_t)(seen.byte_count + i));
	seen.written++;
	seen.byte_count += byte_count;
	if (seen.refuse_write)
		http_answer_error(answer, 413, "no");
	return !seen.refuse_write;
}

static bool take_finish(void *upload, const struct http_later *later, struct http_answer *answer)
{
	CHECK(upload == &seen);
	CHECK(later->exchange == &seen);
	seen.finished++;
	if (!seen.answers_later)
		http_answer_begin(answer, 200, "text/plain");
	return !seen.answers_later;
}

static void take_close(void *upload)
{
	CHECK(upload == &seen);
	seen.closed++;
}

static const struct http_receiver receiver = {take_open, take_write, take_finish, take_close};
static const struct http_request request;
static const struct intake_place place = {NULL, &request, {NULL, &seen}};

/* Fills in and steps as a server does. */
static struct http_answer send_body(size_t byte_count, size_t piece)
{
	struct http_answer answer;
	struct intake intake;
	size_t at = 0;
	uint8_t bytes[8192];

	http_answer_init(&answer);
	intake_init(&intake, &receiver);
	while (at < byte_count) {
		size_t count = byte_count - at < piece ? byte_count - at : piece;

		for (size_t i = 0; i < count; i++)
			bytes[i] = (uint8_t)(at + i);
		at += count;
		if (intake_fill(&intake, bytes, count))
			intake_step(&intake, &place, &answer);
	}
	intake.ended = true;
	intake_step(&intake, &place, &answer);
	CHECK(intake.over);
	intake_done(&intake);
	return answer;
}

static void reset(void)
{
	memset(&seen, 0, sizeof(seen));
}

static void a_body_arrives_whole_and_in_few_pieces(void)
{
	struct http_answer answer;

	reset();
	answer = send_body(3 * INTAKE_PIECE_BYTES + 5, 4096);
	CHECK_EQ(answer.status, 200);
	CHECK_EQ(seen.byte_count, 3 * INTAKE_PIECE_BYTES + 5);
	CHECK_EQ(seen.written, 4);
	CHECK_EQ(seen.opened, 1);
	CHECK_EQ(seen.finished, 1);
	CHECK_EQ(seen.closed, 1);
	http_answer_done(&answer);
}

static void an_empty_body_is_finished_too(void)
{
	struct http_answer answer;

	reset();
	answer = send_body(0, 1);
	CHECK_EQ(answer.status, 200);
	CHECK_EQ(seen.written, 0);
	CHECK_EQ(seen.finished, 1);
	CHECK_EQ(seen.closed, 1);
	http_answer_done(&answer);
}

static void an_answer_may_come_later(void)
{
	struct http_answer answer;

	reset();
	seen.answers_later = true;
	answer = send_body(10, 4);
	CHECK_EQ(seen.finished, 1);
	/* By intake_done, as there is no answer before. */
	CHECK_EQ(seen.closed, 1);
	http_answer_done(&answer);
}

static void what_is_refused_gets_nothing_more(void)
{
	struct http_answer answer;

	reset();
	seen.refuse_open = true;
	answer = send_body(2 * INTAKE_PIECE_BYTES, 8192);
	CHECK_EQ(answer.status, 400);
	CHECK_EQ(seen.opened, 1);
	CHECK_EQ(seen.written, 0);
	CHECK_EQ(seen.finished, 0);
	CHECK_EQ(seen.closed, 0);
	http_answer_done(&answer);
	reset();
	seen.refuse_write = true;
	answer = send_body(5 * INTAKE_PIECE_BYTES, 8192);
	CHECK_EQ(answer.status, 413);
	CHECK_EQ(seen.written, 1);
	CHECK_EQ(seen.finished, 0);
	CHECK_EQ(seen.closed, 1);
	http_answer_done(&answer);
}

static void a_client_that_goes_away_closes_without_an_end(void)
{
	struct http_answer answer;
	struct intake intake;

	reset();
	http_answer_init(&answer);
	intake_init(&intake, &receiver);
	CHECK(!intake_fill(&intake, "\0\1\2", 3));
	intake_step(&intake, &place, &answer);
	intake_done(&intake);
	CHECK_EQ(seen.byte_count, 3);
	CHECK_EQ(seen.finished, 0);
	CHECK_EQ(seen.closed, 1);
	intake_done(&intake);
	http_answer_done(&answer);
}

int main(void)
{
	RUN(a_body_arrives_whole_and_in_few_pieces);
	RUN(an_empty_body_is_finished_too);
	RUN(an_answer_may_come_later);
	RUN(what_is_refused_gets_nothing_more);
	RUN(a_client_that_goes_away_closes_without_an_end);
	return 0;
}
