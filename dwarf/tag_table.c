/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/tag_table.h"

#include "dwarf/unit_model.h"

/* Not in elfutils' dwarf.h. */
enum {
	DW_TAG_LLVM_ptrauth_type = 0x4300,
	DW_TAG_upc_shared_type = 0x8765,
	DW_TAG_upc_strict_type = 0x8766,
	DW_TAG_upc_relaxed_type = 0x8767,
};

_Static_assert(SLOT_COUNT <= 64, "a bit per slot");

#define UNIT_SLOTS                                                                                 \
	(SLOT_BIT(NAME) | SLOT_BIT(LANGUAGE) | SLOT_BIT(LOW_PC) | SLOT_BIT(HIGH_PC) |              \
	 SLOT_BIT(RANGES) | SLOT_BIT(STR_OFFSETS_BASE) | SLOT_BIT(ADDR_BASE) |                     \
	 SLOT_BIT(RNGLISTS_BASE) | SLOT_BIT(LOCLISTS_BASE) | SLOT_BIT(DWO_NAME) |                  \
	 SLOT_BIT(PRODUCER) | SLOT_BIT(STMT_LIST) | SLOT_BIT(COMP_DIR))
#define BASE_SLOTS                                                                                 \
	(SLOT_BIT(NAME) | SLOT_BIT(BYTE_SIZE) | SLOT_BIT(BIT_SIZE) | SLOT_BIT(ENCODING))
#define MODIFIER_SLOTS (SLOT_BIT(TYPE) | SLOT_BIT(ANNOTATION))
#define AGGREGATE_SLOTS                                                                            \
	(SLOT_BIT(NAME) | SLOT_BIT(BYTE_SIZE) | SLOT_BIT(DECLARATION) | SLOT_BIT(SIGNATURE) |      \
	 SLOT_BIT(ANNOTATION) | SLOT_BIT(ALIGNMENT))
#define ENUM_SLOTS                                                                                 \
	(SLOT_BIT(NAME) | SLOT_BIT(BYTE_SIZE) | SLOT_BIT(DECLARATION) | SLOT_BIT(SIGNATURE) |      \
	 SLOT_BIT(TYPE))
#define MEMBER_SLOTS                                                                               \
	(SLOT_BIT(NAME) | SLOT_BIT(TYPE) | SLOT_BIT(MEMBER_LOCATION) | SLOT_BIT(BIT_SIZE) |        \
	 SLOT_BIT(DATA_BIT_OFFSET) | SLOT_BIT(BIT_OFFSET) | SLOT_BIT(BYTE_SIZE) |                  \
	 SLOT_BIT(EXTERNAL) | SLOT_BIT(DECLARATION) | SLOT_BIT(ANNOTATION))
#define SUBRANGE_SLOTS                                                                             \
	(SLOT_BIT(UPPER_BOUND) | SLOT_BIT(COUNT_OF) | SLOT_BIT(TYPE) | SLOT_BIT(BYTE_SIZE))
#define BYTES_SLOTS (SLOT_BIT(NAME) | SLOT_BIT(BYTE_SIZE))
#define FUNCTION_SLOTS                                                                             \
	(SLOT_BIT(NAME) | SLOT_BIT(TYPE) | SLOT_BIT(LOW_PC) | SLOT_BIT(RANGES) |                   \
	 SLOT_BIT(ORIGIN) | SLOT_BIT(SPECIFICATION) | SLOT_BIT(EXTERNAL) |                         \
	 SLOT_BIT(DECLARATION) | SLOT_BIT(ANNOTATION) | SLOT_BIT(INLINE) |                         \
	 SLOT_BIT(CALLING_CONVENTION) | SLOT_BIT(PROTOTYPED) | SLOT_BIT(FRAME_BASE) |             \
	 SLOT_BIT(DECL_LINE) | SLOT_BIT(DECL_FILE))
#define PARAMETER_SLOTS                                                                            \
	(SLOT_BIT(NAME) | SLOT_BIT(TYPE) | SLOT_BIT(ORIGIN) | SLOT_BIT(ANNOTATION) |               \
	 SLOT_BIT(LOCATION) | SLOT_BIT(CONST_VALUE) | SLOT_BIT(LOCATION_VIEWS))
#define VARIABLE_SLOTS                                                                             \
	(SLOT_BIT(NAME) | SLOT_BIT(TYPE) | SLOT_BIT(LOCATION) | SLOT_BIT(SPECIFICATION) |          \
	 SLOT_BIT(ORIGIN) | SLOT_BIT(EXTERNAL) | SLOT_BIT(DECLARATION) | SLOT_BIT(ARTIFICIAL) |    \
	 SLOT_BIT(ANNOTATION))
