/* SPDX-License-Identifier: Apache-2.0 */
/* Pprof export: a tree as a `google.v1.Profile`.
 *
 * What it is   a sample for each stack, a location for each function (with its line, if functions are
 *              told apart by lines), a mapping for each module of a build. What has no name is a
 *              location of its address in the module's file, for tools that have the file. Values of
 *              labels above the functions are labels of the samples.
 * Ownership    borrows everything.
 * Threads      one owner.
 * Errors       -ENOMEM; -E2BIG: too many texts; the writer's own are sticky there.
 */
#pragma once

#include "symbolizer-server/export/export_about.h"
#include "symbolizer-server/querier/reply_writer.h"
#include "symbolizer-server/query/level_tree.h"

int pprof_export_write(struct reply_writer *writer, const struct level_tree *tree,
	const struct export_about *about);
