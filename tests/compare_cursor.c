/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: compare_cursor FILE...
 *
 * Differential test: the DIE cursor and the unit reader against libdw, on whole files. Every DIE
 * must have the same offset, depth, tag and children, every attribute that the cursor decodes the
 * same value, and every attribute that this test lists as wanted must be decoded. Then members,
 * enumerators, dimensions, parameters and entry addresses of the model must be libdw's.
 *
 * Exit status: 0 equal (or no FILE: skipped), 1 different, 3 a file cannot be read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/unit_reader.h"
#include "tests/comparison.h"

#define MAX_DEPTH 1024

/* The attributes that the program reads, listed a second time. `tags` NULL: of every DIE. */
static const struct wanted {
	uint16_t attribute;
	enum die_slot slot;
	uint16_t tags[24];
} wanted[] = {
#define TYPES DW_TAG_base_type, DW_TAG_typedef, DW_TAG_structure_type, DW_TAG_union_type,          \
	      DW_TAG_enumeration_type
#define REFERRING DW_TAG_pointer_type, DW_TAG_const_type, DW_TAG_volatile_type,                    \
		  DW_TAG_restrict_type, DW_TAG_atomic_type, DW_TAG_subroutine_type,                \
		  DW_TAG_array_type, DW_TAG_typedef, DW_TAG_member, DW_TAG_formal_parameter,       \
		  DW_TAG_variable, DW_TAG_subprogram
	{ DW_AT_name, SLOT_NAME,
	  { TYPES, DW_TAG_member, DW_TAG_enumerator, DW_TAG_subprogram, DW_TAG_formal_parameter,
	    DW_TAG_variable, DW_TAG_LLVM_annotation } },
	{ DW_AT_type, SLOT_TYPE, { REFERRING } },
	{ DW_AT_byte_size, SLOT_BYTE_SIZE,
	  { DW_TAG_base_type, DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_enumeration_type,
	    DW_TAG_member } },
	{ DW_AT_data_member_location, SLOT_MEMBER_LOCATION, { DW_TAG_member } },
	{ DW_AT_bit_size, SLOT_BIT_SIZE, { DW_TAG_member } },
	{ DW_AT_data_bit_offset, SLOT_DATA_BIT_OFFSET, { DW_TAG_member } },
	{ DW_AT_bit_offset, SLOT_BIT_OFFSET, { DW_TAG_member } },
	{ DW_AT_encoding, SLOT_ENCODING, { DW_TAG_base_type } },
	{ DW_AT_const_value, SLOT_CONST_VALUE,
	  { DW_TAG_enumerator, DW_TAG_LLVM_annotation, DW_TAG_formal_parameter } },
	{ DW_AT_declaration, SLOT_DECLARATION,
	  { DW_TAG_structure_type, DW_TAG_union_type, DW_TAG_enumeration_type, DW_TAG_subprogram,
	    DW_TAG_variable } },
	{ DW_AT_sibling, SLOT_SIBLING,
	  { DW_TAG_inlined_subroutine, DW_TAG_call_site, DW_TAG_GNU_call_site } },
	{ DW_AT_upper_bound, SLOT_UPPER_BOUND, { DW_TAG_subrange_type } },
	{ DW_AT_count, SLOT_COUNT_OF, { DW_TAG_subrange_type } },
	{ DW_AT_external, SLOT_EXTERNAL, { DW_TAG_subprogram, DW_TAG_variable } },
	{ DW_AT_artificial, SLOT_ARTIFICIAL, { DW_TAG_variable } },
	{ DW_AT_location, SLOT_LOCATION,
	  { DW_TAG_variable, DW_TAG_formal_parameter, DW_TAG_call_site_parameter,
	    DW_TAG_GNU_call_site_parameter } },
	{ DW_AT_low_pc, SLOT_LOW_PC,
	  { DW_TAG_subprogram, DW_TAG_compile_unit, DW_TAG_GNU_call_site,
	    DW_TAG_inlined_subroutine } },
	{ DW_AT_ranges, SLOT_RANGES, { DW_TAG_subprogram, DW_TAG_inlined_subroutine } },
	{ DW_AT_abstract_origin, SLOT_ORIGIN,
	  { DW_TAG_subprogram, DW_TAG_variable, DW_TAG_GNU_call_site, DW_TAG_inlined_subroutine } },
	{ DW_AT_specification, SLOT_SPECIFICATION, { DW_TAG_subprogram, DW_TAG_variable } },
	{ DW_AT_signature, SLOT_SIGNATURE, { DW_TAG_structure_type } },
	{ DW_AT_language, SLOT_LANGUAGE, { DW_TAG_compile_unit } },
	{ DW_AT_str_offsets_base, SLOT_STR_OFFSETS_BASE, { DW_TAG_compile_unit } },
	{ DW_AT_addr_base, SLOT_ADDR_BASE, { DW_TAG_compile_unit } },
	{ DW_AT_rnglists_base, SLOT_RNGLISTS_BASE, { DW_TAG_compile_unit } },
	{ DW_AT_high_pc, SLOT_HIGH_PC, { DW_TAG_compile_unit } },
	{ DW_AT_inline, SLOT_INLINE, { DW_TAG_subprogram } },
	{ DW_AT_calling_convention, SLOT_CALLING_CONVENTION, { DW_TAG_subprogram } },
	{ DW_AT_prototyped, SLOT_PROTOTYPED, { DW_TAG_subprogram } },
	{ DW_AT_dwo_name, SLOT_DWO_NAME, { DW_TAG_compile_unit } },
	{ DW_AT_loclists_base, SLOT_LOCLISTS_BASE, { DW_TAG_compile_unit } },
	{ DW_AT_producer, SLOT_PRODUCER, { DW_TAG_compile_unit } },
	{ DW_AT_frame_base, SLOT_FRAME_BASE, { DW_TAG_subprogram } },
	{ DW_AT_call_origin, SLOT_CALL_ORIGIN, { DW_TAG_call_site } },
	{ DW_AT_call_return_pc, SLOT_CALL_RETURN_PC, { DW_TAG_call_site } },
	{ DW_AT_call_pc, SLOT_CALL_PC, { DW_TAG_call_site } },
	{ DW_AT_call_value, SLOT_CALL_VALUE, { DW_TAG_call_site_parameter } },
	{ DW_AT_alignment, SLOT_ALIGNMENT, { DW_TAG_structure_type, DW_TAG_union_type } },
	{ DW_AT_entry_pc, SLOT_ENTRY_PC, { DW_TAG_inlined_subroutine } },
	{ DW_AT_import, SLOT_IMPORT, { DW_TAG_imported_unit } },
	{ DW_AT_decl_line, SLOT_DECL_LINE, { DW_TAG_subprogram } },
	{ DW_AT_decl_file, SLOT_DECL_FILE, { DW_TAG_subprogram } },
	{ DW_AT_stmt_list, SLOT_STMT_LIST, { DW_TAG_compile_unit } },
	{ DW_AT_comp_dir, SLOT_COMP_DIR, { DW_TAG_compile_unit } },
	{ DW_AT_GNU_vector, SLOT_GNU_VECTOR, { DW_TAG_array_type } },
	{ DW_AT_call_file, SLOT_CALL_FILE, { DW_TAG_inlined_subroutine } },
	{ DW_AT_call_line, SLOT_CALL_LINE, { DW_TAG_inlined_subroutine } },
	{ DW_AT_GNU_entry_view, SLOT_ENTRY_VIEW, { DW_TAG_inlined_subroutine } },
	{ DW_AT_GNU_locviews, SLOT_LOCATION_VIEWS, { DW_TAG_formal_parameter } },
	{ DW_AT_GNU_call_site_value, SLOT_CALL_VALUE, { DW_TAG_GNU_call_site_parameter } },
};

