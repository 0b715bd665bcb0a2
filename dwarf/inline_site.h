/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where functions were inlined: DW_TAG_inlined_subroutine (DWARF 5 section 3.3.8), with the place
 * where its code is entered, the call that it replaces, and where its parameters are.
 *
 * Reading skips them, because types need nothing of them; this walks over a unit a second time,
 * function by function, on request. A site is a piece of the code of the function around
 * it: its code may be spread, and several sites may begin at one address.
 */
#ifndef BTFENC_DWARF_INLINE_SITE_H
#define BTFENC_DWARF_INLINE_SITE_H

#include "dwarf/unit_reader.h"

/* A reader that ignores these slots (abbrev_table.ignored_slots) is faster. */
#define INLINE_SITE_CALL_SLOTS (SLOT_BIT(CALL_FILE) | SLOT_BIT(CALL_LINE))

/* An open DIE of the walk. */
struct inline_frame {
	uint32_t site;		/* INLINE_SITE_NONE: outside of any */
	uint32_t pending;	/* where its arguments begin in the pending stack */
	bool is_site;		/* the site's own DIE, not a block in it */
};

/* Where a reference to an inlined function led: a unit inlines the same few again and again. */
#define INLINE_ORIGINS 256

struct inline_origin {
	uint32_t reference;
	uint32_t function;
};

struct inline_sites {
	ARRAY_OF(struct inline_site) sites;		/* in the order of DIEs: parents first */
	ARRAY_OF(struct dwarf_argument) arguments;	/* the sites' own DIEs of parameters */
	ARRAY_OF(struct dwarf_argument) pending;	/* scratch from here on */
	ARRAY_OF(struct inline_frame) frames;
	address_range_array ranges;
	struct inline_origin origins[INLINE_ORIGINS];	/* of the group at hand */
};

void inline_sites_release(struct inline_sites *sites);

/*
 * Appends the sites in all functions with code in model->units.data[unit]. The reader is open on
 * some unit of the model, and is on this one afterwards. False: err says what is damaged.
 */
bool inline_sites_read(struct inline_sites *sites, struct unit_reader *reader,
		       const struct dwarf_model *model, uint32_t unit, struct error *err);

/*
 * Is the site in the code of the function that was inlined, or in another inlined copy of it? GCC
 * cuts a function in two and inlines both halves: one call, two sites. `site` is one of `sites`,
 * and has an origin.
 */
bool inline_site_is_in_itself(const struct inline_sites *sites, const struct dwarf_model *model,
			      const struct inline_site *site);

#endif
