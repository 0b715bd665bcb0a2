/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From one abbreviation to its program: which attributes are wanted, and how each form is read or
 * skipped. abbrev_table.c compiles a whole table, fixed_die.c finds what has a fixed layout.
 */
#include "dwarf/abbrev_compile.h"

#include <assert.h>
#include <string.h>

#include "dwarf/leb128.h"

/* A DIE with more attributes than this is absurd; the limit keeps a step's bytes in 16 bits. */
#define MAX_ATTRIBUTES 1024

_Static_assert(SLOT_COUNT <= 64, "a bit per slot");

#define UNIT_SLOTS                                                                                 \
	(BIT(SLOT_NAME) | BIT(SLOT_LANGUAGE) | BIT(SLOT_LOW_PC) | BIT(SLOT_HIGH_PC) |              \
	 BIT(SLOT_RANGES) | BIT(SLOT_STR_OFFSETS_BASE) | BIT(SLOT_ADDR_BASE) |                     \
	 BIT(SLOT_RNGLISTS_BASE) | BIT(SLOT_LOCLISTS_BASE) | BIT(SLOT_DWO_NAME) |                  \
	 BIT(SLOT_PRODUCER) | BIT(SLOT_COMP_DIR) | BIT(SLOT_DWO_ID))
#define MODIFIER_SLOTS (BIT(SLOT_TYPE) | BIT(SLOT_ANNOTATION))
#define AGGREGATE_SLOTS                                                                            \
	(BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_DECLARATION) | BIT(SLOT_SIGNATURE) |      \
	 BIT(SLOT_ANNOTATION) | BIT(SLOT_ALIGNMENT))
#define MEMBER_SLOTS                                                                               \
	(BIT(SLOT_NAME) | BIT(SLOT_TYPE) | BIT(SLOT_MEMBER_LOCATION) | BIT(SLOT_BIT_SIZE) |        \
	 BIT(SLOT_DATA_BIT_OFFSET) | BIT(SLOT_BIT_OFFSET) | BIT(SLOT_BYTE_SIZE) |                  \
	 BIT(SLOT_EXTERNAL) | BIT(SLOT_DECLARATION) | BIT(SLOT_ANNOTATION))
#define ANNOTATION_SLOTS (BIT(SLOT_NAME) | BIT(SLOT_CONST_VALUE) | BIT(SLOT_ANNOTATION))

