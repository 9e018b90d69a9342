/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that the kernel tells in files. */
#ifndef NETSTACKLAT_FILE_NUMBER_H
#define NETSTACKLAT_FILE_NUMBER_H

#include <stdint.h>

/* The number behind so many words of a file; 0 if there is none. */
uint64_t file_number(const char *path, unsigned int words_before);

#endif
