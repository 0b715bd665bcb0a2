/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The state of reading a unit, which the parts of the reader share: unit_reader.c, fixed_reader.c,
 * annotation_reader.c.
 */
#ifndef BTFENC_DWARF_READER_FRAMES_H
#define BTFENC_DWARF_READER_FRAMES_H


#include "dwarf/file_table.h"
#include "dwarf/tag_table.h"
#include "dwarf/unit_model.h"

/* How deep DIEs may nest. Compilers stay below 60 on kernels. */
#define UNIT_MAX_DEPTH 1024

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
	struct abbrev_table abbrevs;
	struct die_cursor cursor;
	struct die unit_die;
	struct file_table files;	/* of the unit */
	bool is_assembler;
	bool general_path_only;		/* for tests: nothing has a fixed layout */
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
		return REF_INVALID;	/* at the start is a unit header */
	return (uint32_t)(offset - model->begin);
}

/* Alignments are powers of two; another number, or an absurd one, counts as none. */
static inline uint8_t unit_reader_alignment(uint64_t bytes)
{
	if (!bytes || bytes & (bytes - 1) || bytes >= UINT32_MAX / 2)
		return 0;
	return (uint8_t)__builtin_ctzll(bytes);
}

/* ---- annotation_reader.c, for unit_reader.c only ---- */

/* Reads an annotation DIE that is below `frame`, or anywhere when it is one of GCC's. */
void annotation_read(struct unit_reader *reader, struct dwarf_model *model,
		     const struct reader_frame *frame, const struct die *die);

/* Remembers a DW_AT_GNU_annotation of the DIE that `frame` describes. */
void annotation_note_use(struct unit_reader *reader, const struct dwarf_model *model,
			 const struct reader_frame *frame, const struct die *die);

/* At the end of a unit: follows the chains that were noted. */
void annotation_resolve_chains(struct unit_reader *reader, struct dwarf_model *model);

#endif
