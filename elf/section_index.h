/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The sections of a file by address and by name: with -ffunction-sections there are as many as
 * functions. What the first of several would answer in the order of the headers is found.
 */
#ifndef BTFENC_ELF_SECTION_INDEX_H
#define BTFENC_ELF_SECTION_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash_table.h"
#include "base/sort.h"
#include "elf/section_header.h"

struct section_index {
	const struct section_header *headers;	/* borrowed */
	/* By address, where another section is the first one that is loaded: its index; 0: none. */
	struct sort_item *stretches;
	size_t count;
	struct hash_table names;	/* header indices, by name, and by name and size */
};

void section_index_make(struct section_index *index, const struct section_header *headers,
			size_t count);
void section_index_release(struct section_index *index);

/* That holds the address in its memory image, or NULL. */
const struct section_header *section_index_at(const struct section_index *index, uint64_t address);

/* Of that name and size, if one is loaded; else the first of the name; else NULL. */
const struct section_header *section_index_named(const struct section_index *index,
						 const char *name, uint64_t size);

#endif
