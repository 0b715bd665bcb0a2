/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The types, functions and variables of a group of units, as flat arrays.
 *
 * A group is what can be understood by itself: one unit, or units that refer to each other's DIEs
 * (LTO, dwz) and what they refer to. References are DIE offsets relative to the start of the group
 * (REF_NONE: no DW_AT_type, which means void). A link is what one leads to: 0 for void, else the
 * index of the type + 1: dwarf_model_link_of(). The arrays are reset, not freed, between groups.
 * Everything keeps the order of the section.
 */
#ifndef BTFENC_DWARF_UNIT_MODEL_H
#define BTFENC_DWARF_UNIT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/address_list.h"
#include "dwarf/location.h"
#include "dwarf/name_table.h"
#include "dwarf/offset_index.h"

/*
 * DW_AT_producer: which compiler wrote a unit. It matters because compilers differ in when they
 * change how a function is called without saying so.
 */
enum producer_family {
	PRODUCER_UNKNOWN,
	PRODUCER_GCC,
	PRODUCER_CLANG,		/* LLVM with a C or C++ front end */
	PRODUCER_RUSTC,
	PRODUCER_ASSEMBLER,
};

struct producer {
	const char *text;	/* borrowed; NULL: the unit does not say */
	size_t name_length;	/* of the text without the command line: "GNU C11 12.2.0" */
	uint16_t version;	/* major; 0: not known */
	uint8_t family;		/* enum producer_family */
};

/* `text` may be NULL. */
struct producer producer_parse(const char *text);

/* x86-64: an __int128 for which one register is left is passed as the ABI says. */
bool producer_keeps_int128_whole(const struct producer *producer);

#define REF_NONE    0u			/* a unit header is there, never a DIE */
#define REF_INVALID UINT32_MAX		/* refers outside the group: a damaged file */
#define LINK_INVALID UINT32_MAX		/* of a reference that leads to no type */
#define DIMENSION_HUGE UINT32_MAX	/* of an array: so many elements, or more */

enum dwarf_type_kind {
	DWARF_BASE,
	DWARF_POINTER,		/* also C++ references */
	DWARF_CONST,
	DWARF_VOLATILE,
	DWARF_RESTRICT,
	DWARF_ATOMIC,
	DWARF_TYPEDEF,
	DWARF_STRUCT,		/* also classes */
	DWARF_UNION,
	DWARF_ENUM,
	DWARF_ARRAY,
	DWARF_SUBROUTINE,
	DWARF_UNSPECIFIED,
	DWARF_BYTES,		/* of another language, or newer than this program: its size */
	DWARF_ALIAS,		/* that type: of a type unit, or with a qualifier that BTF lacks */
	DWARF_KIND_COUNT,
};

enum {
	TYPE_DECLARATION = 1,	/* incomplete, or larger than 4 GiB: struct, union, enum */
	TYPE_BITFIELDS = 2,	/* some member has DW_AT_bit_size */
	TYPE_VARIADIC = 4,	/* subroutine: ends with ... */
	TYPE_NEGATIVE = 8,	/* enum: some enumerator is below zero */
	TYPE_VECTOR = 16,	/* array: DW_AT_GNU_vector */
	TYPE_LEFT_OUT = 32,	/* its unit is left out: it is in BTF if another type leads to it */
};

struct dwarf_type {
	uint32_t offset;	/* of the DIE, relative to the group */
	uint32_t name;		/* name key */
	uint32_t type;		/* target, element, return or underlying type */
	uint32_t first;		/* of members, enumerators, dimensions or parameters */
	uint32_t count;
	uint8_t kind;		/* enum dwarf_type_kind */
	uint8_t flags;
	uint8_t encoding;	/* DW_ATE_*, of a base type */
	uint8_t alignment_log2;	/* DW_AT_alignment of a record, 0: none */
	uint64_t size_bytes;	/* 0 when the DIE has no size */
};

