/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Verdicts about functions: the one list that feeds the code, stats, explain, the manual and the
 * tests. BTF_KIND_FUNC is a promise: at the address that a tracer finds under this name, the
 * arguments are where the calling convention says. Only `ok` makes it.
 *
 * The reasons against a promise are a set; the verdict that is shown is the first of them in the
 * order of this list, which goes from the specific to the general.
 */
#ifndef BTFENC_ENCODER_EVIDENCE_VERDICT_H
#define BTFENC_ENCODER_EVIDENCE_VERDICT_H

#include <stdint.h>

#include "base/text.h"

/* X(identifier, code, sentence) */
#define VERDICT_LIST(X)                                                                            \
	X(OK, "ok", "one prototype at one address, arguments where the convention says")           \
	X(INVALID_NAME, "invalid-name", "BTF cannot hold such a name")                             \
	X(NO_PROTOTYPE, "no-prototype",                                                            \
	  "its code has no prototype: written in assembler, declared as f(), or built with -g1")   \
	X(UNNAMED_PARAM, "unnamed-param", "a parameter has no name, which the kernel rejects")     \
	X(REORDERED, "reordered", "the remaining parameters arrive in another order")              \
	X(PARAM_SCALARIZED, "param-scalarized",                                                    \
	  "the used part of a pointer's target or of a struct is passed instead")             \
	X(PARAM_CONSTANT, "param-constant",                                                        \
	  "a parameter has the same value at every call and is no longer passed")                  \
	X(PARAM_REMOVED, "param-removed", "a parameter is no longer passed")                       \
	X(PARAM_UNSET, "param-unset", "a parameter is never read, and callers do not set it")      \
	X(STACK_LAYOUT, "stack-layout",                                                            \
	  "an argument on the stack is not where the convention puts it")                          \
	X(REG_MISMATCH, "reg-mismatch",                                                            \
	  "a parameter arrives in a register other than the convention's")                         \
	X(RETURN_REMOVED, "return-removed", "the return value may no longer be delivered")         \
	X(UNKNOWN_LAYOUT, "unknown-layout",                                                        \
	  "BTF does not show, or btfenc does not know, where the convention puts a "               \
	  "parameter of this type")                                                                \
	X(SIGNATURE_CHANGED, "signature-changed",                                                  \
	  "the compiler marks the function as not called by the standard convention "              \
	  "(DW_CC_nocall)")                                                                        \
	X(AMBIGUOUS_ADDRESS, "ambiguous-address", "several functions have this name")              \
	X(INCONSISTENT_PROTO, "inconsistent-proto", "the name has several prototypes")             \
	X(RENAMED, "renamed",                                                                      \
	  "its symbol has a suffix that the kernel does not strip (.lto_priv, .llvm)")             \
	X(CLONE, "clone", "only clones under names of their own are left (.isra, .constprop)")     \
	X(PARTIAL, "partial", "only outlined fragments are left (.part), not the entry")           \
	X(COLD, "cold", "only the unlikely paths are left (.cold), not the entry")                 \
	X(NO_SYMBOL, "no-symbol", "no function symbol of that name has one of its addresses")      \
	X(INLINED_ONLY, "inlined-only",                                                            \
	  "every call was inlined; the function has no code of its own")

enum verdict {
#define X(id, code, text) VERDICT_##id,
	VERDICT_LIST(X)
#undef X
	VERDICT_COUNT,
};

/* A set of reasons: bit per verdict, bit VERDICT_OK never set. */
typedef uint32_t reason_set;

#define REASON(id) ((reason_set)1 << VERDICT_##id)

static inline enum verdict reasons_verdict(reason_set reasons)
{
	return reasons ? (enum verdict)__builtin_ctz(reasons) : VERDICT_OK;
}

extern const struct code_text verdict_texts[VERDICT_COUNT];

#endif
