/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Abbreviation tables (DWARF 5 section 7.5.3), compiled to programs.
 *
 * Each abbreviation becomes a short list of steps. A run of attributes of fixed size is one step,
 * whatever it skips: its length, and a load (offset, width, slot) for each attribute that is
 * read. An attribute of variable size is a step of its own. Form, offset size and address size
 * are resolved here, once per table, not once per DIE. Most programs are one fixed step; it is in
 * the program itself, because the way to the next DIE leads through its length.
 */
#ifndef BTFENC_DWARF_ABBREV_TABLE_H
#define BTFENC_DWARF_ABBREV_TABLE_H

#include "base/sort.h"
#include "dwarf/die.h"
#include "dwarf/unit.h"

enum step_code {
	STEP_FIXED,		/* `bytes` bytes, with `load_count` loads */
	STEP_ULEB,
	STEP_SLEB,
	STEP_STRING,		/* inline in .debug_info */
	STEP_BLOCK,		/* value: where the length field is */
	STEP_INDIRECT,
	STEP_SIGNATURE,		/* DW_FORM_ref_sig8: the type unit's type DIE is looked up */
};

/* Added to a value after loading it. */
enum value_space {
	SPACE_NONE,
	SPACE_UNIT,		/* + unit offset: unit-relative references */
	SPACE_INFO,		/* + start of the unit's piece: references to other units */
	SPACE_SUP_INFO,		/* + start of the supplementary file's */
	SPACE_STR,		/* string references: source in the top byte */
	SPACE_SUP_STR,
	SPACE_LINE_STR,
	SPACE_STRX,
	SPACE_COUNT,
};

/* A value in the abbreviation itself (DW_FORM_implicit_const) is a load of nothing, plus that. */
struct abbrev_load {
	uint64_t mask;		/* of the value, after it is shifted down; 0: a constant */
	uint64_t constant;	/* added */
	uint16_t offset;	/* from the start of the step's bytes */
	uint8_t slot;		/* enum die_slot */
	uint8_t space;		/* enum value_space */
	uint8_t width;		/* bytes */
	uint8_t form;
};

struct abbrev_step {
	uint8_t code;		/* enum step_code */
	uint8_t slot;		/* of a variable step, SLOT_NONE: it is skipped */
	uint8_t space;
	uint8_t form;		/* DW_FORM_* */
	uint16_t bytes;		/* STEP_FIXED: length; others: the fewest they can take */
	uint16_t load_count;
	uint32_t first;		/* first load */
	uint32_t rest_bytes;	/* what the steps after this one need at least */
};

/*
 * Nearly all DIEs of a kernel have a *fixed layout*: a few fixed bytes, of which at most a name, a
 * reference of four bytes and two numbers are wanted. The loops in fixed_reader.c read them without
 * running a program; they need to know the kind of the DIE.
 */
enum fixed_action {
	FIXED_NOT,		/* take the general path */
	FIXED_NULL,		/* code 0: the end of a sibling list */
	FIXED_TYPE,		/* one without children; number: size, second: DW_ATE_* */
	FIXED_RECORD,		/* number: size, second: alignment */
	FIXED_ENUM,		/* number: size */
	FIXED_ARRAY,
	FIXED_SUBROUTINE,
	FIXED_MEMBER,		/* number: offset, second: size in bits of a bitfield */
	FIXED_ENUMERATOR,	/* number: value, not negative */
	FIXED_SUBRANGE,		/* number: upper bound, when has_number */
	FIXED_PARAMETER,
	FIXED_DOTS,
	/* Inside functions. Mostly these are skipped, for which a known length is enough. */
	FIXED_LOCAL,		/* a variable or label */
	FIXED_ARGUMENT,		/* a parameter with more than name and type. is_placed: type:
				   origin, number: location list, name: its views */
	FIXED_BLOCK,		/* its children count as the function's own */
	FIXED_VALUE,		/* what a call passes */
	FIXED_INLINED,		/* a call or inlined call; number: where its children end, if said.
				   is_placed: type: origin, name: entry (8 bytes), second: view,
				   which name_mask is for */
};

/* No fixed-layout DIE is longer, after its code; its values are in less than eight bytes more. */
#define FIXED_MAX_BYTES 48

/* Two of them to a cache line. What is absent has mask 0, and constant 0. */
struct fixed_die {
	uint8_t action;		/* enum fixed_action */
	uint8_t tag;
	bool has_children : 1;
	bool is_declaration : 1;
	bool has_number : 1;
	bool has_indexed_name : 1;	/* DW_FORM_strx*: the name is an index */
	bool has_inline_name : 1;	/* DW_FORM_string, before all else */
	bool has_tail : 1;		/* an expression follows its bytes, or an enumerator's value
					   (LEB128) */
	uint8_t bytes;		/* of all attributes but an inline name */
	uint8_t name_at;	/* offsets from after the abbreviation code, or the inline name */
	uint8_t type_at;
	uint8_t number_at;
	uint8_t second_at;
	uint32_t name_mask;
	uint32_t type_mask;
	uint32_t number_mask;
	uint32_t number_constant;
	uint8_t second_mask;
	uint8_t second_constant;
	uint8_t shift;		/* makes bits of a member's offset */
	bool is_bitfield : 1;
	bool is_common_member : 1;	/* has name (in .debug_str), type and offset */
	bool has_type_only : 1;		/* with all bits of type_mask */
	bool has_section_type : 1;	/* DW_FORM_ref_addr: the reference is not in the unit */
	bool has_steps : 1;	/* of one that is skipped: its length is that of its program */
	bool is_placed : 1;	/* a FIXED_ARGUMENT or FIXED_INLINED whose values are found below */
	uint32_t base_mask;	/* all: the reference is relative to the unit */
};

