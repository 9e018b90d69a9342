// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "lib/base/log.h"
#include "lib/filters/kind.h"
#include "lib/host/cgroup.h"

static int add(struct filters *filters, const char *element)
{
	uint64_t id;
	int err = cgroup_find(element, &id);

	switch (err) {
	case 0:
		return filter_add_key(filters, FILTER_CGROUP, &id);
	case -ENODEV:
		log_error("-c needs cgroup v2, which is not mounted here; sockets know no other");
		return err;
	case -ENOENT:
		log_error("there is no cgroup '%s'", element);
		return err;
	case -EXDEV:
		log_error("'%s' is no cgroup, as it is outside the cgroup v2 hierarchy", element);
		return err;
	case -ELOOP:
		log_error("the cgroup '%s' has too many levels: -c takes those of up to %d",
			  element, MAX_CGROUP_LEVEL);
		return err;
	default:
		return log_failure(err, "cannot look at the cgroup '%s'", element);
	}
}

/* Always a map, as what is below a cgroup passes, too. */
const struct filter_kind filter_by_cgroup = {
	.expected = "paths or ids of cgroups",
	.add = add,
	.map = "filter_cgroups",
	.key_size = sizeof(__u64),
};