/* Which slots are read on DIEs of a tag. All else is skipped. */
static const struct wanted_row {
	uint16_t tag;
	uint64_t slots;
} wanted_rows[] = {
	{ DW_TAG_compile_unit, UNIT_SLOTS },
	{ DW_TAG_partial_unit, UNIT_SLOTS },
	{ DW_TAG_type_unit, UNIT_SLOTS },
	{ DW_TAG_skeleton_unit, UNIT_SLOTS },
	{ DW_TAG_imported_unit, BIT(SLOT_IMPORT) },
	{ DW_TAG_base_type,
	  BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_BIT_SIZE) | BIT(SLOT_ENCODING) },
	{ DW_TAG_pointer_type, MODIFIER_SLOTS },
	{ DW_TAG_reference_type, MODIFIER_SLOTS },
	{ DW_TAG_rvalue_reference_type, MODIFIER_SLOTS },
	{ DW_TAG_const_type, MODIFIER_SLOTS },
	{ DW_TAG_volatile_type, MODIFIER_SLOTS },
	{ DW_TAG_restrict_type, MODIFIER_SLOTS },
	{ DW_TAG_atomic_type, MODIFIER_SLOTS },
	{ DW_TAG_subroutine_type, MODIFIER_SLOTS },
	{ DW_TAG_array_type, BIT(SLOT_TYPE) },
	{ DW_TAG_typedef, BIT(SLOT_NAME) | MODIFIER_SLOTS },
	{ DW_TAG_structure_type, AGGREGATE_SLOTS },
	{ DW_TAG_class_type, AGGREGATE_SLOTS },
	{ DW_TAG_union_type, AGGREGATE_SLOTS },
	{ DW_TAG_interface_type, AGGREGATE_SLOTS },
	{ DW_TAG_enumeration_type, BIT(SLOT_NAME) | BIT(SLOT_BYTE_SIZE) | BIT(SLOT_DECLARATION) |
					   BIT(SLOT_SIGNATURE) | BIT(SLOT_TYPE) },
	{ DW_TAG_enumerator, BIT(SLOT_NAME) | BIT(SLOT_CONST_VALUE) },
	{ DW_TAG_member, MEMBER_SLOTS },
	{ DW_TAG_inheritance, MEMBER_SLOTS },
	{ DW_TAG_subrange_type, BIT(SLOT_UPPER_BOUND) | BIT(SLOT_COUNT_OF) },
	{ DW_TAG_subprogram,
	  BIT(SLOT_NAME) | BIT(SLOT_TYPE) | BIT(SLOT_LOW_PC) | BIT(SLOT_RANGES) |
		  BIT(SLOT_ORIGIN) | BIT(SLOT_SPECIFICATION) | BIT(SLOT_EXTERNAL) |
		  BIT(SLOT_DECLARATION) | BIT(SLOT_ANNOTATION) | BIT(SLOT_INLINE) |
		  BIT(SLOT_CALLING_CONVENTION) | BIT(SLOT_PROTOTYPED) | BIT(SLOT_FRAME_BASE) },
	{ DW_TAG_formal_parameter,
	  BIT(SLOT_NAME) | BIT(SLOT_TYPE) | BIT(SLOT_ORIGIN) | BIT(SLOT_ANNOTATION) |
		  BIT(SLOT_LOCATION) | BIT(SLOT_CONST_VALUE) | BIT(SLOT_LOCATION_VIEWS) },
	{ DW_TAG_variable,
	  BIT(SLOT_NAME) | BIT(SLOT_TYPE) | BIT(SLOT_LOCATION) | BIT(SLOT_SPECIFICATION) |
		  BIT(SLOT_ORIGIN) | BIT(SLOT_EXTERNAL) | BIT(SLOT_DECLARATION) |
		  BIT(SLOT_ARTIFICIAL) | BIT(SLOT_ANNOTATION) },
	{ DW_TAG_inlined_subroutine,
	  BIT(SLOT_SIBLING) | BIT(SLOT_ORIGIN) | BIT(SLOT_LOW_PC) | BIT(SLOT_RANGES) |
		  BIT(SLOT_ENTRY_PC) | BIT(SLOT_CALL_FILE) | BIT(SLOT_CALL_LINE) |
		  BIT(SLOT_ENTRY_VIEW) },
	{ DW_TAG_call_site,
	  BIT(SLOT_SIBLING) | BIT(SLOT_CALL_ORIGIN) | BIT(SLOT_CALL_RETURN_PC) |
		  BIT(SLOT_CALL_PC) | BIT(SLOT_CALL_TAIL) | BIT(SLOT_CALL_TARGET) },
	/* GCC's form of the same before DWARF 5: an origin, and the return address as low_pc. */
	{ DW_TAG_GNU_call_site, BIT(SLOT_SIBLING) | BIT(SLOT_ORIGIN) | BIT(SLOT_LOW_PC) |
					BIT(SLOT_CALL_TAIL) | BIT(SLOT_CALL_TARGET) },
	{ DW_TAG_call_site_parameter, BIT(SLOT_LOCATION) | BIT(SLOT_CALL_VALUE) },
	{ DW_TAG_GNU_call_site_parameter, BIT(SLOT_LOCATION) | BIT(SLOT_CALL_VALUE) },
	{ DW_TAG_LLVM_annotation, ANNOTATION_SLOTS },
	{ DW_TAG_GNU_annotation_chain, ANNOTATION_SLOTS },
};

