/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * btf_decl_tag and btf_type_tag. clang writes them as children of what they annotate; GCC as DIEs
 * elsewhere in the unit, chained by DW_AT_GNU_annotation.
 */
#include "dwarf/reader_frames.h"

#include <string.h>

#include "base/search.h"

/* Whom a DW_TAG_LLVM_annotation or a DW_AT_GNU_annotation below this frame annotates. */
static bool annotated(const struct unit_reader *reader, const struct reader_frame *frame,
		      struct dwarf_annotation *annotation)
{
	const struct reader_frame *parent = frame - 1;

	annotation->component = -1;
	annotation->owner = frame->index;
	switch ((enum frame_role)frame->role) {
	case ROLE_RECORD:
	case ROLE_TYPEDEF:
	case ROLE_POINTER:
		annotation->owner_kind = ANNOTATES_TYPE;
		return true;
	case ROLE_FUNCTION:
		annotation->owner_kind = ANNOTATES_FUNCTION;
		return true;
	case ROLE_VARIABLE:
		annotation->owner_kind = ANNOTATES_VARIABLE;
		return true;
	case ROLE_MEMBER:
		annotation->owner_kind = ANNOTATES_TYPE;
		annotation->owner = parent->index;
		annotation->component = (int32_t)(reader->pending_members.count - 1 -
						  parent->pending);
		return true;
	case ROLE_PARAMETER:
		annotation->owner_kind = ANNOTATES_FUNCTION;
		annotation->owner = parent->index;
		annotation->component = (int32_t)(reader->pending_parameters.count - 1 -
						  parent->pending);
		return parent->role == ROLE_FUNCTION;
	default:
		return false;
	}
}

void annotation_read(struct unit_reader *reader, struct dwarf_model *model,
		     const struct reader_frame *frame, const struct die *die)
{
	struct dwarf_annotation annotation = { 0 };
	uint64_t ignored;
	const char *name;

	/* A constant instead of a string is nothing that BTF could say. */
	if (!die_has(die, SLOT_NAME) || !die_has(die, SLOT_CONST_VALUE) ||
	    !abbrev_form_is_string(abbrev_form(&reader->abbrevs, die->abbrev, SLOT_CONST_VALUE)))
		return;
	name = die_cursor_string(&reader->cursor, die, SLOT_NAME, &ignored);
	if (!name)
		return;
	annotation.is_type_tag = strcmp(name, "btf_type_tag") == 0 ||
				 strcmp(name, "btf:type_tag") == 0;
	if (!annotation.is_type_tag && strcmp(name, "btf_decl_tag") != 0 &&
	    strcmp(name, "btf:decl_tag") != 0)
		return;		/* not about BTF */
	annotation.value = name_table_key(&reader->names, &reader->cursor, die, SLOT_CONST_VALUE);
	if (die->tag == DW_TAG_GNU_annotation_chain) {
		struct annotation_die chained = {
			.offset = (uint32_t)(die->offset - model->begin),
			.next = unit_reference(model, die, SLOT_ANNOTATION),
			.value = annotation.value,
			.is_type_tag = annotation.is_type_tag,
		};

		array_push(&reader->annotation_dies, chained);
		return;
	}
	if (!annotated(reader, frame, &annotation) ||
	    annotation.is_type_tag != (frame->role == ROLE_POINTER))
		return;
	array_push(&model->annotations, annotation);
}

void annotation_note_use(struct unit_reader *reader, const struct dwarf_model *model,
			 const struct reader_frame *frame, const struct die *die)
{
	struct annotation_use use = { .first = unit_reference(model, die, SLOT_ANNOTATION) };

	if (annotated(reader, frame, &use.annotation)) {
		use.annotation.is_type_tag = frame->role == ROLE_POINTER;
		array_push(&reader->annotation_uses, use);
	}
}

static const struct annotation_die *find_annotation(const struct unit_reader *reader,
						    uint32_t die)
{
	return sorted_find(&reader->annotation_dies, offset, die);
}

/* Follows each chain. It cannot be longer than there are annotations, unless it is a loop. */
void annotation_resolve_chains(struct unit_reader *reader, struct dwarf_model *model)
{
	array_each(const struct annotation_use, use, &reader->annotation_uses) {
		const struct annotation_die *die = find_annotation(reader, use->first);

		for (size_t n = 0; die && n < reader->annotation_dies.count; n++) {
			struct dwarf_annotation annotation = use->annotation;

			annotation.value = die->value;
			if (die->is_type_tag == annotation.is_type_tag)
				array_push(&model->annotations, annotation);
			die = find_annotation(reader, die->next);
		}
	}
	reader->annotation_uses.count = reader->annotation_dies.count = 0;
}
