/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Writes the definition of one function, and calls. */
#ifndef BTFENC_TESTS_TRUTH_WRITE_BODY_H
#define BTFENC_TESTS_TRUTH_WRITE_BODY_H

#include <stdio.h>

#include "program.h"

enum call_kind {
	CALL_DIRECT,
	CALL_ALIAS,
	CALL_HOOK,	/* through a volatile pointer */
	CALL_TABLE,	/* one of a table of functions, which the nonce chooses */
};

/* caller: NULL in a driver. is_tail: the call's result is the caller's. */
struct call {
	const struct function *caller, *callee;
	enum call_kind kind;
	bool is_tail;
};

const char *result_name(const struct function *function);

/* With `name` in the place of the function's own. */
void write_prototype(FILE *out, const struct function *function, const char *name);
void write_call(FILE *out, struct program *program, const struct call *call);
void write_function(FILE *out, struct program *program, const struct function *function);

#endif