static struct {
	struct unit_reader reader;
	struct dwarf_model model;
	address_range_array ranges;
	uint64_t dies, values, types;
} session;

/* ---- attributes ---- */

static const struct wanted *find_wanted(unsigned int attribute)
{
	static uint8_t index[0x2200];	/* attribute -> row + 1; the GNU ones are the highest */

	if (!index[DW_AT_name]) {
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			index[wanted[i].attribute] = (uint8_t)(i + 1);
	}
	return attribute < sizeof(index) && index[attribute] ? &wanted[index[attribute] - 1] : NULL;
}

static bool tag_wants(const struct wanted *row, uint16_t tag)
{
	for (const uint16_t *t = row->tags; *t; t++) {
		if (*t == tag)
			return true;
	}
	return false;
}

static void compare_string(const struct die *die, enum die_slot slot, Dwarf_Attribute *attr)
{
	const char *theirs = dwarf_formstring(attr);
	uint64_t ignored;
	const char *ours = die_cursor_string(&compared.cursor, die, slot, &ignored);

	if (!ours || !theirs || strcmp(ours, theirs) != 0)
		differ(die->offset, "attribute 0x%x is '%s', libdw has '%s'",
		       dwarf_whatattr(attr), ours ? ours : "(null)", theirs ? theirs : "(null)");
}

