/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Verdicts about functions: the one list that feeds the code, the statistics and the documents.
 *
 * BTF_KIND_FUNC is a promise: at the address that a tracer finds under this name, the arguments are
 * where the calling convention says. Only `ok` makes it.
 */
#ifndef BTFENC_ENCODER_VERDICT_H
#define BTFENC_ENCODER_VERDICT_H

/* X(identifier, code, sentence); of several that apply the first in this list is given. */
#define VERDICT_LIST(X)                                                                            \
	X(OK, "ok", "one prototype at one address: a FUNC is emitted")                             \
	X(NO_SYMBOL, "no-symbol", "no function symbol of that name is at any of its addresses")    \
	X(CLONE, "clone", "only copies are left whose suffix lets the compiler change the "        \
			  "signature")                                                             \
	X(PARTIAL, "partial", "only outlined pieces are left, not the entry")                      \
	X(NO_PROTOTYPE, "no-prototype", "nobody says what its parameters are: written in "         \
			"assembler, declared as f(), or built with -g1")                           \
	X(SIGNATURE_CHANGED, "signature-changed", "the compiler says that it is not called by "    \
			     "the standard convention (DW_CC_nocall)")                             \
	X(AMBIGUOUS_ADDRESS, "ambiguous-address", "several functions of that name, at different "  \
			     "addresses")                                                          \
	X(INCONSISTENT_PROTO, "inconsistent-proto", "several prototypes under one name")           \
	X(UNNAMED_PARAM, "unnamed-param", "a parameter has no name, which the kernel rejects")     \
	X(INVALID_NAME, "invalid-name", "the name is none that BTF can hold")

enum verdict {
#define X(id, code, text) VERDICT_##id,
	VERDICT_LIST(X)
#undef X
	VERDICT_COUNT,
};

const char *verdict_code(enum verdict verdict);
const char *verdict_sentence(enum verdict verdict);

#endif
