/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Where parameters are, and names of events, as tracers write them. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_ARGUMENT_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_ARGUMENT_H

#include "commands/explain/explanation.h"

/* Where parameters are: one of the three, or none. */
struct argument_source {
	size_t *room;			/* of the explanation */
	bool by_convention;
	const uint32_t *loc;		/* words of a LOC: strings of tracefs */
	const uint32_t *loc_proto;	/* of a LOC_PROTO, whose LOC_PARAMs are in the types */
};

/*
 * Fills by_convention, result, parameters and unknown_parameters of a point with a prototype. What
 * the convention says is worked out up to the first parameter of which the types do not tell
 * enough (kernel/type_source.h). Without room the rest of the parameters is missing.
 */
void explain_arguments(struct probe_point *point, const struct type_source *types,
		       const struct argument_source *source);

/*
 * Adds what DWARF shows of a parameter at a function's first instruction, and the ABI wants; and a
 * fetch argument, if BTF was not enough for it.
 */
void explain_evidence(struct probe_point *point, uint32_t i, const struct type_source *types,
		      const struct parameter_findings *findings, size_t number);

/* How a value of that type is printed. */
struct fetch_type explain_fetch_type(const struct type_source *types, uint32_t ref);

/* The same of a parameter: what a later one is the length of is not printed as a string. */
struct fetch_type explain_parameter_type(const struct type_source *types, const uint32_t *prototype,
					 uint32_t number);
bool explain_is_length(const char *name);

/*
 * A name for an event or a program: what tracefs takes, identifiers of up to 63 characters
 * (MAX_EVENT_NAME_LEN). Of several instances each has a number; 0: of the only one.
 */
void explain_add_event(struct text *out, const char *name, size_t number, const char *suffix);

void explain_add_instance_event(struct text *out, const struct explanation *explanation,
				size_t number, const char *suffix);

/* Of an inline site: "vfs_read_inline_1". */
void explain_add_site_event(struct text *out, const struct explanation *explanation,
			    size_t number);

/*
 * The fetch arguments of a parameter, "flags=%di:u32", with `blank` between them; nothing if it
 * cannot be fetched. And those of all, each with `blank` in front.
 */
void explain_add_parameter_fetch(struct text *out, const struct explained_parameter *parameter,
				 size_t number, char blank);

void explain_add_fetch(struct text *out, const struct probe_point *point, char blank);

/* What is at the location, "%di", as a value of that type: "%di:u32", "+0(%di):string". */
void explain_add_fetched(struct text *out, struct fetch_type type, const char *location);

#endif
