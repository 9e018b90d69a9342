// SPDX-License-Identifier: GPL-2.0
#include "lib/http/clients.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "lib/base/clock.h"
#include "lib/tables/units.h"

static struct client empty_ring(struct client *end)
{
	return (struct client){ .next = end, .previous = end, .until_ns = UINT64_MAX };
}

void clients_init(struct clients *clients)
{
	clients->asking = empty_ring(&clients->asking);
	clients->kept = empty_ring(&clients->kept);
	clients->nr = 0;
}

/* Puts it behind all others in the ring, as they came before. */
static void append(struct client *ring, struct client *client, unsigned int seconds)
{
	client->until_ns = clock_monotonic_ns() + seconds * NS_PER_S;
	client->next = ring;
	client->previous = ring->previous;
	client->previous->next = client->next->previous = client;
}

static void take_out(struct client *client)
{
	client->previous->next = client->next;
	client->next->previous = client->previous;
	client->next = client->previous = client;
}

struct client *clients_add(struct clients *clients, int fd, const char *hosts)
{
	struct client *client = malloc(sizeof(*client));

	if (!client)
		return NULL;
	*client = (struct client){ .fd = fd, .hosts = hosts };
	append(&clients->asking, client, HTTP_CLIENT_S);
	clients->nr++;
	return client;
}

void clients_remove(struct clients *clients, struct client *client)
{
	clients->nr--;
	take_out(client);
	http_response_release(client->response);
	free(client);
}

void clients_note_request(struct clients *clients, struct client *client)
{
	if (!client->is_kept)
		return;
	client->is_kept = false;
	take_out(client);
	append(&clients->asking, client, HTTP_CLIENT_S);
}

void clients_note_answer(struct clients *clients, struct client *client)
{
	http_response_release(client->response);
	client->response = NULL;
	client->is_kept = true;
	take_out(client);
	append(&clients->kept, client, HTTP_KEEP_S);
}

void clients_hold(struct client *client)
{
	take_out(client);
}

void clients_go_on(struct clients *clients, struct client *client)
{
	append(&clients->asking, client, HTTP_CLIENT_S);
}

bool clients_have_answers(const struct clients *clients)
{
	const struct client *client = clients->asking.next;

	while (client != &clients->asking && !client->response)
		client = client->next;
	return client != &clients->asking;
}

static void end_late(const struct client *ring, uint64_t now_ns)
{
	for (const struct client *client = ring->next; client != ring && client->until_ns <= now_ns;
	     client = client->next)
		shutdown(client->fd, SHUT_RDWR);
}

void clients_end_late(const struct clients *clients)
{
	uint64_t now_ns = clock_monotonic_ns();

	end_late(&clients->asking, now_ns);
	end_late(&clients->kept, now_ns);
}

/* NULL if nobody is there. */
static const struct client *least_needed(const struct clients *clients)
{
	const struct client *end = &clients->asking, *client = end->next;

	if (clients->kept.next != &clients->kept)
		return clients->kept.next;
	while (client != end && client->response)
		client = client->next;
	if (client == end)
		client = end->next;
	return client == end ? NULL : client;
}

bool clients_end_one(const struct clients *clients)
{
	const struct client *client = least_needed(clients);

	if (client)
		shutdown(client->fd, SHUT_RDWR);
	return client;
}

/* The end of a ring has UINT64_MAX. */
uint64_t clients_next_ns(const struct clients *clients)
{
	uint64_t asking_ns = clients->asking.next->until_ns;
	uint64_t kept_ns = clients->kept.next->until_ns;

	return asking_ns < kept_ns ? asking_ns : kept_ns;
}
