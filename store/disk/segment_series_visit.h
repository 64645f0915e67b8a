/* SPDX-License-Identifier: Apache-2.0 */
/* Segment series visit: pieces out of totals of series.
 *
 * What it is   hours that lie in one step from totals by the hour; hours that are cut on the grid of
 *              10 s from buckets; what is left to do is left to rows.
 * Ownership    as struct segment_plan.
 * Threads      one owner.
 * Errors       -ENOMEM, errors of reading; damage is counted in the visit.
 */
#pragma once

#include "store/disk/segment_visit.h"

int segment_series_visit(struct segment_plan *plan);
