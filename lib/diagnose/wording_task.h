/* SPDX-License-Identifier: GPL-2.0 */
/* Words for what a task did while others waited for it: it slept, got no CPU, was stopped, or ran.
 */
#ifndef NETSTACKLAT_WORDING_TASK_H
#define NETSTACKLAT_WORDING_TASK_H

#include "lib/diagnose/verdict.h"

/* Sets the facts for that, of any finding. */
void word_task(const struct verdict *verdict, struct finding *finding);

#endif
