/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that are still in the queues of sockets. No hook can tell of them, as nobody has read
 * them yet.
 */
#ifndef NETSTACKLAT_SOCKET_QUEUE_READER_H
#define NETSTACKLAT_SOCKET_QUEUE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/tables/queued.h"

struct socket_queue_reader;

/*
 * Loads the program that reads the queues. The kernel's types are read from a file or, if that is
 * NULL, from where the kernel has them; what the programs keep with TCP sockets, from a map that
 * the caller keeps open, or -1. NULL with errno set. Before Linux 5.13, it finds nothing.
 */
struct socket_queue_reader *socket_queue_reader_new(const char *btf_path, int tcp_times);
void socket_queue_reader_free(struct socket_queue_reader *queues);

/*
 * Lists what has waited for late_ns or longer: up to 128 packets or connections of a queue, with
 * those of a socket in a row. Packets that came before receive stamps were on, watch_ns ago, count
 * as that old. For each port of a service, there is also an entry at tcp-min-rtt, with the mean
 * distance of its connections' peers, and one at tcp-rtt, of connections that send as much as they
 * may. Each connection that was read from, and not written to since, has an entry at tcp-send, but
 * for clients. The list is to be freed with free(). Returns 0 or a negative errno.
 */
int socket_queue_reader_read(struct socket_queue_reader *queues, uint64_t late_ns,
			     uint64_t watch_ns, struct queued **list, size_t *nr);

/* Returns how many ends of MPTCP connections there were then: no hook sees who reads from them. */
uint32_t socket_queue_reader_nr_mptcp(const struct socket_queue_reader *queues);

#endif
