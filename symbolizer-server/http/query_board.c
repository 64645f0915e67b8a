/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/http/query_board.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A few workers at most run queries. */
#define PLACE_COUNT 32

struct query_place {
	char id[QUERY_BOARD_ID_LENGTH_MAX + 1]; /* empty: free */
	struct query_state state;
};

struct query_board {
	pthread_mutex_t lock;
	struct query_place places[PLACE_COUNT];
};

int query_board_new(struct query_board **ret_board)
{
	struct query_board *board = calloc(1, sizeof(*board));

	if (!board)
		return -ENOMEM;
	pthread_mutex_init(&board->lock, NULL);
	*ret_board = board;
	return 0;
}

void query_board_free(struct query_board *board)
{
	if (!board)
		return;
	pthread_mutex_destroy(&board->lock);
	free(board);
}

bool query_board_is_id(const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length > QUERY_BOARD_ID_LENGTH_MAX)
		return false;
	for (; *text; text++) {
		if (!isalnum((unsigned char)*text) && *text != '-' && *text != '_')
			return false;
	}
	return true;
}

struct query_place *query_board_begin(struct query_board *board, const char *id, uint64_t now_ns)
{
	struct query_place *place = NULL;

	if (!board || !id || !query_board_is_id(id))
		return NULL;
	pthread_mutex_lock(&board->lock);
	for (uint32_t i = 0; !place && i < PLACE_COUNT; i++) {
		if (!board->places[i].id[0])
			place = &board->places[i];
	}
	if (place) {
		memcpy(place->id, id, strlen(id) + 1);
		place->state = (struct query_state){.begun_ns = now_ns};
	}
	pthread_mutex_unlock(&board->lock);
	return place;
}

void query_board_note(
	struct query_board *board, struct query_place *place, enum query_stage stage, double done)
{
	if (!board || !place)
		return;
	pthread_mutex_lock(&board->lock);
	place->state.stage = stage;
	place->state.done = done;
	pthread_mutex_unlock(&board->lock);
}

void query_board_end(struct query_board *board, struct query_place *place)
{
	if (!board || !place)
		return;
	pthread_mutex_lock(&board->lock);
	place->id[0] = '\0';
	pthread_mutex_unlock(&board->lock);
}

bool query_board_find(struct query_board *board, const char *id, struct query_state *ret_state)
{
	bool found = false;

	if (!board)
		return false;
	pthread_mutex_lock(&board->lock);
	for (uint32_t i = 0; !found && i < PLACE_COUNT; i++) {
		found = board->places[i].id[0] && strcmp(board->places[i].id, id) == 0;
		if (found)
			*ret_state = board->places[i].state;
	}
	pthread_mutex_unlock(&board->lock);
	return found;
}

const char *query_stage_text(enum query_stage stage)
{
	static const char *const texts[] = {[QUERY_READING] = "reading",
		[QUERY_NAMING] = "naming",
		[QUERY_WRITING] = "writing"};

	return texts[stage];
}
