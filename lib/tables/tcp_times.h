/* SPDX-License-Identifier: GPL-2.0 */
/* Map tcp_times: what programs keep with each TCP socket, and the iterator over sockets reads. */
#ifndef NETSTACKLAT_TCP_TIMES_H
#define NETSTACKLAT_TCP_TIMES_H

/*
 * The pauses of a service between its writes, with BRANCH_READER_WAITS. It may send by a clock of
 * its own: quotes, or the state of a game. A write behind a read then answers nothing, and comes
 * after the same pause as a write with no read before it.
 */
struct pauses {
	__u64 written_ns; /* when the application last wrote */
	__u64 unasked_ns; /* the last long pause before a write with nothing read in it */
	__u64 longest_ns; /* the longest of those before late answers since then ... */
	__u64 nr_late;	  /* ... and how many that were */
};

/* The answer that a connection waits for, or a peer that datagrams come from. */
struct answer {
	__u64 read_ns; /* when the application last read from it; 0 once it has answered */
	struct pauses pauses;
};

/* A power of two. If there are more writes, not all are kept: see tcp_writes_thin_out(). */
#define NR_WRITES 64

struct tcp_limited {
	__u32 now, rwnd; /* in jiffies */
};

/* A thread, how often it has slept, and how often for a page of its memory. */
struct tcp_writer {
	__u32 tid, sleeps, page_waits;
};

/* When the application wrote what is not sent yet; only with tcp-transmit, see tcp_writes.bpf.h. */
struct tcp_writes {
	__u32 first;		    /* the oldest; numbers only grow, and wrap */
	__u32 next;		    /* the one to come */
	struct tcp_limited limited; /* until the newest began */
	__u32 is_nagled;	    /* whether Nagle may hold it back, and what was there before */
	__u8 is_corked;		    /* whether the newest began in a corked socket, ... */
	__u8 has_more;		    /* ... or is to wait for another one (MSG_MORE) */
	__u8 holds_corked;	    /* whether one before it waits for one of both */
	struct tcp_writer writer;   /* when the newest began */
	__u32 seq[NR_WRITES];	    /* of the first byte */
	__u64 began_ns[NR_WRITES];
};

/* All in one place: to look that up takes 80 instructions. */
struct tcp_times {
	__u64 queued_ns;  /* since when it waits to be accepted; 0 if it does not */
	__u32 copied_seq; /* how far the application had read when it last did */
	struct answer answer;
	struct tcp_writes writes;
};

#endif
