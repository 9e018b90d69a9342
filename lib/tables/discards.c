// SPDX-License-Identifier: GPL-2.0
#include "lib/tables/discards.h"

const struct discard_info discards[NR_DISCARDS] = {
#define DISCARD(id, name, meaning) [DISCARD_##id] = { name, meaning },
#include "lib/tables/discards.def"
};
