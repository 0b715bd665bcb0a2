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
#include "base/sort.h"
#include "btf/reader.h"
#include "commands/diff/diff_class.h"

typedef ARRAY_OF(char *) type_change_lines;

struct type_change {
	enum diff_class class;	/* of DIFF_TYPES */
	const char *keyword;	/* "struct", "union", "enum", "typedef" */
	char *name;
	const char *module;	/* NULL: of the file itself; borrowed */
	type_change_lines details;	/* from where it moved, and its layout's, in their order */
};

/* Ids of what has a name, by it and the keyword. */
struct type_names {
	const struct btf_reader *btf;
	ARRAY_OF(struct sort_item) items;
};

/* The definitions of a name and keyword in one file. */
struct type_group {
	struct type_names names;	/* of the file; borrowed */
	size_t first, count;		/* of these */
	const char *module;		/* NULL: the file itself; borrowed */
	uint32_t pointer_bytes;
};

struct type_diff {
	ARRAY_OF(struct type_change) changes;
	uint32_t compared;			/* names on both sides */
	bool incomplete;			/* there was more than is ever compared */
	ARRAY_OF(struct type_names) names;	/* of both files themselves, then of modules */
	struct type_groups {
		struct type_group *data;
		size_t count, capacity;
	} lone[2];		/* that the file of that name on the other side has not */
};

/*
 * Compares the types of the files themselves (`module` is NULL), and after that those of a module's
 * own; a NULL reader: that side has no such module. At the end type_diff_finish() tells types that
 * are gone or new from those that are in another file now. Release it in any case. The readers may
 * be damaged, but not closed before it is done. The size of a pointer is not in BTF; 0: not known,
 * to be guessed.
 */
void type_diff_add(struct type_diff *diff, const char *module, const struct btf_reader *old,
		   uint32_t old_pointer_bytes, const struct btf_reader *new,
		   uint32_t new_pointer_bytes);
void type_diff_finish(struct type_diff *diff);
void type_diff_release(struct type_diff *diff);

#endif
