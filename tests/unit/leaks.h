/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that a child process lost. */
#ifndef NETSTACKLAT_LEAKS_H
#define NETSTACKLAT_LEAKS_H

/* It is there with sanitizers only. They look at processes that exit, which children do not. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

/* Returns whether memory was lost, as far as anybody looks; says where. */
static inline int has_leaks(void)
{
	return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check();
}

#endif
