/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A decoded DIE: tag, and the attributes that are used. Which attributes those are for each
 * tag is decided in tag_table.c; all others are skipped without being decoded.
 */
#ifndef BTFENC_DWARF_DIE_H
#define BTFENC_DWARF_DIE_H

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef DW_TAG_LLVM_annotation
#define DW_TAG_LLVM_annotation 0x6000
#endif
/* GCC 16: the annotations are DIEs of their own, chained by an attribute. */
#define DW_TAG_GNU_annotation_chain 0x6001
#define DW_AT_GNU_annotation_chain  0x2139
#ifndef DW_AT_GNU_locviews
#define DW_AT_GNU_locviews   0x2137
#define DW_AT_GNU_entry_view 0x2138
#endif
#ifndef DW_AT_GNU_dwo_name
#define DW_AT_GNU_dwo_name 0x2130
#endif

/*
 * The slots of struct die, and the attribute that goes to each; the tag says which are meaningful.
 * GNU's forerunners of standard attributes share their slots (abbrev_compile.c).
 */
#define DIE_SLOTS(X)										   \
	X(NAME, DW_AT_name)									   \
	X(TYPE, DW_AT_type)									   \
	X(BYTE_SIZE, DW_AT_byte_size)								   \
	X(MEMBER_LOCATION, DW_AT_data_member_location)						   \
	X(BIT_SIZE, DW_AT_bit_size)								   \
	X(DATA_BIT_OFFSET, DW_AT_data_bit_offset)						   \
	X(BIT_OFFSET, DW_AT_bit_offset)								   \
	X(ENCODING, DW_AT_encoding)								   \
	X(CONST_VALUE, DW_AT_const_value)							   \
	X(DECLARATION, DW_AT_declaration)							   \
	X(SIBLING, DW_AT_sibling)								   \
	X(UPPER_BOUND, DW_AT_upper_bound)							   \
	X(COUNT_OF, DW_AT_count)								   \
	X(EXTERNAL, DW_AT_external)								   \
	X(ARTIFICIAL, DW_AT_artificial)								   \
	X(LOCATION, DW_AT_location)								   \
	X(LOW_PC, DW_AT_low_pc)									   \
	X(RANGES, DW_AT_ranges)									   \
	X(ORIGIN, DW_AT_abstract_origin)							   \
	X(SPECIFICATION, DW_AT_specification)							   \
	X(SIGNATURE, DW_AT_signature)								   \
	X(ANNOTATION, DW_AT_GNU_annotation_chain)						   \
	X(LANGUAGE, DW_AT_language)								   \
	X(STR_OFFSETS_BASE, DW_AT_str_offsets_base)						   \
	X(ADDR_BASE, DW_AT_addr_base)								   \
	X(RNGLISTS_BASE, DW_AT_rnglists_base)							   \
	X(HIGH_PC, DW_AT_high_pc)								   \
	X(INLINE, DW_AT_inline)									   \
	X(CALLING_CONVENTION, DW_AT_calling_convention)						   \
	X(PROTOTYPED, DW_AT_prototyped)								   \
	X(DWO_NAME, DW_AT_dwo_name)								   \
	X(LOCLISTS_BASE, DW_AT_loclists_base)							   \
	X(PRODUCER, DW_AT_producer)								   \
	X(FRAME_BASE, DW_AT_frame_base)								   \
	X(CALL_ORIGIN, DW_AT_call_origin)							   \
	X(CALL_RETURN_PC, DW_AT_call_return_pc)							   \
	X(CALL_PC, DW_AT_call_pc)								   \
	X(CALL_VALUE, DW_AT_call_value)								   \
	X(ALIGNMENT, DW_AT_alignment)								   \
	X(ENTRY_PC, DW_AT_entry_pc)								   \
	X(CALL_FILE, DW_AT_call_file)								   \
	X(CALL_LINE, DW_AT_call_line)								   \
	X(ENTRY_VIEW, DW_AT_GNU_entry_view)							   \
	X(LOCATION_VIEWS, DW_AT_GNU_locviews)							   \
	X(IMPORT, DW_AT_import)									   \
	X(DECL_LINE, DW_AT_decl_line)								   \
	X(DECL_FILE, DW_AT_decl_file)								   \
	X(STMT_LIST, DW_AT_stmt_list)								   \
	X(COMP_DIR, DW_AT_comp_dir)								   \
	X(GNU_VECTOR, DW_AT_GNU_vector)

#define SLOT_BIT(name) (UINT64_C(1) << SLOT_##name)
/* What tells in which line of which file something is declared. */
#define DECLARED_SLOTS                                                                             \
	(SLOT_BIT(DECL_LINE) | SLOT_BIT(DECL_FILE) | SLOT_BIT(STMT_LIST) | SLOT_BIT(COMP_DIR))

enum die_slot {
#define SLOT(name, attribute) SLOT_##name,
	DIE_SLOTS(SLOT)
#undef SLOT
	SLOT_COUNT,
	SLOT_NONE = 0xff,
};

/*
 * Values by class of form:
 *	reference	section offset in .debug_info (DW_FORM_ref_sig8: resolved the same way)
 *	string		a string reference, see die_cursor_string()
 *	constant, flag	the value; DW_FORM_sdata and implicit_const sign-extended
 *	address		the address, or for DW_FORM_addrx* the index: die_cursor_address()
 *	block, exprloc	section offset of its length field: die_cursor_block()
 *	other lists	the offset or index as it is
 */
struct die {
	uint64_t offset;	/* section offset of the DIE */
	const struct abbrev *abbrev;
	uint64_t present;	/* bit per slot */
	uint16_t tag;
	bool has_children;
	uint64_t value[SLOT_COUNT];	/* undefined where the bit is not set */
};

static inline bool die_has(const struct die *die, enum die_slot slot)
{
	return die->present >> slot & 1;
}

static inline uint64_t die_value(const struct die *die, enum die_slot slot, uint64_t otherwise)
{
	return die_has(die, slot) ? die->value[slot] : otherwise;
}

/* The width of the length field of a block or exprloc, 0: LEB128. */
static inline uint8_t block_length_bytes(uint16_t form)
{
	return form == DW_FORM_block1 ? 1 :
	       form == DW_FORM_block2 ? 2 :
	       form == DW_FORM_block4 ? 4 :
					0;
}

#endif
