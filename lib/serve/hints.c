// SPDX-License-Identifier: GPL-2.0
#include "lib/serve/hints.h"

#include <inttypes.h>

#include "lib/base/log.h"
#include "lib/host/netns.h"

static bool count_netns(const struct netns *netns, void *context)
{
	(void)netns;
	++*(unsigned int *)context;
	return true;
}

void hint_mixed_netns(void)
{
	unsigned int nr = 0;

	if (!netns_for_each(count_netns, &nr) && nr > 1)
		log_info("packets of all %u network namespaces are counted as one: -g netns tells "
			 "them apart, -n self counts those of this one",
			 nr);
}

bool hint_local_packets(const struct hook_counts hooks[NR_HOOKS])
{
	uint64_t local = hooks[HOOK_ip_rcv].discarded[DISCARD_NOT_RX];
	uint64_t all = local + histogram_count(&hooks[HOOK_ip_rcv].latency);

	if (local <= all / 2)
		return false;
	log_info("%" PRIu64 " of %" PRIu64 " packets come from this very host: in TCP, their clock "
		 "starts behind RPS and netfilter; --stages shows these, too",
		 local, all);
	return true;
}

void hint_no_hardware(const struct hook_counts hooks[NR_HOOKS])
{
	const struct hook_counts *counts = &hooks[HOOK_hardware];

	if (histogram_count(&counts->latency) || !counts->discarded[DISCARD_NO_STAMP])
		return;
	log_error("no network card stamped a packet: see with ethtool -T which can, and let it "
		  "with hwstamp_ctl -r 1 -i INTERFACE");
}
