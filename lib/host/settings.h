/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of this host that may change how long packets take: sysctls of the network, queues
 * of interfaces, CPUs, netfilter's rules, limits of cgroups. Their names are those under which a
 * user finds them again.
 */
#ifndef NETSTACKLAT_SETTINGS_H
#define NETSTACKLAT_SETTINGS_H

#include <stddef.h>

/* Both printable. */
struct setting {
	char *name;  /* "net.core.rmem_max", a path, "qdisc of eth0", "cpu.max of /svc" */
	char *value; /* on one line */
};

struct settings {
	struct setting *settings;
	size_t nr;
};

/* No more are kept, as a host may have thousands of interfaces. */
#define MAX_SETTINGS 4096

/*
 * Reads the settings of this network namespace, sysctls first, without secrets and counts. Settings
 * that cannot be read are left out. root is "", or another place of /proc and /sys. Returns 0 or
 * -ENOMEM; to be freed in any case.
 */
int settings_read(struct settings *settings, const char *root);
void settings_free(struct settings *settings);

#endif
