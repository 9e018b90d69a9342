/* SPDX-License-Identifier: GPL-2.0 */
/* Lists on the command line: elements separated by commas. */
#ifndef NETSTACKLAT_LIST_H
#define NETSTACKLAT_LIST_H

#include <linux/limits.h>
#include <stdbool.h>
#include <stdint.h>

#define LIST_ELEMENT_SIZE PATH_MAX

/*
 * Takes the next element from *list and moves *list behind it, to NULL behind the last one. Empty
 * elements are elements, and so is an empty list. Returns false when there is none left.
 */
bool list_next(const char **list, char element[LIST_ELEMENT_SIZE]);

/* Reads a whole number in decimal, without a sign, up to max. Returns false for anything else. */
bool list_number(const char *element, uint64_t max, uint64_t *number);

#endif
