/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A prototype as bytes and registers see it, and where the System V ABI for x86-64 (section 3.2.3)
 * wants its arguments at the entry of a function. Written for the tests alone: btfenc's own idea of
 * the calling convention is what is held against it.
 */
#ifndef BTFENC_TESTS_TRUTH_PROTOTYPE_H
#define BTFENC_TESTS_TRUTH_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCALARS_MAX	  32
#define PARAMETERS_MAX	  16
#define VALUE_BYTES_MAX	  128
#define INTEGER_REGISTERS 6
#define SSE_REGISTERS	  8
#define RESULT_REGISTERS  2
#define STACK_WORDS	  64

struct scalar {
	unsigned int offset, size;
	bool is_float;
};

/* What is passed: a scalar has one scalar, at offset 0. */
struct value {
	char name[32];
	unsigned int word;	/* in truth_expect; only of the source's prototypes */
	unsigned int size;
	unsigned int scalar_count;
	struct scalar scalars[SCALARS_MAX];
};

struct prototype {
	struct value result;	/* size 0: void */
	unsigned int parameter_count;
	struct value parameters[PARAMETERS_MAX];
};

enum place_kind {
	PLACE_NOWHERE,
	PLACE_INTEGER,
	PLACE_SSE,
	PLACE_STACK,
	PLACE_RESULT,	/* %rax, %rdx */
};

/* Where the 8 bytes at 8 * i of a parameter are. index: of the register, or of a word above the
 * return address. */
struct place {
	enum place_kind kind;
	unsigned int index;
};

struct placement {
	struct place words[VALUE_BYTES_MAX / 8];
};

/* placements: one for each parameter. */
void prototype_place(const struct prototype *prototype, struct placement *placements);

/* False: the result is in memory, or there is none. */
bool prototype_place_result(const struct prototype *prototype, struct placement *placement);

/* "%rdi", "%xmm3", "8(%rsp)". */
const char *place_name(struct place place, char *text, size_t size);

#endif
