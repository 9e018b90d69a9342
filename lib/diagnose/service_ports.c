// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/service_ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void service_ports_init(struct service_ports *ports)
{
	*ports = (struct service_ports){ .first_of_clients = 32768, .last_of_clients = 60999 };
}

static int compare(const struct service_port *port, const struct service_port *other)
{
	if (port->netns != other->netns)
		return port->netns < other->netns ? -1 : 1;
	if (port->port != other->port)
		return (int)port->port - other->port;
	return (int)port->protocol - other->protocol;
}

/* Returns where it is, or belongs. */
static size_t place_of_port(const struct service_ports *ports, const struct service_port *port)
{
	size_t first = 0, end = ports->nr;

	while (first < end) {
		size_t middle = (first + end) / 2;

		if (compare(&ports->ports[middle], port) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static bool is_at(const struct service_ports *ports, const struct service_port *port, size_t place)
{
	return place < ports->nr && !compare(&ports->ports[place], port);
}

void service_ports_look(struct service_ports *ports)
{
	for (size_t i = 0; i < ports->nr; i++) {
		ports->ports[i].drops_before = ports->ports[i].drops;
		ports->ports[i].drops = 0;
		ports->ports[i].pid_before = ports->ports[i].pid;
		ports->ports[i].pid = 0;
	}
}

/* The first one that is not bound tells that they take all. */
static void add_socket(struct service_port *known, const struct service_port *socket)
{
	known->drops += socket->drops;
	known->is_bound = socket->is_bound && (known->is_bound || !known->pid);
	known->pid = socket->pid;
	memcpy(known->comm, socket->comm, sizeof(known->comm));
}

int service_ports_add(struct service_ports *ports, const struct service_port *port)
{
	size_t place = place_of_port(ports, port);

	if (is_at(ports, port, place)) {
		add_socket(&ports->ports[place], port);
		return 0;
	}
	if (ports->nr == ports->room) {
		size_t room = ports->room ? 2 * ports->room : 64;
		struct service_port *new = reallocarray(ports->ports, room, sizeof(*new));

		if (!new)
			return -ENOMEM;
		ports->ports = new;
		ports->room = room;
	}
	memmove(&ports->ports[place + 1], &ports->ports[place],
		(ports->nr++ - place) * sizeof(*ports->ports));
	ports->ports[place] = *port;
	return 0;
}

void service_ports_free(struct service_ports *ports)
{
	free(ports->ports);
	service_ports_init(ports);
}

const struct service_port *service_ports_only_dropper(const struct service_ports *ports,
						      uint8_t protocol)
{
	const struct service_port *dropper = NULL;

	for (size_t i = 0; i < ports->nr; i++) {
		const struct service_port *port = &ports->ports[i];

		if (port->protocol != protocol || port->drops <= port->drops_before)
			continue;
		if (dropper)
			return NULL;
		dropper = port;
	}
	return dropper;
}

static const struct service_port *holder_elsewhere(const struct service_ports *ports,
						   const struct service_port *port)
{
	for (size_t i = 0; i < ports->nr; i++) {
		const struct service_port *other = &ports->ports[i];

		if (other->port == port->port && other->protocol == port->protocol &&
		    other->netns != port->netns && other->pid && !other->is_bound)
			return other;
	}
	return NULL;
}

const struct service_port *service_ports_holder(const struct service_ports *ports,
						const struct service_port *port,
						enum port_held *held)
{
	size_t place = place_of_port(ports, port);
	const struct service_port *holder = is_at(ports, port, place) && ports->ports[place].pid
						    ? &ports->ports[place]
						    : holder_elsewhere(ports, port);

	*held = HELD_BY_NOBODY;
	if (!holder)
		return NULL;
	if (holder->netns != port->netns)
		*held = HELD_IN_NETNS;
	else if (holder->is_bound)
		*held = HELD_AT_ADDRESS;
	else if (holder->pid == holder->pid_before)
		*held = HELD_FOR_OTHERS;
	else
		return NULL;
	return holder;
}

bool service_ports_has(const struct service_ports *ports, const struct service_port *port)
{
	return port->port < ports->first_of_clients || port->port > ports->last_of_clients ||
	       is_at(ports, port, place_of_port(ports, port));
}
