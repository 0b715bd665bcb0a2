/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The base of a split BTF: an index by content and by name over its types, and the question which
 * types of a module it has already.
 *
 * A module names a few hundred of a kernel's 100,000 types, and in a kernel build each module has a
 * process of its own. So the index is what one pass over strings and types gives, and for a single
 * module it holds only what its types can be. Records and strings stay where the reader has them;
 * names are compared as text, so they may be anywhere.
 *
 * An index of everything is constant: any number of modules may be matched with it at the same
 * time. The reader (and its own bases) is borrowed.
 */
#ifndef BTFENC_BTF_DEDUP_BASE_H
#define BTFENC_BTF_DEDUP_BASE_H

#include "btf/dedup/node_table.h"
#include "btf/reader.h"
#include "btf/string_pool.h"

/* Values by hash; in a bucket they are in the order in which they were added. */
struct base_chains {
	ARRAY_OF(struct base_link) links;
	uint32_t *first;		/* by hash: its first link + 1, 0 none */
	uint32_t mask;
};

struct base_link {
	uint32_t value;
	uint32_t hash;
	uint32_t next;			/* + 1, 0 the last */
};

struct btf_base {
	const struct btf_reader *reader;
	const char *release;		/* of its kernel, "6.1.0-50-s390x"; "": not known; NULL:
					   nothing is to be split from it */
	uint16_t machine;		/* EM_*; 0: not known */
	uint32_t end_id;		/* one more than its highest type id */
	struct base_chains types;	/* the index: ids, which ascend */
	struct base_chains strings;	/* offsets of strings; only if it is for all tables */
	uint32_t *offsets;		/* else: btf_base_string(), by id in the table's pool */
};

/*
 * The chains of names hold what relocation of a distilled base goes by, which is also all that one
 * consists of.
 */
static inline bool btf_base_has_chain(enum btf_kind kind)
{
	return kind == BTF_INT || kind == BTF_FLOAT || kind == BTF_FWD || kind == BTF_STRUCT ||
	       kind == BTF_UNION || kind == BTF_ENUM || kind == BTF_ENUM64;
}

/* Without an index; btf_base_index_all() makes the one for all tables. */
void btf_base_init(struct btf_base *base, const struct btf_reader *reader);
void btf_base_index_all(struct btf_base *base);
void btf_base_release(struct btf_base *base);

/*
 * The same base with an index of all that can be found for one table and its pool, which takes a
 * fifth of the time.
 */
void btf_base_index_for(struct btf_base *base, const struct btf_base *of,
			const struct node_table *table, const struct string_pool *pool);

/* The lowest offset of a pool's string in the base; 0: the base does not have it. */
uint32_t btf_base_string(const struct btf_base *base, const struct string_pool *pool,
			 struct pool_id id);

/*
 * The ids in the chain of a name, which ascend, one with each call: `*at` is 0 before the first. 0:
 * there are no more.
 */
uint32_t btf_base_next_of_name(const struct btf_base *base, uint32_t *at,
			       const struct pool_string *name);

/*
 * The same of the types that may have the content of a record, by hash_words() of it, references
 * being type ids of the base and names their hash_bytes() (0: none). Types with a chain are not
 * found by it, nor are FUNC, VAR and DATASEC.
 */
uint32_t btf_base_next_like(const struct btf_base *base, uint32_t *at, uint32_t hash);

/*
 * Do its name and size tell it from all others in the chain of its name? A FWD has no size, and
 * relocation would not tell it from a definition. Where a name has dozens, this is false.
 */
bool btf_base_is_distinct(const struct btf_base *base, uint32_t id);

/* For each node and tag of a table the type id in the base, 0: the base does not have it. */
struct btf_base_match {
	uint32_t *nodes;
	uint32_t *tags;
	bool *inside;	/* by node: structs and unions without a name inside of something that the
			   base has, but with pointers to what is a declaration there: no type of
			   the module's by themselves, and yet not the base's */
};

/*
 * Finds the types of a resolved table (btf/dedup/resolve.h) in the base: the same names and sizes,
 * and the same everywhere they lead, cycles included. A mere declaration is the same as a
 * definition of that name when the declaration is in the base, or when the base's definition is
 * the only one: the base has no other, and the module none. An ENUM without values is the
 * declaration of an enum. Of several such types one that needs none of this comes first, then the
 * lowest. FUNC, VAR and DATASEC are never found: they are about the module's own code and data.
 *
 * `distilled`: what cannot be told by its name alone counts as not found, because it is by name
 * that a distilled base is fitted to the kernel's.
 */
void btf_base_match(struct btf_base_match *match, const struct btf_base *base,
		    const struct node_table *table, const struct string_pool *pool,
		    bool distilled);
void btf_base_match_release(struct btf_base_match *match);

/* ---- distill.c ---- */

/*
 * A distilled base (.BTF.base): as much of a base BTF as it takes to find the same types in the
 * base of another kernel build, by name, kind and size.
 *
 * It has INT, FLOAT and FWD as they are, STRUCT and UNION without their members, ENUM and ENUM64 as
 * an ENUM of that size without values; all with names, in the order of their ids in the base. The
 * format is libbpf's (btf__distill_base()), which the kernel fits to its own BTF when a module is
 * loaded.
 */

struct btf_distilled {
	uint32_t *ids;			/* by id in the base; 0: not there */
	uint32_t *offset_of_name;	/* by offset in the base; 0: not there */
	uint32_t type_count;
	uint32_t string_bytes;
	uint8_t *data;			/* the BTF, of this size */
	size_t size;
};

/*
 * Makes one of the types of `base` for which wanted[id] is set; each of them has a name and is of a
 * kind that btf_base_has_chain().
 */
void btf_distill(struct btf_distilled *out, const struct btf_base *base, const bool *wanted,
		 bool swap);
void btf_distilled_release(struct btf_distilled *distilled);

#endif
