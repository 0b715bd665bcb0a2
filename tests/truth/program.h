/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A generated program before it is written: which functions, how each parameter is used and fed. */
#ifndef BTFENC_TESTS_TRUTH_PROGRAM_H
#define BTFENC_TESTS_TRUTH_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"

#define PARAMETERS_MAX 12
#define WORDS_MAX      40	/* of all parameters; TRUTH_WORDS of truth.h, with room */
#define CALLEES_MAX    2
#define NO_FUNCTION    UINT32_MAX

/* The body's use of a parameter. */
enum use {
	USE_NONE,
	USE_VALUE,
	USE_ONE_MEMBER,	/* of what it points to, or of a struct by value */
	USE_MEMBERS,
	USE_WRITE,	/* a member of what it points to */
	USE_COLD,	/* only on a path that is never taken */
	USE_SOMETIMES,
	USE_ADDRESS,
	USE_LATE,	/* after all calls */
	USE_PASS,	/* only as an argument of callees */
	USE_ASSUMED,	/* only in a condition that always holds */
	USE_DEPTH,	/* of a recursion */
	USE_COUNT,
};

/* The values that callers pass. */
enum feed {
	FEED_TAG,	/* another value in each call */
	FEED_CONSTANT,
	FEED_FEW,	/* one of two constants */
};

struct parameter {
	const struct type *type;
	enum use use;
	enum feed feed;
	bool through;		/* a recursion passes it on as it is */
	unsigned int member;	/* of USE_ONE_MEMBER */
	unsigned int word;	/* of truth_expect */
};

struct function {
	uint32_t id, name_id;
	char name[32];
	unsigned int unit, level;
	bool is_static, noinline_, weak, variadic, impure, has_alias, namesake;
	bool hooked;		/* called through a pointer, too */
	bool elsewhere_only;	/* called from other units only */
	bool early_exit, cold_path, tail_call, result_used;
	uint32_t partner;	/* of a mutual recursion: what this one calls, which calls it */
	bool is_partner;	/* called by its partner only */
	uint32_t table_first;	/* of a group that is called through a table */
	unsigned int table_count;	/* in the first of the group */
	unsigned int filler, loops;
	const struct type *result;	/* NULL: void */
	unsigned int parameter_count;
	struct parameter parameters[PARAMETERS_MAX];
	uint32_t callees[CALLEES_MAX];
	unsigned int callee_count;
};

struct program {
	uint64_t random;
	uint64_t seed;
	unsigned int unit_count;
	struct function *functions;
	uint32_t function_count;
	uint32_t name_count;
	uint32_t call_count;	/* calls that are written */
};

uint32_t random_below(struct program *program, uint32_t limit);
bool percent(struct program *program, uint32_t chance);

/* plan.c */
void program_plan(struct program *program);

/* write.c: unit_N.c, main.c, program.h and truth.txt, in the current directory. */
void program_write(struct program *program);

#endif
