/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which types that have a name have another layout in one BTF than in another: structs, unions,
 * enums and typedefs, by kind and name. What BPF programs read is compared: the offset, the size
 * and the type of each member, those of members without a name included; the value of each
 * enumerator.
 *
 * Knows two readers and nothing else; ids and order do not matter. A name that has several
 * definitions is compared as the set of them.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_TYPES_H
#define BTFENC_COMMANDS_DIFF_DIFF_TYPES_H

#include "base/memory.h"
#include "btf/reader.h"
#include "commands/diff/diff_class.h"

typedef ARRAY_OF(char *) type_change_lines;

struct type_change {
	enum diff_class class;	/* TYPE_GONE, TYPE_CHANGED or TYPE_NEW */
	const char *keyword;	/* "struct", "union", "enum", "typedef" */
	char *name;
	type_change_lines details;	/* of TYPE_CHANGED, in the order of the layout */
};

struct type_diff {
	ARRAY_OF(struct type_change) changes;	/* by name (strcmp), keyword */
	uint32_t compared;			/* names on both sides */
	bool incomplete;			/* there was more than is ever compared */
};

/*
 * Release it in any case. The readers may be damaged, but not closed before it is done. The size of
 * a pointer is not in BTF; 0: not known, to be guessed.
 */
void type_diff_make(struct type_diff *diff, const struct btf_reader *old,
		    uint32_t old_pointer_bytes, const struct btf_reader *new,
		    uint32_t new_pointer_bytes);
void type_diff_release(struct type_diff *diff);

#endif
