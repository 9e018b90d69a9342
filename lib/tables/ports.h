/* SPDX-License-Identifier: GPL-2.0 */
/* Which ports are whose: for BPF programs and user space. */
#ifndef NETSTACKLAT_PORTS_H
#define NETSTACKLAT_PORTS_H

/* From this port on, the kernel gives ports to clients: net.ipv4.ip_local_port_range by default. */
#define FIRST_EPHEMERAL_PORT 32768

#endif
