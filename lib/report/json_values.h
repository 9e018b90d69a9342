/* SPDX-License-Identifier: GPL-2.0 */
/* JSON as all lines have it. */
#ifndef NETSTACKLAT_JSON_VALUES_H
#define NETSTACKLAT_JSON_VALUES_H

#include <json-c/json.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_SCHEMA 1

/* The name is a constant, and new to the object. */
void json_add(struct json_object *object, const char *name, struct json_object *value);

/* RFC 3339, in UTC, with so many digits (3 or 9) of a second. */
struct json_object *json_time(uint64_t time_ns, int digits);

/* Without digits that nobody measured. */
struct json_object *json_decimal(double value, int digits);

/* Prints a value, and frees it. */
void json_print(FILE *out, struct json_object *value);

#endif
