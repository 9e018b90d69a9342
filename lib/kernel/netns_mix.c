// SPDX-License-Identifier: GPL-2.0
#include "lib/kernel/netns_mix.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>

#include "lib/base/log.h"
#include "lib/host/netns.h"
#include "lib/bpf/netns_mix.skel.h"

static struct netns_mix *skeleton;

static int read_mix(uint32_t *mix)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(skeleton->progs.netns_mix), &opts);

	*mix = opts.retval;
	return err;
}

int netns_mix_start(const char *btf_path)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .btf_custom_path = btf_path);
	int err;

	if (netns_has_cookie())
		return 0;
	skeleton = netns_mix__open_opts(&opts);
	err = skeleton ? netns_mix__load(skeleton) : -errno;
	if (err)
		return log_failure(err, "cannot tell network namespaces apart");
	netns_lend_mix(read_mix);
	return 0;
}

void netns_mix_end(void)
{
	netns_lend_mix(NULL);
	netns_mix__destroy(skeleton);
	skeleton = NULL;
}
