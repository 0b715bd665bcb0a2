/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Two numbers that should be equal, or should not, and what a test says when they are not: the
 * expressions and the values, those of enumerations by name. The names are in the DWARF of the
 * program itself, which is read only then.
 *
 * C does not tell the type of an expression, so the last name in it is looked up, without what is
 * in brackets behind it: of `file->rows[i].kind` it is `kind`, of `kind_of(x)` `kind_of`. It may be
 * an enumerator, or a function, a variable, a parameter, or a member whose type is an enumeration.
 * An enumerator in either expression is the best witness, as it belongs to one enumeration only;
 * then what is declared in the file of the test. Where enumerations differ, as for members of one
 * name in two structs, and for the result of a comparison, only the number is printed.
 */
#ifndef BTFENC_TESTS_NAMED_VALUES_H
#define BTFENC_TESTS_NAMED_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct int_assertion {
	const char *asked, *expected;	/* the expressions */
	bool equal;			/* what they should be */
	const char *file;
	int line;
};

void int_assertion_check(const struct int_assertion *assertion, uintmax_t got, uintmax_t wanted);

/* What a failure says, in three lines without a newline at the end. */
void int_assertion_text(const struct int_assertion *assertion, uintmax_t got, uintmax_t wanted,
			char *text, size_t bytes);

#endif
