/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Compares where DWARF shows a parameter at its function's entry with where the ABI wants it.
 * Knows no file, no caller and no verdict.
 */
#ifndef BTFENC_ENCODER_EVIDENCE_PARAMETER_COMPARE_H
#define BTFENC_ENCODER_EVIDENCE_PARAMETER_COMPARE_H

#include "base/text.h"
#include "dwarf/abi/abi.h"
#include "dwarf/location.h"

/* What DWARF shows of a parameter, X(identifier, code, sentence). */
#define PARAMETER_STATE_LIST(X)                                                                    \
	X(IN_PLACE, "in-place", "it is where the ABI puts it")                                     \
	X(STORED, "stored", "only the location where the function keeps it is known")              \
	X(NOT_COMPARED, "not-compared", "its location cannot be compared with the ABI's")          \
	X(ABSENT, "no-location", "DWARF has no location at the entry")                             \
	X(PARTLY, "partly", "DWARF locates only a part of it there")                               \
	X(ELSEWHERE, "elsewhere", "it is not where the ABI puts it")                               \
	X(CONSTANT, "constant", "it has one value at every call")                                  \
	X(SCALARIZED, "scalarized", "the value it points to is passed, not the pointer")           \
	X(REMOVED, "removed", "only the caller knows its value")                                   \
	X(UNSET, "unset", "callers do not set its register")

enum parameter_state {
#define X(id, code, text) PARAMETER_##id,
	PARAMETER_STATE_LIST(X)
#undef X
	PARAMETER_STATE_COUNT,
};

extern const struct code_text parameter_state_texts[PARAMETER_STATE_COUNT];

/*
 * What a location means for a parameter that the ABI wants at `expected`. *missing_words is set
 * with PARAMETER_PARTLY.
 */
enum parameter_state parameter_compare(const struct abi *abi, const struct abi_location *expected,
				       const struct location *found,
				       uint8_t *missing_words);

#endif