static void compare_block(const struct die *die, enum die_slot slot, Dwarf_Attribute *attr)
{
	struct byte_range ours;
	Dwarf_Block theirs;

	if (dwarf_formblock(attr, &theirs) != 0 ||
	    !die_cursor_block(&compared.cursor, die, slot, &ours) ||
	    (size_t)(ours.end - ours.begin) != theirs.length ||
	    memcmp(ours.begin, theirs.data, theirs.length) != 0)
		differ(die->offset, "attribute 0x%x: the blocks differ", dwarf_whatattr(attr));
}

static void compare_ranges(const struct die *die, Dwarf_Die *their_die)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;
	size_t i = 0;

	session.ranges.count = 0;
	if (!ranges_read(&compared.cursor, die, &session.ranges))
		differ(die->offset, "the ranges cannot be read");
	while ((at = dwarf_ranges(their_die, at, &base, &begin, &end)) > 0) {
		if (begin == end)
			continue;
		if (i >= session.ranges.count || session.ranges.data[i].begin != begin ||
		    session.ranges.data[i].end != end)
			differ(die->offset, "range %zu is not 0x%" PRIx64 "..0x%" PRIx64, i,
			       (uint64_t)begin, (uint64_t)end);
		i++;
	}
	if (at < 0 || i != session.ranges.count)
		differ(die->offset, "%zu ranges, libdw has %zu", session.ranges.count, i);
}

static bool is_address(unsigned int form)
{
	return form == DW_FORM_addr || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
	       form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index;
}

static bool their_number(Dwarf_Attribute *attr, uint64_t *value)
{
	Dwarf_Sword number_signed;
	Dwarf_Word number;
	Dwarf_Addr address;
	bool flag;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_flag:
	case DW_FORM_flag_present:
		if (dwarf_formflag(attr, &flag) != 0)
			return false;
		*value = flag;
		return true;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(attr, &number_signed) != 0)
			return false;
		*value = (uint64_t)number_signed;
		return true;
	default:
		if (is_address(dwarf_whatform(attr))) {
			if (dwarf_formaddr(attr, &address) != 0)
				return false;
			*value = address;
			return true;
		}
		if (dwarf_formudata(attr, &number) != 0)
			return false;
		*value = number;
		return true;
	}
}

static bool is_reference(unsigned int form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata || form == DW_FORM_ref_addr ||
	       form == DW_FORM_ref_sig8;
}

static bool is_block(unsigned int form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 ||
	       form == DW_FORM_block2 || form == DW_FORM_block4;
}

/* In another file: the cursor leaves these out. */
static bool is_elsewhere(unsigned int form)
{
	return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ||
	       form == DW_FORM_strp_sup || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 ||
	       form == DW_FORM_data16;
}

static void compare_value(const struct die *die, enum die_slot slot,
			  Dwarf_Attribute *attr, Dwarf_Die *their_die)
{
	unsigned int form = dwarf_whatform(attr);
	uint64_t ours = die->value[slot], theirs = 0;
	Dwarf_Die target;

	session.values++;
	if (abbrev_form_is_string((uint16_t)form)) {
		compare_string(die, slot, attr);
		return;
	}
	if (is_block(form)) {
		compare_block(die, slot, attr);
		return;
	}
	if (slot == SLOT_RANGES) {
		compare_ranges(die, their_die);
		return;
	}
	if (is_reference(form)) {
		if (!dwarf_formref_die(attr, &target)) {
			differ(die->offset, "libdw cannot follow attribute 0x%x",
			       dwarf_whatattr(attr));
			return;
		}
		theirs = dwarf_dieoffset(&target);
	} else if (!their_number(attr, &theirs)) {
		differ(die->offset, "libdw cannot read attribute 0x%x, form 0x%x",
		       dwarf_whatattr(attr), form);
		return;
	}
	if (is_address(form) && !die_cursor_address(&compared.cursor, die, slot, &ours))
		differ(die->offset, "the address cannot be read");
	if (ours != theirs)
		differ(die->offset, "attribute 0x%x is 0x%" PRIx64 ", libdw has 0x%" PRIx64,
		       dwarf_whatattr(attr), ours, theirs);
}

struct attribute_walk {
	const struct die *die;
	Dwarf_Die *their_die;
	uint64_t seen;
};