/* Which slot an attribute goes to, + 1. */
static const uint8_t standard_slots[] = {
	[DW_AT_name] = SLOT_NAME + 1,
	[DW_AT_type] = SLOT_TYPE + 1,
	[DW_AT_byte_size] = SLOT_BYTE_SIZE + 1,
	[DW_AT_data_member_location] = SLOT_MEMBER_LOCATION + 1,
	[DW_AT_bit_size] = SLOT_BIT_SIZE + 1,
	[DW_AT_data_bit_offset] = SLOT_DATA_BIT_OFFSET + 1,
	[DW_AT_bit_offset] = SLOT_BIT_OFFSET + 1,
	[DW_AT_encoding] = SLOT_ENCODING + 1,
	[DW_AT_const_value] = SLOT_CONST_VALUE + 1,
	[DW_AT_declaration] = SLOT_DECLARATION + 1,
	[DW_AT_sibling] = SLOT_SIBLING + 1,
	[DW_AT_upper_bound] = SLOT_UPPER_BOUND + 1,
	[DW_AT_count] = SLOT_COUNT_OF + 1,
	[DW_AT_external] = SLOT_EXTERNAL + 1,
	[DW_AT_artificial] = SLOT_ARTIFICIAL + 1,
	[DW_AT_location] = SLOT_LOCATION + 1,
	[DW_AT_low_pc] = SLOT_LOW_PC + 1,
	[DW_AT_ranges] = SLOT_RANGES + 1,
	[DW_AT_abstract_origin] = SLOT_ORIGIN + 1,
	[DW_AT_specification] = SLOT_SPECIFICATION + 1,
	[DW_AT_signature] = SLOT_SIGNATURE + 1,
	[DW_AT_language] = SLOT_LANGUAGE + 1,
	[DW_AT_str_offsets_base] = SLOT_STR_OFFSETS_BASE + 1,
	[DW_AT_addr_base] = SLOT_ADDR_BASE + 1,
	[DW_AT_rnglists_base] = SLOT_RNGLISTS_BASE + 1,
	[DW_AT_high_pc] = SLOT_HIGH_PC + 1,
	[DW_AT_inline] = SLOT_INLINE + 1,
	[DW_AT_calling_convention] = SLOT_CALLING_CONVENTION + 1,
	[DW_AT_prototyped] = SLOT_PROTOTYPED + 1,
	[DW_AT_dwo_name] = SLOT_DWO_NAME + 1,
	[DW_AT_loclists_base] = SLOT_LOCLISTS_BASE + 1,
	[DW_AT_producer] = SLOT_PRODUCER + 1,
	[DW_AT_frame_base] = SLOT_FRAME_BASE + 1,
	[DW_AT_call_origin] = SLOT_CALL_ORIGIN + 1,
	[DW_AT_call_return_pc] = SLOT_CALL_RETURN_PC + 1,
	[DW_AT_call_pc] = SLOT_CALL_PC + 1,
	[DW_AT_call_value] = SLOT_CALL_VALUE + 1,
	[DW_AT_call_tail_call] = SLOT_CALL_TAIL + 1,
	[DW_AT_call_target] = SLOT_CALL_TARGET + 1,
	[DW_AT_alignment] = SLOT_ALIGNMENT + 1,
	[DW_AT_import] = SLOT_IMPORT + 1,
	[DW_AT_comp_dir] = SLOT_COMP_DIR + 1,
	[DW_AT_entry_pc] = SLOT_ENTRY_PC + 1,
	[DW_AT_call_file] = SLOT_CALL_FILE + 1,
	[DW_AT_call_line] = SLOT_CALL_LINE + 1,
};

