/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The arguments that calls in a unit's functions pass: DW_TAG_call_site and its parameters (DWARF 5
 * section 3.4), DW_TAG_GNU_call_site before.
 *
 * Reading skips them, because nearly all calls are to functions about which there is no doubt; this
 * walks over a unit a second time, function by function, when there is one.
 */
#ifndef BTFENC_DWARF_CALL_SITE_H
#define BTFENC_DWARF_CALL_SITE_H

#include "dwarf/abi/abi.h"
#include "dwarf/unit_reader.h"

struct call_site {
	uint32_t caller;	/* function of the model whose code holds the call */
	uint32_t callee;	/* function that DW_AT_call_origin names */
	uint32_t first_load;	/* its DW_TAG_call_site_parameters */
	uint32_t load_count;
	uint64_t return_pc;	/* after the call; 0: unknown */
	uint64_t call_pc;	/* the call itself; 0: unknown */
};

/* One DW_TAG_call_site_parameter: the caller is known to have put something there. */
struct call_load {
	bool on_stack;
	bool is_zero;			/* what is loaded is the constant 0 */
	bool has_value;			/* a constant, or a fixed address: */
	uint64_t value;
	bool is_register;		/* what value_register holds, which may be 0 */
	uint8_t value_register;		/* DWARF number */
	uint8_t reg;		/* DWARF number */
	int32_t stack_offset;	/* from the stack pointer before the call */
};

struct call_sites {
	const struct abi *abi;			/* NULL: not known */
	ARRAY_OF(struct call_site) sites;	/* in the order of DIEs */
	ARRAY_OF(struct call_load) loads;
};

void call_sites_release(struct call_sites *calls);

/* Which calls matter: by their callee, a function of the model. Of others nothing is read. */
struct call_filter {
	bool (*wants)(const void *context, uint32_t callee);
	const void *context;
};

/*
 * Appends the call sites of all functions with code in model->units.data[unit] that have a callee
 * which `filter` wants. The reader is open on some unit of the model, and is on this one
 * afterwards. False: err says what is damaged.
 */
bool call_sites_read(struct call_sites *calls, struct unit_reader *reader,
		     const struct dwarf_model *model, uint32_t unit,
		     const struct call_filter *filter, struct error *err);

#endif
