/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What the passes of encode work on. The input stays as it is; everything from `workers` on belongs
 * to one attempt, and is made again when units have to be left out.
 */
#ifndef BTFENC_ENCODER_PROGRAM_H
#define BTFENC_ENCODER_PROGRAM_H

#include "btf/verify/verify.h"
#include "encoder/encode.h"

struct stopwatch {
	bool enabled;
	double last;
};

struct program {
	const struct encode_options *options;
	struct stopwatch watch;
	struct object object;
	bool no_dwarf;			/* why it could not be opened */
	struct symbol_table symbols;
	struct shared_code code;	/* of all workers */
	struct unit_list units;
	struct unit_groups groups;
	bool *left_out;			/* by group: its types break a rule of the kernel */
	bool problems_printed;

	const char **unit_names;	/* by unit, DW_AT_name; NULL: not kept (keep_changes), or
					   not read */
	struct unit_worker *workers;
	struct merge_source *sources;	/* one per worker */
	struct string_pool pool;
	struct shape_table table;
	struct resolver *resolver;
	uint32_t *funcs;		/* by judged function: its FUNC, or 0 */
	ARRAY_OF(char *) texts;		/* strings in the pool that stand nowhere else */
	struct instances instances;	/* of all workers, names are pool ids, types resolved; only
					   variables of sections that are written */
	struct site_list sites;		/* in the same spaces */
	struct selection selection;
};

/* False: err says why, nothing needs closing. `options` are borrowed until program_close(). */
bool program_open(struct program *program, const struct encode_options *options,
		  struct error *err);

/*
 * Runs the passes. What they found stays in *program until program_close(), for whoever reports on
 * it: instances, selection, and the types that their prototypes refer to.
 */
bool program_encode(struct program *program, struct btf_image *image,
		    struct encode_report *report, struct error *err);

/* Only the passes up to the verdicts: nothing is written, and nothing verified. */
bool program_judge(struct program *program, struct encode_report *report, struct error *err);

void program_close(struct program *program);

/*
 * Marks all groups of units that have a type of the findings as left out, with a warning each.
 * False: nobody is to blame, or --strict; err says what the kernel would say.
 */
bool program_leave_out(struct program *program, const struct btf_image *image,
		       const struct btf_reader *reader, const struct btf_findings *findings,
		       struct encode_report *report, struct error *err);

/* Adds the site shapes of all workers to the table, and maps what refers to them. */
void program_merge_sites(struct program *program);

/* Fills program->instances with those of all workers, whose own lists are empty then. */
void program_gather_instances(struct program *program);

/*
 * Adds a FUNC for each function judged ok, with its annotations and kfunc tags. program->funcs has
 * them by judged function, 0 for the others.
 */
bool program_add_functions(struct program *program, struct encode_report *report,
			   struct error *err);

/* Adds a LOCSEC for each section with inline sites, and what it refers to. */
void program_add_inline_sites(struct program *program, struct encode_report *report);

/* Adds the records of .BTF.extra: all roots that come from here on. */
void program_add_extra(struct program *program, struct encode_report *report);

/*
 * Adds a VAR for each per-CPU variable (feature var) or each variable of any section (global_var),
 * and a DATASEC for each section that has one.
 */
void program_add_variables(struct program *program, struct encode_report *report);

/* A DECL_TAG on a shape; component -1 means the shape itself. */
void program_add_decl_tag(struct program *program, uint32_t shape, struct pool_id value,
			  int32_t component);

/* One for each of the gathered annotations [first, first + count). */
void program_add_annotations(struct program *program, uint32_t shape, uint32_t first,
			     uint32_t count);

/* The pool's id of a text that the program keeps a copy of. */
struct pool_id program_add_text(struct program *program, const char *text);

/* Interns words as a root that is written after everything of the same name and kind. */
uint32_t program_intern(struct program *program, const uint32_t *words);

#endif
