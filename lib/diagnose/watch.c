// SPDX-License-Identifier: GPL-2.0
#include "lib/diagnose/watch.h"

#define BY(key) (1U << KEY_##key)

/* Findings are about an interface, or about a service, whose reader tells the process and cgroup.
 */
#define BY_INTERFACE (BY(NETNS) | BY(INTERFACE))
#define BY_SERVICE (BY(NETNS) | BY(PORT))
#define BY_READER (BY_SERVICE | BY(PID) | BY(CGROUP))

#define FOLLOWED .is_followed = true
#define SINCE(...) .counts = { __VA_ARGS__ }
#define STAMP [SINCE_STAMP] = true
#define STAGE [SINCE_HOOK] = true

/*
 * Hooks that count nothing are there for stages that begin there. A process that pings waits
 * between its reads and its sends, so times of raw sockets are left out. Each socket tells at the
 * end what tcp-min-rtt tells for each packet.
 */
const struct watch watches[NR_HOOKS] = {
	[HOOK_netif_receive] = { FOLLOWED, SINCE(STAMP), BY_INTERFACE },
	[HOOK_ip_rcv] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE },
	[HOOK_ip_forward] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE },
	[HOOK_ip_deliver] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE },
	[HOOK_tcp_start] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE },
	[HOOK_udp_start] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE },
	[HOOK_icmp_start] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE },
	/* The process holds the socket's lock. Segments that come out of order were lost. */
	[HOOK_tcp_do_rcv] = { FOLLOWED, SINCE(STAGE), BY_SERVICE | BY(PID) | BY(SEQUENCE) },
	[HOOK_tcp_socket_enqueued] = { FOLLOWED, SINCE(STAMP), BY_SERVICE },
	[HOOK_udp_socket_enqueued] = { FOLLOWED, SINCE(STAMP, STAGE), BY_SERVICE },
	[HOOK_raw_socket_enqueued] = { FOLLOWED },
	[HOOK_tcp_socket_read] = { FOLLOWED, SINCE(STAMP, STAGE), BY_READER },
	[HOOK_udp_socket_read] = { FOLLOWED, SINCE(STAMP, STAGE), BY_READER },
	[HOOK_raw_socket_read] = { FOLLOWED, SINCE(STAGE), BY_READER },
	[HOOK_tcp_accept] = { SINCE(STAMP), BY_READER },
	[HOOK_tcp_send] = { SINCE(STAMP), BY_SERVICE | BY(PID) },
	[HOOK_udp_send] = { SINCE(STAMP), BY_SERVICE | BY(PID) },
	[HOOK_tcp_transmit] = { SINCE(STAMP), BY_SERVICE | BY(LIMIT) },
	[HOOK_tcp_retransmit] = { SINCE(STAMP), BY_SERVICE | BY(RETRANSMIT) },
	[HOOK_tx_ip] = { FOLLOWED },
	[HOOK_tx_neighbour] = { FOLLOWED, SINCE(STAGE), BY_SERVICE },
	[HOOK_egress] = { FOLLOWED, SINCE(STAGE), BY_SERVICE },
	[HOOK_tx_queue] = { FOLLOWED, SINCE(STAGE), BY_SERVICE | BY(INTERFACE) },
	[HOOK_tx_start] = { FOLLOWED, SINCE(STAGE), BY_SERVICE | BY(INTERFACE) },
	[HOOK_tun_read] = { FOLLOWED, SINCE(STAGE), BY_INTERFACE | BY(PID) },
	[HOOK_softirq_net_rx] = { SINCE(STAMP) },
	[HOOK_drop] = { SINCE(STAMP), BY_SERVICE | BY(CGROUP) | BY(INTERFACE) | BY(REASON) },
};
