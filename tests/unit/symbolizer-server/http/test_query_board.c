/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/query_board.h"

#include "tests/support/check.h"

static void a_query_is_found_while_it_runs(void)
{
	struct query_board *board;
	struct query_place *place;
	struct query_state state;

	CHECK_EQ(query_board_new(&board), 0);
	CHECK(!query_board_find(board, "mine", &state));
	place = query_board_begin(board, "mine", 5);
	CHECK(place);
	query_board_note(board, place, QUERY_NAMING, 0.5);
	CHECK(query_board_find(board, "mine", &state));
	CHECK_EQ(state.begun_ns, 5);
	CHECK_EQ(state.stage, QUERY_NAMING);
	CHECK(state.done == 0.5);
	CHECK_STR(query_stage_text(state.stage), "naming");
	CHECK(!query_board_find(board, "yours", &state));
	query_board_end(board, place);
	CHECK(!query_board_find(board, "mine", &state));
	query_board_free(board);
}

static void what_finds_no_place_is_not_told_of(void)
{
	struct query_board *board;
	struct query_place *place = NULL, *last;
	struct query_state state;

	CHECK_EQ(query_board_new(&board), 0);
	CHECK(!query_board_begin(board, NULL, 0));
	CHECK(!query_board_begin(board, "a b", 0));
	CHECK(!query_board_begin(NULL, "a", 0));
	query_board_note(board, NULL, QUERY_READING, 1);
	query_board_end(board, NULL);
	do {
		last = place;
		place = query_board_begin(board, "a", 0);
	} while (place);
	CHECK(last);
	query_board_end(board, last);
	CHECK(query_board_begin(board, "b", 0));
	CHECK(query_board_find(board, "b", &state));
	query_board_free(board);
}

static void ids_are_short_words(void)
{
	char longest[QUERY_BOARD_ID_LENGTH_MAX + 2];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK(!query_board_is_id(longest));
	CHECK(query_board_is_id(longest + 1));
	CHECK(query_board_is_id("Az09-_"));
	CHECK(!query_board_is_id(""));
	CHECK(!query_board_is_id("a/b"));
}

int main(void)
{
	RUN(a_query_is_found_while_it_runs);
	RUN(what_finds_no_place_is_not_told_of);
	RUN(ids_are_short_words);
	return 0;
}
