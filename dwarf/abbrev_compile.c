/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From one abbreviation to its program: where each attribute goes, and how each form is read or
 * skipped. abbrev_table.c compiles a whole table, fixed_die.c finds what has a fixed layout.
 */
#include "dwarf/abbrev_table.h"

#include <assert.h>
#include <string.h>

#include "dwarf/byte_cursor.h"
#include "dwarf/tag_table.h"

/* A DIE with more attributes than this is absurd; the limit keeps a step's bytes in 16 bits. */
#define MAX_ATTRIBUTES 1024

_Static_assert(SLOT_COUNT <= 64, "a bit per slot");

/* Where an attribute goes. */
static enum die_slot slot_of(uint64_t attribute)
{
	switch (attribute) {
#define SLOT(name, attribute) case attribute: return SLOT_##name;
	DIE_SLOTS(SLOT)
#undef SLOT
	case DW_AT_GNU_dwo_name: return SLOT_DWO_NAME;
	case DW_AT_GNU_call_site_value: return SLOT_CALL_VALUE;
	default: return SLOT_NONE;
	}
}

/* How a form is read, or skipped. */
struct form_rule {
	uint8_t code;		/* enum step_code; STEP_FIXED: a load */
	uint8_t bytes;		/* of STEP_FIXED; for the others the fewest bytes they can take */
	uint8_t space;
	bool unreadable;	/* can only be skipped */
	bool known;
};

/* Sizes that depend on the unit's header. DWARF 2 gave DW_FORM_ref_addr the size of an address. */
enum { OFFSET_SIZE = 0xfd, ADDRESS_SIZE = 0xfe, REF_ADDR_SIZE = 0xff };

/* Forms below this have their rules in a table; GNU's extensions have become some of them. */
#define STANDARD_FORMS 0x30

#define FIXED(bytes, space) { STEP_FIXED, bytes, space, false, true }
#define VARIABLE(code, bytes) { code, bytes, SPACE_NONE, false, true }
#define ULEB(space) { STEP_ULEB, 1, space, false, true }

/* DWARF 5 section 7.5.6, table 7.6. */
static const struct form_rule form_rules[STANDARD_FORMS] = {
	[DW_FORM_data1] = FIXED(1, SPACE_NONE),
	[DW_FORM_data2] = FIXED(2, SPACE_NONE),
	[DW_FORM_data4] = FIXED(4, SPACE_NONE),
	[DW_FORM_data8] = FIXED(8, SPACE_NONE),
	/* Too wide for a slot, and nothing that is read here needs it. */
	[DW_FORM_data16] = { STEP_FIXED, 16, SPACE_NONE, true, true },
	[DW_FORM_flag] = FIXED(1, SPACE_NONE),
	[DW_FORM_flag_present] = FIXED(0, SPACE_NONE),
	[DW_FORM_implicit_const] = FIXED(0, SPACE_NONE),
	[DW_FORM_sdata] = VARIABLE(STEP_SLEB, 1),
	[DW_FORM_udata] = ULEB(SPACE_NONE),
	[DW_FORM_addr] = FIXED(ADDRESS_SIZE, SPACE_NONE),
	[DW_FORM_addrx] = ULEB(SPACE_NONE),
	[DW_FORM_addrx1] = FIXED(1, SPACE_NONE),
	[DW_FORM_addrx2] = FIXED(2, SPACE_NONE),
	[DW_FORM_addrx3] = FIXED(3, SPACE_NONE),
	[DW_FORM_addrx4] = FIXED(4, SPACE_NONE),
	[DW_FORM_sec_offset] = FIXED(OFFSET_SIZE, SPACE_NONE),
	[DW_FORM_loclistx] = ULEB(SPACE_NONE),
	[DW_FORM_rnglistx] = ULEB(SPACE_NONE),
	[DW_FORM_ref1] = FIXED(1, SPACE_UNIT),
	[DW_FORM_ref2] = FIXED(2, SPACE_UNIT),
	[DW_FORM_ref4] = FIXED(4, SPACE_UNIT),
	[DW_FORM_ref8] = FIXED(8, SPACE_UNIT),
	[DW_FORM_ref_udata] = ULEB(SPACE_UNIT),
	[DW_FORM_ref_addr] = FIXED(REF_ADDR_SIZE, SPACE_INFO),
	[DW_FORM_ref_sup4] = FIXED(4, SPACE_SUP_INFO),
	[DW_FORM_ref_sup8] = FIXED(8, SPACE_SUP_INFO),
	[DW_FORM_ref_sig8] = VARIABLE(STEP_SIGNATURE, 8),
	[DW_FORM_string] = VARIABLE(STEP_STRING, 1),
	[DW_FORM_strp] = FIXED(OFFSET_SIZE, SPACE_STR),
	[DW_FORM_strp_sup] = FIXED(OFFSET_SIZE, SPACE_SUP_STR),
	[DW_FORM_line_strp] = FIXED(OFFSET_SIZE, SPACE_LINE_STR),
	[DW_FORM_strx] = ULEB(SPACE_STRX),
	[DW_FORM_strx1] = FIXED(1, SPACE_STRX),
	[DW_FORM_strx2] = FIXED(2, SPACE_STRX),
	[DW_FORM_strx3] = FIXED(3, SPACE_STRX),
	[DW_FORM_strx4] = FIXED(4, SPACE_STRX),
	[DW_FORM_block] = VARIABLE(STEP_BLOCK, 1),
	[DW_FORM_exprloc] = VARIABLE(STEP_BLOCK, 1),
	[DW_FORM_block1] = VARIABLE(STEP_BLOCK, 1),
	[DW_FORM_block2] = VARIABLE(STEP_BLOCK, 2),
	[DW_FORM_block4] = VARIABLE(STEP_BLOCK, 4),
	[DW_FORM_indirect] = VARIABLE(STEP_INDIRECT, 1),
};

