/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The prototype that is left of a function whose signature the compiler has changed: which of its
 * declared parameters still arrive, in which order, and whether it still returns its value.
 *
 * Given only when it is proven: the parameters that have a location at the entry must be exactly
 * where the ABI puts them in the prototype that is left, and no other argument register may carry
 * anything, by what callers load and by what the function reads. Of a struct in two registers LLVM
 * may pass one word: then the member that begins there is a parameter of its own. (A member that is
 * passed instead of a pointer has no name and no type in DWARF; then there is none.)
 */
#ifndef BTFENC_ENCODER_EVIDENCE_TRUE_SIGNATURE_H
#define BTFENC_ENCODER_EVIDENCE_TRUE_SIGNATURE_H

#include "encoder/evidence/evidence.h"

#define TRUE_SIGNATURE_MAX_PARAMETERS 32

struct true_parameter {
	uint8_t number;			/* of the declared one */
	uint32_t member;		/* passed instead of all of it: index in the model + 1;
					   0: it is passed whole */
};

struct true_signature {
	bool returns_void;		/* though the declaration returns something */
	uint32_t parameter_count;
	struct true_parameter parameters[TRUE_SIGNATURE_MAX_PARAMETERS];	/* in order */
};

/* `examined` has its call-site evidence. False: the rest is not known. */
bool true_signature_find(struct evidence *evidence, const struct dwarf_model *model,
			 const struct examined_function *examined,
			 struct true_signature *signature);

#endif
