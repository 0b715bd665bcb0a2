/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What records (commands/records/records.h) say about one function name: whether it is promised, where its
 * code is entered, where it was inlined, and how to probe all that. explain_records.c puts it
 * together, explain_records_text.c and explain_records_json.c show it.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_RECORDS_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_RECORDS_H

#include <stdio.h>

#include "commands/explain/explain.h"
#include "commands/records/record_hooks.h"
#include "commands/records/records.h"
#include "commands/attach/trampoline.h"

struct record_parameter {
	const char *name;	/* "" when it has none */
	char *type;		/* as C */
	char *place;		/* "%di", "by convention"; "" when nothing is known */
	char *fetch;		/* for tracefs, "flags=%di:u32"; "" when it cannot be fetched */
};

enum record_join {
	RECORD_SAME,		/* the symbol has the function's name */
	RECORD_COPY,		/* .isra.0, .constprop.0 */
	RECORD_PART,		/* .part.0 */
	RECORD_COLD,
};

/* An instance or an inline site. */
struct record_place {
	struct record_site site;
	const char *function;		/* the FUNC's name: for instances that of the symbol */
	uint8_t join;			/* enum record_join */
	bool is_known;			/* where it is in the image */
	uint64_t address;		/* there */
	const struct symbol *symbol;	/* whose code it is in; NULL: none, or not known */
	char place[ATTACH_PLACE_BYTES];	/* for tracefs; "" when it has none */
	const char *forbidden;		/* why no kprobe may go there, or NULL */
	bool by_convention;		/* all parameters are where the convention wants them */
	uint32_t prototype_id;		/* FUNC_PROTO, 0: not known */
	struct fetch_type result;
	ARRAY_OF(struct record_parameter) parameters;
	uint32_t unknown_parameters;	/* without a fetch argument */
};

struct record_places {
	ARRAY_OF(struct record_place) places;
};

struct record_explanation {
	const struct records *records;
	const char *name;		/* without suffixes */
	const char *asked;
	uint32_t function;		/* the FUNC of that name in the BTF itself, 0: none */
	uint32_t prototype_id;		/* its FUNC_PROTO, else one of its places' */
	char *prototype;		/* that as C, NULL: none is known */
	bool is_promised;
	uint8_t hook;			/* enum attach_answer: has it a tracer's hook? */
	struct trampoline_answer fentry;	/* if it has one */
	const struct symbol *symbol;	/* one that the name finds, NULL: none */
	bool is_ambiguous;		/* symbols of that name have several addresses */
	/* Without instances: what a promise says of the entry, by convention. No place: none. */
	struct record_place entry;
	char *headline;
	ARRAY_OF(struct advice) advice;
	struct record_places instances;
	struct record_places sites;
	struct record_places unplaced;	/* in sections whose address is not known: either */
};

/* False: nothing has that name. */
bool explain_records(struct record_explanation *explanation, const struct records *records,
		     const char *name, const char *asked);
void record_explanation_release(struct record_explanation *explanation);

void record_explanation_print_text(const struct record_explanation *explanation, FILE *out);
/* False: it cannot be written. */
bool record_explanation_print_json(const struct record_explanation *explanation, FILE *out);

/* Names of functions and symbols that are near. */
void record_near_names_find(struct near_names *near, const struct records *records,
			    const char *name);

/* ---- explain_records_place.c ---- */

/* Fills in what is known of the parameters there: by_convention to unknown_parameters. */
void record_place_parameters(struct record_place *place, const struct records *records);

/* "0xffffffff81001a40", where the code is now if that is known; else ".text+0x1a40". */
void record_address(const struct records *records, const struct record_place *place, char *text,
		    size_t size);

/* The FUNC_PROTO of a FUNC, 0: none. */
uint32_t record_prototype_of(const struct records *records, uint32_t function);

/* Is it a struct or a union, under whatever name? */
bool record_is_compound(const struct records *records, uint32_t type);

/* ---- explain_records_attach.c ---- */

/*
 * Fills symbol, place and forbidden of a place in a section that is known. `own`: the symbol of the
 * function that is entered there, NULL: none is.
 */
void record_place_attach(struct record_place *place, const struct records *records,
			 const struct symbol *own);

/* The same for the function that the name finds, by its only symbol; "" when it has several. */
void record_entry_attach(struct record_place *entry, const struct records *records,
			 const struct symbol *symbol);

/* ---- explain_records_advice.c ---- */

/* Fills headline and advice. */
void record_advice_give(struct record_explanation *explanation);

/* The whole command: prints the answer or the error. Returns the exit status. */
int explain_records_run(const struct records_options *options, const char *name,
			const char *asked, bool json);

#endif
