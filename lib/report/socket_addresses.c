// SPDX-License-Identifier: GPL-2.0
#include "lib/report/socket_addresses.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void socket_address_print(const __be32 address[4], uint16_t family, char text[INET6_ADDRSTRLEN])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!(address[0] | address[1] | address[2] | address[3]))
		return;
	if (family == AF_INET)
		inet_ntop(AF_INET, address, text, INET6_ADDRSTRLEN);
	else if (!memcmp(address, mapped, sizeof(mapped)))
		inet_ntop(AF_INET, &address[3], text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, address, text, INET6_ADDRSTRLEN);
}

/* Returns how long that is. */
static int print_endpoint(const __be32 address[4], uint16_t port, uint16_t family, char *text,
			  size_t size)
{
	char host[INET6_ADDRSTRLEN] = "*";

	socket_address_print(address, family, host);
	return snprintf(text, size, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, ntohs(port));
}

void socket_addresses_print(const struct socket_addresses *addresses, char *text, size_t size)
{
	int length = print_endpoint(addresses->local, addresses->local_port, addresses->family,
				    text, size);

	if (!addresses->remote_port)
		return;
	text[length++] = '-';
	print_endpoint(addresses->remote, addresses->remote_port, addresses->family, text + length,
		       size - length);
}