#define INLINED_SLOTS                                                                              \
	(SLOT_BIT(SIBLING) | SLOT_BIT(ORIGIN) | SLOT_BIT(LOW_PC) | SLOT_BIT(RANGES) |              \
	 SLOT_BIT(ENTRY_PC) | SLOT_BIT(CALL_FILE) | SLOT_BIT(CALL_LINE) | SLOT_BIT(ENTRY_VIEW))
#define CALL_SLOTS                                                                                 \
	(SLOT_BIT(SIBLING) | SLOT_BIT(CALL_ORIGIN) | SLOT_BIT(CALL_RETURN_PC) | SLOT_BIT(CALL_PC))
/* GCC's form of the same before DWARF 5: an origin, and the return address as low_pc. */
#define GNU_CALL_SLOTS (SLOT_BIT(SIBLING) | SLOT_BIT(ORIGIN) | SLOT_BIT(LOW_PC))
#define CALL_PARAMETER_SLOTS (SLOT_BIT(LOCATION) | SLOT_BIT(CALL_VALUE))
#define ANNOTATION_SLOTS (SLOT_BIT(NAME) | SLOT_BIT(CONST_VALUE) | SLOT_BIT(ANNOTATION))

#define TYPE(kind, role, slots) { ACTION_TYPE, kind, role, slots }
#define OTHER(action, slots) { action, 0, ROLE_OTHER, slots }

const struct tag_row tag_table[] = {
	[DW_TAG_compile_unit] = OTHER(ACTION_DESCEND, UNIT_SLOTS),
	[DW_TAG_partial_unit] = OTHER(ACTION_DESCEND, UNIT_SLOTS),
	[DW_TAG_type_unit] = OTHER(ACTION_DESCEND, UNIT_SLOTS),
	[DW_TAG_skeleton_unit] = OTHER(ACTION_DESCEND, UNIT_SLOTS),
	[DW_TAG_imported_unit] = OTHER(ACTION_DESCEND, SLOT_BIT(IMPORT)),
	[DW_TAG_base_type] = TYPE(DWARF_BASE, ROLE_OTHER, BASE_SLOTS),
	[DW_TAG_pointer_type] = TYPE(DWARF_POINTER, ROLE_POINTER, MODIFIER_SLOTS),
	[DW_TAG_reference_type] = TYPE(DWARF_POINTER, ROLE_OTHER, MODIFIER_SLOTS),
	[DW_TAG_rvalue_reference_type] = TYPE(DWARF_POINTER, ROLE_OTHER, MODIFIER_SLOTS),
	[DW_TAG_const_type] = TYPE(DWARF_CONST, ROLE_OTHER, MODIFIER_SLOTS),
	[DW_TAG_volatile_type] = TYPE(DWARF_VOLATILE, ROLE_OTHER, MODIFIER_SLOTS),
	[DW_TAG_restrict_type] = TYPE(DWARF_RESTRICT, ROLE_OTHER, MODIFIER_SLOTS),
	[DW_TAG_atomic_type] = TYPE(DWARF_ATOMIC, ROLE_OTHER, MODIFIER_SLOTS),
	[DW_TAG_typedef] = TYPE(DWARF_TYPEDEF, ROLE_TYPEDEF, SLOT_BIT(NAME) | MODIFIER_SLOTS),
	[DW_TAG_structure_type] = TYPE(DWARF_STRUCT, ROLE_RECORD, AGGREGATE_SLOTS),
	[DW_TAG_class_type] = TYPE(DWARF_STRUCT, ROLE_RECORD, AGGREGATE_SLOTS),
	[DW_TAG_interface_type] = TYPE(DWARF_STRUCT, ROLE_RECORD, AGGREGATE_SLOTS),
	[DW_TAG_union_type] = TYPE(DWARF_UNION, ROLE_RECORD, AGGREGATE_SLOTS),
	[DW_TAG_enumeration_type] = TYPE(DWARF_ENUM, ROLE_ENUM, ENUM_SLOTS),
	[DW_TAG_array_type] = TYPE(DWARF_ARRAY, ROLE_ARRAY, SLOT_BIT(TYPE) | SLOT_BIT(GNU_VECTOR)),
	[DW_TAG_subroutine_type] = TYPE(DWARF_SUBROUTINE, ROLE_SUBROUTINE, MODIFIER_SLOTS),
	[DW_TAG_unspecified_type] = TYPE(DWARF_UNSPECIFIED, ROLE_OTHER, 0),
	[DW_TAG_ptr_to_member_type] = TYPE(DWARF_BYTES, ROLE_OTHER, BYTES_SLOTS | SLOT_BIT(TYPE)),
	[DW_TAG_string_type] = TYPE(DWARF_BYTES, ROLE_OTHER, BYTES_SLOTS),
	[DW_TAG_set_type] = TYPE(DWARF_BYTES, ROLE_OTHER, BYTES_SLOTS),
	[DW_TAG_file_type] = TYPE(DWARF_BYTES, ROLE_OTHER, BYTES_SLOTS),
	[DW_TAG_dynamic_type] = TYPE(DWARF_BYTES, ROLE_OTHER, BYTES_SLOTS),
	[DW_TAG_packed_type] = TYPE(DWARF_ALIAS, ROLE_OTHER, SLOT_BIT(TYPE)),
	[DW_TAG_shared_type] = TYPE(DWARF_ALIAS, ROLE_OTHER, SLOT_BIT(TYPE)),
	[DW_TAG_immutable_type] = TYPE(DWARF_ALIAS, ROLE_OTHER, SLOT_BIT(TYPE)),
	[DW_TAG_coarray_type] = TYPE(DWARF_ALIAS, ROLE_OTHER, SLOT_BIT(TYPE)),
	[DW_TAG_thrown_type] = TYPE(DWARF_ALIAS, ROLE_OTHER, SLOT_BIT(TYPE)),
	[DW_TAG_template_alias] = TYPE(DWARF_TYPEDEF, ROLE_OTHER, SLOT_BIT(NAME) | MODIFIER_SLOTS),
	[DW_TAG_member] = { ACTION_MEMBER, 0, ROLE_MEMBER, MEMBER_SLOTS },
	[DW_TAG_inheritance] = { ACTION_MEMBER, 0, ROLE_MEMBER, MEMBER_SLOTS },
	[DW_TAG_enumerator] = OTHER(ACTION_ENUMERATOR, SLOT_BIT(NAME) | SLOT_BIT(CONST_VALUE)),
	[DW_TAG_subrange_type] = OTHER(ACTION_SUBRANGE, SUBRANGE_SLOTS),
	[DW_TAG_generic_subrange] = OTHER(ACTION_SUBRANGE, 0),
	[DW_TAG_formal_parameter] = { ACTION_PARAMETER, 0, ROLE_PARAMETER, PARAMETER_SLOTS },
	[DW_TAG_unspecified_parameters] = OTHER(ACTION_DOTS, 0),
	[DW_TAG_subprogram] = { ACTION_FUNCTION, 0, ROLE_FUNCTION, FUNCTION_SLOTS },
	[DW_TAG_variable] = { ACTION_VARIABLE, 0, ROLE_VARIABLE, VARIABLE_SLOTS },
	[DW_TAG_inlined_subroutine] = OTHER(ACTION_SKIP, INLINED_SLOTS),
	[DW_TAG_call_site] = OTHER(ACTION_SKIP, CALL_SLOTS),
	[DW_TAG_call_site_parameter] = OTHER(ACTION_DESCEND, CALL_PARAMETER_SLOTS),
};

