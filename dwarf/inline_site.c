/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/inline_site.h"

#include <string.h>

#include "dwarf/fixed_reader.h"

void inline_sites_release(struct inline_sites *sites)
{
	array_release(&sites->sites);
	array_release(&sites->arguments);
	array_release(&sites->pending);
	array_release(&sites->frames);
	array_release(&sites->ranges);
}

/*
 * Without DW_AT_entry_pc (clang, DWARF 2) it is the lowest address. As a constant it counts from
 * the base: DW_AT_low_pc, or the first of the ranges (DWARF 5 section 2.18).
 */
static bool find_entry(struct inline_sites *sites, struct unit_reader *reader,
		       const struct die *die, uint64_t *entry)
{
	uint64_t base;

	if (die_has(die, SLOT_ENTRY_PC) &&
	    die_cursor_address(&reader->cursor, die, SLOT_ENTRY_PC, entry))
		return true;
	sites->ranges.count = 0;
	if (die_has(die, SLOT_LOW_PC)) {
		if (!die_cursor_address(&reader->cursor, die, SLOT_LOW_PC, &base))
			return false;
		*entry = base;
	} else if (die_has(die, SLOT_RANGES)) {
		ranges_read(&reader->cursor, die, &sites->ranges);
		if (!sites->ranges.count)
			return false;
		base = *entry = sites->ranges.data[0].begin;
		for (size_t i = 1; i < sites->ranges.count; i++) {
			if (sites->ranges.data[i].begin < *entry)
				*entry = sites->ranges.data[i].begin;
		}
	} else {
		return false;
	}
	if (die_has(die, SLOT_ENTRY_PC))
		*entry = base + die->value[SLOT_ENTRY_PC];
	return true;
}

/* The origin is the abstract instance; in an LTO image it may be another unit's. */
static uint32_t find_origin(struct inline_sites *sites, const struct dwarf_model *model,
			    uint32_t reference)
{
	struct inline_origin *known = &sites->origins[(reference ^ reference >> 8) %
						      INLINE_ORIGINS];

	if (reference == REF_NONE || reference == REF_INVALID)
		return OFFSET_INDEX_NONE;
	if (known->reference != reference)
		*known = (struct inline_origin){ reference,
						 dwarf_model_find_function(model, reference) };
	return known->function;
}

/* One DIE inside a function, as fixed_reader_local() reads it. LOCAL_OTHER: it is not used. */
static enum local_kind take_die(struct inline_sites *sites, struct unit_reader *reader,
				const struct dwarf_model *model, const struct die *die,
				struct local_die *local)
{
	uint64_t file = die_value(die, SLOT_CALL_FILE, 0), line = die_value(die, SLOT_CALL_LINE, 0);

	local->offset = (uint32_t)(die->offset - model->begin);
	local->has_children = die->has_children;
	local->origin = unit_reference(model, die, SLOT_ORIGIN);
	switch (die->tag) {
	case DW_TAG_formal_parameter:
		local->argument = (struct dwarf_argument){
			.has_constant = die_has(die, SLOT_CONST_VALUE),
			.location = location_source_of(&reader->cursor, die, SLOT_LOCATION),
		};
		local->argument.is_number =
			unit_reader_constant(reader, die, &local->argument.constant);
		return LOCAL_ARGUMENT;
	case DW_TAG_inlined_subroutine:
		local->site = (struct inline_site){
			.call_file = file <= UINT32_MAX ? (uint32_t)file : 0,
			.call_line = line <= UINT32_MAX ? (uint32_t)line : 0,
			.has_view = die_has(die, SLOT_ENTRY_VIEW),
			.view = die_value(die, SLOT_ENTRY_VIEW, 0),
		};
		local->site.has_entry = find_entry(sites, reader, die, &local->site.entry);
		return LOCAL_SITE;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block: return LOCAL_BLOCK;
	default: return LOCAL_OTHER;
	}
}

/*
 * GCC may describe a parameter twice, at a copy of an inlined function: first bare, then with its
 * place. The one with a location or constant counts.
 */
static void add_argument(struct inline_sites *sites, uint32_t first,
			 const struct dwarf_argument *argument)
{
	for (size_t i = first; i < sites->pending.count; i++) {
		struct dwarf_argument *known = &sites->pending.data[i];

		if (known->parameter != argument->parameter)
			continue;
		if (!known->is_number && known->location.form_class == LOCATION_FORM_ABSENT)
			*known = *argument;
		return;
	}
	array_push(&sites->pending, *argument);
}

