// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/list.h"
#include "lib/filters/kind.h"

#define IPV4_BITS 32
#define IPV6_BITS 128

/* Fills in the address; IPv4 is ::ffff:a.b.c.d. Returns how many bits of the key are before it. */
static int parse_address(const char *text, struct remote_key *key)
{
	if (inet_pton(AF_INET, text, &key->address[3]) == 1) {
		key->address[2] = htonl(0xffff);
		return IPV6_BITS - IPV4_BITS;
	}
	return inet_pton(AF_INET6, text, key->address) == 1 ? 0 : -EINVAL;
}

/* "192.0.2.1", "192.0.2.0/24", "2001:db8::/32" */
static bool parse_remote(const char *element, struct remote_key *key)
{
	const char *slash = strchrnul(element, '/');
	char address[INET6_ADDRSTRLEN];
	uint64_t length;
	int before;

	if (slash - element >= (int)sizeof(address))
		return false;
	memcpy(address, element, slash - element);
	address[slash - element] = '\0';
	*key = (struct remote_key){ 0 };
	before = parse_address(address, key);
	if (before < 0)
		return false;
	length = IPV6_BITS - before;
	if (*slash && !list_number(slash + 1, length, &length))
		return false;
	key->prefix_length = before + length;
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