struct tag_row tag_table_row(uint16_t tag)
{
	if (tag < sizeof(tag_table) / sizeof(*tag_table))
		return tag_table[tag];
	switch (tag) {
	case DW_TAG_GNU_call_site:
		return (struct tag_row)OTHER(ACTION_SKIP, GNU_CALL_SLOTS);
	case DW_TAG_GNU_call_site_parameter:
		return (struct tag_row)OTHER(ACTION_DESCEND, CALL_PARAMETER_SLOTS);
	case DW_TAG_LLVM_annotation:
	case DW_TAG_GNU_annotation_chain:
		return (struct tag_row)OTHER(ACTION_ANNOTATION, ANNOTATION_SLOTS);
	case DW_TAG_LLVM_ptrauth_type:
	case DW_TAG_upc_shared_type:
	case DW_TAG_upc_strict_type:
	case DW_TAG_upc_relaxed_type:
		return (struct tag_row)TYPE(DWARF_ALIAS, ROLE_OTHER, SLOT_BIT(TYPE));
	case DW_TAG_MIPS_loop:
	case DW_TAG_format_label:
	case DW_TAG_function_template:
	case DW_TAG_class_template:
	case DW_TAG_GNU_BINCL:
	case DW_TAG_GNU_EINCL:
	case DW_TAG_GNU_template_template_param:
	case DW_TAG_GNU_template_parameter_pack:
	case DW_TAG_GNU_formal_parameter_pack:
		return (struct tag_row)OTHER(ACTION_DESCEND, 0);
	default:
		/* Of a later DWARF, or a vendor's: if it is a type, it may say its size. */
		return (struct tag_row)TYPE(DWARF_BYTES, ROLE_OTHER, BYTES_SLOTS);
	}
}
