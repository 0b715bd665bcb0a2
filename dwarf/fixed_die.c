/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which programs have a fixed layout (enum fixed_action), and where their values are.
 */
#include "dwarf/abbrev_compile.h"

/* What a fixed-layout DIE of a tag may have besides a name and a type, and what it is then. */
struct fixed_rule {
	uint16_t tag;
	uint8_t action;
	uint64_t slots;		/* all that an abbreviation may fill */
	uint8_t number;		/* slot, or SLOT_NONE */
	uint8_t second;
};

#define NAMED (BIT(SLOT_NAME) | BIT(SLOT_TYPE))
#define RECORD_SLOTS                                                                               \
	(BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_DECLARATION) | BIT(SLOT_ALIGNMENT))

static const struct fixed_rule fixed_rules[] = {
	{ DW_TAG_member, FIXED_MEMBER, NAMED | BIT(SLOT_MEMBER_LOCATION), SLOT_MEMBER_LOCATION,
	  SLOT_NONE },
	{ DW_TAG_member, FIXED_MEMBER, NAMED | BIT(SLOT_DATA_BIT_OFFSET) | BIT(SLOT_BIT_SIZE),
	  SLOT_DATA_BIT_OFFSET, SLOT_BIT_SIZE },
	{ DW_TAG_pointer_type, FIXED_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_const_type, FIXED_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_volatile_type, FIXED_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_restrict_type, FIXED_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_typedef, FIXED_TYPE, NAMED, SLOT_NONE, SLOT_NONE },
	{ DW_TAG_base_type, FIXED_TYPE,
	  BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_ENCODING), SLOT_BYTE_SIZE,
	  SLOT_ENCODING },
	{ DW_TAG_structure_type, FIXED_RECORD, RECORD_SLOTS, SLOT_BYTE_SIZE, SLOT_ALIGNMENT },
	{ DW_TAG_union_type, FIXED_RECORD, RECORD_SLOTS, SLOT_BYTE_SIZE, SLOT_ALIGNMENT },
	{ DW_TAG_enumeration_type, FIXED_ENUM, NAMED | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_DECLARATION),
	  SLOT_BYTE_SIZE, SLOT_NONE },
	{ DW_TAG_enumerator, FIXED_ENUMERATOR, BIT(SLOT_NAME) | BIT(SLOT_CONST_VALUE),
	  SLOT_CONST_VALUE, SLOT_NONE },
	{ DW_TAG_array_type, FIXED_ARRAY, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_subrange_type, FIXED_SUBRANGE, BIT(SLOT_UPPER_BOUND), SLOT_UPPER_BOUND,
	  SLOT_NONE },
	{ DW_TAG_subroutine_type, FIXED_SUBROUTINE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_formal_parameter, FIXED_PARAMETER, NAMED, SLOT_NONE, SLOT_NONE },
	{ DW_TAG_unspecified_parameters, FIXED_DOTS, 0, SLOT_NONE, SLOT_NONE },
};

static bool is_in_32_bits(const struct abbrev_load *load)
{
	return load->width <= 4 || (!load->mask && load->constant <= UINT32_MAX);
}

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
		return load->form == DW_FORM_ref4;
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
		return load->space == SPACE_NONE && is_in_32_bits(load);
	}
	fixed->second_at = (uint8_t)load->offset;
	fixed->second_mask = (uint8_t)load->mask;
	fixed->second_constant = (uint8_t)load->constant;
	return load->space == SPACE_NONE && load->constant <= UINT8_MAX &&
	       (load->width == 1 || !load->mask);
}

/*
 * The one fixed step of an abbreviation, which may have a name in front: GCC writes names of up to
 * three characters into the DIE. False: it has other steps.
 */
static bool only_step(const struct abbrev_table *table, const struct abbrev *abbrev,
		       struct abbrev_step *lead, bool *inline_name)
{
	const struct abbrev_step *step = &table->steps.data[abbrev->first_step];

	*lead = (struct abbrev_step){ .bytes = abbrev->lead_bytes,
				     .load_count = abbrev->lead_load_count,
				     .first = abbrev->lead_first_load };
	*inline_name = false;
	if (!abbrev->step_count)
		return true;
	if (abbrev->step_count != 2 || abbrev->lead_bytes || step[0].code != STEP_READ_STRING ||
	    step[0].slot != SLOT_NAME || step[1].code != STEP_FIXED)
		return false;
	*lead = step[1];
	*inline_name = true;
	return true;
}

