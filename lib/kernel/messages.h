/* SPDX-License-Identifier: GPL-2.0 */
/* What libbpf has to say. */
#ifndef NETSTACKLAT_MESSAGES_H
#define NETSTACKLAT_MESSAGES_H

/* Before anything else of this room, after log_init(): has its warnings shown only with -v. */
void messages_init(void);

#endif
