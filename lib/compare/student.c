// SPDX-License-Identifier: GPL-2.0
#include "lib/compare/student.h"

#include <math.h>

#define MAX_TERMS 500
#define PRECISION 1e-14
/* Instead of zero, which nothing can be divided by (Lentz). */
#define TINY 1e-300

static double not_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, by the modified method of Lentz. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), fraction = d;

	for (int m = 1; m <= MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		fraction *= c * d;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		fraction *= c * d;
		if (fabs(c * d - 1) < PRECISION)
			break;
	}
	return fraction;
}

/* The regularised incomplete beta function. The fraction converges fast on one side. */
static double beta(double a, double b, double x)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The probability that t is exceeded. */
static double exceeded(double t, unsigned int degrees)
{
	return t > 0 ? beta(degrees / 2.0, 0.5, degrees / (degrees + t * t)) / 2 : 0.5;
}

double student_upper(double p, unsigned int degrees)
{
	double low = 0, high = 1;

	while (exceeded(high, degrees) > p)
		high *= 2;
	while (high - low > 1e-9 * high) {
		double middle = (low + high) / 2;

		if (exceeded(middle, degrees) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}
