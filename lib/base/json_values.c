// SPDX-License-Identifier: GPL-2.0
#include "lib/base/json_values.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/log.h"
#include "lib/tables/units.h"

/*
 * json-c ends the process with a failed assertion when it is given an object that could not be
 * made, and prints a string that could not be made as null, which here is "not known".
 */
static void require(bool done)
{
	if (done)
		return;
	log_failure(-ENOMEM, "cannot print JSON");
	exit(EXIT_FAILURE);
}

static struct json_object *required(struct json_object *value)
{
	require(value);
	return value;
}

struct json_object *json_new_object(void)
{
	return required(json_object_new_object());
}

struct json_object *json_new_array(void)
{
	return required(json_object_new_array());
}

struct json_object *json_new_string(const char *text)
{
	return required(json_object_new_string(text));
}

struct json_object *json_new_uint64(uint64_t number)
{
	return required(json_object_new_uint64(number));
}

struct json_object *json_new_int64(int64_t number)
{
	return required(json_object_new_int64(number));
}

struct json_object *json_new_boolean(bool is_true)
{
	return required(json_object_new_boolean(is_true));
}

struct json_object *json_new_decimal(double value, const char *text)
{
	return required(json_object_new_double_s(value, text));
}

/* As the key is new and constant, json-c needs neither copy nor search for it. */
void json_add(struct json_object *object, const char *name, struct json_object *value)
{
	require(!json_object_object_add_ex(
		object, name, value, JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT));
}

void json_append(struct json_object *array, struct json_object *value)
{
	require(!json_object_array_add(array, value));
}

const char *json_member_text(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, name, &value);
	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

struct json_object *json_time(uint64_t time_ns, int digits)
{
	char seconds[32], fraction[16], text[64];
	time_t time = time_ns / NS_PER_S;

	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", gmtime(&time));
	snprintf(fraction, sizeof(fraction), "%09u", (unsigned int)(time_ns % NS_PER_S));
	snprintf(text, sizeof(text), "%s.%.*sZ", seconds, digits, fraction);
	return json_new_string(text);
}

const char *json_text(struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(
		value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

	require(text);
	return text;
}

struct json_object *json_new_rounded(double value, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	return json_new_decimal(value, text);
}

void json_print(FILE *out, struct json_object *value)
{
	fputs(json_text(value), out);
	json_object_put(value);
}
