/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types by content: the heart of the deduplication.
 *
 * A *shape* is a BTF record (btf/format.h) whose references are not ids but say what is meant:
 *	void,
 *	another shape (anonymous things, pointers, modifiers, typedefs, arrays, prototypes), or
 *	a *tag*: "struct foo", "union foo" or "enum foo", by name.
 * Every cycle among C types goes through a tag, so a shape is a finite tree down to tags; equal
 * trees are interned as one shape. A unit is translated shape by shape with one table probe each,
 * and nothing is kept of it but its list of shapes: that is the streaming part of the dedup.
 *
 * What a tag means is settled when all units have been seen (btf/dedup/resolve.h): nearly every tag has
 * one definition in the whole program, and then the name is the identity. A group of units that
 * has several definitions of one name tells them apart by the tag's variant number.
 *
 * Shape ids ascend: a shape refers only to shapes with smaller ids. Ids depend on the order of
 * interning and never reach the output; `birth` orders shapes independently of threads.
 */
#ifndef BTFENC_BTF_DEDUP_SHAPE_TABLE_H
#define BTFENC_BTF_DEDUP_SHAPE_TABLE_H

#include <stdlib.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "btf/format.h"

/* A reference: 0 void; top bit clear: shape id (from 1); top bit set: tag id. */
typedef uint32_t shape_ref;

#define SHAPE_VOID 0u
#define SHAPE_TAG_BIT 0x80000000u
#define TAG_NONE UINT32_MAX
/* The variant of a mere declaration in a group that has several definitions of the name. */
#define TAG_VARIANT_UNKNOWN UINT32_MAX
/* Variants from here on: two keys of one name in one group, see merge_tags(). */
#define TAG_VARIANT_KEYS 0x40000000u

static inline bool ref_is_tag(shape_ref ref)
{
	return ref & SHAPE_TAG_BIT;
}

static inline shape_ref ref_to_tag(uint32_t tag)
{
	return tag | SHAPE_TAG_BIT;
}

static inline uint32_t ref_tag(shape_ref ref)
{
	return ref & ~SHAPE_TAG_BIT;
}

struct shape {
	uint32_t word_count;
	uint64_t birth;		/* group << 32 | rank within the group; equal ones: by id */
	bool is_root;		/* stands in the DWARF, so it goes into the BTF */
};

struct tag {
	uint32_t name;		/* name key */
	uint32_t variant;
	uint32_t definition;	/* the first shape seen for it, 0 none */
	uint32_t base;		/* the tag of the same kind and name with variant 0 */
	uint8_t kind;		/* BTF_STRUCT, BTF_UNION or BTF_ENUM (also for ENUM64) */
	bool ambiguous;		/* two definitions of different shapes */
	uint32_t group;		/* scratch of the lowering: group that last used it */
	uint32_t in_group;	/* and how many definitions it has there */
	uint32_t start;		/* scratch, too: first word of the definition */
};

struct shape_table {
	ARRAY_OF(uint32_t) words;	/* each record follows a word with its shape's id */
	ARRAY_OF(uint32_t) starts;	/* shape -> its first word: all that is needed of most */
	ARRAY_OF(struct shape) shapes;	/* [0] is void */
	ARRAY_OF(struct tag) tags;
	struct hash_table by_words;	/* first word of each shape, but for appended ones */
	struct hash_table by_name;	/* tag + 1 of each tag, but for new ones */
};

void shape_table_init(struct shape_table *table);
void shape_table_release(struct shape_table *table);
/* Shapes and tags have changed, none is equal to another: makes lookups find them again. */
void shape_table_reindex(struct shape_table *table);
/* Forgets all shapes and tags, keeps the memory. */
void shape_table_clear(struct shape_table *table);

/*
 * The shape with these words; it is added when it is new, with `birth`. The length of a record
 * follows from its info word.
 */
uint32_t shape_table_intern(struct shape_table *table, const uint32_t *words, uint64_t birth);

/* Does the shape have these words? */
bool shape_table_equal(const struct shape_table *table, uint32_t shape, const uint32_t *words);

/* Takes back all shapes from `count` on: the table is as it was when it had that many. */
void shape_table_truncate(struct shape_table *table, uint32_t count);

/* Adds a shape that stays apart from all equal ones. */
uint32_t shape_table_append(struct shape_table *table, const uint32_t *words, uint64_t birth);

/* The tag with this kind, name and variant; it is added when it is new. */
uint32_t shape_table_tag(struct shape_table *table, enum btf_kind kind, uint32_t name,
			 uint32_t variant);

/* The same; TAG_NONE when there is none. */
uint32_t shape_table_find_tag(const struct shape_table *table, enum btf_kind kind, uint32_t name,
			      uint32_t variant);

/* A new tag that no lookup finds: what resolving splits off. */
uint32_t shape_table_new_tag(struct shape_table *table, const struct tag *like);

static inline const uint32_t *shape_words(const struct shape_table *table, uint32_t shape)
{
	return table->words.data + table->starts.data[shape];
}

static inline enum btf_kind shape_kind(const struct shape_table *table, uint32_t shape)
{
	return btf_info_kind(shape_words(table, shape)[BTF_WORD_INFO]);
}

#endif
