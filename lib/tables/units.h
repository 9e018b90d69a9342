/* SPDX-License-Identifier: GPL-2.0 */
/* Units of time, for BPF programs and user space. */
#ifndef NETSTACKLAT_UNITS_H
#define NETSTACKLAT_UNITS_H

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define NS_PER_S 1000000000LL

#endif
