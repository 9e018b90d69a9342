/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that the kernel tells in files. */
#ifndef NETSTACKLAT_FILE_NUMBER_H
#define NETSTACKLAT_FILE_NUMBER_H

#include <stdint.h>

/* The number behind so many words of a file; 0 if there is none. */
uint64_t file_number(const char *path, unsigned int words_before);

/*
 * Returns the number behind a name at the begin of a file's line, such as "VmSwap:"; 0 if there is
 * none.
 */
uint64_t file_named_number(const char *path, const char *name);

/* Returns which word of a line is a name, from 0 on; -1: none is. */
int file_column(const char *line, const char *name);

/*
 * Returns the number at that place of another line; 0 if there is no number, or the line is
 * shorter.
 */
uint64_t file_column_number(const char *line, int column, int base);

/* Returns by how much a number grew; 0 if it fell, as it may if the kernel sums it up anew. */
uint64_t number_since(uint64_t before, uint64_t now);

#endif
