/* SPDX-License-Identifier: Apache-2.0 */
/* Unread marks: which files that were taken in still have to be read, across the end of a server.
 *
 * What it is   a folder of small files named `BUILD-ID.NUMBER`, each with the name of the module. A
 *              mark is set before a sender is told that its file was taken, and removed once that was
 *              read; those of an earlier run say what to read first.
 * Ownership    owns its folder's descriptor and the list of old marks.
 * Threads      any.
 * Errors       those of open, write and fsync; -ENOMEM.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "store/profile/build_id.h"

#define UNREAD_NAME_MAX 256
/* More than can wait at a time; what an earlier run left beyond that is read when it is named. */
#define UNREAD_OLD_MAX 1024u

struct unread_old {
	struct build_id id;
	uint32_t number;
	char name[UNREAD_NAME_MAX];
};

struct unread_marks {
	pthread_mutex_t lock;
	int folder_fd;
	struct unread_old *old; /* of earlier runs */
	uint32_t old_count;
	uint32_t old_capacity;
	uint32_t next_number;
};

/* Opens FOLDER, which must exist. */
int unread_marks_init(struct unread_marks *marks, const char *folder);
/* Accepts what was never initialised, with a folder_fd of -1. */
void unread_marks_done(struct unread_marks *marks);
/* On the disk when it answers. */
int unread_marks_add(struct unread_marks *marks, const struct build_id *id, const char *name,
	uint32_t *ret_number);
void unread_marks_remove(struct unread_marks *marks, const struct build_id *id, uint32_t number);
/* The INDEXth mark of an earlier run; false: there are fewer. Only before one is forgotten. */
bool unread_marks_old(const struct unread_marks *marks, uint32_t index, struct unread_old *ret_old);
/* All that earlier runs left of ID was read. */
void unread_marks_forget_old(struct unread_marks *marks, const struct build_id *id);
