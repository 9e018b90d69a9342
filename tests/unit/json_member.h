/* SPDX-License-Identifier: GPL-2.0 */
/* Members of JSON objects that a test takes for granted. */
#ifndef NETSTACKLAT_JSON_MEMBER_H
#define NETSTACKLAT_JSON_MEMBER_H

#include <json-c/json.h>

/* NULL is the value null. */
static inline struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, name, &value));
	return value;
}

#endif
