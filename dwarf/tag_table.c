/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/tag_table.h"

#include <stddef.h>

#include "dwarf/unit_model.h"

#define TYPE(kind, role) { ACTION_TYPE, kind, role }

const struct tag_row tag_table[] = {
	[DW_TAG_base_type] = TYPE(DWARF_BASE, ROLE_OTHER),
	[DW_TAG_pointer_type] = TYPE(DWARF_POINTER, ROLE_POINTER),
	[DW_TAG_reference_type] = TYPE(DWARF_POINTER, ROLE_OTHER),
	[DW_TAG_rvalue_reference_type] = TYPE(DWARF_POINTER, ROLE_OTHER),
	[DW_TAG_const_type] = TYPE(DWARF_CONST, ROLE_OTHER),
	[DW_TAG_volatile_type] = TYPE(DWARF_VOLATILE, ROLE_OTHER),
	[DW_TAG_restrict_type] = TYPE(DWARF_RESTRICT, ROLE_OTHER),
	[DW_TAG_atomic_type] = TYPE(DWARF_ATOMIC, ROLE_OTHER),
	[DW_TAG_typedef] = TYPE(DWARF_TYPEDEF, ROLE_TYPEDEF),
	[DW_TAG_structure_type] = TYPE(DWARF_STRUCT, ROLE_RECORD),
	[DW_TAG_class_type] = TYPE(DWARF_STRUCT, ROLE_RECORD),
	[DW_TAG_interface_type] = TYPE(DWARF_STRUCT, ROLE_RECORD),
	[DW_TAG_union_type] = TYPE(DWARF_UNION, ROLE_RECORD),
	[DW_TAG_enumeration_type] = TYPE(DWARF_ENUM, ROLE_ENUM),
	[DW_TAG_array_type] = TYPE(DWARF_ARRAY, ROLE_ARRAY),
	[DW_TAG_subroutine_type] = TYPE(DWARF_SUBROUTINE, ROLE_SUBROUTINE),
	[DW_TAG_unspecified_type] = TYPE(DWARF_UNSPECIFIED, ROLE_OTHER),
	[DW_TAG_member] = { ACTION_MEMBER, 0, ROLE_MEMBER },
	[DW_TAG_inheritance] = { ACTION_MEMBER, 0, ROLE_MEMBER },
	[DW_TAG_enumerator] = { ACTION_ENUMERATOR, 0, ROLE_OTHER },
	[DW_TAG_subrange_type] = { ACTION_SUBRANGE, 0, ROLE_OTHER },
	[DW_TAG_formal_parameter] = { ACTION_PARAMETER, 0, ROLE_PARAMETER },
	[DW_TAG_unspecified_parameters] = { ACTION_DOTS, 0, ROLE_OTHER },
	[DW_TAG_subprogram] = { ACTION_FUNCTION, 0, ROLE_FUNCTION },
	[DW_TAG_variable] = { ACTION_VARIABLE, 0, ROLE_VARIABLE },
	[DW_TAG_inlined_subroutine] = { ACTION_SKIP, 0, ROLE_OTHER },
	[DW_TAG_call_site] = { ACTION_SKIP, 0, ROLE_OTHER },
};

struct tag_row tag_table_row(uint16_t tag)
{
	if (tag < sizeof(tag_table) / sizeof(*tag_table))
		return tag_table[tag];
	switch (tag) {
	case DW_TAG_GNU_call_site:
		return (struct tag_row){ ACTION_SKIP, 0, ROLE_OTHER };
	case DW_TAG_LLVM_annotation:
	case DW_TAG_GNU_annotation_chain:
		return (struct tag_row){ ACTION_ANNOTATION, 0, ROLE_OTHER };
	default:
		return (struct tag_row){ ACTION_DESCEND, 0, ROLE_OTHER };
	}
}
