/* SPDX-License-Identifier: Apache-2.0 */
/* The share s = sum of parts / sum of totals is a ratio estimate: with the residuals
 * d_k = part_k - s * total_k of n groups its variance is n / (n - 1) * sum of d_k^2 / total^2. Groups
 * without anything in them say nothing and are left out. */
#include "symbolizer-server/query/share_change.h"

#include <math.h>

/* Continued fractions of the beta function settle within a few dozen steps. */
#define FRACTION_STEPS_MAX 300
#define FRACTION_PRECISION 1e-13
#define SMALLEST 1e-300
#define FREEDOM_NORMAL 1e6

struct estimate {
	double total;
	double share;
	double variance; /* by the spread between groups; 0 if there is only one */
	double freedom; /* degrees of freedom behind it; 0 if there is only one group */
};

static struct estimate estimate_of(const struct share_side *side)
{
	struct estimate estimate = {0};
	double part = 0, squares = 0;
	uint32_t groups = 0;

	for (uint32_t i = 0; i < side->group_count; i++) {
		part += (double)side->parts[i];
		estimate.total += (double)side->totals[i];
		groups += side->totals[i] > 0;
	}
	if (estimate.total <= 0)
		return estimate;
	estimate.share = part / estimate.total;
	if (groups < 2)
		return estimate;
	for (uint32_t i = 0; i < side->group_count; i++) {
		double rest = (double)side->parts[i] - estimate.share * (double)side->totals[i];

		squares += rest * rest;
	}
	estimate.freedom = groups - 1;
	estimate.variance = groups / estimate.freedom * squares / (estimate.total * estimate.total);
	return estimate;
}

/* Lentz' way to add up the continued fraction of the incomplete beta function. */
static double beta_fraction(double a, double b, double x)
{
	double numerator = 1, denominator, product;

	denominator = 1 - (a + b) * x / (a + 1);
	denominator = 1 / (fabs(denominator) < SMALLEST ? SMALLEST : denominator);
	product = denominator;
	for (int m = 1; m <= FRACTION_STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double factor;

		denominator = 1 + even * denominator;
		numerator = 1 + even / numerator;
		denominator = 1 / (fabs(denominator) < SMALLEST ? SMALLEST : denominator);
		numerator = fabs(numerator) < SMALLEST ? SMALLEST : numerator;
		product *= denominator * numerator;
		denominator = 1 + odd * denominator;
		numerator = 1 + odd / numerator;
		denominator = 1 / (fabs(denominator) < SMALLEST ? SMALLEST : denominator);
		numerator = fabs(numerator) < SMALLEST ? SMALLEST : numerator;
		factor = denominator * numerator;
		product *= factor;
		if (fabs(factor - 1) < FRACTION_PRECISION)
			break;
	}
	return product;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	/* The fraction settles fast on one side of its mean only. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double freedom)
{
	if (isnan(t))
		return 1;
	if (freedom > FREEDOM_NORMAL)
		return erfc(fabs(t) / sqrt(2));
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

/* The variance that counting alone gives a share, if both sides have the same one. */
static double counting_variance(double pooled, uint64_t sample_count)
{
	return pooled * (1 - pooled) / (double)sample_count;
}

struct share_change share_change_of(const struct share_side *left, const struct share_side *right)
{
	struct estimate a = estimate_of(left), b = estimate_of(right);
	struct share_change change = {.left = a.share, .right = b.share, .p = 1};
	double spread, counting, pooled, freedom = INFINITY;

	if (a.total <= 0 || b.total <= 0 || left->sample_count == 0 || right->sample_count == 0)
		return change;
	pooled = (a.share * (double)left->sample_count + b.share * (double)right->sample_count) /
		((double)left->sample_count + (double)right->sample_count);
	counting = counting_variance(pooled, left->sample_count) +
		counting_variance(pooled, right->sample_count);
	spread = a.variance + b.variance;
	/* Welch's degrees of freedom, where the spread is what decides. */
	if (a.freedom > 0 && b.freedom > 0 && spread > counting) {
		freedom = spread * spread /
			(a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
	}
	change.error = sqrt(spread > counting ? spread : counting);
	if (change.error > 0)
		change.p = student_two_sided((b.share - a.share) / change.error, freedom);
	return change;
}

bool share_change_is_real(const struct share_change *change)
{
	return change->p < SHARE_CHANGE_P_MAX;
}
