/* SPDX-License-Identifier: GPL-2.0 */
/* The meaning of the kernel's refusal to load or attach a program. Errors are errno's, positive. */
#ifndef NETSTACKLAT_REFUSAL_H
#define NETSTACKLAT_REFUSAL_H

#include <stdbool.h>

/* Returns whether the program itself is the reason, and not, for example, a lack of memory. */
bool is_refusal(int err);

/* Returns whether the next program could be attached no better. */
bool is_shortage(int err);

/* Why a program cannot be attached, for users. Static. */
const char *why_not_attached(int err);

/* Returns advice if no program can be loaded at all: a part of a sentence. Static. */
const char *hint_not_started(int err);

#endif
