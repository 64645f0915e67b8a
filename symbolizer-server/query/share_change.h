/* SPDX-License-Identifier: Apache-2.0 */
/* Share change: how much a part of one profile grew against another, and whether that is noise.
 *
 * What it is   a part's share of each of two totals, and the chance that shares of equal programs
 *              lie that far apart. Each side is given in groups of time, so that the spread between
 *              groups tells how steady it is (a ratio estimate, Welch's t); a steadier part than
 *              counting samples allows is taken for no steadier than that (pooled binomial).
 * Ownership    values only; arrays are borrowed for the call.
 * Threads      any.
 * Errors       none: a side without samples gives p = 1.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sixteen groups estimate a spread within a fifth; more cost memory for each node of a tree. */
#define SHARE_GROUP_COUNT_MAX 16
/* A change is called one if chance gives it less than once in a hundred: of a thousand functions
 * that did not change, ten are then taken for changed. */
#define SHARE_CHANGE_P_MAX 0.01

struct share_side {
	const int64_t *parts; /* the part's value in each group; none is negative */
	const int64_t *totals; /* that of everything, likewise */
	uint32_t group_count; /* at most SHARE_GROUP_COUNT_MAX */
	uint64_t sample_count; /* behind all totals together */
};

struct share_change {
	double left; /* share, 0 to 1; 0 where the total is 0 */
	double right;
	double error; /* standard error of right - left */
	double p; /* of a difference at least this large by chance, both ways */
};

struct share_change share_change_of(const struct share_side *left, const struct share_side *right);
/* Whether P says that it is not chance. */
bool share_change_is_real(const struct share_change *change);

/* The chance that Student's t with FREEDOM degrees lies further from 0 than T; FREEDOM above a
 * million is the normal distribution. */
double student_two_sided(double t, double freedom);
