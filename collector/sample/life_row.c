/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/sample/life_row.h"

#include <string.h>

#include "collector/sample/kernel_thread.h"

#define OTHER "[other]"

static struct life_name name_of(const char *text)
{
	return (struct life_name){text, strlen(text)};
}

/* NAME comes from the kernel: closed, or full to its last byte. */
static struct life_name name_of_comm(const char *comm)
{
	return (struct life_name){comm, strnlen(comm, COMM_BYTES)};
}

int life_row_add(void *profile, const struct life_key *key, const struct life_values *values)
{
	struct life_table *lives = &((struct profile *)profile)->lives;
	struct life_name command = name_of_comm(key->command), parent = name_of_comm(key->parent);
	char kernel_parent[KERNEL_THREAD_NAME_BYTES];
	struct life_sums sums = {
		.execs = values->execs,
		.forks = values->forks,
		.exits = values->exits,
		.bare_exits = values->bare_exits,
		.cpu_ns = values->cpu_ns,
		.lifetime_ns = values->lifetime_ns,
	};

	if (key->flags & LIFE_PARENT_IS_KERNEL) {
		kernel_thread_name(key->parent, kernel_parent);
		parent = name_of(kernel_parent);
	}
	if (command.length == 0)
		command = parent = name_of(OTHER);
	return life_table_add(lives, command, parent, &sums);
}
