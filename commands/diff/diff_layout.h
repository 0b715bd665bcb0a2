/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A definition in BTF as a flat list of members, each with a path, an offset, a size and a type:
 * those of containers without a name are among the others. And whether two types of two BTFs are
 * the same. For diff_types.c.
 *
 * The input may be damaged. Nothing recurses, and each walk has a limit.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_LAYOUT_H
#define BTFENC_COMMANDS_DIFF_DIFF_LAYOUT_H

#include "base/text.h"
#include "btf/inspect.h"

#define PATH_BYTES_MAX 1024
#define NO_MEMBER      UINT32_MAX

/* In the order of strcmp. */
enum rank { RANK_ENUM, RANK_STRUCT, RANK_TYPEDEF, RANK_UNION, RANK_COUNT };

struct member {
	const char *name;	/* in the BTF; may be empty */
	uint32_t prefix;	/* of its path, in the layout's prefixes */
	uint32_t type;
	uint64_t offset_bits;	/* of an enumerator: its value */
	uint64_t size_bits;
	uint32_t match;		/* in the other layout, or NO_MEMBER */
	bool is_bitfield;
};

/* One definition. */
struct layout {
	const struct btf_reader *btf;
	uint32_t pointer_bytes;
	uint32_t id;		/* of a typedef: the type that it names */
	const uint32_t *record;	/* of it; NULL: an alias */
	uint64_t bytes;
	bool is_alias;		/* a typedef whose target is compared by its text; no members */
	ARRAY_OF(struct member) members;
	struct text prefixes;	/* "", "a.", "a.b.": each with its NUL */
	uint32_t visited;
	bool is_cut;		/* by a limit: the members say nothing */
	bool is_deep;		/* there is more inside one of them */
};

/* Takes the cost from a budget. False: there is not enough left, and then nothing is. */
bool layout_spend(uint64_t *budget, uint64_t cost);

/* As strcmp(). Of a damaged file, a name may be as long as the file. */
int layout_name_order(const char *a, const char *b);

/* The kind of a definition; RANK_COUNT: it is not one. */
enum rank layout_rank(const uint32_t *record);

/* The size of a definition, or of the type that a typedef names. */
uint64_t layout_definition_bytes(const struct btf_reader *btf, uint32_t pointer_bytes, uint32_t id);

/* Replaces what the layout had and keeps its memory, which layout_release() releases once. */
void layout_flatten(struct layout *layout, const struct btf_reader *btf, uint32_t pointer_bytes,
		    uint32_t id, uint64_t *budget);
void layout_release(struct layout *layout);

/* Are its members enumerators? */
bool layout_is_enum(const struct layout *layout);

/*
 * Goes down both types side by side until names are reached. False: they are not the same, or it
 * takes a text to know.
 */
bool layout_same_type(const struct layout *old, uint32_t old_type, const struct layout *new,
		      uint32_t new_type);

#endif