static int compare_attribute(Dwarf_Attribute *attr, void *context)
{
	struct attribute_walk *walk = context;
	const struct wanted *row = find_wanted(dwarf_whatattr(attr));

	if (!row || walk->seen >> row->slot & 1 || is_elsewhere(dwarf_whatform(attr)))
		return DWARF_CB_OK;
	/* A bound that only a variable knows. */
	if ((row->slot == SLOT_UPPER_BOUND || row->slot == SLOT_COUNT_OF) &&
	    is_reference(dwarf_whatform(attr)))
		return DWARF_CB_OK;
	walk->seen |= UINT64_C(1) << row->slot;
	if (die_has(walk->die, row->slot))
		compare_value(walk->die, row->slot, attr, walk->their_die);
	else if (tag_wants(row, walk->die->tag))
		differ(walk->die->offset, "attribute 0x%x is not decoded", row->attribute);
	return DWARF_CB_OK;
}

/* ---- the walk over a unit ---- */

/* The next DIE and its depth; the unit DIE is at 0. */
static enum die_status next_die(struct die_cursor *cursor, struct die *die, uint32_t *depth)
{
	enum die_status status;

	while ((status = die_cursor_next(cursor, die)) == DIE_NULL) {
		if (*depth)
			--*depth;
	}
	return status;
}

struct their_walk {
	Dwarf_Die stack[MAX_DEPTH];
	uint32_t depth;
	bool done;
};

static void advance(struct their_walk *walk)
{
	Dwarf_Die *top = &walk->stack[walk->depth];

	if (walk->depth + 1 < MAX_DEPTH && dwarf_child(top, top + 1) == 0) {
		walk->depth++;
		return;
	}
	for (; walk->depth; walk->depth--, top--) {
		if (dwarf_siblingof(top, top) == 0)
			return;
	}
	walk->done = true;
}

static void compare_die(const struct die *die, uint32_t depth, struct their_walk *theirs)
{
	Dwarf_Die *their_die = &theirs->stack[theirs->depth];
	struct attribute_walk walk = { die, their_die, 0 };

	session.dies++;
	if (die->offset != dwarf_dieoffset(their_die) || depth != theirs->depth)
		differ(die->offset, "depth %u, libdw is at 0x%" PRIx64 ", depth %u", depth,
		       (uint64_t)dwarf_dieoffset(their_die), theirs->depth);
	if (die->tag != dwarf_tag(their_die) || die->has_children != dwarf_haschildren(their_die))
		differ(die->offset, "tag 0x%x, libdw has 0x%x", die->tag, dwarf_tag(their_die));
	dwarf_getattrs(their_die, compare_attribute, &walk, 0);
	if (die->present & ~walk.seen)
		differ(die->offset, "slots 0x%" PRIx64 " are decoded from nothing (or from what "
		       "the list at the head of this test lacks)",
		       die->present & ~walk.seen);
}

static bool compare_unit(const struct unit *unit, Dwarf_Die *unit_die, struct error *err)
{
	struct their_walk theirs = { .stack = { *unit_die } };
	enum die_status status;
	uint32_t depth = 0;
	struct die die;

	if (!compared_unit_open(unit, err))
		return false;
	while ((status = next_die(&compared.cursor, &die, &depth)) == DIE_READ && !theirs.done) {
		if (!depth)
			die_cursor_set_bases(&compared.cursor, &die);
		compare_die(&die, depth, &theirs);
		if (compared.differences > MAX_DIFFERENCES)
			return true;
		depth += die.has_children;
		advance(&theirs);
	}
	if (status == DIE_READ || !theirs.done)
		differ(unit->offset, "the unit's DIEs end too %s",
		       status == DIE_READ ? "late" : "early");
	return status != DIE_FAILED;
}

/* ---- the model ---- */

static const char *name_or_empty(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr(die, DW_AT_name, &attr));

	return name ? name : "";
}

static void compare_name(Dwarf_Die *die, uint32_t key)
{
	const char *ours = name_table_text(&session.reader.names, key);

	if (strcmp(ours, name_or_empty(die)) != 0)
		differ(dwarf_dieoffset(die), "the model has the name '%s', libdw '%s'", ours,
		       name_or_empty(die));
}

