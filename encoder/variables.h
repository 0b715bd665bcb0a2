/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which sections have variables that are written, by the features var and global_var. */
#ifndef BTFENC_ENCODER_VARIABLES_H
#define BTFENC_ENCODER_VARIABLES_H

#include "base/memory.h"
#include "elf/object.h"
#include "encoder/features.h"

struct variable_sections {
	ARRAY_OF(uint32_t) indices;	/* of ELF sections, ascending */
};

void variable_sections_find(struct variable_sections *sections, const struct object *object,
			    const struct features *features);
void variable_sections_release(struct variable_sections *sections);

/* The one that an address lies in; 0: none. */
uint32_t variable_section(const struct variable_sections *sections, const struct object *object,
			  uint64_t address);

#endif
