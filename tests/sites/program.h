/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A generated program before it is written: inline functions in three levels, and the functions
 * ("drivers") that call them. Of each call it is known what is passed, whatever a compiler does.
 */
#ifndef BTFENC_TESTS_SITES_PROGRAM_H
#define BTFENC_TESTS_SITES_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PARAMETERS_MAX 8
#define CALLS_MAX      4
#define LEVELS	       3
#define LOCALS_MAX     6
#define INPUTS_MAX     16384
#define LOGS_MAX       1024
#define OBJECTS	       16
#define LOOPS	       3
#define NO_LOOP	       (-1)
#define WORDS_MAX      3

enum type {
	TYPE_CHAR, TYPE_UCHAR, TYPE_SHORT, TYPE_USHORT, TYPE_INT, TYPE_UINT, TYPE_LONG, TYPE_ULONG,
	TYPE_BOOL, TYPE_ENUM, TYPE_VOID_POINTER,
	TYPE_POINTER,	/* to long: what is passed is the address of one */
	TYPE_S8, TYPE_S12, TYPE_S16, TYPE_S24,
	TYPE_COUNT,
};

struct type_info {
	const char *name;
	unsigned int size;
	unsigned int words;	/* what is loaded for one */
	bool is_signed, is_number;
};

extern const struct type_info types[TYPE_COUNT];

/* A function's use of a parameter. */
enum use {
	USE_NONE,
	USE_SINK,	/* stores it, first of all */
	USE_RESULT,	/* adds it to what it returns */
	USE_CHANGE,	/* another value at once, which is used then */
	USE_MASK,	/* &= ~7: what needs no instruction */
	USE_COLD,	/* on a path that is never taken */
	USE_EARLY,	/* returns if it is something that it never is; the rest may be split off */
	USE_LATE,	/* after all calls */
	USE_ADDRESS,
	USE_COUNT,
};

enum feed {
	FEED_LOADED,	/* from memory of unknown contents */
	FEED_COMPUTED,	/* of such */
	FEED_CONSTANT,
	FEED_OBJECT,	/* addresses */
	FEED_STATIC,
	FEED_LOCAL,
	FEED_PARAMETER,	/* of the caller */
	FEED_SUM,	/* of it and a constant */
	FEED_VARIABLE,	/* of a driver, alive for long */
	FEED_LOOP,	/* another one in each iteration */
};

struct argument {
	enum feed feed;
	enum type type;
	unsigned int index;	/* of input, object, log, parameter, variable */
	uint64_t constant[WORDS_MAX];
};

struct call {
	struct function *callee;
	bool touches_first;	/* an unknown function is called before */
	bool is_result_used;
	bool in_loop;
	struct argument arguments[PARAMETERS_MAX];
};

struct parameter {
	enum type type;
	enum use use;
};

enum linkage {
	LINKAGE_ALWAYS,	/* always_inline */
	LINKAGE_INLINE,
	LINKAGE_STATIC,
	LINKAGE_NOINLINE,
};

struct function {
	char name[32];
	unsigned int unit, level;	/* LEVELS: a driver */
	enum linkage linkage;
	bool is_pure;			/* no volatile access, no call but of the inline kind */
	unsigned int parameter_count, call_count, variable_count, local_count;
	struct parameter parameters[PARAMETERS_MAX];
	struct call calls[CALLS_MAX * 2];
	unsigned int variables[LOCALS_MAX];	/* inputs */
	unsigned int first_log;			/* of the locals' addresses */
	struct argument arguments[PARAMETERS_MAX];	/* a driver's, from main */
};

struct program {
	uint64_t random;
	unsigned int unit_count, function_count, driver_count;
	struct function *functions;	/* by level: callees first; drivers at the end */
	uint64_t inputs[INPUTS_MAX];
	unsigned int input_count, log_count;
};

uint64_t random_word(struct program *program);
unsigned int random_below(struct program *program, unsigned int limit);
bool percent(struct program *program, unsigned int chance);

/* generate.c: plans. */
void program_plan(struct program *program, unsigned int units);

/* write.c: unit_N.c, main.c, data.S in the current directory. */
void program_write(const struct program *program);

/* expect.c: truth.txt, what is passed in each call. */
void program_expect(const struct program *program);

#endif
