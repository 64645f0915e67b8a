/* SPDX-License-Identifier: Apache-2.0 */
/* Agent: the collector at work.
 *
 * What it is   owns every part, starts them in the order in which they need each other, and turns
 *              the one loop: samples and records once a second, windows when they end, wants and
 *              status when somebody asks.
 * Ownership    agent_run owns everything that it makes.
 * Threads      one loop; the sink has its own threads.
 * Errors       negative errno; a line in the log says what and what to do.
 */
#pragma once

#include "collector/settings.h"

/* Samples until SIGTERM or SIGINT, then sends what is there and gives 0. */
int agent_run(const struct settings *settings);
