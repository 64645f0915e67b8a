/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/tally/tally.h"

#include "store/base/must.h"

#define TALLY_NAME(name, meaning) [TALLY_##name] = #name,
#define TALLY_MEANING(name, meaning) [TALLY_##name] = (meaning),

static const char *const names[TALLY_MAX] = {TALLY_LIST(TALLY_NAME)};
static const char *const meanings[TALLY_MAX] = {TALLY_LIST(TALLY_MEANING)};

const char *tally_name(enum tally_counter counter)
{
	must(counter < TALLY_MAX);
	return names[counter];
}

const char *tally_meaning(enum tally_counter counter)
{
	must(counter < TALLY_MAX);
	return meanings[counter];
}
