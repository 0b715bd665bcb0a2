/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types by content: the heart of the deduplication.
 *
 * A *node* is a BTF record (btf/format.h) whose references are not ids but say what is meant:
 *	void,
 *	another node (anonymous things, pointers, modifiers, typedefs, arrays, prototypes), or
 *	a named type, in identifiers a *tag*: "struct foo", "union foo" or "enum foo".
 * Every cycle among C types goes through a named type, so a node is a finite tree down to these;
 * equal trees are interned as one node. A unit is translated node by node with one table probe
 * each, and nothing is kept of it but its list of nodes: that is the streaming part of the dedup.
 *
 * What a named type means is settled when all units have been seen (btf/dedup/resolve.h): nearly
 * every one has one definition in the whole program, and then the name is the identity. A group of
 * units that has several definitions of one name tells them apart by the tag's variant number.
 *
 * Node ids ascend: a node refers only to nodes with smaller ids. Ids depend on the order of
 * interning and never reach the output; `first_seen` orders nodes independently of threads.
 */
#ifndef BTFENC_BTF_DEDUP_NODE_TABLE_H
#define BTFENC_BTF_DEDUP_NODE_TABLE_H


#include "base/hash_table.h"
#include "base/memory.h"
#include "btf/format.h"

/* A reference. Its word in a record: 0 void; top bit clear: node id (from 1); set: tag id. */
struct node_ref {
	uint32_t word;
};

/* A group of units that refer to each other, by its number; groups ascend as their units do. */
struct group_id {
	uint32_t index;
};

#define REF_VOID ((struct node_ref){ 0 })
#define REF_TAG_BIT 0x80000000u
#define TAG_NONE UINT32_MAX
/* The variant of a mere declaration in a group that has several definitions of the name. */
#define TAG_VARIANT_UNKNOWN UINT32_MAX
/* Variants from here on: two keys of one name in one group, see split_keys() in merge.c. */
#define TAG_VARIANT_KEYS 0x40000000u

/* The reference that a word of a record is. */
static inline struct node_ref ref_of_word(uint32_t word)
{
	return (struct node_ref){ word };
}

static inline struct node_ref ref_to_node(uint32_t node)
{
	return (struct node_ref){ node };
}

static inline struct node_ref ref_to_tag(uint32_t tag)
{
	return (struct node_ref){ tag | REF_TAG_BIT };
}

static inline bool ref_is_void(struct node_ref ref)
{
	return !ref.word;
}

static inline bool ref_is_tag(struct node_ref ref)
{
	return ref.word & REF_TAG_BIT;
}

static inline bool ref_equal(struct node_ref a, struct node_ref b)
{
	return a.word == b.word;
}

static inline uint32_t ref_tag(struct node_ref ref)
{
	return ref.word & ~REF_TAG_BIT;
}

/* Of one that is not to a tag; 0 of void. */
static inline uint32_t ref_node(struct node_ref ref)
{
	return ref.word;
}

struct type_node {
	uint32_t word_count;
	uint64_t first_seen;		/* group << 32 | rank within the group; equal ones: by id */
	bool is_root;		/* is in the DWARF, so it goes into the BTF */
};

/* A named type. */
struct tag {
	uint32_t name;		/* name key */
	uint32_t variant;
	uint32_t definition;	/* the first node seen for it, 0 none */
	uint32_t base;		/* the tag of the same kind and name with variant 0 */
	uint8_t kind;		/* BTF_STRUCT, BTF_UNION or BTF_ENUM (also for ENUM64) */
	bool ambiguous;		/* two definitions of different nodes */
	struct group_id group;		/* scratch of the lowering: group that last used it */
	uint32_t in_group;	/* and how many definitions it has there */
	uint32_t start;		/* scratch, too: first word of the definition */
};

struct node_table {
	ARRAY_OF(uint32_t) words;	/* each record follows a word with its node's id */
	ARRAY_OF(uint32_t) starts;	/* node -> its first word: all that is needed of most */
	ARRAY_OF(struct type_node) nodes;	/* [0] is void */
	ARRAY_OF(struct tag) tags;
	struct hash_table by_words;	/* first word of each node, but for appended ones */
	struct hash_table by_name;	/* tag + 1 of each tag, but for new ones */
};

void node_table_init(struct node_table *table);
void node_table_release(struct node_table *table);
/* Nodes and tags have changed, none is equal to another: makes lookups find them again. */
void node_table_reindex(struct node_table *table);

/*
 * The node with these words; it is added when it is new, with `first_seen`. The length of a record
 * follows from its info word.
 */
uint32_t node_table_intern(struct node_table *table, const uint32_t *words, uint64_t first_seen);

/* Does the node have these words? */
bool node_table_equal(const struct node_table *table, uint32_t node, const uint32_t *words);

/* Takes back all nodes from `count` on: the table is as it was when it had that many. */
void node_table_truncate(struct node_table *table, uint32_t count);

/* Adds a node that stays apart from all equal ones. */
uint32_t node_table_append(struct node_table *table, const uint32_t *words, uint64_t first_seen);
/* The same of a large record, of which the caller fills what follows the head in place. */
uint32_t node_table_append_head(struct node_table *table, const uint32_t *head,
				uint64_t first_seen);

/* The tag with this kind, name and variant; it is added when it is new. */
uint32_t node_table_tag(struct node_table *table, enum btf_kind kind, uint32_t name,
			uint32_t variant);

/* The same; TAG_NONE when there is none. */
uint32_t node_table_find_tag(const struct node_table *table, enum btf_kind kind, uint32_t name,
			     uint32_t variant);

/* A new tag that no lookup finds: what resolving splits off. */
uint32_t node_table_new_tag(struct node_table *table, const struct tag *like);

static inline const uint32_t *node_words(const struct node_table *table, uint32_t node)
{
	return table->words.data + table->starts.data[node];
}

static inline enum btf_kind node_kind(const struct node_table *table, uint32_t node)
{
	return btf_info_kind(node_words(table, node)[BTF_WORD_INFO]);
}

#endif