static enum die_slot slot_of(uint64_t attribute)
{
	if (attribute < sizeof(standard_slots))
		return standard_slots[attribute] ? (enum die_slot)(standard_slots[attribute] - 1)
						 : SLOT_NONE;
	switch (attribute) {
	case DW_AT_GNU_annotation_chain: return SLOT_ANNOTATION;
	case DW_AT_GNU_addr_base: return SLOT_ADDR_BASE;
	case DW_AT_GNU_dwo_name: return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id: return SLOT_DWO_ID;
	case DW_AT_GNU_ranges_base: return SLOT_RNGLISTS_BASE;
	case DW_AT_GNU_call_site_value: return SLOT_CALL_VALUE;
	case DW_AT_GNU_call_site_target: return SLOT_CALL_TARGET;
	case DW_AT_GNU_tail_call: return SLOT_CALL_TAIL;
	case DW_AT_GNU_entry_view: return SLOT_ENTRY_VIEW;
	case DW_AT_GNU_locviews: return SLOT_LOCATION_VIEWS;
	default: return SLOT_NONE;
	}
}

/* How a form is read and how it is skipped. */
struct form_rule {
	uint8_t read;		/* enum step_code; STEP_FIXED: a load */
	uint8_t skip;
	uint8_t bytes;		/* of STEP_FIXED; for the others the fewest bytes they can take */
	uint8_t space;
	bool unreadable;	/* can only be skipped */
	bool known;
};

/* Sizes that depend on the unit's header. DWARF 2 gave DW_FORM_ref_addr the size of an address. */
enum { OFFSET_SIZE = 0xfd, ADDRESS_SIZE = 0xfe, REF_ADDR_SIZE = 0xff };

/* Forms below this have their rules in a table; GNU's extensions have become some of them. */
#define STANDARD_FORMS 0x30