struct dwarf_member {
	uint32_t name;
	uint32_t type;
	uint32_t offset_bits;	/* UINT32_MAX: beyond 512 MiB, cannot be expressed */
	uint8_t size_bits;	/* 0: not a bitfield */
	/* DW_AT_bit_offset, in a unit of storage_bytes (0: as large as the member's type). */
	uint8_t has_msb_offset : 1;
	uint8_t storage_bytes : 7;
	int16_t msb_offset;	/* below 0: it begins before the unit (packed) */
};

/* Where it begins, in bits; `type_bytes` is its type's size, for a unit of 0 storage_bytes. */
int64_t dwarf_member_begin(const struct dwarf_member *member, uint64_t type_bytes, bool big_endian);

struct dwarf_enumerator {
	uint32_t name;
	uint64_t value;		/* sign-extended when the form is signed */
};

struct dwarf_parameter {
	uint32_t name;
	uint32_t type;
	uint32_t offset;	/* of the DIE, relative to the group */
};

/*
 * A parameter of a function with code, or of an inlined copy (dwarf/inline_site.h), with its
 * location, not yet decoded.
 */
struct dwarf_argument {
	uint32_t parameter;	/* offset of the parameter's DIE in the declaring function */
	bool has_constant;	/* DW_AT_const_value: the same at every call */
	bool is_number;		/* and it is `constant`, not a string or block */
	uint64_t constant;
	struct location_source location;
};

#define INLINE_SITE_NONE UINT32_MAX

/* An inlined call (dwarf/inline_site.h). */
struct inline_site {
	uint32_t origin;	/* function of the model that was inlined, or OFFSET_INDEX_NONE */
	uint32_t function;	/* function of the model in whose code it is */
	uint32_t parent;	/* the site around it, or INLINE_SITE_NONE: the function itself */
	uint32_t offset;	/* of the DIE, relative to the group */
	bool has_entry;		/* else nothing is left of its code */
	bool has_view;		/* DW_AT_GNU_entry_view */
	uint64_t view;
	uint64_t entry;		/* DW_AT_entry_pc, else the lowest address of its ranges */
	uint32_t call_file;	/* in the file table of the function's unit */
	uint32_t call_line;	/* 0: unknown */
	uint32_t first_argument;	/* of those parameters that the site has DIEs for */
	uint32_t argument_count;
};

enum {
	FUNCTION_EXTERNAL = 1,
	FUNCTION_DECLARATION = 2,
	FUNCTION_VARIADIC = 4,
	FUNCTION_INLINE = 8,		/* declared inline */
	FUNCTION_NO_CALL = 16,		/* not the standard convention: DW_CC_nocall ... */
	FUNCTION_ASSEMBLER = 32,	/* no prototype in DWARF */
	FUNCTION_PROTOTYPED = 64,	/* C: declared with the types of its parameters */
	FUNCTION_ABSTRACT = 128,	/* DW_AT_inline: its code, if any, is elsewhere */
};

struct dwarf_function {
	uint32_t offset;
	uint32_t name;
	uint32_t type;			/* return type */
	uint32_t origin;		/* DW_AT_abstract_origin or DW_AT_specification */
	uint32_t first_parameter;
	uint32_t parameter_count;
	uint32_t first_entry;		/* addresses where it may be entered: low_pc, or the */
	uint32_t entry_count;		/* start of each of its ranges; 0: no code */
	uint32_t first_argument;	/* of a function with code: what its own DIEs say */
	uint32_t argument_count;
	uint32_t unit;			/* index in units */
	uint32_t declared_at;		/* line << 16, and a hash of the file's path; 0: not read */
	struct location_source frame_base;
	uint8_t flags;
};

/* One unit of the group, as far as its functions need it after reading. */
struct dwarf_unit {
	const struct unit *unit;
	uint32_t begin;			/* relative to the group */
	uint32_t end;
	uint32_t first_type;		/* index */
	uint32_t first_code;		/* of its ranges in the model's code */
	bool is_borrowed, is_left_out;	/* read for others: of another group, language */
	struct location_unit location;
	struct producer producer;
};

