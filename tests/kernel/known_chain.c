/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/kernel/known_chain.h"

#include <inttypes.h>

#include "store/base/cleanup.h"
#include "tests/support/check.h"

#define NAMES_MAX 262144
/* No level: some other function. */
#define LEVEL_OTHER (-2)
#define LEVEL_LEAF (-1)

struct named {
	uint64_t start;
	uint64_t end;
	int level;
};

static struct named names[NAMES_MAX];
static uint32_t name_count;

void known_chain_init(struct known_chain *chain, uint32_t depth)
{
	*chain = (struct known_chain){.depth = depth};
}

void known_chain_done(struct known_chain *chain)
{
	free(chain->words);
}

void known_chain_add(void *context, const struct event_sample *sample)
{
	struct known_chain *chain = context;
	size_t more = 1 + (size_t)sample->user_frame_count;

	if (chain->word_count + more > chain->word_capacity) {
		chain->word_capacity = chain->word_capacity * 2 + more;
		chain->words =
			realloc(chain->words, chain->word_capacity * sizeof(chain->words[0]));
		CHECK(chain->words != NULL);
	}
	chain->words[chain->word_count] = sample->user_frame_count;
	memcpy(chain->words + chain->word_count + 1, sample->ips + sample->kernel_frame_count,
		sample->user_frame_count * sizeof(uint64_t));
	chain->word_count += more;
}

/* The last word of a name that may have others around it: `JS:*level_3 file.js:4`, `main.leaf`. */
static int level_of(const char *name)
{
	const char *at = strstr(name, "level_");
	unsigned number;

	if (at && sscanf(at, "level_%u", &number) == 1)
		return (int)number;
	at = strstr(name, "leaf");
	if (at && (at == name || strchr(".*~^+:", at[-1])) && strchr(" \n", at[4]))
		return LEVEL_LEAF;
	return LEVEL_OTHER;
}

/* A later line is about newer code at the same place. */
static int level_at(uint64_t address)
{
	for (uint32_t i = name_count; i-- > 0;)
		if (address >= names[i].start && address < names[i].end)
			return names[i].level;
	return LEVEL_OTHER;
}

static void read_names(const char *path)
{
	SCOPED_FILE FILE *file = fopen(path, "re");
	char line[1024];

	name_count = 0;
	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file)) {
		uint64_t start, size;
		int at;

		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &start, &size, &at) != 2)
			continue;
		if (level_of(line + at) == LEVEL_OTHER)
			continue;
		CHECK(name_count < NAMES_MAX);
		names[name_count++] = (struct named){start, start + size, level_of(line + at)};
	}
}

static void check_stack(struct known_chain *chain, const uint64_t *ips, uint64_t count)
{
	uint64_t leaf = 0;
	uint32_t level = 0;

	while (leaf < count && level_at(ips[leaf] - (leaf > 0)) != LEVEL_LEAF)
		leaf++;
	if (leaf == count)
		return;
	chain->checked++;
	while (level < chain->depth && leaf + 1 + level < count &&
		level_at(ips[leaf + 1 + level] - 1) == (int)level)
		level++;
	chain->right += level == chain->depth;
}

void known_chain_check(struct known_chain *chain, const char *path)
{
	read_names(path);
	for (size_t at = 0; at < chain->word_count; at += 1 + chain->words[at])
		check_stack(chain, chain->words + at + 1, chain->words[at]);
}
