/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Abbreviation tables (DWARF 5 section 7.5.3), compiled to plans.
 *
 * Each abbreviation becomes a short list of steps. A run of attributes of fixed size is one step,
 * whatever it skips: its length, and a load (offset, width, slot) for each attribute that somebody
 * reads. An attribute of variable size is a step of its own. Form, offset size and address size
 * are resolved here, once per table, not once per DIE. Most plans are one fixed step; it stands in
 * the plan itself, because the way to the next DIE leads through its length.
 */
#ifndef BTFENC_DWARF_ABBREV_PLAN_H
#define BTFENC_DWARF_ABBREV_PLAN_H

#include "dwarf/die.h"
#include "dwarf/unit.h"

enum step_code {
	STEP_FIXED,		/* `bytes` bytes, with `load_count` loads */
	STEP_SKIP_LEB,
	STEP_SKIP_STRING,
	STEP_SKIP_BLOCK_LEB,
	STEP_SKIP_BLOCK_1,
	STEP_SKIP_BLOCK_2,
	STEP_SKIP_BLOCK_4,
	STEP_SKIP_INDIRECT,
	STEP_READ_CONSTANT,	/* no bytes; constants[first] */
	STEP_READ_ULEB,
	STEP_READ_SLEB,
	STEP_READ_STRING,	/* inline in .debug_info */
	STEP_READ_BLOCK_LEB,	/* value: where the length field stands */
	STEP_READ_BLOCK_1,
	STEP_READ_BLOCK_2,
	STEP_READ_BLOCK_4,
	STEP_READ_INDIRECT,
	STEP_READ_SIGNATURE,	/* DW_FORM_ref_sig8: the type unit's type DIE is looked up */
};

/* What is added to a value after loading it. */
enum value_space {
	SPACE_PLAIN,
	SPACE_UNIT,		/* + unit offset: unit-relative references */
	SPACE_STR,		/* string references: source in the top byte */
	SPACE_LINE_STR,
	SPACE_STRX,
	SPACE_COUNT,
};

struct plan_load {
	uint64_t mask;		/* of the value, after it is shifted down */
	uint16_t offset;	/* from the start of the step's bytes */
	uint8_t slot;		/* enum die_slot */
	uint8_t space;		/* enum value_space */
	uint8_t width;		/* bytes */
	uint8_t form;
};

struct plan_step {
	uint8_t code;		/* enum step_code */
	uint8_t slot;		/* of a READ step */
	uint8_t space;
	uint8_t form;		/* DW_FORM_*; FORM_GNU for a GNU form above 0xff */
	uint16_t bytes;		/* STEP_FIXED: length; others: the fewest they can take */
	uint16_t load_count;
	uint32_t first;		/* first load, or the constant */
	uint32_t rest_bytes;	/* what the steps behind this one need at least */
};

#define FORM_GNU 0xff

/*
 * The shape of nearly all members: one fixed step with a name in .debug_str, a reference to a type
 * and a place in the record. Six million of 14 million DIEs of a kernel are like this, so the
 * reader has a loop for them.
 */
struct plain_member {
	uint16_t name_at;	/* offsets from the byte behind the abbreviation code */
	uint16_t type_at;
	uint16_t place_at;
	uint16_t bytes;
	uint32_t place_mask;
};

struct plan {
	uint16_t lead_bytes;	/* the fixed step at the front: length, and its loads */
	uint16_t lead_load_count;
	uint32_t lead_first_load;
	uint32_t first_step;	/* what comes behind it */
	uint64_t present;	/* slots that this abbreviation fills */
	uint64_t block_slots;	/* of these, the ones with a block or exprloc form */
	uint64_t signed_slots;	/* and the ones with a signed constant form */
	uint32_t min_bytes;	/* what all attributes need at least */
	uint16_t step_count;
	uint16_t tag;		/* 0: no such abbreviation code */
	bool has_children;
	bool is_plain_member;	/* `member` is valid */
	struct plain_member member;
};

struct sparse_plan {
	uint64_t code;
	struct plan plan;
};

/* One compiled table. Producers number their abbreviations 1, 2, 3, ...: that is `plans`. */
struct plan_table {
	ARRAY_OF(struct plan) plans;		/* indexed by code */
	ARRAY_OF(struct sparse_plan) sparse;	/* codes beyond the dense limit, sorted */
	ARRAY_OF(struct plan_step) steps;
	ARRAY_OF(struct plan_load) loads;
	ARRAY_OF(int64_t) constants;
	struct form_rule *rules;		/* of the known forms, for the three sizes below */
	uint64_t abbrev_offset;			/* the key of the compiled table */
	uint16_t version;
	uint8_t address_bytes;
	uint8_t offset_bytes;
	bool valid;
	uint64_t ignored_slots;			/* set by the owner: what this walk does not read */
};

/*
 * May DIEs of this unit refer to other units (DW_FORM_ref_addr, ref_sig8)? Looks at the forms only;
 * false also for a table that cannot be read.
 */
bool abbreviations_cross_units(const struct object *object, const struct unit *unit);

/*
 * Compiles the table of a unit into `table`, which is reused (and kept as it is when it already
 * holds that table). On failure err says what is wrong with the table.
 */
bool plan_table_compile(struct plan_table *table, const struct object *object,
			const struct unit *unit, struct error *err);
void plan_table_release(struct plan_table *table);

/* The form in which `plan` encodes the attribute of a slot, 0 when it has none. */
uint16_t plan_form(const struct plan_table *table, const struct plan *plan, enum die_slot slot);

/* Is it a form of class string that this program can read? */
bool plan_form_is_string(uint16_t form);

const struct plan *plan_table_sparse_lookup(const struct plan_table *table, uint64_t code);

/* The plan of an abbreviation code, or NULL. */
static inline const struct plan *plan_table_lookup(const struct plan_table *table, uint64_t code)
{
	if (__builtin_expect(code < table->plans.count && table->plans.data[code].tag, 1))
		return &table->plans.data[code];
	return plan_table_sparse_lookup(table, code);
}

#endif
