/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* For each DW_TAG_*: the action of the unit reader, and which attributes are decoded. */
#ifndef BTFENC_DWARF_TAG_TABLE_H
#define BTFENC_DWARF_TAG_TABLE_H

#include "dwarf/die.h"

/* The role of an open DIE for its children. */
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

/* The action for a DIE, by its tag. */
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
	uint64_t slots;		/* that are read, a bit for each: all else is skipped */
};

/* By tag, of those below 0x60. */
extern const struct tag_row tag_table[];

/* Of any tag. */
struct tag_row tag_table_row(uint16_t tag);

#endif
