/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A tracepoint, and how BPF programs get its arguments and those of functions. */
#ifndef BTFENC_COMMANDS_EXPLAIN_TRACEPOINT_H
#define BTFENC_COMMANDS_EXPLAIN_TRACEPOINT_H

#include "commands/explain/explanation.h"

struct tracepoint_member {
	char *declaration;	/* as C, without the semicolon */
	const char *name;
	uint32_t offset_bits;
	uint32_t size_bits;	/* of a bitfield, else 0 */
	struct fetch_type value;
	bool is_string;		/* char[] */
};

/* How BPF programs get an argument of a tracepoint or function: tracepoint_arguments.c. */
enum tracepoint_argument_state {
	ARGUMENT_PLAIN,
	ARGUMENT_NULL,		/* a pointer, to be compared with NULL first */
	ARGUMENT_NUMBER,	/* a number: a pointer that programs cannot follow */
	ARGUMENT_REFUSED,	/* programs that read it are refused */
	ARGUMENT_UNKNOWN,	/* by some kernels, and of this one it is not known */
	ARGUMENT_STATES,
};

extern const char *const argument_states[ARGUMENT_STATES];	/* "plain" */

struct argument_answer {
	enum tracepoint_argument_state is;
	const char *why;	/* of ARGUMENT_REFUSED and ARGUMENT_UNKNOWN; or NULL */
};

struct tracepoint_argument {
	const char *name;
	struct argument_answer state;
	struct fetch_type value;
};

struct tracepoint {
	const char *name;
	const char *system_call;	/* "openat", of which it is an event; NULL: of none */
	bool is_exit;			/* the event at its end */
	bool never_comes;		/* which the system call has not: it does not return */
	char *prototype;		/* without `__data`: `void NAME(...)`; NULL: not known */
	char *parameters;		/* the text in the parentheses */
	ARRAY_OF(struct tracepoint_argument) arguments;
	const char *class_name;		/* NULL: it has no event, or it is not known */
	const char *system;		/* "sched", or NULL: not known */
	bool is_said;			/* the system is as the user wrote it */
	enum attach_answer event;	/* has it one in tracefs? Of a system call: has that a
					   number? Without one there is no event */
	const char *record;		/* "trace_event_raw_CLASS", or NULL: no such struct */
	uint32_t record_bytes;
	ARRAY_OF(struct tracepoint_member) members;
};

/*
 * That of a name, which is borrowed, by the explanation's program, or by its types, symbols and the
 * events of the running kernel; NULL: there is none. Freed by tracepoint_free().
 */
struct tracepoint *tracepoint_find(struct explanation *explanation, const char *name);

void tracepoint_free(struct tracepoint *tracepoint);

/* By the type, for functions, too. */
struct argument_answer explain_argument_by_type(const struct explanation *explanation,
						uint32_t ref);

/* The name of the struct that a value of that type points to; "": it points to none. */
const char *explain_pointed_struct(const struct type_source *types, uint32_t ref);

/* explanation->implicit, by prototype_id, of types that resolve_btfids has not changed. */
uint32_t explain_count_implicit(const struct explanation *explanation);

/* Of those that it has: the FUNC's prototype with them, and how many they are. */
uint32_t explain_whole_prototype(const struct explanation *explanation, uint32_t prototype,
				 uint32_t *implicit);

/* How many of the last parameters programs by fentry do not have. */
uint32_t explain_hidden(const struct explanation *explanation, uint32_t prototype);

/* Of a function's parameter number i, from 0. */
struct argument_answer explain_argument_of(const struct explanation *explanation,
					   const struct probe_point *point, size_t i);

/*
 * Fills the arguments. `prototype`: the FUNC_PROTO after `void *__data`; `named`:
 * one with the parameters' names, 0: not known.
 */
void tracepoint_arguments(struct tracepoint *tracepoint, const struct explanation *explanation,
			  uint32_t prototype, uint32_t named);

#endif
