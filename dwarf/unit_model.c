/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/unit_model.h"

#include "base/search.h"

/*
 * A group may have a few units here and there in the section: the index is cleared only where they
 * are.
 */
void dwarf_model_reset(struct dwarf_model *model, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < model->units.count; i++)
		offset_index_clear(&model->type_index, model->units.data[i].begin,
				   model->units.data[i].end);
	model->begin = begin;
	model->end = end;
	model->types.count = model->taggable.count = 0;
	model->members.count = model->enumerators.count = 0;
	model->dimensions.count = model->parameters.count = model->functions.count = 0;
	model->entries.count = model->variables.count = model->annotations.count = 0;
	model->code.count = model->arguments.count = model->units.count = 0;
	/* Where there is none, "data + first" is a place, too. */
	array_reserve(&model->members, 1);
	array_reserve(&model->enumerators, 1);
	array_reserve(&model->dimensions, 1);
	array_reserve(&model->parameters, 1);
	array_reserve(&model->arguments, 1);
	array_reserve(&model->entries, 1);
	offset_index_cover(&model->type_index, end - begin);
}

void dwarf_model_release(struct dwarf_model *model)
{
	array_release(&model->types);
	array_release(&model->taggable);
	array_release(&model->members);
	array_release(&model->enumerators);
	array_release(&model->dimensions);
	array_release(&model->parameters);
	array_release(&model->arguments);
	array_release(&model->units);
	array_release(&model->functions);
	array_release(&model->entries);
	array_release(&model->code);
	array_release(&model->variables);
	array_release(&model->annotations);
	offset_index_release(&model->type_index);
}

/*
 * DWARF 4 and 5 count as BTF does. DWARF 2 and 3 count a bitfield from the most significant bit of
 * its storage unit, which is the same direction on big-endian machines, the opposite on others.
 */
int64_t dwarf_member_begin(const struct dwarf_member *member, uint64_t type_bytes, bool big_endian)
{
	uint64_t storage = member->storage_bytes ? member->storage_bytes : type_bytes;

	if (!member->has_msb_offset)
		return member->offset_bits;
	if (big_endian)
		return (int64_t)member->offset_bits + member->msb_offset;
	return (int64_t)member->offset_bits + (int64_t)storage * 8 - member->msb_offset -
	       member->size_bits;
}

uint32_t dwarf_model_known_link(const struct dwarf_model *model, uint32_t reference)
{
	uint32_t link = dwarf_model_link_of(model, reference);

	return link == LINK_INVALID ? 0 : link;
}

/* From so many steps on they are counted, each as the bytes of a DIE. */
#define LONG_CHAIN 64
#define STEP_BYTES 8

uint32_t dwarf_model_strip(const struct dwarf_model *model, uint32_t link)
{
	for (size_t steps = 0; link && steps <= model->types.count; steps++) {
		const struct dwarf_type *type = &model->types.data[link - 1];

		if (steps >= LONG_CHAIN && !object_share(model->object, SECTION_INFO, STEP_BYTES))
			return 0;

		switch ((enum dwarf_type_kind)type->kind) {
		case DWARF_TYPEDEF:
		case DWARF_CONST:
		case DWARF_VOLATILE:
		case DWARF_RESTRICT:
		case DWARF_ATOMIC:
		case DWARF_ALIAS:
			link = dwarf_model_known_link(model, type->type);
			break;
		default:
			return link;
		}
	}
	return 0;
}

const struct dwarf_type *dwarf_model_behind(const struct dwarf_model *model, uint32_t reference)
{
	uint32_t link = dwarf_model_strip(model, dwarf_model_known_link(model, reference));

	return link ? &model->types.data[link - 1] : NULL;
}

uint32_t dwarf_model_find_function(const struct dwarf_model *model, uint32_t reference)
{
	const struct dwarf_function *found = sorted_find(&model->functions, offset, reference);

	return found ? (uint32_t)(found - model->functions.data) : OFFSET_INDEX_NONE;
}

uint32_t dwarf_model_find_variable(const struct dwarf_model *model, uint32_t reference)
{
	const struct dwarf_variable *found = sorted_find(&model->variables, offset, reference);

	return found ? (uint32_t)(found - model->variables.data) : OFFSET_INDEX_NONE;
}

const struct dwarf_unit *dwarf_model_unit_of(const struct dwarf_model *model, uint32_t offset)
{
	size_t unit = lower_bound(i, model->units.count, model->units.data[i].end <= offset);

	return &model->units.data[unit];
}

/* DW_AT_abstract_origin of a DW_AT_specification: longer chains are damage. */
#define MAX_ORIGIN_STEPS 8

uint32_t dwarf_model_declaring(const struct dwarf_model *model, uint32_t function)
{
	for (int step = 0; step < MAX_ORIGIN_STEPS; step++) {
		const struct dwarf_function *at = &model->functions.data[function];
		uint32_t origin;

		if (at->name || at->origin == REF_NONE)
			break;
		origin = dwarf_model_find_function(model, at->origin);
		if (origin == OFFSET_INDEX_NONE)
			break;
		function = origin;
	}
	return function;
}

uint32_t dwarf_model_first_function(const struct dwarf_model *model, uint32_t unit)
{
	const struct dwarf_function *functions = model->functions.data;

	return (uint32_t)lower_bound(i, model->functions.count, functions[i].unit < unit);
}
