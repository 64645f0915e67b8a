/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/query/function_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_text(const struct string_table *strings, uint32_t string, const char *text)
{
	size_t length = strlen(text);

	return string_table_length(strings, string) == length &&
		memcmp(string_table_text(strings, string), text, length) == 0;
}

static int is_wanted(const struct function_table *functions, const struct function *function,
	const struct function_wanted *wanted, bool *ret_wanted)
{
	const struct string_table *strings = &functions->strings;
	uint32_t shown = function->plain ? function->plain : function->name;

	*ret_wanted = false;
	if (wanted->module && !is_text(strings, function->module, wanted->module))
		return 0;
	if (!wanted->name) {
		return pattern_matches(wanted->pattern, string_table_text(strings, shown),
			string_table_length(strings, shown), ret_wanted);
	}
	*ret_wanted = is_text(strings, shown, wanted->name);
	return 0;
}

static int choose_functions(const struct function_table *functions,
	const struct function_wanted *wanted, bool *ret_chosen)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < functions->count; i++)
		r = is_wanted(functions, &functions->functions[i], wanted, &ret_chosen[i]);
	return r;
}

static uint8_t flags_of(
	const struct naming *naming, const struct naming_chain *chain, const bool *chosen)
{
	uint8_t flags = 0;

	for (uint32_t i = 0; i < chain->count; i++) {
		bool is_chosen = chosen[naming->links[chain->first + i]];

		flags |= is_chosen ? FUNCTION_MATCH_IN : 0;
		if (is_chosen && i + 1 == chain->count)
			flags |= FUNCTION_MATCH_SELF;
	}
	return flags;
}

int function_match_init(struct function_match *match, struct merge *merge,
	const struct naming *naming, const struct function_table *functions,
	const struct function_wanted *wanted)
{
	/* One more than needed, so that none is no special case. */
	bool *chosen = calloc((size_t)functions->count + 1, sizeof(*chosen));
	int r = -ENOMEM;

	*match = (struct function_match){.merge = merge, .frame_count = naming->frame_count};
	match->frames = calloc((size_t)naming->frame_count + 1, sizeof(*match->frames));
	if (chosen && match->frames)
		r = choose_functions(functions, wanted, chosen);
	for (uint32_t i = 0; r == 0 && i < naming->frame_count; i++)
		match->frames[i] = flags_of(naming, &naming->chains[i], chosen);
	free(chosen);
	if (r < 0)
		function_match_done(match);
	return r;
}

void function_match_done(struct function_match *match)
{
	free(match->frames);
	free(match->stacks);
	*match = (struct function_match){0};
}

static int reserve(struct function_match *match, uint32_t count)
{
	if (count <= match->stack_capacity)
		return 0;
	free(match->stacks);
	match->stack_capacity = 0;
	match->stacks = malloc(count * sizeof(*match->stacks));
	if (!match->stacks)
		return -ENOMEM;
	match->stack_capacity = count;
	return 0;
}

int function_match_open(struct function_match *match, const struct profile *profile)
{
	const struct stack_node *nodes = profile->stacks.nodes;
	int r;

	if (profile->dictionary != 0 && profile->dictionary == match->dictionary)
		return 0;
	match->dictionary = 0;
	r = reserve(match, profile->stacks.count);
	if (r == 0)
		r = merge_open(match->merge, profile);
	if (r < 0)
		return r;
	match->stacks[0] = 0;
	for (uint32_t i = 1; i < profile->stacks.count; i++) {
		/* Being in the function is handed down, being it is not. */
		uint8_t flags = match->stacks[nodes[i].parent] & (uint8_t)~FUNCTION_MATCH_SELF;
		uint32_t frame;

		r = merge_map_frame(match->merge, profile, nodes[i].frame, &frame);
		if (r < 0)
			return r;
		flags |= frame < match->frame_count ? match->frames[frame] : FUNCTION_MATCH_LATER;
		match->stacks[i] = flags;
	}
	match->dictionary = profile->dictionary;
	return 0;
}
