/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which programs have a fixed layout (enum fixed_action), and where their values are. */
#include "dwarf/abbrev_table.h"

/* The slots that a fixed-layout DIE of a tag may have, and the action for it. */
struct fixed_rule {
	uint16_t tag;
	uint8_t action;
	uint64_t slots;		/* all that an abbreviation may fill */
	uint8_t number;		/* slot, or SLOT_NONE */
	uint8_t second;
};

#define NAMED (SLOT_BIT(NAME) | SLOT_BIT(TYPE))
#define RECORD_SLOTS                                                                               \
	(SLOT_BIT(NAME) | SLOT_BIT(BYTE_SIZE) | SLOT_BIT(DECLARATION) | SLOT_BIT(ALIGNMENT))

static const struct fixed_rule fixed_rules[] = {
	{ DW_TAG_member, FIXED_MEMBER, NAMED | SLOT_BIT(MEMBER_LOCATION), SLOT_MEMBER_LOCATION,
	  SLOT_NONE },
	{ DW_TAG_member, FIXED_MEMBER, NAMED | SLOT_BIT(DATA_BIT_OFFSET) | SLOT_BIT(BIT_SIZE),
	  SLOT_DATA_BIT_OFFSET, SLOT_BIT_SIZE },
	{ DW_TAG_pointer_type, FIXED_TYPE, SLOT_BIT(TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_const_type, FIXED_TYPE, SLOT_BIT(TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_volatile_type, FIXED_TYPE, SLOT_BIT(TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_restrict_type, FIXED_TYPE, SLOT_BIT(TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_typedef, FIXED_TYPE, NAMED, SLOT_NONE, SLOT_NONE },
	{ DW_TAG_base_type, FIXED_TYPE,
	  SLOT_BIT(NAME) | SLOT_BIT(BYTE_SIZE) | SLOT_BIT(ENCODING), SLOT_BYTE_SIZE,
	  SLOT_ENCODING },
	{ DW_TAG_structure_type, FIXED_RECORD, RECORD_SLOTS, SLOT_BYTE_SIZE, SLOT_ALIGNMENT },
	{ DW_TAG_union_type, FIXED_RECORD, RECORD_SLOTS, SLOT_BYTE_SIZE, SLOT_ALIGNMENT },
	{ DW_TAG_enumeration_type, FIXED_ENUM, NAMED | SLOT_BIT(BYTE_SIZE) | SLOT_BIT(DECLARATION),
	  SLOT_BYTE_SIZE, SLOT_NONE },
	{ DW_TAG_enumerator, FIXED_ENUMERATOR, SLOT_BIT(NAME) | SLOT_BIT(CONST_VALUE),
	  SLOT_CONST_VALUE, SLOT_NONE },
	{ DW_TAG_array_type, FIXED_ARRAY, SLOT_BIT(TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_subrange_type, FIXED_SUBRANGE, SLOT_BIT(UPPER_BOUND), SLOT_UPPER_BOUND,
	  SLOT_NONE },
	{ DW_TAG_subrange_type, FIXED_SUBRANGE, SLOT_BIT(COUNT_OF), SLOT_COUNT_OF, SLOT_NONE },
	{ DW_TAG_subroutine_type, FIXED_SUBROUTINE, SLOT_BIT(TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_formal_parameter, FIXED_PARAMETER, NAMED, SLOT_NONE, SLOT_NONE },
	{ DW_TAG_unspecified_parameters, FIXED_DOTS, 0, SLOT_NONE, SLOT_NONE },
};

/* Puts one load into the fixed layout; false when that has no room for it. */
static bool add_fixed_load(const struct abbrev_table *table, struct fixed_die *fixed,
			   const struct fixed_rule *rule, const struct abbrev_load *load)
{
	if (load->slot == SLOT_NAME) {
		fixed->has_indexed_name = load->space == SPACE_STRX;
		fixed->name_at = (uint8_t)load->offset;
		fixed->name_mask = (uint32_t)load->mask;
		/* What an index leads to is an offset, and has its size. */
		return load->width <= 4 && table->offset_bytes == 4 &&
		       (load->space == SPACE_STRX || load->form == DW_FORM_strp);
	}
	if (load->slot == SLOT_TYPE) {
		fixed->type_at = (uint8_t)load->offset;
		fixed->type_mask = (uint32_t)load->mask;
		fixed->has_section_type = load->space == SPACE_INFO;
		fixed->base_mask = load->space == SPACE_UNIT ? UINT32_MAX : 0;
		return load->width <= 4 &&
		       (load->space == SPACE_UNIT || load->space == SPACE_INFO);
	}
	if (load->slot == SLOT_DECLARATION) {
		fixed->is_declaration = true;
		return load->form == DW_FORM_flag_present;
	}
	if (load->slot == rule->number) {
		fixed->has_number = true;
		fixed->number_at = (uint8_t)load->offset;
		fixed->number_mask = (uint32_t)load->mask;
		fixed->number_constant = (uint32_t)load->constant;
		return load->space == SPACE_NONE &&
		       (load->width <= 4 || (!load->mask && load->constant <= UINT32_MAX));
	}
	fixed->second_at = (uint8_t)load->offset;
	fixed->second_mask = (uint8_t)load->mask;
	fixed->second_constant = (uint8_t)load->constant;
	return load->space == SPACE_NONE && load->constant <= UINT8_MAX &&
	       (load->width == 1 || !load->mask);
}

/* Fills *fixed by the rule. False: the abbreviation has no such layout. */
static bool fill_fixed(const struct abbrev_table *table, const struct abbrev *abbrev,
		       const struct fixed_rule *rule, struct fixed_die *fixed)
{
	const struct abbrev_step *step = &table->steps.data[abbrev->first_step];
	struct abbrev_step only = { .bytes = abbrev->lead_bytes,
				    .load_count = abbrev->lead_load_count,
				    .first = abbrev->lead_first_load };

	bool has_tail = abbrev->step_count == 1 && rule->action == FIXED_ENUMERATOR &&
			step[0].code == STEP_ULEB && step[0].slot == SLOT_CONST_VALUE &&
			step[0].space == SPACE_NONE;

	/*
	 * Besides one fixed step only an inline name before it, GCC's of up to three characters, or
	 * the value of an enumerator after it: LLVM's.
	 */
	if (abbrev->step_count && !has_tail) {
		if (abbrev->step_count != 2 || abbrev->lead_bytes ||
		    step[0].code != STEP_STRING || step[0].slot != SLOT_NAME ||
		    step[1].code != STEP_FIXED)
			return false;
		only = step[1];
	}
	if (only.bytes > FIXED_MAX_BYTES)
		return false;
	*fixed = (struct fixed_die){ .action = rule->action,
				     .tag = (uint8_t)abbrev->tag,
				     .has_children = abbrev->has_children,
				     .has_inline_name = abbrev->step_count > 0 && !has_tail,
				     .has_tail = has_tail,
				     .bytes = (uint8_t)only.bytes };
	for (uint32_t i = 0; i < only.load_count; i++) {
		if (!add_fixed_load(table, fixed, rule, &table->loads.data[only.first + i]))
			return false;
	}
	/* Of a member without an offset (in a union) it does not matter how it is counted. */
	fixed->is_bitfield = rule->second == SLOT_BIT_SIZE;
	fixed->shift = rule->number == SLOT_MEMBER_LOCATION ? 3 : 0;
	/* As an upper bound, which is one less. */
	fixed->number_constant -= rule->number == SLOT_COUNT_OF && fixed->has_number;
	fixed->has_type_only = abbrev->present == SLOT_BIT(TYPE) &&
			       fixed->type_mask == UINT32_MAX && !fixed->has_section_type;
	fixed->is_common_member = rule->number == SLOT_MEMBER_LOCATION &&
				  abbrev->present == rule->slots && !fixed->has_inline_name &&
				  !fixed->has_indexed_name && fixed->type_mask == UINT32_MAX &&
				  !fixed->has_section_type;
	return !fixed->is_bitfield || (fixed->has_number && abbrev->present & SLOT_BIT(BIT_SIZE));
}

/* Can the length of its program be found without reading its values? */
static bool can_skip_steps(const struct abbrev_table *table, const struct abbrev *abbrev)
{
	const struct abbrev_step *step = &table->steps.data[abbrev->first_step];

	for (uint32_t i = 0; i < abbrev->step_count; i++) {
		if (step[i].code == STEP_INDIRECT || step[i].code == STEP_SIGNATURE)
			return false;
	}
	return true;
}

/*
 * Parameters of inlined calls with a location, and inlined calls with a DW_AT_entry_pc, as GCC
 * writes them: finds where their values are.
 */
static bool place_values(const struct abbrev_table *table, const struct abbrev *abbrev,
			 struct fixed_die *fixed)
{
	const struct abbrev_load *loads = &table->loads.data[abbrev->lead_first_load];
	uint64_t placed = SLOT_BIT(SIBLING);

	if (fixed->has_tail)
		placed |= abbrev->block_slots & SLOT_BIT(LOCATION);
	for (uint32_t i = 0; i < abbrev->lead_load_count; i++) {
		const struct abbrev_load *load = &loads[i];
		bool is_word = load->width == 4 && load->mask == UINT32_MAX;
		bool is_list = is_word && load->form == DW_FORM_sec_offset;
		uint8_t offset = (uint8_t)load->offset;

		if (load->slot == SLOT_ORIGIN && is_word && load->space == SPACE_UNIT) {
			fixed->type_at = offset;
		} else if (load->slot == SLOT_LOCATION && is_list) {
			fixed->number_at = offset;
			fixed->number_mask = UINT32_MAX;
		} else if (load->slot == SLOT_LOCATION_VIEWS && is_list) {
			fixed->name_at = offset;
			fixed->name_mask = UINT32_MAX;
		} else if (load->slot == SLOT_ENTRY_PC && load->form == DW_FORM_addr &&
			   load->width == 8) {
			/* Then no other address counts. */
			fixed->name_at = offset;
			placed |= SLOT_BIT(LOW_PC) | SLOT_BIT(RANGES);
		} else if (load->slot == SLOT_ENTRY_VIEW && load->width <= 4 && load->mask &&
			   load->space == SPACE_NONE) {
			fixed->second_at = offset;
			fixed->name_mask = (uint32_t)load->mask;
		} else {
			continue;
		}
		placed |= UINT64_C(1) << load->slot;
	}
	return !(abbrev->present & ~placed) && placed & SLOT_BIT(ORIGIN) &&
	       (!fixed->has_tail || placed & SLOT_BIT(LOCATION)) &&
	       (abbrev->tag == DW_TAG_formal_parameter || placed & SLOT_BIT(ENTRY_PC));
}

/*
 * DIEs that are skipped in functions. Only GCC's variables have an expression at the end; after dwz
 * they have references of any length.
 */
static struct fixed_die find_skipped(const struct abbrev_table *table, const struct abbrev *abbrev)
{
	const struct abbrev_step *step = &table->steps.data[abbrev->first_step];
	const struct abbrev_load *loads = &table->loads.data[abbrev->lead_first_load];
	struct fixed_die fixed = { .tag = (uint8_t)abbrev->tag,
				   .has_children = abbrev->has_children,
				   .bytes = (uint8_t)abbrev->lead_bytes };
	/* Children are passed by the sibling if there is one: then it has to be read here. */
	bool knows_end = !abbrev->has_children || !(abbrev->present & SLOT_BIT(SIBLING));

	fixed.has_tail = abbrev->step_count == 1 && step->code == STEP_BLOCK &&
			 !block_length_bytes(step->form);
	fixed.has_steps = abbrev->step_count > fixed.has_tail;
	for (uint32_t i = 0; i < abbrev->lead_load_count; i++) {
		if (loads[i].slot != SLOT_SIBLING || loads[i].width > 4 ||
		    loads[i].space != SPACE_UNIT)
			continue;
		knows_end = true;
		fixed.number_at = (uint8_t)loads[i].offset;
		fixed.number_mask = (uint32_t)loads[i].mask;
	}
	for (uint32_t i = 0; i < abbrev->step_count; i++)
		knows_end |= step[i].slot == SLOT_SIBLING && step[i].code == STEP_ULEB;
	if (fixed.has_steps && !can_skip_steps(table, abbrev))
		return (struct fixed_die){ .action = FIXED_NOT };
	switch (abbrev->tag) {
	case DW_TAG_variable:
	case DW_TAG_label:
		if (!abbrev->has_children)
			fixed.action = FIXED_LOCAL;
		break;
	case DW_TAG_formal_parameter:
		if (!abbrev->has_children)
			fixed.action = FIXED_ARGUMENT;
		break;
	case DW_TAG_call_site_parameter:
		if (!abbrev->has_children)
			fixed.action = FIXED_VALUE;
		break;
	case DW_TAG_lexical_block:
		fixed.action = abbrev->has_children ? FIXED_BLOCK : FIXED_LOCAL;
		break;
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
		if (knows_end)
			fixed.action = FIXED_INLINED;
		break;
	default: break;
	}
	if (fixed.action == FIXED_NOT || abbrev->lead_bytes > FIXED_MAX_BYTES)
		return (struct fixed_die){ .action = FIXED_NOT };
	fixed.is_placed = !fixed.has_steps &&
			  (abbrev->tag == DW_TAG_formal_parameter ||
			   abbrev->tag == DW_TAG_inlined_subroutine) &&
			  place_values(table, abbrev, &fixed);
	return fixed;
}

void fixed_die_find(const struct abbrev_table *table, const struct abbrev *abbrev,
		    struct fixed_die *found)
{
	for (size_t i = 0; i < sizeof(fixed_rules) / sizeof(*fixed_rules); i++) {
		const struct fixed_rule *rule = &fixed_rules[i];
		/* Types and members with children have annotations: for the general path. */
		bool may_have_children =
			rule->action == FIXED_RECORD || rule->action == FIXED_ENUM ||
			rule->action == FIXED_ARRAY || rule->action == FIXED_SUBROUTINE;

		if (rule->tag == abbrev->tag && !(abbrev->present & ~rule->slots) &&
		    !abbrev->block_slots && (!abbrev->has_children || may_have_children) &&
		    fill_fixed(table, abbrev, rule, found))
			return;
	}
	*found = find_skipped(table, abbrev);
}