_Static_assert(sizeof(struct fixed_die) == 32, "indexed 14 million times");

struct abbrev {
	uint16_t lead_bytes;	/* the fixed step at the front: length, and its loads */
	uint16_t lead_load_count;
	uint32_t lead_first_load;
	uint32_t first_step;	/* what comes after it */
	uint64_t present;	/* slots that this abbreviation fills */
	uint64_t block_slots;	/* of these, the ones with a block or exprloc form */
	uint64_t signed_slots;	/* and the ones with a signed constant form */
	uint32_t min_bytes;	/* what all attributes need at least */
	uint16_t step_count;
	uint16_t tag;		/* 0: no such abbreviation code */
	bool has_children;
};

/*
 * An abbreviation without its code, as it is in .debug_abbrev, and its abbrev. Compilers number
 * anew in each unit, but declare the same again and again: 2,172 units of a kernel have 350,000
 * declarations, of which 8,500 are different. What is compared is kept together, apart from the
 * programs: looking one up takes 25 ns, compiling it 90.
 */
struct declaration {
	uint32_t bytes;		/* in declared_bytes */
	uint32_t length;
	uint32_t next;		/* the next one of equal hash, 0: none */
	bool crosses_units;	/* some reference may lead to another unit */
};

struct compiled_abbrev {
	struct abbrev abbrev;
	struct fixed_die fixed;
};

#define DECLARATION_HEADS 16384

/*
 * One compiled table, and all declarations met so far. Producers number their abbreviations 1, 2,
 * 3, ...: these codes are an index.
 */
struct abbrev_table {
	ARRAY_OF(struct fixed_die) fixed_dies;		/* by code, 128 at least */
	ARRAY_OF(struct abbrev) abbrevs;		/* by code; tag 0: there is none */
	ARRAY_OF(struct sort_item) sparse;	/* declarations by codes beyond the dense limit */
	ARRAY_OF(struct declaration) declarations;	/* [0] is unused */
	ARRAY_OF(struct compiled_abbrev) compiled;	/* by declaration */
	ARRAY_OF(uint8_t) declared_bytes;
	ARRAY_OF(struct abbrev_step) steps;
	ARRAY_OF(struct abbrev_load) loads;
	uint32_t *heads;			/* by hash of the first bytes: declaration */
	struct form_rule *rules;		/* of the known forms, for the three sizes below */
	uint64_t abbrev_offset;			/* the key of the compiled table */
	uint16_t version;
	uint8_t address_bytes;
	uint8_t offset_bytes;
	bool has_supplement;
	bool valid;
	bool crosses_units;			/* some declaration of the compiled table does */
	uint64_t ignored_slots;			/* set once by the owner: what it does not read */
};

/*
 * Compiles the table of a unit into `table`, which is reused (and kept as it is when it already
 * holds that table). On failure err says what is wrong with the table.
 */
bool abbrev_table_compile(struct abbrev_table *table, const struct object *object,
			const struct unit *unit, struct error *err);
void abbrev_table_release(struct abbrev_table *table);

/* The form in which an abbreviation encodes the attribute of a slot, 0 when it has none. */
uint16_t abbrev_form(const struct abbrev_table *table, const struct abbrev *abbrev,
		     enum die_slot slot);

/* Is a form that abbrev_form() returns of class string? */
bool abbrev_form_is_string(uint16_t form);

const struct abbrev *abbrev_table_sparse_lookup(const struct abbrev_table *table, uint64_t code);

/* The program of an abbreviation code, or NULL. */
static inline const struct abbrev *abbrev_table_lookup(const struct abbrev_table *table,
						       uint64_t code)
{
	if (__builtin_expect(code < table->abbrevs.count && table->abbrevs.data[code].tag, 1))
		return &table->abbrevs.data[code];
	return abbrev_table_sparse_lookup(table, code);
}

/* ---- for abbrev_table.c, by abbrev_compile.c and fixed_die.c ---- */

/* Fills table->rules for the sizes in a unit's header. */
void abbrev_make_rules(struct abbrev_table *table, const struct unit *unit);

/*
 * Compiles the attribute specifications at p; tag and has_children of the program are set. Returns
 * what is after them, or NULL, with *problem and *value for the message.
 */
const uint8_t *abbrev_compile(struct abbrev_table *table, struct declaration *declaration,
			    struct compiled_abbrev *compiled, const uint8_t *p,
			    const uint8_t *end, const char **problem, uint64_t *value);

/* The fixed layout of a program that is complete; FIXED_NOT: it has none. */
void fixed_die_find(const struct abbrev_table *table, const struct abbrev *abbrev,
		    struct fixed_die *found);

#endif
