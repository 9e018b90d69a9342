/* SPDX-License-Identifier: GPL-2.0 */
/* Causes for which TCP holds back data: for BPF programs and user space. */
#ifndef NETSTACKLAT_TCP_LIMIT_H
#define NETSTACKLAT_TCP_LIMIT_H

/* The main cause of a segment's wait since it was written; 0 if it is not known. */
enum tcp_limit {
	/* Congestion control, pacing, or enough in a qdisc (TSQ). */
	TCP_LIMIT_NONE = 1,
	TCP_LIMIT_RWND,	  /* the peer's window, for half of that time or longer */
	TCP_LIMIT_SNDBUF, /* room in the send buffer: all of it is sent, and waits for ACKs */
	TCP_LIMIT_NAGLE,  /* the ACK of a short segment, or more to fill it, as it is short, too */
	TCP_LIMIT_CORK,	  /* a cork: the rest that the application writes, or that it uncorks */
	TCP_LIMIT_PAGE,	  /* nothing but the call that writes, which waits for a page of memory */
	TCP_LIMIT_WRITE,  /* the same, but it does not sleep: if that is long, it gets no CPU */
	END_OF_TCP_LIMITS
};

#endif
