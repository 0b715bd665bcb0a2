/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Reads the types, functions and variables of units into a dwarf_model: one pass over the DIEs.
 *
 * One reader per worker; it owns the scratch memory, the compiled abbreviations and the names.
 */
#ifndef BTFENC_DWARF_UNIT_READER_H
#define BTFENC_DWARF_UNIT_READER_H

#include "dwarf/ranges.h"
#include "dwarf/unit_model.h"

/* How deep DIEs may nest. Compilers stay below 60 on kernels. */
#define UNIT_MAX_DEPTH 1024

/* What an open DIE is to its children. */
enum frame_role {
	ROLE_OTHER,
	ROLE_UNIT,
	ROLE_RECORD,		/* struct or union: index of the type */
	ROLE_ENUM,
	ROLE_ARRAY,
	ROLE_SUBROUTINE,
	ROLE_FUNCTION,		/* index of the function */
	ROLE_POINTER,
	ROLE_TYPEDEF,
	ROLE_MEMBER,
	ROLE_PARAMETER,
	ROLE_VARIABLE,
};

struct reader_frame {
	uint8_t role;
	uint32_t index;		/* of the type, function or variable */
	uint32_t pending;	/* where its members or parameters begin in the pending stack */
	uint32_t arguments;	/* where its arguments begin in theirs */
	uint32_t annotations;	/* where its annotations begin */
};

/* DW_AT_GNU_annotation: the annotations are DIEs elsewhere in the unit, chained. */
struct annotation_die {
	uint32_t offset;
	uint32_t next;
	uint32_t value;
	bool is_type_tag;
};

struct annotation_use {
	struct dwarf_annotation annotation;	/* without the value */
	uint32_t first;
};

struct unit_reader {
	const struct object *object;
	const struct unit_list *units;
	struct name_table names;
	struct plan_table plans;
	struct die_cursor cursor;
	struct die unit_die;
	bool is_assembler;
	bool general_path_only;		/* for tests: nothing is plain */
	struct reader_frame frames[UNIT_MAX_DEPTH];
	uint32_t depth;
	ARRAY_OF(struct dwarf_member) pending_members;
	ARRAY_OF(struct dwarf_parameter) pending_parameters;
	ARRAY_OF(struct dwarf_argument) pending_arguments;
	ARRAY_OF(struct annotation_die) annotation_dies;
	ARRAY_OF(struct annotation_use) annotation_uses;
	address_range_array ranges;
};

/* The DIE offset in a reference slot, relative to the group. */
static inline uint32_t unit_reference(const struct dwarf_model *model, const struct die *die,
				      enum die_slot slot)
{
	uint64_t offset;

	if (!die_has(die, slot))
		return REF_NONE;
	offset = die->value[slot];
	if (offset <= model->begin || offset >= model->end)
		return REF_INVALID;	/* at the start stands a unit header */
	return (uint32_t)(offset - model->begin);
}

/* What is done with a DIE, by its tag. */
enum die_action {
	ACTION_DESCEND,		/* nothing, but look at its children */
	ACTION_SKIP,		/* no type is defined inside */
	ACTION_TYPE,
	ACTION_MEMBER,
	ACTION_ENUMERATOR,
	ACTION_SUBRANGE,
	ACTION_PARAMETER,
	ACTION_DOTS,
	ACTION_FUNCTION,
	ACTION_VARIABLE,
	ACTION_ANNOTATION,
};

struct tag_row {
	uint8_t action;		/* enum die_action */
	uint8_t kind;		/* enum dwarf_type_kind, of ACTION_TYPE */
	uint8_t role;		/* enum frame_role: what the DIE is to its children */
};

/* By tag, of those below 0x60. */
extern const struct tag_row unit_reader_rows[];

/* Alignments are powers of two; what is none, or absurd, is as if nothing were said. */
static inline uint8_t unit_reader_alignment(uint64_t bytes)
{
	if (!bytes || bytes & (bytes - 1) || bytes >= UINT32_MAX / 2)
		return 0;
	return (uint8_t)__builtin_ctzll(bytes);
}

/* DW_AT_const_value of the opened unit's DIE; false: it has none, or not a number. */
bool unit_reader_constant(const struct unit_reader *reader, const struct die *die,
			  uint64_t *constant);

void unit_reader_init(struct unit_reader *reader, const struct object *object,
		      const struct unit_list *units);
void unit_reader_release(struct unit_reader *reader);

/*
 * Opens a unit and reads its unit DIE. *language is DW_AT_language, 0 when there is none. False:
 * the unit cannot be read, err says why.
 */
bool unit_reader_open(struct unit_reader *reader, const struct unit *unit, uint64_t *language,
		      struct error *err);

/* Appends everything in the opened unit to the model, whose group must hold the unit. */
bool unit_reader_read(struct unit_reader *reader, struct dwarf_model *model, struct error *err);

#endif