void abbrev_make_rules(struct abbrev_table *table, const struct unit *unit)
{
	if (!table->rules)
		table->rules = memory_alloc(sizeof(form_rules));
	memcpy(table->rules, form_rules, sizeof(form_rules));
	for (size_t form = 0; form < STANDARD_FORMS; form++) {
		uint8_t *bytes = &table->rules[form].bytes;

		if (*bytes == REF_ADDR_SIZE)
			*bytes = unit->version == 2 ? ADDRESS_SIZE : OFFSET_SIZE;
		if (*bytes == ADDRESS_SIZE)
			*bytes = unit->address_bytes;
		else if (*bytes == OFFSET_SIZE)
			*bytes = unit->offset_bytes;
	}
}

/* The standard's form for what was an extension before it. */
static uint64_t standard_form(uint64_t form, uint8_t offset_bytes)
{
	switch (form) {
	case DW_FORM_GNU_str_index: return DW_FORM_strx;
	case DW_FORM_GNU_addr_index: return DW_FORM_addrx;
	case DW_FORM_GNU_strp_alt: return DW_FORM_strp_sup;
	case DW_FORM_GNU_ref_alt: return offset_bytes == 8 ? DW_FORM_ref_sup8 : DW_FORM_ref_sup4;
	default: return form;
	}
}

static bool is_string(const struct form_rule *rule)
{
	return rule->code == STEP_STRING ||
	       (rule->space >= SPACE_STR && rule->space <= SPACE_STRX);
}

bool abbrev_form_is_string(uint16_t form)
{
	return is_string(&form_rules[form]);
}

/* Appends bytes to the fixed step at the end, or starts one; without `load` they are skipped. */
static void add_fixed(struct abbrev_table *table, struct abbrev *abbrev, uint8_t bytes,
		      const struct abbrev_load *load)
{
	struct abbrev_step *step = abbrev->step_count ? &table->steps.data[table->steps.count - 1]
						  : NULL;

	if (!step || step->code != STEP_FIXED) {
		array_reserve(&table->steps, 1);
		assert(table->steps.data);
		step = &table->steps.data[table->steps.count++];
		*step = (struct abbrev_step){ .code = STEP_FIXED,
					    .first = (uint32_t)table->loads.count };
		abbrev->step_count++;
	}
	if (load) {
		array_reserve(&table->loads, 1);
		assert(table->loads.data);
		table->loads.data[table->loads.count] = *load;
		table->loads.data[table->loads.count++].offset = step->bytes;
		step->load_count++;
	}
	step->bytes = (uint16_t)(step->bytes + bytes);
}

