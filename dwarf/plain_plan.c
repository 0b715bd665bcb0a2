/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which plans are plain (enum plain_action), and where their values are.
 */
#include "dwarf/abbrev_compile.h"

/* What a plain DIE of a tag may have beside a name and a type, and what it then is. */
struct plain_rule {
	uint16_t tag;
	uint8_t action;
	uint64_t slots;		/* all that a plan may fill */
	uint8_t number;		/* slot, or SLOT_NONE */
	uint8_t second;
};

#define NAMED (BIT(SLOT_NAME) | BIT(SLOT_TYPE))
#define RECORD_SLOTS                                                                               \
	(BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_DECLARATION) | BIT(SLOT_ALIGNMENT))

static const struct plain_rule plain_rules[] = {
	{ DW_TAG_member, PLAIN_MEMBER, NAMED | BIT(SLOT_MEMBER_LOCATION), SLOT_MEMBER_LOCATION,
	  SLOT_NONE },
	{ DW_TAG_member, PLAIN_MEMBER, NAMED | BIT(SLOT_DATA_BIT_OFFSET) | BIT(SLOT_BIT_SIZE),
	  SLOT_DATA_BIT_OFFSET, SLOT_BIT_SIZE },
	{ DW_TAG_pointer_type, PLAIN_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_const_type, PLAIN_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_volatile_type, PLAIN_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_restrict_type, PLAIN_TYPE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_typedef, PLAIN_TYPE, NAMED, SLOT_NONE, SLOT_NONE },
	{ DW_TAG_base_type, PLAIN_TYPE,
	  BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_ENCODING), SLOT_BYTE_SIZE,
	  SLOT_ENCODING },
	{ DW_TAG_structure_type, PLAIN_RECORD, RECORD_SLOTS, SLOT_BYTE_SIZE, SLOT_ALIGNMENT },
	{ DW_TAG_union_type, PLAIN_RECORD, RECORD_SLOTS, SLOT_BYTE_SIZE, SLOT_ALIGNMENT },
	{ DW_TAG_enumeration_type, PLAIN_ENUM, NAMED | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_DECLARATION),
	  SLOT_BYTE_SIZE, SLOT_NONE },
	{ DW_TAG_enumerator, PLAIN_ENUMERATOR, BIT(SLOT_NAME) | BIT(SLOT_CONST_VALUE),
	  SLOT_CONST_VALUE, SLOT_NONE },
	{ DW_TAG_array_type, PLAIN_ARRAY, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_subrange_type, PLAIN_SUBRANGE, BIT(SLOT_UPPER_BOUND), SLOT_UPPER_BOUND,
	  SLOT_NONE },
	{ DW_TAG_subroutine_type, PLAIN_SUBROUTINE, BIT(SLOT_TYPE), SLOT_NONE, SLOT_NONE },
	{ DW_TAG_formal_parameter, PLAIN_PARAMETER, NAMED, SLOT_NONE, SLOT_NONE },
	{ DW_TAG_unspecified_parameters, PLAIN_DOTS, 0, SLOT_NONE, SLOT_NONE },
};

static bool is_in_32_bits(const struct plan_load *load)
{
	return load->width <= 4 || (!load->mask && load->constant <= UINT32_MAX);
}

/* Puts one load into the plain form; false when that has no place for it. */
static bool add_plain_load(const struct plan_table *table, struct plain *plain,
			   const struct plain_rule *rule, const struct plan_load *load)
{
	if (load->slot == SLOT_NAME) {
		plain->has_indexed_name = load->space == SPACE_STRX;
		plain->name_at = (uint8_t)load->offset;
		plain->name_mask = (uint32_t)load->mask;
		/* What an index leads to is an offset, and has its size. */
		return load->width <= 4 && table->offset_bytes == 4 &&
		       (load->space == SPACE_STRX || load->form == DW_FORM_strp);
	}
	if (load->slot == SLOT_TYPE) {
		plain->type_at = (uint8_t)load->offset;
		plain->type_mask = (uint32_t)load->mask;
		return load->form == DW_FORM_ref4;
	}
	if (load->slot == SLOT_DECLARATION) {
		plain->is_declaration = true;
		return load->form == DW_FORM_flag_present;
	}
	if (load->slot == rule->number) {
		plain->has_number = true;
		plain->number_at = (uint8_t)load->offset;
		plain->number_mask = (uint32_t)load->mask;
		plain->number_constant = (uint32_t)load->constant;
		return load->space == SPACE_PLAIN && is_in_32_bits(load);
	}
	plain->second_at = (uint8_t)load->offset;
	plain->second_mask = (uint8_t)load->mask;
	plain->second_constant = (uint8_t)load->constant;
	return load->space == SPACE_PLAIN && load->constant <= UINT8_MAX &&
	       (load->width == 1 || !load->mask);
}

/*
 * The one fixed step of a plan, which may have a name in front: GCC writes names of up to three
 * characters into the DIE. False: it has other steps.
 */
static bool fixed_step(const struct plan_table *table, const struct plan *plan,
		       struct plan_step *fixed, bool *inline_name)
{
	const struct plan_step *step = &table->steps.data[plan->first_step];

