/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON values as every line of JSON has them. Without memory, these functions say so and end the
 * process.
 */
#ifndef NETSTACKLAT_JSON_VALUES_H
#define NETSTACKLAT_JSON_VALUES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_SCHEMA 1

struct json_object *json_new_object(void);
struct json_object *json_new_array(void);
struct json_object *json_new_string(const char *text);
struct json_object *json_new_uint64(uint64_t number);
struct json_object *json_new_int64(int64_t number);
struct json_object *json_new_boolean(bool is_true);

/* The number as it is to be written. */
struct json_object *json_new_decimal(double value, const char *text);

/* The name lives as long as the object, and is new to it; the value may be NULL: null. */
void json_add(struct json_object *object, const char *name, struct json_object *value);
void json_append(struct json_object *array, struct json_object *value);

/* The text of a member that was read; NULL if there is none, or if it is no text. */
const char *json_member_text(struct json_object *object, const char *name);

/* RFC 3339, in UTC, with so many digits (3 or 9) of a second. */
struct json_object *json_time(uint64_t time_ns, int digits);

/* Prints no digits that nobody measured. */
struct json_object *json_new_rounded(double value, int digits);

/* Valid until the value is changed or freed. */
const char *json_text(struct json_object *value);

/* Prints a value, and frees it. */
void json_print(FILE *out, struct json_object *value);

#endif
