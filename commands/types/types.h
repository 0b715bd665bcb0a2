/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types, members and enumerators of BTF by their names, as `btfenc explain` is asked for them:
 * "struct sock", "sock.sk_rcvbuf", "task_struct.se.vruntime", "task_struct.mm.pgd" (through a
 * pointer), "pid.numbers[0].nr", "bpf_prog_type.BPF_PROG_TYPE_XDP", "BPF_PROG_TYPE_XDP". Members of
 * what has no name are members of what it is in, as in C.
 *
 * The input may be damaged: walks are bounded.
 */
#ifndef BTFENC_COMMANDS_TYPES_TYPES_H
#define BTFENC_COMMANDS_TYPES_TYPES_H

#include <jansson.h>

#include "base/near_names.h"
#include "base/text.h"
#include "btf/members.h"
#include "kernel/type_source.h"

struct type_query {
	enum btf_kind kind;	/* STRUCT, UNION, ENUM; BTF_VOID: any of these, a typedef or,
				   without a path, an enumerator */
	bool is_ops;		/* struct_ops/NAME: a STRUCT that BPF programs can implement */
	char *name;		/* "": it is missing */
	char *path;		/* of the member, "se.vruntime", or an enum's enumerator; "": the
				   type itself */
};

/*
 * Does NAME ask for a type? `tag`, the word after it or NULL, is that of a keyword alone. How many
 * of the two words it takes; 0: it does not, and there is nothing to release.
 */
int type_query_parse(struct type_query *query, const char *name, const char *tag);
void type_query_release(struct type_query *query);

/*
 * The struct or union that a type is without typedefs and qualifiers, 0: it is none. `pointers`:
 * also what an array or a pointer leads to, and *by_pointer says if a pointer does.
 */
uint32_t type_aggregate(const struct btf_reader *btf, uint32_t id, bool pointers,
			bool *by_pointer);

struct type_found {
	const struct btf_reader *btf;
	struct type_source types;	/* of it, with a machine's word */
	uint32_t id;			/* 0: there is no such type */
	uint32_t namesakes;		/* other types of that kind and name */
	bool has_ops;			/* there is a struct bpf_struct_ops_NAME */
	const uint32_t *enumerator;	/* its words; NULL: that is not what was found */
	/* If the query has a path: */
	const char *missing;		/* the part of it that is no member; NULL: all are */
	uint32_t container;		/* the struct or union that `missing`, or the member, is in,
					   without those that have no name; 0: `member` is none, or
					   does not have the element with that index */
	uint32_t base;			/* the member's offset counts from it: the type, or what
					   the last pointer of the path leads to */
	struct btf_member_layout member;
	char *accessors;		/* as CO-RE's macros take it: "mm, pgd" */
	bool is_indirect;		/* no macro takes it: a pointer leads to a pointer or to
					   an array */
};

/* Release it in any case. */
void type_find(struct type_found *found, const struct btf_reader *btf,
	       const struct type_query *query);
void type_found_release(struct type_found *found);

/* Types of that kind, or members where a member is missing, whose names are near the one wanted. */
void type_find_near(struct near_names *near, const struct type_found *found,
		    const struct type_query *query);

/*
 * The path of the only member that the kernel's macros may mean by one that is missing, as sk_state
 * is __sk_common.skc_state; NULL: there is none. To be freed.
 */
char *type_find_meant(const struct type_found *found, const struct type_query *query);

/* Are type and member there? */
static inline bool type_is_found(const struct type_found *found)
{
	return found->id && !found->missing;
}

/* One of several files. */
struct type_answer {
	const char *path;
	const char *searched;	/* what else lacks it: ", nor in its modules (3)"; or "" */
	struct type_found found;
	char *excluded;		/* a unit that was left out has it: where; or NULL */
	json_t *differs;	/* from the file before it: lines of text; NULL: not compared */
	/* Is it a function of a struct_ops, and do programs implement it? By the image. */
	bool is_operation;
	uint8_t is_taken;	/* enum attach_answer */
};

/* Fills the last two of a row. */
void type_find_operation(struct type_answer *row, const struct type_query *query);

/* Of one file what it is, its declaration, how to read it; of several a line for each. */
void type_print(const struct type_query *query, const struct type_answer *rows, size_t count);

/* The caller's reference. */
json_t *type_json(const struct type_query *query, const struct type_answer *rows, size_t count);

#endif