	*fixed = (struct plan_step){ .bytes = plan->lead_bytes,
				     .load_count = plan->lead_load_count,
				     .first = plan->lead_first_load };
	*inline_name = false;
	if (!plan->step_count)
		return true;
	if (plan->step_count != 2 || plan->lead_bytes || step[0].code != STEP_READ_STRING ||
	    step[0].slot != SLOT_NAME || step[1].code != STEP_FIXED)
		return false;
	*fixed = step[1];
	*inline_name = true;
	return true;
}

static bool fill_plain(const struct plan_table *table, const struct plan *plan,
		       const struct plain_rule *rule, struct plain *plain)
{
	struct plan_step fixed;
	bool inline_name;

	if (!fixed_step(table, plan, &fixed, &inline_name) || fixed.bytes > PLAIN_MAX_BYTES)
		return false;
	*plain = (struct plain){ .action = rule->action,
				 .tag = (uint8_t)plan->tag,
				 .has_children = plan->has_children,
				 .has_inline_name = inline_name,
				 .bytes = (uint8_t)fixed.bytes };
	for (uint32_t i = 0; i < fixed.load_count; i++) {
		if (!add_plain_load(table, plain, rule, &table->loads.data[fixed.first + i]))
			return false;
	}
	/* Of a member without a place (in a union) it does not matter how it is counted. */
	plain->is_bitfield = rule->second == SLOT_BIT_SIZE;
	plain->shift = rule->number == SLOT_MEMBER_LOCATION ? 3 : 0;
	plain->has_type_only = plan->present == BIT(SLOT_TYPE);
	plain->is_common_member = rule->number == SLOT_MEMBER_LOCATION &&
				  plan->present == rule->slots && !inline_name &&
				  !plain->has_indexed_name;
	return !plain->is_bitfield || (plain->has_number && plan->present & BIT(SLOT_BIT_SIZE));
}

/* Types and members with children have annotations; they are left to the general path. */
static bool may_have_children(enum plain_action action)
{
	return action == PLAIN_RECORD || action == PLAIN_ENUM || action == PLAIN_ARRAY ||
	       action == PLAIN_SUBROUTINE;
}

/* The load of a slot in the lead of a plan, or NULL. */
static const struct plan_load *find_load(const struct plan_table *table, const struct plan *plan,
					 enum die_slot slot)
{
	for (uint32_t i = 0; i < plan->lead_load_count; i++) {
		const struct plan_load *load = &table->loads.data[plan->lead_first_load + i];

		if (load->slot == slot)
			return load;
	}
	return NULL;
}

/* What is passed over in functions. Only GCC's variables have an expression at the end. */
static void find_passed(const struct plan_table *table, const struct plan *plan,
			struct plain *found)
{
	const struct plan_load *sibling = find_load(table, plan, SLOT_SIBLING);
	const struct plan_step *step = &table->steps.data[plan->first_step];
	struct plain plain = { .tag = (uint8_t)plan->tag,
			       .has_children = plan->has_children,
			       .bytes = (uint8_t)plan->lead_bytes };

	if (plan->lead_bytes > PLAIN_MAX_BYTES)
		return;
	if (plan->tag == DW_TAG_variable || plan->tag == DW_TAG_label ||
	    plan->tag == DW_TAG_formal_parameter) {
		plain.action = plan->tag == DW_TAG_formal_parameter ? PLAIN_ARGUMENT : PLAIN_LOCAL;
		plain.has_tail = plan->step_count == 1 && (step->code == STEP_READ_BLOCK_LEB ||
							   step->code == STEP_SKIP_BLOCK_LEB);
		if (plan->has_children || plan->step_count > plain.has_tail)
			return;
	} else if (plan->step_count) {
		return;
	} else if (plan->tag == DW_TAG_lexical_block && plan->has_children) {
		plain.action = PLAIN_BLOCK;
	} else if (!plan->has_children || (sibling && sibling->form == DW_FORM_ref4)) {
		plain.action = PLAIN_INLINED;
		if (plan->has_children) {
			plain.number_at = (uint8_t)sibling->offset;
		}
	} else {
		return;
	}
	*found = plain;
}

/* What has a rule. */
static void find_read(const struct plan_table *table, const struct plan *plan,
		      struct plain *found)
{
	if (plan->block_slots)
		return;
	for (size_t i = 0; i < sizeof(plain_rules) / sizeof(*plain_rules); i++) {
		const struct plain_rule *rule = &plain_rules[i];
		struct plain plain;

		if (rule->tag != plan->tag || plan->present & ~rule->slots ||
		    (plan->has_children && !may_have_children(rule->action)) ||
		    !fill_plain(table, plan, rule, &plain))
			continue;
		*found = plain;
		return;
	}
}

void plain_find(const struct plan_table *table, const struct plan *plan, struct plain *found)
{
	*found = (struct plain){ .action = PLAIN_NOT };
	switch (plan->tag) {
	case DW_TAG_variable:
	case DW_TAG_label:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
		find_passed(table, plan, found);
		return;
	case DW_TAG_formal_parameter:
		find_read(table, plan, found);
		if (found->action == PLAIN_NOT)
			find_passed(table, plan, found);
		return;
	default: find_read(table, plan, found); return;
	}
}
