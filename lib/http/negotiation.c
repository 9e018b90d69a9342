// SPDX-License-Identifier: GPL-2.0
#include "lib/http/negotiation.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SPACE " \t"
#define OPENMETRICS "application/openmetrics-text"

/* Longer ones than any that matter are cut, and match nothing. */
#define ELEMENT_SIZE 128

/* Takes what is in front of the next separator, without the space around it. */
static bool next_part(const char **text, char separator, char part[ELEMENT_SIZE])
{
	const char *start = *text;
	size_t length;

	if (!start)
		return false;
	*text = strchr(start, separator);
	length = *text ? (size_t)((*text)++ - start) : strlen(start);
	for (; length && strchr(SPACE, *start); length--)
		start++;
	while (length && strchr(SPACE, start[length - 1]))
		length--;
	if (length >= ELEMENT_SIZE)
		length = ELEMENT_SIZE - 1;
	memcpy(part, start, length);
	part[length] = '\0';
	return true;
}

/* Returns the value of "name=value", without quotation marks; NULL if it has another name. */
static const char *value_of(char *parameter, const char *name)
{
	size_t length = strlen(name);
	char *value = parameter + length + 1;

	if (strncasecmp(parameter, name, length) || parameter[length] != '=')
		return NULL;
	if (*value != '"')
		return value;
	value++;
	value[strcspn(value, "\"")] = '\0';
	return value;
}

/* Returns how much an element of a list is wanted, from 0 to 1; 0 if it is of another version. */
static double weight(const char *parameters, const char *version)
{
	char parameter[ELEMENT_SIZE];
	double weight = 1;

	while (next_part(&parameters, ';', parameter)) {
		const char *q = value_of(parameter, "q");
		const char *other = value_of(parameter, "version");

		if (q)
			weight = strtod(q, NULL);
		if (other && version && strcmp(other, version))
			return 0;
	}
	return weight;
}

/* Returns how much a list wants the format of this name; negative if the name is not there. */
static double weight_in(const char *list, const char *name, const char *version)
{
	char element[ELEMENT_SIZE], found[ELEMENT_SIZE];
	double most = -1;

	while (next_part(&list, ',', element)) {
		const char *parameters = element;
		double here;

		next_part(&parameters, ';', found);
		if (strcasecmp(found, name))
			continue;
		here = weight(parameters, version);
		if (here > most)
			most = here;
	}
	return most;
}

bool accepts_openmetrics(const char *accept)
{
	double openmetrics = weight_in(accept, OPENMETRICS, "1.0.0");

	return openmetrics > 0 && openmetrics >= weight_in(accept, "text/plain", "0.0.4");
}

bool accepts_gzip(const char *accept_encoding)
{
	double gzip = weight_in(accept_encoding, "gzip", NULL);

	if (gzip < 0)
		gzip = weight_in(accept_encoding, "*", NULL);
	return gzip > 0;
}
