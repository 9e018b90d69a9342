/* SPDX-License-Identifier: GPL-2.0 */
/* Student's t distribution. */
#ifndef NETSTACKLAT_STUDENT_H
#define NETSTACKLAT_STUDENT_H

/*
 * The t that a sample of so many degrees of freedom (1 or more) exceeds with probability p, from
 * 1e-9 to 0.5. By the incomplete beta function (DLMF 8.17.22, its continued fraction) and
 * bisection.
 */
double student_upper(double p, unsigned int degrees);

#endif