static bool fill_fixed(const struct abbrev_table *table, const struct abbrev *abbrev,
		       const struct fixed_rule *rule, struct fixed_die *fixed)
{
	struct abbrev_step lead;
	bool inline_name;

	if (!only_step(table, abbrev, &lead, &inline_name) || lead.bytes > FIXED_MAX_BYTES)
		return false;
	*fixed = (struct fixed_die){ .action = rule->action,
				 .tag = (uint8_t)abbrev->tag,
				 .has_children = abbrev->has_children,
				 .has_inline_name = inline_name,
				 .bytes = (uint8_t)lead.bytes };
	for (uint32_t i = 0; i < lead.load_count; i++) {
		if (!add_fixed_load(table, fixed, rule, &table->loads.data[lead.first + i]))
			return false;
	}
	/* Of a member without a place (in a union) it does not matter how it is counted. */
	fixed->is_bitfield = rule->second == SLOT_BIT_SIZE;
	fixed->shift = rule->number == SLOT_MEMBER_LOCATION ? 3 : 0;
	fixed->has_type_only = abbrev->present == BIT(SLOT_TYPE);
	fixed->is_common_member = rule->number == SLOT_MEMBER_LOCATION &&
				  abbrev->present == rule->slots && !inline_name &&
				  !fixed->has_indexed_name;
	return !fixed->is_bitfield || (fixed->has_number && abbrev->present & BIT(SLOT_BIT_SIZE));
}

/* Types and members with children have annotations; they are left to the general path. */
static bool may_have_children(enum fixed_action action)
{
	return action == FIXED_RECORD || action == FIXED_ENUM || action == FIXED_ARRAY ||
	       action == FIXED_SUBROUTINE;
}

/* The load of a slot in the lead of an abbreviation, or NULL. */
static const struct abbrev_load *find_load(const struct abbrev_table *table,
					   const struct abbrev *abbrev, enum die_slot slot)
{
	for (uint32_t i = 0; i < abbrev->lead_load_count; i++) {
		const struct abbrev_load *load = &table->loads.data[abbrev->lead_first_load + i];

		if (load->slot == slot)
			return load;
	}
	return NULL;
}

/* What is passed over in functions. Only GCC's variables have an expression at the end. */
static void find_passed(const struct abbrev_table *table, const struct abbrev *abbrev,
			struct fixed_die *found)
{
	const struct abbrev_load *sibling = find_load(table, abbrev, SLOT_SIBLING);
	const struct abbrev_step *step = &table->steps.data[abbrev->first_step];
	struct fixed_die fixed = { .tag = (uint8_t)abbrev->tag,
			       .has_children = abbrev->has_children,
			       .bytes = (uint8_t)abbrev->lead_bytes };

	if (abbrev->lead_bytes > FIXED_MAX_BYTES)
		return;
	if (abbrev->tag == DW_TAG_variable || abbrev->tag == DW_TAG_label ||
	    abbrev->tag == DW_TAG_formal_parameter) {
		fixed.action = abbrev->tag == DW_TAG_formal_parameter ? FIXED_ARGUMENT
								      : FIXED_LOCAL;
		fixed.has_tail = abbrev->step_count == 1 && (step->code == STEP_READ_BLOCK_LEB ||
							   step->code == STEP_SKIP_BLOCK_LEB);
		if (abbrev->has_children || abbrev->step_count > fixed.has_tail)
			return;
	} else if (abbrev->step_count) {
		return;
	} else if (abbrev->tag == DW_TAG_lexical_block && abbrev->has_children) {
		fixed.action = FIXED_BLOCK;
	} else if (!abbrev->has_children || (sibling && sibling->form == DW_FORM_ref4)) {
		fixed.action = FIXED_INLINED;
		if (abbrev->has_children) {
			fixed.number_at = (uint8_t)sibling->offset;
		}
	} else {
		return;
	}
	*found = fixed;
}

/* What has a rule. */
static void find_read(const struct abbrev_table *table, const struct abbrev *abbrev,
		      struct fixed_die *found)
{
	if (abbrev->block_slots)
		return;
	for (size_t i = 0; i < sizeof(fixed_rules) / sizeof(*fixed_rules); i++) {
		const struct fixed_rule *rule = &fixed_rules[i];
		struct fixed_die fixed;

		if (rule->tag != abbrev->tag || abbrev->present & ~rule->slots ||
		    (abbrev->has_children && !may_have_children(rule->action)) ||
		    !fill_fixed(table, abbrev, rule, &fixed))
			continue;
		*found = fixed;
		return;
	}
}

void fixed_die_find(const struct abbrev_table *table, const struct abbrev *abbrev,
		    struct fixed_die *found)
{
	*found = (struct fixed_die){ .action = FIXED_NOT };
	switch (abbrev->tag) {
	case DW_TAG_variable:
	case DW_TAG_label:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
		find_passed(table, abbrev, found);
		return;
	case DW_TAG_formal_parameter:
		find_read(table, abbrev, found);
		if (found->action == FIXED_NOT)
			find_passed(table, abbrev, found);
		return;
	default: find_read(table, abbrev, found); return;
	}
}
