// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/filters/kind.h"

#define IPV4_BITS 32
#define IPV6_BITS 128
/* The prefix of IPv4-mapped addresses (RFC 4291). */
#define MAPPED_BITS (IPV6_BITS - IPV4_BITS)

/* Fills in the protocol and the address. Returns the length in bits, or 0 if it is no address. */
static unsigned int parse_address(const char *text, struct remote_key *key)
{
	*key = (struct remote_key){ .protocol = htons(ETH_P_IP) };
	if (inet_pton(AF_INET, text, key->address) == 1)
		return IPV4_BITS;
	key->protocol = htons(ETH_P_IPV6);
	return inet_pton(AF_INET6, text, key->address) == 1 ? IPV6_BITS : 0;
}

/* No packet carries such an address, so ::ffff:192.0.2.0/120 means 192.0.2.0/24. */
static void unmap(struct remote_key *key, uint64_t *length)
{
	if (key->protocol != htons(ETH_P_IPV6) || *length < MAPPED_BITS ||
	    !IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)key->address))
		return;
	*key = (struct remote_key){ .protocol = htons(ETH_P_IP), .address = { key->address[3] } };
	*length -= MAPPED_BITS;
}

/* "192.0.2.1", "192.0.2.0/24", "2001:db8::/32" */
static bool parse_remote(const char *element, struct remote_key *key)
{
	const char *slash = strchrnul(element, '/');
	char address[INET6_ADDRSTRLEN];
	uint64_t length;

	if (slash - element >= (int)sizeof(address))
		return false;
	memcpy(address, element, slash - element);
	address[slash - element] = '\0';
	length = parse_address(address, key);
	if (!length || (*slash && !list_number(slash + 1, length, &length)))
		return false;
	unmap(key, &length);
	key->prefix_length = REMOTE_PROTOCOL_BITS + length;
	return true;
}

static bool is_possible(const char *element)
{
	struct remote_key key;

	return parse_remote(element, &key);
}

static int add(struct filters *filters, const char *element)
{
	struct remote_key key;

	return parse_remote(element, &key) ? filter_add_key(filters, FILTER_REMOTE, &key) : -EINVAL;
}

const struct filter_kind filter_by_remote = {
	.expected = "IPv4 or IPv6 addresses, or prefixes such as 192.0.2.0/24",
	.is_possible = is_possible,
	.add = add,
	.map = "filter_remotes",
	.key_size = sizeof(struct remote_key),
};
