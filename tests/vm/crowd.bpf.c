// SPDX-License-Identifier: GPL-2.0
/* As many programs as a function can take, which tests/vm/crowd.py names. */
#include "vmlinux_local.h"
#include <bpf/bpf_helpers.h>

#define PROGRAM(n)               \
	SEC("fentry")            \
	int crowd_##n(void *ctx) \
	{                        \
		return 0;        \
	}

/* clang-format off */
PROGRAM(1) PROGRAM(2) PROGRAM(3) PROGRAM(4) PROGRAM(5) PROGRAM(6) PROGRAM(7) PROGRAM(8) PROGRAM(9) PROGRAM(10)
PROGRAM(11) PROGRAM(12) PROGRAM(13) PROGRAM(14) PROGRAM(15) PROGRAM(16) PROGRAM(17) PROGRAM(18) PROGRAM(19)
PROGRAM(20) PROGRAM(21) PROGRAM(22) PROGRAM(23) PROGRAM(24) PROGRAM(25) PROGRAM(26) PROGRAM(27) PROGRAM(28)
PROGRAM(29) PROGRAM(30) PROGRAM(31) PROGRAM(32) PROGRAM(33) PROGRAM(34) PROGRAM(35) PROGRAM(36) PROGRAM(37)
PROGRAM(38) PROGRAM(39) PROGRAM(40)
	/* clang-format on */

	char LICENSE[] SEC("license") = "GPL";
