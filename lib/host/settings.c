// SPDX-License-Identifier: GPL-2.0
#include "lib/host/settings.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <linux/limits.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/printable.h"
#include "lib/host/cpu_limit.h"
#include "lib/host/look.h"
#include "lib/host/qdisc.h"
#include "lib/host/rules.h"

#define SYSCTLS "/proc/sys/"

/* Sysctls that are secrets, or counts. */
static const char *const left_out[] = { "stable_secret", "tcp_fastopen_key", "nf_conntrack_count" };

/* Each interface has a folder below these, besides these two. */
static const char *const by_interface[] = { "conf", "neigh" };
static const char *const of_all[] = { "all", "default" };

/* Files besides sysctls. */
static const char *const patterns[] = {
	"/proc/cmdline",
	"/sys/devices/system/cpu/online",
	"/sys/devices/system/cpu/smt/active",
	"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
	"/sys/class/net/*/mtu",
	"/sys/class/net/*/tx_queue_len",
	"/sys/class/net/*/threaded",
	"/sys/class/net/*/gro_flush_timeout",
	"/sys/class/net/*/napi_defer_hard_irqs",
	"/sys/class/net/*/queues/rx-*/rps_cpus",
	"/sys/class/net/*/queues/tx-*/xps_cpus",
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

static bool is_one_of(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Copies both. What is too long to print is left out. */
static int add(struct settings *settings, const char *name, const char *value)
{
	struct setting *larger, setting = { printable_dup(name), printable_dup(value) };
	bool fits = setting.name && setting.value && settings->nr < MAX_SETTINGS;

	larger = fits ? reallocarray(settings->settings, settings->nr + 1, sizeof(*larger)) : NULL;
	if (!larger) {
		free(setting.name);
		free(setting.value);
		return fits ? -ENOMEM : 0;
	}
	settings->settings = larger;
	larger[settings->nr++] = setting;
	return 0;
}

/* Reads all words of a file as one line, as far as they fit. Returns whether it can be read. */
static bool read_words(const char *path, char *words, size_t size)
{
	FILE *file = fopen(path, "re");
	bool was_space = true;
	size_t length = 0;
	int c;

	if (!file)
		return false;
	while ((c = fgetc(file)) != EOF && length + 1 < size) {
		if (!isspace(c) || !was_space)
			words[length++] = isspace(c) ? ' ' : c;
		was_space = isspace(c);
	}
	if (length && words[length - 1] == ' ')
		length--;
	words[length] = '\0';
	fclose(file);
	return length || c == EOF;
}

static int add_file(struct settings *settings, const char *name, const char *path)
{
	char words[MAX_PRINTABLE];

	return read_words(path, words, sizeof(words)) ? add(settings, name, words) : 0;
}

/* "net.core.rmem_max", of the file's path below the sysctls. */
static int add_sysctl(struct settings *settings, const FTSENT *file, size_t below)
{
	char name[PATH_MAX];

	if (is_one_of(left_out, NR(left_out), file->fts_name))
		return 0;
	snprintf(name, sizeof(name), "%s", file->fts_path + below);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '.';
	return add_file(settings, name, file->fts_accpath);
}

static bool is_of_one_interface(const FTSENT *folder)
{
	return is_one_of(by_interface, NR(by_interface), folder->fts_parent->fts_name) &&
	       !is_one_of(of_all, NR(of_all), folder->fts_name);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int add_sysctls(struct settings *settings, const char *root)
{
	char path[PATH_MAX];
	FTSENT *entry;
	FTS *tree;
	int err = 0;

	snprintf(path, sizeof(path), "%s" SYSCTLS "net", root);
	tree = fts_open((char *[]){ path, NULL }, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	if (!tree)
		return -errno;
	while (!err && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_D && is_of_one_interface(entry))
			fts_set(tree, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_F)
			err = add_sysctl(settings, entry, strlen(root) + strlen(SYSCTLS));
	fts_close(tree);
	return err;
}

static int add_files(struct settings *settings, const char *root, const char *pattern)
{
	char path[PATH_MAX];
	glob_t found;
	int err = 0;

	snprintf(path, sizeof(path), "%s%s", root, pattern);
	if (glob(path, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc && !err; i++)
		err = add_file(settings, found.gl_pathv[i] + strlen(root), found.gl_pathv[i]);
	globfree(&found);
	return err;
}

/* Each takes a look at all of them, so there is an end. */
static int add_qdiscs(struct settings *settings)
{
	struct look look = look_begin();
	struct if_nameindex *interfaces = if_nameindex();
	char name[sizeof("qdisc of ") + IF_NAMESIZE], kind[QDISC_KIND_SIZE];
	int err = 0;

	for (size_t i = 0; interfaces && interfaces[i].if_index && !err && !look_has_ended(&look);
	     i++) {
		snprintf(name, sizeof(name), "qdisc of %s", interfaces[i].if_name);
		if (qdisc_kind(interfaces[i].if_index, kind))
			err = add(settings, name, kind);
	}
	if_freenameindex(interfaces);
	return err;
}

/* Returns how many, not which: to compare these is for nft. */
static int add_rules(struct settings *settings)
{
	struct rules rules;
	char nr[16];

	if (!rules_count(&rules))
		return 0;
	snprintf(nr, sizeof(nr), "%u", rules.nr);
	return add(settings, "rules of netfilter", nr);
}

static int add_cpu_limits(struct settings *settings)
{
	struct cpu_limits *limits = cpu_limits_new();
	const struct cpu_limit *limit;
	char name[sizeof("cpu.max of ") + PATH_MAX];
	int err = limits ? 0 : -ENOMEM;

	for (size_t i = 0; !err && (limit = cpu_limits_get(limits, i)); i++) {
		snprintf(name, sizeof(name), "cpu.max of %s", limit->path);
		err = add(settings, name, limit->max);
	}
	cpu_limits_free(limits);
	return err;
}

int settings_read(struct settings *settings, const char *root)
{
	int err;

	*settings = (struct settings){ 0 };
	err = add_sysctls(settings, root);
	for (size_t i = 0; i < NR(patterns) && !err; i++)
		err = add_files(settings, root, patterns[i]);
	if (!err)
		err = add_qdiscs(settings);
	if (!err)
		err = add_rules(settings);
	return err ? err : add_cpu_limits(settings);
}

void settings_free(struct settings *settings)
{
	for (size_t i = 0; i < settings->nr; i++) {
		free(settings->settings[i].name);
		free(settings->settings[i].value);
	}
	free(settings->settings);
	*settings = (struct settings){ 0 };
}
