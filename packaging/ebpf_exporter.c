// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the build needs for ebpf_exporter.
 * usage: ebpf_exporter config|programs HOOKS WITHOUT, see lib/generate/ebpf_exporter.h
 */
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "lib/generate/ebpf_exporter.h"

int main(int argc, char **argv)
{
	__u32 tasks[NR_PROBES];

	if (argc != 4 || !exporter_choose(argv[2], argv[3], tasks))
		return EX_USAGE;
	if (!strcmp(argv[1], "config"))
		exporter_print_config(stdout, tasks);
	else
		exporter_print_programs(stdout, tasks);
	return fflush(stdout) ? EX_IOERR : EX_OK;
}