static void add_attribute(struct abbrev_table *table, struct abbrev *abbrev, uint64_t wanted_set,
			  uint64_t attribute, uint64_t form, int64_t constant,
			  const struct form_rule *rule)
{
	enum die_slot slot = slot_of(attribute);
	bool is_block = rule->code == STEP_BLOCK;
	/* A size that only the running program knows: a variable's DIE, or an expression. */
	bool is_computed =
		((slot == SLOT_UPPER_BOUND || slot == SLOT_COUNT_OF || slot == SLOT_BYTE_SIZE) &&
		 ((rule->space >= SPACE_UNIT && rule->space <= SPACE_SUP_INFO) ||
		  form == DW_FORM_ref_sig8)) ||
		(slot == SLOT_BYTE_SIZE && is_block);
	bool wanted = slot != SLOT_NONE && wanted_set >> slot & 1 &&
		      !(abbrev->present >> slot & 1) && !rule->unreadable &&
		      (slot != SLOT_NAME || is_string(rule)) && !is_computed;
	uint8_t code = rule->code == STEP_SIGNATURE && !wanted ? STEP_FIXED : rule->code;

	abbrev->min_bytes += rule->bytes;
	if (wanted) {
		uint64_t bit = UINT64_C(1) << slot;

		abbrev->present |= bit;
		if (is_block)
			abbrev->block_slots |= bit;
		if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
			abbrev->signed_slots |= bit;
	}
	if (code == STEP_FIXED) {
		struct abbrev_load load = {
			.mask = rule->bytes >= 8 ? UINT64_MAX
						 : (UINT64_C(1) << rule->bytes * 8) - 1,
			.slot = (uint8_t)slot, .space = rule->space,
			.width = rule->bytes, .form = (uint8_t)form };

		/* A string's source is in the top byte, so its offset must leave that alone. */
		if (is_string(rule))
			load.mask &= UINT64_MAX >> 8;
		if (!rule->bytes) {
			load.width = 8;		/* a shift by it must be possible */
			load.constant = form == DW_FORM_flag_present ? 1 : (uint64_t)constant;
		}
		if (wanted || rule->bytes)
			add_fixed(table, abbrev, rule->bytes, wanted ? &load : NULL);
		return;
	}
	array_push(&table->steps, ((struct abbrev_step){
		.code = code, .slot = wanted ? (uint8_t)slot : SLOT_NONE, .space = rule->space,
		.form = (uint8_t)form, .bytes = rule->bytes }));
	abbrev->step_count++;
}

const uint8_t *abbrev_compile(struct abbrev_table *table, struct declaration *declaration,
			    struct compiled_abbrev *compiled, const uint8_t *p,
			    const uint8_t *end, const char **problem, uint64_t *value)
{
	struct abbrev *abbrev = &compiled->abbrev;
	uint64_t wanted_set = tag_table_row(abbrev->tag).slots & ~table->ignored_slots;
	struct abbrev_step *step;

	/* Abbreviations without attributes have places in these, too. */
	array_reserve(&table->steps, 1);
	array_reserve(&table->loads, 1);
	for (uint32_t n = 0;; n++) {
		uint64_t attribute, form;
		int64_t constant = 0;
		struct form_rule rule;

		p = leb128_unsigned(p, end, &attribute);
		p = p ? leb128_unsigned(p, end, &form) : NULL;
		if (p && form == DW_FORM_implicit_const)
			p = leb128_signed(p, end, &constant);
		*problem = "ends in the middle of an abbreviation";
		*value = abbrev->tag;
		if (!p)
			return NULL;
		if (attribute == 0 && form == 0)
			break;
		*problem = "has an abbreviation with too many attributes, tag";
		if (n == MAX_ATTRIBUTES)
			return NULL;
		*value = form;
		form = standard_form(form, table->offset_bytes);
		*problem = "uses an unknown attribute form";
		if (form >= STANDARD_FORMS || !table->rules[form].known)
			return NULL;
		rule = table->rules[form];
		*problem = "needs the supplementary file of dwz -m, which the file does not name, "
			   "form";
		if (!table->has_supplement &&
		    (rule.space == SPACE_SUP_INFO || rule.space == SPACE_SUP_STR))
			return NULL;
		add_attribute(table, abbrev, wanted_set, attribute, form, constant, &rule);
		declaration->crosses_units |= rule.space == SPACE_INFO ||
					      rule.space == SPACE_SUP_INFO ||
					      form == DW_FORM_ref_sig8;
	}
	/* A fixed step at the front moves into the abbreviation itself. */
	step = &table->steps.data[abbrev->first_step];
	if (abbrev->step_count && step->code == STEP_FIXED) {
		abbrev->lead_bytes = step->bytes;
		abbrev->lead_load_count = step->load_count;
		abbrev->lead_first_load = step->first;
		abbrev->first_step++;
		abbrev->step_count--;
	}
	for (uint32_t i = abbrev->step_count, rest = 0; i-- > 0;) {
		step = &table->steps.data[abbrev->first_step + i];
		step->rest_bytes = rest;
		rest += step->bytes;
	}
	fixed_die_find(table, abbrev, &compiled->fixed);
	return p;
}
