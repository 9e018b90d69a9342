/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of sockets as text. */
#ifndef NETSTACKLAT_SOCKET_ADDRESSES_H
#define NETSTACKLAT_SOCKET_ADDRESSES_H

#include <netinet/in.h>
#include <stddef.h>

#include "lib/tables/group_row.h"

/*
 * Makes text of an address in network byte order; one of AF_INET is in the first word. IPv4 over a
 * socket that speaks both is written as IPv4. If it is the address of any host, text stays as it
 * is.
 */
void socket_address_print(const __be32 address[4], uint16_t family, char text[INET6_ADDRSTRLEN]);

/*
 * Writes "LOCAL:PORT", with "-REMOTE:PORT" behind it if it is connected: *:53,
 * 192.0.2.2:80-[2001:db8::1]:4711.
 */
void socket_addresses_print(const struct socket_addresses *addresses, char *text, size_t size);

#endif