static void compare_type(Dwarf_Die *die, uint32_t reference)
{
	uint64_t theirs = UINT64_MAX;
	Dwarf_Attribute attr;
	Dwarf_Die target;

	if (dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attr), &target))
		theirs = dwarf_dieoffset(&target);
	/* Into another unit: this test reads each unit as a group of its own. */
	if (reference == REF_INVALID)
		return;
	if (reference == REF_NONE ? theirs != UINT64_MAX
				  : theirs != session.model.begin + reference)
		differ(dwarf_dieoffset(die), "the model has another type");
}

static uint64_t number_of(Dwarf_Die *die, unsigned int attribute, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	uint64_t value;

	if (!dwarf_attr(die, attribute, &attr) || is_block(dwarf_whatform(&attr)) ||
	    !their_number(&attr, &value))
		return otherwise;
	return value;
}

static void compare_member(Dwarf_Die *die, const struct dwarf_member *member)
{
	uint64_t bytes = number_of(die, DW_AT_data_member_location, 0);
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;
	uint64_t bits;

	if (dwarf_attr(die, DW_AT_data_member_location, &attr) &&
	    is_block(dwarf_whatform(&attr)) && dwarf_getlocation(&attr, &ops, &count) == 0 &&
	    count == 1)
		bytes = ops[0].number;
	bits = number_of(die, DW_AT_data_bit_offset, bytes * 8);
	compare_name(die, member->name);
	compare_type(die, member->type);
	if (member->offset_bits != bits || member->size_bits != number_of(die, DW_AT_bit_size, 0) ||
	    (member->has_msb_offset &&
	     (uint64_t)member->msb_offset != number_of(die, DW_AT_bit_offset, 0)))
		differ(dwarf_dieoffset(die), "the model has the member at bit %u, libdw at %"
		       PRIu64, member->offset_bits, bits);
}

static void compare_enumerator(Dwarf_Die *die, const struct dwarf_enumerator *enumerator)
{
	compare_name(die, enumerator->name);
	if (enumerator->value != number_of(die, DW_AT_const_value, 0))
		differ(dwarf_dieoffset(die), "the model has the value 0x%" PRIx64,
		       enumerator->value);
}

static void compare_dimension(Dwarf_Die *die, uint32_t ours)
{
	uint64_t upper = number_of(die, DW_AT_upper_bound, UINT64_MAX);
	uint64_t count = number_of(die, DW_AT_count, upper + 1);

	if (ours != (count == (uint64_t)UINT32_MAX + 1 ? 0 : count))
		differ(dwarf_dieoffset(die), "the model has %u elements, libdw %" PRIu64, ours,
		       count);
}

static void compare_parameter(Dwarf_Die *die, const struct dwarf_parameter *parameter)
{
	compare_name(die, parameter->name);
	compare_type(die, parameter->type);
}

/* Compares the children with one tag one by one with elements first, first + 1, ... */
#define COMPARE_CHILDREN(parent, child_tag, array, first, count, compare, take)                    \
	do {                                                                                       \
		Dwarf_Die child_;                                                                  \
		uint32_t n_ = 0;                                                                   \
		int more_ = dwarf_child(parent, &child_);                                          \
		for (; more_ == 0; more_ = dwarf_siblingof(&child_, &child_)) {                    \
			if (dwarf_tag(&child_) != (child_tag))                                     \
				continue;                                                          \
			if (n_ < (count))                                                          \
				compare(&child_, take session.model.array.data[(first) + n_]);     \
			n_++;                                                                      \
		}                                                                                  \
		if (n_ != (count))                                                                 \
			differ(dwarf_dieoffset(parent), "the model has %u children of tag "        \
			       "0x%x, libdw %u", (count), (child_tag), n_);                        \
	} while (0)

static void compare_model_type(const struct dwarf_type *type)
{
	uint64_t offset = session.model.begin + type->offset;
	Dwarf_Die die;

	session.types++;
	if (!dwarf_offdie(compared.theirs.dwarf, offset, &die)) {
		differ(offset, "libdw has no such DIE");
		return;
	}
	/* GCC names the pointer that is i386's __builtin_va_list; BTF has no room for that. */
	if (type->kind != DWARF_POINTER)
		compare_name(&die, type->name);
	if (type->kind != DWARF_ENUM && !dwarf_hasattr(&die, DW_AT_signature))
		compare_type(&die, type->type);
	/* GCC gives pointers a size as well; the program does not read it. */
	if ((type->kind == DWARF_STRUCT || type->kind == DWARF_UNION || type->kind == DWARF_ENUM) &&
	    type->size_bytes != number_of(&die, DW_AT_byte_size, 0))
		differ(offset, "the model has size %" PRIu64, type->size_bytes);
	if (type->kind == DWARF_STRUCT || type->kind == DWARF_UNION)
		COMPARE_CHILDREN(&die, DW_TAG_member, members, type->first, type->count,
				 compare_member, &);
	else if (type->kind == DWARF_ENUM)
		COMPARE_CHILDREN(&die, DW_TAG_enumerator, enumerators, type->first, type->count,
				 compare_enumerator, &);
	else if (type->kind == DWARF_ARRAY)
		COMPARE_CHILDREN(&die, DW_TAG_subrange_type, dimensions, type->first,
				 type->count, compare_dimension, );
	else if (type->kind == DWARF_SUBROUTINE)
		COMPARE_CHILDREN(&die, DW_TAG_formal_parameter, parameters, type->first,
				 type->count, compare_parameter, &);
}

