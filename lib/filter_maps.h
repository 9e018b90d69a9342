/* SPDX-License-Identifier: GPL-2.0 */
/* Filters as the BPF programs read them (lib/filter.bpf.h): maps as large as what is asked for. */
#ifndef NETSTACKLAT_FILTER_MAPS_H
#define NETSTACKLAT_FILTER_MAPS_H

#include <bpf/libbpf.h>

#include "filters.h"

/* Before loading: creates only the maps that are needed. Returns 0 or a negative errno. */
int filter_maps_configure(struct bpf_object *object, const struct filters *filters,
			  struct filter_values *values);

/* After loading. Returns 0 or a negative errno. */
int filter_maps_fill(struct bpf_object *object, const struct filters *filters);

#endif
