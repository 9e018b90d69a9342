/* SPDX-License-Identifier: GPL-2.0 */
/* Why TCP sends a segment again: for BPF programs and user space. */
#ifndef NETSTACKLAT_RETRANSMIT_H
#define NETSTACKLAT_RETRANSMIT_H

/* 0 where that is not known. */
enum retransmit {
	RETRANSMIT_TIMEOUT =
		1,	    /* nothing was acknowledged until its timer ran out, or since then */
	RETRANSMIT_FAST,    /* the peer acknowledged later ones, and not this */
	RETRANSMIT_PROBE,   /* the last ones may be lost, as no ACK comes (RFC 8985) */
	RETRANSMIT_SYN,	    /* nobody answers */
	RETRANSMIT_SYN_ACK, /* the peer does not complete its handshake */
	END_OF_RETRANSMITS
};

#endif