static void compare_model_function(const struct dwarf_function *function)
{
	uint64_t offset = session.model.begin + function->offset;
	Dwarf_Addr base, begin, end, low;
	Dwarf_Attribute attr;
	Dwarf_Die die;
	ptrdiff_t at = 0;
	uint32_t n = 0;

	if (!dwarf_offdie(compared.theirs.dwarf, offset, &die)) {
		differ(offset, "libdw has no such DIE");
		return;
	}
	compare_name(&die, function->name);
	compare_type(&die, function->type);
	COMPARE_CHILDREN(&die, DW_TAG_formal_parameter, parameters, function->first_parameter,
			 function->parameter_count, compare_parameter, &);
	if (dwarf_attr(&die, DW_AT_low_pc, &attr)) {
		if (dwarf_formaddr(&attr, &low) != 0 || function->entry_count != 1 ||
		    session.model.entries.data[function->first_entry] != low)
			differ(offset, "the model has another entry address");
		return;
	}
	while (dwarf_hasattr(&die, DW_AT_ranges) &&
	       (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0) {
		if (begin == end)
			continue;
		if (n >= function->entry_count ||
		    session.model.entries.data[function->first_entry + n] != begin)
			differ(offset, "entry %u is not 0x%" PRIx64, n, (uint64_t)begin);
		n++;
	}
	if (n != function->entry_count)
		differ(offset, "%u entries, libdw has %u", function->entry_count, n);
}

static bool compare_model(const struct unit *unit, struct error *err)
{
	uint64_t language;

	dwarf_model_reset(&session.model, unit->offset, unit->end);
	if (!unit_reader_open(&session.reader, unit, &language, err) ||
	    !unit_reader_read(&session.reader, &session.model, err))
		return false;
	for (size_t i = 0; i < session.model.types.count; i++)
		compare_model_type(&session.model.types.data[i]);
	for (size_t i = 0; i < session.model.functions.count; i++)
		compare_model_function(&session.model.functions.data[i]);
	return true;
}

/* ---- files ---- */

static bool compare_units(struct error *err)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit_die, sub_die;
	Dwarf_Half version;
	uint8_t type;
	size_t i = 0;
	int more;

	while ((more = dwarf_get_units(compared.theirs.dwarf, cu, &cu, &version, &type, &unit_die,
				       &sub_die)) == 0) {
		const struct unit *unit = &compared.units.data[i++];

		if (i > compared.units.count || unit->first_die != dwarf_dieoffset(&unit_die) ||
		    unit->version != version || unit->unit_type != type) {
			differ(dwarf_dieoffset(&unit_die), "unit %zu is another one", i - 1);
			return true;
		}
		if (!compare_unit(unit, &unit_die, err) || !compare_model(unit, err))
			return false;
		if (compared.differences > MAX_DIFFERENCES)
			return true;
	}
	if (more < 0 || i != compared.units.count)
		differ(0, "%zu units, libdw has %zu (%s)", compared.units.count, i,
		       dwarf_errmsg(-1));
	return true;
}

static bool compare_dies(struct error *err)
{
	bool good;

	memset(&session, 0, sizeof(session));
	unit_reader_init(&session.reader, &compared.object, &compared.units);
	good = compare_units(err);
	if (good)
		printf("%s: %zu units, %" PRIu64 " DIEs, %" PRIu64 " values, %" PRIu64
		       " types: %s\n", compared.path, compared.units.count, session.dies,
		       session.values, session.types, compared_verdict());
	unit_reader_release(&session.reader);
	dwarf_model_release(&session.model);
	array_release(&session.ranges);
	return good;
}

int main(int argc, char **argv)
{
	return compare_dwarf(argc, argv, true, compare_dies);
}
