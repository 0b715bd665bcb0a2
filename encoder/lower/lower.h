/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Lowering: the DWARF types of one group of units become nodes. Here, and only here, is decided
 * how a DWARF type looks in BTF; the rules are above the functions of each kind in lower_kinds.c.
 */
#ifndef BTFENC_ENCODER_LOWER_LOWER_H
#define BTFENC_ENCODER_LOWER_LOWER_H

#include "btf/dedup/collector.h"
#include "dwarf/unit_model.h"

/*
 * Tests set it: no type is compared with what it is likely to be, so that the slow half, which
 * makes nodes of all types, does everything. No result may depend on it.
 */
extern bool lower_never_guess;

struct lower_counts {
	uint64_t types;			/* type DIEs read */
	uint64_t kinds[DWARF_KIND_COUNT];	/* these by kind, without declarations */
	uint64_t declarations;
	uint64_t inexpressible;		/* members or elements that BTF has no room for */
	uint64_t broken;		/* groups that were lowered again */
};

/* A type that is being lowered. */
struct lower_frame {
	uint32_t type;		/* index */
	uint32_t next;		/* the next of its members or parameters */
	uint32_t kept;		/* members written so far */
	uint32_t words;		/* where its words begin on the word stack */
	bool started;		/* they have been reserved */
};

/* Recent references, by a hash of their words. */
struct reference_memo {
	uint32_t words[3];
	uint32_t node;		/* 0: empty */
};

#define REFERENCE_MEMOS 4096

/* Which kinds may be used; without floats they are INTs, without enum64 wide values are cut. */
struct lower_options {
	bool floats;
	bool enum64;
	bool type_tags;
	bool decl_tags;
};

struct lowering {
	const struct object *object;
	struct lower_options options;
	const struct dwarf_model *model;
	struct name_table *names;
	struct collector *collector;
	struct error *err;
	uint64_t first_seen_base;		/* group << 32 */
	uint32_t index_type;		/* the node of "int", for arrays; 0: none yet */
	uint32_t index_group;		/* the group that has it as a root, + 1 */
	bool count_kinds;		/* set by the owner: fill counts.kinds, too */
	struct lower_counts counts;
	struct reference_memo *memos;	/* REFERENCE_MEMOS */
	uint32_t bad_reference;		/* why a link is LINK_INVALID */

	/* Per type of the model. */
	ARRAY_OF(struct node_ref) refs;	/* by link: what a reference becomes, or LOWER_PENDING */
	ARRAY_OF(uint32_t) nodes;	/* by index: its node, for definitions of named types */
	ARRAY_OF(bool) assumed;		/* by index: its reference is an assumption */
	ARRAY_OF(uint32_t) contested;	/* definitions of names that the group defines repeatedly */
	ARRAY_OF(uint32_t) words;	/* stack of the words of unfinished types */
	ARRAY_OF(struct lower_frame) stack;
	ARRAY_OF(uint32_t) annotation_heads;	/* type -> first annotation + 1 */
	ARRAY_OF(uint32_t) moved;	/* type -> its members in positions + 1; 0: as in DWARF */
	ARRAY_OF(uint32_t) positions;	/* of members, in BTF, or LOWER_NO_POSITION */
};

void lowering_init(struct lowering *lowering, const struct object *object,
		   struct lower_options options, struct name_table *names,
		   struct collector *collector);
void lowering_release(struct lowering *lowering);

/*
 * Lowers all types of the model into the collector, whose group is open. False: a
 * reference leads nowhere or in circles; the group must be given up. Afterwards lower_ref() works
 * for the model.
 */
bool lower_types(struct lowering *lowering, struct dwarf_model *model, struct group_id group,
		 struct error *err);

/*
 * Takes back all nodes from `nodes` on and all entries of the open group, which turned out to be
 * unusable: nothing may depend on what it has left.
 */
void lower_take_back(struct lowering *lowering, uint32_t nodes);

/* What a DWARF reference of the lowered model means; REF_VOID for REF_NONE. */
bool lower_ref(struct lowering *lowering, uint32_t reference, uint32_t die_offset,
	       struct node_ref *ref);

/*
 * The FUNC_PROTO of a function of the lowered model: its own return type and parameters. False as
 * for lower_types(). *unnamed: a parameter has no name.
 */
bool lower_prototype(struct lowering *lowering, const struct dwarf_function *function,
		     struct node_ref *prototype, bool *unnamed);

/* The same without a node: its words, until something else is lowered. NULL: as for false. */
const uint32_t *lower_prototype_words(struct lowering *lowering,
				      const struct dwarf_function *function, bool *unnamed);

#endif
