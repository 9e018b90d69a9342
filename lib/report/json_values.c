// SPDX-License-Identifier: GPL-2.0
#include "lib/report/json_values.h"

#include <time.h>

#include "lib/tables/units.h"

/* That it is new and constant saves json-c a copy and a search. */
void json_add(struct json_object *object, const char *name, struct json_object *value)
{
	json_object_object_add_ex(object, name, value,
				  JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT);
}

struct json_object *json_time(uint64_t time_ns, int digits)
{
	char seconds[32], fraction[16], text[64];
	time_t time = time_ns / NS_PER_S;

	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", gmtime(&time));
	snprintf(fraction, sizeof(fraction), "%09u", (unsigned int)(time_ns % NS_PER_S));
	snprintf(text, sizeof(text), "%s.%.*sZ", seconds, digits, fraction);
	return json_object_new_string(text);
}

struct json_object *json_decimal(double value, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	return json_object_new_double_s(value, text);
}

void json_print(FILE *out, struct json_object *value)
{
	fputs(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE),
	      out);
	json_object_put(value);
}
