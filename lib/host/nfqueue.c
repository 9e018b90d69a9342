// SPDX-License-Identifier: GPL-2.0
#include "lib/host/nfqueue.h"

#include <inttypes.h>

/* Number, portid, packets that wait, mode and range of copies, two counts of drops, and how many
 * packets it had (nfnetlink_queue.c: seq_show()). */
#define LINE "%" SCNu32 " %" SCNu32 " %*u %*u %*u %*u %*u %" SCNu32 " %*u"

bool nfqueues_parse(FILE *file, struct nfqueues *queues)
{
	uint32_t number, portid, packets, most = 0;
	bool found = false;

	*queues = (struct nfqueues){ 0 };
	while (fscanf(file, LINE, &number, &portid, &packets) == 3) {
		queues->packets += packets;
		if (!found || packets > most) {
			queues->number = number;
			queues->portid = portid;
			most = packets;
		}
		found = true;
	}
	return found;
}

bool nfqueues_find(struct nfqueues *queues)
{
	FILE *file = fopen("/proc/thread-self/net/netfilter/nfnetlink_queue", "re");
	bool found = file && nfqueues_parse(file, queues);

	if (file)
		fclose(file);
	return found;
}
