/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Learns how far TAI is ahead of the wall clock, for BPF programs that nobody tells.
 *
 * That is a whole number of seconds. A packet that was stamped just now tells which: TAI is ahead
 * of its stamp by that and some microseconds. Two things may deceive:
 *
 * - A packet may be late by a second or more, or its stamp may be something else. So the offset
 *   changes only after a while in which no new packet was in time.
 * - A clock may be set, or TAI's offset. How far TAI is ahead of the time since boot tells of that.
 *   What may have been stamped before does not count, and the next packet tells the new offset.
 */
#ifndef NETSTACKLAT_EXPORTER_OFFSET_BPF_H
#define NETSTACKLAT_EXPORTER_OFFSET_BPF_H

#include "lib/bpf/kernel/clock.bpf.h"
#include "lib/tables/units.h"

/* It has been 37 s since 2017. */
#define MAX_OFFSET_NS (100 * NS_PER_S)
/* CPUs that read a clock at the same time may differ, by much less. */
#define CLOCK_SLACK_NS (NS_PER_S / 1000)
#define DOUBT_NS (NS_PER_S / 10)
#define IN_DOUBT_FOR_LONG 0
#define NOT_IN_DOUBT (~0ULL)

/* This is not static, or clang makes three variables of it, and types that the kernel refuses. */
struct {
	__u64 doubted_ns; /* since boot; since when no new packet was in time, if any */
	__u64 ahead_ns;	  /* TAI of the time since boot */
	__u64 set_ns;	  /* in TAI, when the last change of that was seen */
} clocks;

/* Looks whether one was set. */
static __always_inline void clocks_look(__u64 tai_ns, __u64 boot_ns)
{
	__u64 ahead_ns = tai_ns - boot_ns;

	if (ahead_ns - clocks.ahead_ns + CLOCK_SLACK_NS <= 2 * CLOCK_SLACK_NS)
		return;
	clocks.ahead_ns = ahead_ns;
	clocks.set_ns = tai_ns;
	clocks.doubted_ns = IN_DOUBT_FOR_LONG;
}

/* Returns whether one was set while a packet waited that seems to have waited for so long. */
static __noinline bool clocks_were_set_in(__u64 latency_ns)
{
	__u64 tai_ns = bpf_ktime_get_tai_ns();

	clocks_look(tai_ns, bpf_ktime_get_boot_ns());
	return latency_ns > tai_ns - clocks.set_ns;
}

/* A new packet was in time. */
static __noinline int clock_offset_confirm(void)
{
	clocks.ahead_ns = bpf_ktime_get_tai_ns() - bpf_ktime_get_boot_ns();
	clocks.doubted_ns = NOT_IN_DOUBT;
	return 0;
}

/* A new packet seems to be late by a second or more, or early. Returns whether the clock is why. */
static __noinline bool offset_may_be_wrong(__u64 stamp_ns)
{
	/* Packets from before do not count, as the offset may have changed since. */
	__u64 tai_ns = bpf_ktime_get_tai_ns(), boot_ns = bpf_ktime_get_boot_ns();
	__u64 ahead_ns = tai_ns - stamp_ns + CLOCK_SLACK_NS, age_ns = ahead_ns % NS_PER_S;
	__s64 offset_ns = ahead_ns - age_ns;

	clocks_look(tai_ns, boot_ns);
	if (ahead_ns > MAX_OFFSET_NS || offset_ns == clock_offset_ns)
		return false;
	if (age_ns >= tai_ns - clocks.set_ns)
		return true;
	if (clocks.doubted_ns == NOT_IN_DOUBT) {
		clocks.doubted_ns = boot_ns;
	} else if (boot_ns - clocks.doubted_ns > DOUBT_NS) {
		clock_offset_ns = offset_ns;
		clocks.doubted_ns = NOT_IN_DOUBT;
	}
	return true;
}

/*
 * Returns whether a new packet is late by no more than new packets are. If not, it does not count.
 */
static __always_inline bool offset_fits(__u64 stamp_ns, __u64 latency_ns)
{
	if (latency_ns >= NS_PER_S - CLOCK_SLACK_NS)
		return !offset_may_be_wrong(stamp_ns);
	if (clocks.doubted_ns != NOT_IN_DOUBT)
		clock_offset_confirm();
	return true;
}

#endif
