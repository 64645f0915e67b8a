/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/wire/collector_feature.h"

#include <string.h>

#define FEATURE_ROW(name, loss) {#name, loss},

static const struct {
	const char *name;
	const char *loss;
} rows[] = {FEATURE_LIST(FEATURE_ROW)};

uint32_t feature_rank(const char *name)
{
	for (uint32_t i = 0; i < FEATURE_COUNT; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return i;
	}
	return FEATURE_UNKNOWN;
}

const char *feature_name(uint32_t rank)
{
	return rank < FEATURE_COUNT ? rows[rank].name : "";
}

const char *feature_loss(uint32_t rank)
{
	return rank < FEATURE_COUNT ? rows[rank].loss : "";
}
