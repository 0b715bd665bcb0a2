/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The operations of location expressions, decoded one by one (DWARF 5 section 7.7.1). */
#ifndef BTFENC_DWARF_LOCATION_OPERATION_H
#define BTFENC_DWARF_LOCATION_OPERATION_H

#include "dwarf/location.h"

struct location_operand {
	uint64_t number;	/* signed ones sign-extended; of a block its length */
	const uint8_t *block;
};

struct location_operation {
	/*
	 * Alike are one: constants DW_OP_constu, registers DW_OP_regx and DW_OP_bregx, and the GNU
	 * operations the standard ones that they became. 0: not known; how long it is, neither.
	 */
	uint8_t op;
	uint8_t takes;		/* terms from the stack */
	uint8_t gives;		/* terms */
	struct location_operand a;
	struct location_operand b;
};

/* After the operation at p; NULL when it runs past the end. */
const uint8_t *location_operation_read(const struct location_unit *unit, const uint8_t *p,
				       const uint8_t *end, struct location_operation *operation);

#endif