enum {
	VARIABLE_EXTERNAL = 1,
	VARIABLE_DECLARATION = 2,
	VARIABLE_ARTIFICIAL = 4,
	VARIABLE_HAS_ADDRESS = 8,
};

struct dwarf_variable {		/* at the top level of a unit */
	uint32_t offset;
	uint32_t name;
	uint32_t type;
	uint32_t specification;
	uint64_t address;
	uint8_t flags;
};

enum annotation_owner { ANNOTATES_TYPE, ANNOTATES_FUNCTION, ANNOTATES_VARIABLE };

/*
 * btf_decl_tag and btf_type_tag. Of one owner they are in the order of the C source's
 * declaration, outermost BTF tag first.
 */
struct dwarf_annotation {
	uint8_t owner_kind;	/* enum annotation_owner */
	bool is_type_tag;
	uint32_t owner;		/* index of the type, function or variable */
	int32_t component;	/* member or parameter, -1: the owner itself */
	uint32_t value;		/* name key of the tag's text */
};

struct dwarf_model {
	const struct object *object;	/* for object_share(); or NULL */
	uint64_t begin;		/* section offsets of the group */
	uint64_t end;
	ARRAY_OF(struct dwarf_type) types;
	ARRAY_OF(uint32_t) taggable;	/* of these the structs, unions and enums: indices */
	ARRAY_OF(struct dwarf_member) members;
	ARRAY_OF(struct dwarf_enumerator) enumerators;
	ARRAY_OF(uint32_t) dimensions;
	ARRAY_OF(struct dwarf_parameter) parameters;
	ARRAY_OF(struct dwarf_argument) arguments;
	ARRAY_OF(struct dwarf_unit) units;
	ARRAY_OF(struct dwarf_function) functions;
	ARRAY_OF(uint64_t) entries;
	address_range_array code;	/* where the code of the group's units is, in their order */
	ARRAY_OF(struct dwarf_variable) variables;
	ARRAY_OF(struct dwarf_annotation) annotations;
	struct offset_index type_index;
};

void dwarf_model_reset(struct dwarf_model *model, uint64_t begin, uint64_t end);
void dwarf_model_release(struct dwarf_model *model);

/* The link of a reference, LINK_INVALID when there is no type. */
static inline uint32_t dwarf_model_link_of(const struct dwarf_model *model, uint32_t reference)
{
	uint32_t index;

	if (reference == REF_NONE)
		return 0;
	index = offset_index_find(&model->type_index, reference);
	return index == OFFSET_INDEX_NONE ? LINK_INVALID : index + 1;
}

/* The same, 0 when there is no type, for callers that need not tell that from void. */
uint32_t dwarf_model_known_link(const struct dwarf_model *model, uint32_t reference);

/* A link without typedefs and qualifiers; 0: void, or a cycle, which only a damaged file has. */
uint32_t dwarf_model_strip(const struct dwarf_model *model, uint32_t link);
/* The type behind a reference, without typedefs and qualifiers; NULL: void, or none. */
const struct dwarf_type *dwarf_model_behind(const struct dwarf_model *model, uint32_t reference);

/* Index of the function or variable whose DIE is at that offset, or OFFSET_INDEX_NONE. */
uint32_t dwarf_model_find_function(const struct dwarf_model *model, uint32_t reference);
/*
 * Where the name and the prototype of a function are: itself, or, for the code of one that is
 * also inlined, the abstract instance that it refers to.
 */
uint32_t dwarf_model_declaring(const struct dwarf_model *model, uint32_t function);
uint32_t dwarf_model_find_variable(const struct dwarf_model *model, uint32_t reference);

/* The unit of a DIE that was read. */
const struct dwarf_unit *dwarf_model_unit_of(const struct dwarf_model *model, uint32_t offset);

/* Of the unit: units are read in turn, so its functions follow each other. */
uint32_t dwarf_model_first_function(const struct dwarf_model *model, uint32_t unit);

#endif