#define FIXED(bytes, space) { STEP_FIXED, STEP_FIXED, bytes, space, false, true }
#define VARIABLE(what, bytes)                                                                      \
	{ STEP_READ_##what, STEP_SKIP_##what, bytes, SPACE_NONE, false, true }
#define LEB(read, space) { read, STEP_SKIP_LEB, 1, space, false, true }

/* DWARF 5 section 7.5.6, table 7.6. */
static const struct form_rule form_rules[STANDARD_FORMS] = {
	[DW_FORM_data1] = FIXED(1, SPACE_NONE),
	[DW_FORM_data2] = FIXED(2, SPACE_NONE),
	[DW_FORM_data4] = FIXED(4, SPACE_NONE),
	[DW_FORM_data8] = FIXED(8, SPACE_NONE),
	/* Too wide for a slot, and nothing that is read here needs it. */
	[DW_FORM_data16] = { STEP_FIXED, STEP_FIXED, 16, SPACE_NONE, true, true },
	[DW_FORM_flag] = FIXED(1, SPACE_NONE),
	[DW_FORM_flag_present] = FIXED(0, SPACE_NONE),
	[DW_FORM_implicit_const] = FIXED(0, SPACE_NONE),
	[DW_FORM_sdata] = LEB(STEP_READ_SLEB, SPACE_NONE),
	[DW_FORM_udata] = LEB(STEP_READ_ULEB, SPACE_NONE),
	[DW_FORM_addr] = FIXED(ADDRESS_SIZE, SPACE_NONE),
	[DW_FORM_addrx] = LEB(STEP_READ_ULEB, SPACE_NONE),
	[DW_FORM_addrx1] = FIXED(1, SPACE_NONE),
	[DW_FORM_addrx2] = FIXED(2, SPACE_NONE),
	[DW_FORM_addrx3] = FIXED(3, SPACE_NONE),
	[DW_FORM_addrx4] = FIXED(4, SPACE_NONE),
	[DW_FORM_sec_offset] = FIXED(OFFSET_SIZE, SPACE_NONE),
	[DW_FORM_loclistx] = LEB(STEP_READ_ULEB, SPACE_NONE),
	[DW_FORM_rnglistx] = LEB(STEP_READ_ULEB, SPACE_NONE),
	[DW_FORM_ref1] = FIXED(1, SPACE_UNIT),
	[DW_FORM_ref2] = FIXED(2, SPACE_UNIT),
	[DW_FORM_ref4] = FIXED(4, SPACE_UNIT),
	[DW_FORM_ref8] = FIXED(8, SPACE_UNIT),
	[DW_FORM_ref_udata] = LEB(STEP_READ_ULEB, SPACE_UNIT),
	[DW_FORM_ref_addr] = FIXED(REF_ADDR_SIZE, SPACE_INFO),
	[DW_FORM_ref_sup4] = FIXED(4, SPACE_SUP_INFO),
	[DW_FORM_ref_sup8] = FIXED(8, SPACE_SUP_INFO),
	[DW_FORM_ref_sig8] = { STEP_READ_SIGNATURE, STEP_FIXED, 8, SPACE_NONE, false, true },
	[DW_FORM_string] = VARIABLE(STRING, 1),
	[DW_FORM_strp] = FIXED(OFFSET_SIZE, SPACE_STR),
	[DW_FORM_strp_sup] = FIXED(OFFSET_SIZE, SPACE_SUP_STR),
	[DW_FORM_line_strp] = FIXED(OFFSET_SIZE, SPACE_LINE_STR),
	[DW_FORM_strx] = LEB(STEP_READ_ULEB, SPACE_STRX),
	[DW_FORM_strx1] = FIXED(1, SPACE_STRX),
	[DW_FORM_strx2] = FIXED(2, SPACE_STRX),
	[DW_FORM_strx3] = FIXED(3, SPACE_STRX),
	[DW_FORM_strx4] = FIXED(4, SPACE_STRX),
	[DW_FORM_block] = VARIABLE(BLOCK_LEB, 1),
	[DW_FORM_exprloc] = VARIABLE(BLOCK_LEB, 1),
	[DW_FORM_block1] = VARIABLE(BLOCK_1, 1),
	[DW_FORM_block2] = VARIABLE(BLOCK_2, 2),
	[DW_FORM_block4] = VARIABLE(BLOCK_4, 4),
	[DW_FORM_indirect] = VARIABLE(INDIRECT, 1),
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
	return rule->read == STEP_READ_STRING ||
	       (rule->space >= SPACE_STR && rule->space <= SPACE_STRX);
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
	bool is_block = rule->read >= STEP_READ_BLOCK_LEB && rule->read <= STEP_READ_BLOCK_4;
	/* A size that only the running program knows: a variable's DIE, or an expression. */
	bool is_computed =
		((slot == SLOT_UPPER_BOUND || slot == SLOT_COUNT_OF || slot == SLOT_BYTE_SIZE) &&
		 ((rule->space >= SPACE_UNIT && rule->space <= SPACE_SUP_INFO) ||
		  form == DW_FORM_ref_sig8)) ||
		(slot == SLOT_BYTE_SIZE && is_block);
	bool wanted = slot != SLOT_NONE && wanted_set & BIT(slot) &&
		      !(abbrev->present & BIT(slot)) && !rule->unreadable &&
		      (slot != SLOT_NAME || is_string(rule)) && !is_computed;
	uint8_t code = wanted ? rule->read : rule->skip;

	abbrev->min_bytes += rule->bytes;
	if (wanted) {
		abbrev->present |= BIT(slot);
		if (is_block)
			abbrev->block_slots |= BIT(slot);
		if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
			abbrev->signed_slots |= BIT(slot);
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
		.code = code, .slot = (uint8_t)slot, .space = rule->space, .form = (uint8_t)form,
		.bytes = rule->bytes }));
	abbrev->step_count++;
}

const uint8_t *abbrev_compile(struct abbrev_table *table, struct declaration *declaration,
			    struct compiled_abbrev *compiled, const uint8_t *p,
			    const uint8_t *end, const char **problem, uint64_t *value)
{
	struct abbrev *abbrev = &compiled->abbrev;
	uint64_t wanted_set = 0;
	struct abbrev_step *step;

	for (size_t i = 0; i < sizeof(wanted_rows) / sizeof(*wanted_rows); i++) {
		if (wanted_rows[i].tag == abbrev->tag)
			wanted_set = wanted_rows[i].slots & ~table->ignored_slots;
	}
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