/* The arguments of a site are brought together when it closes: sites inside have closed before. */
static void close_frame(struct inline_sites *sites)
{
	const struct inline_frame *frame = &sites->frames.data[--sites->frames.count];
	struct inline_site *site;

	if (!frame->is_site)
		return;
	site = &sites->sites.data[frame->site];
	site->first_argument = (uint32_t)sites->arguments.count;
	site->argument_count = (uint32_t)sites->pending.count - frame->pending;
	for (size_t i = frame->pending; i < sites->pending.count; i++)
		array_push(&sites->arguments, sites->pending.data[i]);
	sites->pending.count = frame->pending;
}

/*
 * Adds one DIE inside a function. Returns whether its children are looked at; then a frame is open.
 * Functions nested in it are in the model themselves.
 */
static bool add_local(struct inline_sites *sites, const struct dwarf_model *model,
		      uint32_t function, enum local_kind kind, struct local_die *local)
{
	struct inline_frame frame = sites->frames.data[sites->frames.count - 1];

	switch (kind) {
	case LOCAL_ARGUMENT:
		local->argument.parameter = local->origin;
		if (frame.is_site)
			add_argument(sites, frame.pending, &local->argument);
		return false;
	case LOCAL_SITE:
		local->site.origin = find_origin(sites, model, local->origin);
		local->site.function = function;
		local->site.offset = local->offset;
		local->site.parent = frame.site;
		frame.site = (uint32_t)sites->sites.count;
		frame.is_site = true;
		array_push(&sites->sites, local->site);
		break;
	case LOCAL_BLOCK: frame.is_site = false; break;
	default: return false;
	}
	if (!local->has_children)
		return false;
	frame.pending = (uint32_t)sites->pending.count;
	array_push(&sites->frames, frame);
	return true;
}

static bool read_function(struct inline_sites *sites, struct unit_reader *reader,
			  const struct dwarf_model *model, uint32_t function)
{
	uint64_t offset = model->begin + model->functions.data[function].offset;
	struct local_die local;
	struct die die;

	if (!die_cursor_seek(&reader->cursor, offset) ||
	    die_cursor_next(&reader->cursor, &die) != DIE_READ)
		return die_cursor_fail(&reader->cursor, offset, "is not there any more; the file "
				       "was changed while it was read");
	if (!die.has_children)
		return true;
	sites->frames.count = sites->pending.count = 0;
	array_push(&sites->frames, ((struct inline_frame){ .site = INLINE_SITE_NONE }));
	while (sites->frames.count) {
		bool in_site = sites->frames.data[sites->frames.count - 1].is_site;
		enum local_kind kind = fixed_reader_local(reader, model, in_site, &local);
		enum die_status status = kind == LOCAL_NULL ? DIE_NULL : DIE_READ;
		bool is_general = kind == LOCAL_OTHER;

		if (is_general)
			status = die_cursor_next(&reader->cursor, &die);
		switch (status) {
		case DIE_NULL: close_frame(sites); continue;
		case DIE_END:
			while (sites->frames.count)
				close_frame(sites);
			continue;
		case DIE_FAILED: return false;
		case DIE_READ: break;
		}
		if (is_general)
			kind = take_die(sites, reader, model, &die, &local);
		if (add_local(sites, model, function, kind, &local)) {
			if (sites->frames.count == UNIT_MAX_DEPTH)
				return die_cursor_fail(&reader->cursor,
						       model->begin + local.offset,
						       "is nested more than %d deep; the file is "
						       "damaged", UNIT_MAX_DEPTH);
		} else if (is_general) {
			die_cursor_skip_children(&reader->cursor, &die);
		}
	}
	return true;
}

bool inline_sites_read(struct inline_sites *sites, struct unit_reader *reader,
		       const struct dwarf_model *model, uint32_t unit, struct error *err)
{
	const struct dwarf_function *functions = model->functions.data;
	uint64_t language;

	memset(sites->origins, 0, sizeof(sites->origins));
	if (!unit_reader_open(reader, model->units.data[unit].unit, &language, err))
		return false;
	for (uint32_t i = dwarf_model_first_function(model, unit);
	     i < model->functions.count && functions[i].unit == unit; i++) {
		if (functions[i].entry_count && !read_function(sites, reader, model, i))
			return false;
	}
	return true;
}

bool inline_site_is_in_itself(const struct inline_sites *sites, const struct dwarf_model *model,
			      const struct inline_site *site)
{
	uint32_t declared = dwarf_model_declaring(model, site->origin);

	for (uint32_t at = site->parent; at != INLINE_SITE_NONE;) {
		const struct inline_site *around = &sites->sites.data[at];

		if (around->origin != OFFSET_INDEX_NONE &&
		    dwarf_model_declaring(model, around->origin) == declared)
			return true;
		at = around->parent;
	}
	return dwarf_model_declaring(model, site->function) == declared;
}
