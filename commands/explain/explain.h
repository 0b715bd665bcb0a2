/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Everything that is known about one function name, put together from where it was found: verdict,
 * instances, inline sites, tracepoint; and what can be done about it. explain_text.c and
 * explain_json.c show it, advice.c draws the conclusions; nobody else looks anything up.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H

#include "commands/attach/attach.h"
#include "commands/explain/explain_buffer.h"
#include "commands/explain/explain_scan.h"
#include "commands/explain/explain_source.h"
#include "commands/explain/tracepoint.h"
#include "commands/attach/trampoline.h"

struct explained_parameter {
	const char *name;		/* "" when it has none */
	char *type;			/* as C */
	char *expected;			/* "di", "8(sp)", "" when not known */
	char *found;			/* the same by DWARF, or "constant 10", "" when nowhere */
	char *fetch;			/* for tracefs, "flags=%di:u32"; "" when none */
	const struct parameter_finding *finding;	/* NULL: not examined */
};

struct explained_instance {
	const struct function_instance *instance;
	const struct symbol *symbol;	/* NULL: none at its address */
	const char *section;		/* "" when it is in none */
	const char *unit;		/* source file, NULL: not known */
	struct source_line declared;
	char *prototype;
	char *true_prototype;		/* what is left of it, or NULL: not known */
	char place[ATTACH_PLACE_BYTES];	/* for tracefs */
	struct attach_state attach;
	ARRAY_OF(struct explained_parameter) parameters;
	struct fetch_type result;
	struct trampoline_view trampoline;
	struct trampoline_answer fentry;	/* if it has a hook */
	uint32_t unknown_parameters;	/* without a fetch argument */
};

struct explained_site {
	const struct scanned_site *site;
	const struct symbol *symbol;	/* whose code it is in; NULL: none */
	char place[ATTACH_PLACE_BYTES];
	struct source_line call;	/* filled by explain_locate_sites() */
	char *fetch;			/* as of parameters, blanks between; "" when none */
	bool forbidden;			/* kprobes cannot go there */
	bool in_itself;			/* in the function's own code: a recursive call, or a
					   function that was split and put together again */
};

struct advice {
	const char *tool;		/* "bpf", "bpftrace", "tracefs", "boot", "encode", "note" */
	char *text;
};

struct explanation {
	const struct program *program;
	const char *name;
	const char *asked;			/* the same, or a symbol of it: foo.isra.0 */
	struct source_lines lines;
	struct scan scan;
	struct trampoline_kernel kernel;
	const struct judged_function *judged;	/* NULL: nothing with code in DWARF has the name */
	reason_set reasons;
	enum verdict verdict;
	const struct symbol *lone_symbol;	/* of that name, where DWARF knows no function */
	char *prototype;			/* NULL: not known */
	struct source_line declared;
	ARRAY_OF(struct explained_instance) instances;
	ARRAY_OF(struct explained_site) sites;
	size_t outer_sites;			/* of these, not in itself */
	struct tracepoint *tracepoint;		/* NULL: none of that name */
	char *headline;				/* the answer in a line, without the name */
	ARRAY_OF(struct advice) advice;
};

/* False: nothing of that name is in the image. `asked`: the name, or that of a symbol of it. */
bool explain(struct explanation *explanation, const struct program *program, const char *name,
	     const char *asked);
void explanation_release(struct explanation *explanation);

static inline bool explanation_has_function(const struct explanation *explanation)
{
	return explanation->judged || explanation->scan.functions.count ||
	       explanation->lone_symbol;
}

/* Fills in the lines of the first `count` sites; where they are many, that takes a while. */
void explain_locate_sites(struct explanation *explanation, size_t count);

/* Fills headline and advice. */
void advice_give(struct explanation *explanation);

/* How many of a function's inline sites are shown, where not all are asked for. */
#define EXPLAIN_SITES_SHOWN 20

void explain_print_text(const struct explanation *explanation, FILE *out);
/* False: it cannot be written. */
bool explain_print_json(const struct explanation *explanation, FILE *out);

/* ---- names that were meant perhaps ---- */

#define NEAR_NAMES 5

struct near_name {
	char *name;
	const char *what;	/* "function", "symbol", "variable", "tracepoint" */
	uint32_t distance;	/* the smaller the nearer */
};

struct near_names {
	struct near_name names[NEAR_NAMES];
	uint32_t count;
};

void near_names_find(struct near_names *near, const struct program *program, const char *name);
/* Takes in one more name, if it is near `wanted`; `near` is empty at first. */
void near_names_consider(struct near_names *near, const char *wanted, const char *name,
			 const char *what);
void near_names_release(struct near_names *near);
bool near_names_print_json(const struct near_names *near, const char *name, FILE *out);

#endif
