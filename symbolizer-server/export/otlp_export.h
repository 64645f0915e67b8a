/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP export: a tree as an OpenTelemetry export request (profiles, v1development).
 *
 * What it is   one profile of one resource: a sample for each stack, with the tables of the dictionary.
 *              Build-IDs are attributes of mappings, values of labels attributes of samples.
 * Ownership    borrows everything.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many texts; the writer's own are sticky there.
 */
#pragma once

#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/querier/reply_writer.h"
#include "symbolizer-server/query/level_tree.h"

int otlp_export_write(struct reply_writer *writer, const struct level_tree *tree,
	const struct export_about *about);
