// SPDX-License-Identifier: GPL-2.0
#include "lib/host/protocol_counters.h"

#include <stdlib.h>
#include <string.h>

#include "lib/host/file_number.h"

bool protocol_counters_read(FILE *file, const char *protocol, struct protocol_counters *counters)
{
	size_t names_size = 0, numbers_size = 0;

	*counters = (struct protocol_counters){ 0 };
	while (getline(&counters->names, &names_size, file) > 0 &&
	       getline(&counters->numbers, &numbers_size, file) > 0)
		if (!strncmp(counters->names, protocol, strlen(protocol)))
			return true;
	return false;
}

uint64_t protocol_counter(const struct protocol_counters *counters, const char *name)
{
	int column = file_column(counters->names, name);

	return column < 0 ? 0 : file_column_number(counters->numbers, column, 10);
}

void protocol_counters_free(struct protocol_counters *counters)
{
	free(counters->names);
	free(counters->numbers);
}
