/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolizer-server/status/host_feature.h"

#include <string.h>

#include "proto/wire/collector_feature.h"

#define FEATURE_ROW(name, loss) {#name, loss},

static const struct {
	const char *name;
	const char *loss;
} rows[] = {FEATURE_LIST(FEATURE_ROW)};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

uint32_t host_feature_rank(const char *name)
{
	for (uint32_t i = 0; i < ROW_COUNT; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return i;
	}
	return HOST_FEATURE_UNKNOWN;
}

const char *host_feature_loss(uint32_t rank)
{
	return rank < ROW_COUNT ? rows[rank].loss : "";
}
