/* SPDX-License-Identifier: GPL-2.0 */
/* cmocka.h with the headers that it wants before it. */
#ifndef NETSTACKLAT_UNIT_H
#define NETSTACKLAT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
