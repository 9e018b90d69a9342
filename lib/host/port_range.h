/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETSTACKLAT_PORT_RANGE_H
#define NETSTACKLAT_PORT_RANGE_H

#include <stdint.h>

/*
 * Finds the ports from which the kernel chooses clients' ports, in our own namespace. Leaves them
 * as they are if it does not tell.
 */
void local_port_range(uint16_t *first, uint16_t *last);

#endif
