/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A prototype as bytes and registers see it, and where a machine's calling convention wants its
 * arguments at the entry of a function. Written for the tests alone: btfenc's own idea of the
 * calling convention is what is compared with it.
 */
#ifndef BTFENC_TESTS_TRUTH_PROTOTYPE_H
#define BTFENC_TESTS_TRUTH_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCALARS_MAX	32
#define PARAMETERS_MAX	16
#define PIECES_MAX	16
#define RESULT_REGISTERS 2

struct machine;

struct scalar {
	unsigned int offset, size;
	bool is_float;
	char member[8];		/* of the struct's own that it is in; only of the source's */
};

/* A passed value: a scalar has one scalar, at offset 0. */
struct value {
	char name[32];
	unsigned int word;	/* in truth_expect; only of the source's prototypes */
	unsigned int size;
	bool is_aggregate;
	unsigned int scalar_count;
	struct scalar scalars[SCALARS_MAX];
};

struct prototype {
	struct value result;	/* size 0: void */
	unsigned int parameter_count;
	struct value parameters[PARAMETERS_MAX];
};

enum loc_param_kind {
	PLACE_NOWHERE,
	PLACE_INTEGER,
	PLACE_FLOAT,
	PLACE_STACK,
	PLACE_RESULT,	/* x86-64's %rax, %rdx: other machines return where they pass */
};

/* index: of the register, or of a word of the arguments on the stack. */
struct place {
	enum loc_param_kind kind;
	unsigned int index;
};

/*
 * The bytes [offset, offset + size) of a value: `at` bytes into what the register would be in
 * memory, or into the stack from this word on. by_reference: the place holds the address of a copy
 * of the whole value.
 */
struct piece {
	unsigned int offset, size;
	struct place place;
	unsigned int at;
	bool by_reference;
};

/* Ordered by offset. Padding may be nowhere. */
struct placement {
	unsigned int count;
	struct piece pieces[PIECES_MAX];
};

/* placements: one for each parameter. */
void prototype_place(const struct machine *machine, const struct prototype *prototype,
		     struct placement *placements);

/* False: the result is in memory, or there is none. */
bool prototype_place_result(const struct machine *machine, const struct prototype *prototype,
			    struct placement *placement);

/* "%rdi", "%xmm3", "8(%rsp)". */
const char *place_name(const struct machine *machine, struct place place, char *text, size_t size);

#endif
