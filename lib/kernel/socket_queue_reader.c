// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/socket_queue_reader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/counts/queued_list.h"
#include "lib/host/netns.h"
#include "lib/bpf/socket_queues.skel.h"
#include "lib/kernel/refusal.h"

struct socket_queue_reader {
	struct socket_queues *skeleton;
	struct bpf_link *link;
};

static int load_and_attach(struct socket_queue_reader *queues, int tcp_times)
{
	int err;

	if (tcp_times >= 0 && bpf_map__reuse_fd(queues->skeleton->maps.tcp_times, tcp_times))
		return -errno;
	queues->skeleton->rodata->netns_has_cookie = netns_has_cookie();
	queues->skeleton->rodata->jiffy_ns = clock_tick_ns();
	err = socket_queues__load(queues->skeleton);
	if (is_refusal(-err)) {
		log_verbose("what is queued cannot be read on this kernel");
		return 0;
	}
	if (err)
		return err;
	queues->link = bpf_program__attach_iter(queues->skeleton->progs.socket_queues, NULL);
	return queues->link ? 0 : -errno;
}

struct socket_queue_reader *socket_queue_reader_new(const char *btf_path, int tcp_times)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path);
	struct socket_queue_reader *queues = calloc(1, sizeof(*queues));
	int err;

	if (!queues)
		return NULL;
	queues->skeleton = socket_queues__open_opts(&opts);
	err = queues->skeleton ? load_and_attach(queues, tcp_times) : -errno;
	if (!err)
		return queues;
	socket_queue_reader_free(queues);
	errno = -err;
	return NULL;
}

void socket_queue_reader_free(struct socket_queue_reader *queues)
{
	if (!queues)
		return;
	bpf_link__destroy(queues->link);
	socket_queues__destroy(queues->skeleton);
	free(queues);
}

int socket_queue_reader_read(struct socket_queue_reader *queues, uint64_t late_ns,
			     uint64_t watch_ns, struct queued **list, size_t *nr)
{
	struct queued_list all = { 0 };
	int64_t monotonic_ahead_ns;
	int err = clock_offset_ns(CLOCK_MONOTONIC, &monotonic_ahead_ns), iterator, end_err;

	*list = NULL;
	*nr = 0;
	if (err || !queues->link)
		return err;
	iterator = bpf_iter_create(bpf_link__fd(queues->link));
	if (iterator < 0)
		return -errno;
	queues->skeleton->bss->wall_ahead_ns = -monotonic_ahead_ns;
	queues->skeleton->bss->late_ns = late_ns;
	queues->skeleton->bss->watch_ns = watch_ns;
	queues->skeleton->bss->nr_mptcp = 0;
	err = queued_list_read(&all, iterator);
	end_err = queued_list_end(&all);
	close(iterator);
	*list = all.list;
	*nr = all.nr;
	return err ? err : end_err;
}

uint32_t socket_queue_reader_nr_mptcp(const struct socket_queue_reader *queues)
{
	return queues->link ? queues->skeleton->bss->nr_mptcp : 0;
}
