/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/call_site.h"

#include "dwarf/fixed_reader.h"

void call_sites_release(struct call_sites *calls)
{
	array_release(&calls->sites);
	array_release(&calls->loads);
}

/* A parameter without a location (DW_AT_call_parameter) was not passed: it tells debuggers only. */
static void add_load(struct call_sites *calls, struct unit_reader *reader,
		     const struct dwarf_model *model, const struct die *die)
{
	struct call_site *site = &calls->sites.data[calls->sites.count - 1];
	const struct dwarf_unit *unit =
		&model->units.data[model->functions.data[site->caller].unit];
	const struct abi *abi = calls->abi;
	struct call_load load = { 0 };
	struct location location, value;
	struct byte_range block;

	if (!die_cursor_block(&reader->cursor, die, SLOT_LOCATION, &block) ||
	    !location_reduce(&unit->location, block.begin, block.end, FRAME_BASE_NONE, &location))
		return;
	if (location.kind == LOCATION_MEMORY && location.offset >= 0 &&
	    location.offset <= INT32_MAX) {
		load.on_stack = true;
		load.stack_offset = (int32_t)location.offset;
	} else if (location.kind != LOCATION_REGISTER) {
		return;
	}
	load.reg = location.reg;
	if (die_cursor_block(&reader->cursor, die, SLOT_CALL_VALUE, &block) &&
	    location_reduce_value(&unit->location, block.begin, block.end, &value)) {
		load.is_register = value.kind == LOCATION_REGISTER_VALUE && value.offset == 0;
		load.value_register = value.reg;
		load.has_value = value.kind == LOCATION_CONSTANT ||
				 value.kind == LOCATION_ADDRESS_VALUE;
		load.value = value.constant;
		/* arm64's zero register may be the stack pointer, which has the same number. */
		load.is_zero = (value.kind == LOCATION_CONSTANT && value.constant == 0) ||
			       (load.is_register && abi && abi->has_zero_register &&
				value.reg == abi->zero_register);
	}
	array_push(&calls->loads, load);
	site->load_count++;
}

/*
 * Returns whether its parameters are to be read. The origin is a declaration, an abstract instance
 * or the code itself, in this group or nowhere.
 */
static bool read_call(struct call_sites *calls, struct unit_reader *reader,
		      const struct dwarf_model *model, uint32_t caller,
		      const struct call_filter *filter, const struct die *die)
{
	enum die_slot origin = die_has(die, SLOT_CALL_ORIGIN) ? SLOT_CALL_ORIGIN : SLOT_ORIGIN;
	/* GCC's form before DWARF 5 has the return address in DW_AT_low_pc. */
	enum die_slot return_pc = die_has(die, SLOT_CALL_RETURN_PC) ? SLOT_CALL_RETURN_PC
								    : SLOT_LOW_PC;
	uint32_t reference = unit_reference(model, die, origin);
	struct call_site site = {
		.caller = caller,
		.callee = OFFSET_INDEX_NONE,
		.first_load = (uint32_t)calls->loads.count,
	};

	if (reference != REF_NONE && reference != REF_INVALID)
		site.callee = dwarf_model_find_function(model, reference);
	if (site.callee == OFFSET_INDEX_NONE || !filter->wants(filter->context, site.callee))
		return false;
	if (die_has(die, return_pc))
		die_cursor_address(&reader->cursor, die, return_pc, &site.return_pc);
	if (die_has(die, SLOT_CALL_PC))
		die_cursor_address(&reader->cursor, die, SLOT_CALL_PC, &site.call_pc);
	array_push(&calls->sites, site);
	return true;
}

/* The calls in one function's DIEs. Functions nested in it are in the model themselves. */
static bool read_function(struct call_sites *calls, struct unit_reader *reader,
			  const struct dwarf_model *model, uint32_t function,
			  const struct call_filter *filter)
{
	uint64_t depth = 1;
	struct die die;

	if (!die_cursor_seek(&reader->cursor, model->begin +
					      model->functions.data[function].offset) ||
	    die_cursor_next(&reader->cursor, &die) != DIE_READ)
		return false;
	if (!die.has_children)
		return true;
	while (depth) {
		bool descend;

		fixed_reader_skip_to_call(reader, &depth);
		if (!depth)
			break;
		switch (die_cursor_next(&reader->cursor, &die)) {
		case DIE_NULL: depth--; continue;
		case DIE_END: return true;
		case DIE_FAILED: return false;
		case DIE_READ: break;
		}
		switch (die.tag) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			descend = read_call(calls, reader, model, function, filter, &die);
			break;
		case DW_TAG_call_site_parameter:
		case DW_TAG_GNU_call_site_parameter:
			if (calls->sites.count)
				add_load(calls, reader, model, &die);
			descend = true;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_try_block:
		case DW_TAG_catch_block: descend = true; break;
		default: descend = false; break;
		}
		if (descend)
			depth += die.has_children;
		else
			die_cursor_skip_children(&reader->cursor, &die);
	}
	return true;
}

bool call_sites_read(struct call_sites *calls, struct unit_reader *reader,
		     const struct dwarf_model *model, uint32_t unit,
		     const struct call_filter *filter, struct error *err)
{
	const struct dwarf_function *functions = model->functions.data;
	uint64_t language;

	if (!unit_reader_open(reader, model->units.data[unit].unit, &language, err))
		return false;
	for (uint32_t i = dwarf_model_first_function(model, unit);
	     i < model->functions.count && functions[i].unit == unit; i++) {
		if (functions[i].entry_count && !read_function(calls, reader, model, i, filter))
			return false;
	}
	return true;
}
