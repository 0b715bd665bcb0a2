/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The state of the passes of encode. Commands open a program, run the passes
 * and read what they leave; only the passes (encoder/passes.h) write it. The input stays as it is;
 * everything from `workers` on belongs to one attempt, and is made again when units have to be left
 * out.
 */
#ifndef BTFENC_ENCODER_RESULT_H
#define BTFENC_ENCODER_RESULT_H

#include "btf/dedup/image.h"
#include "btf/dedup/resolve.h"
#include "encoder/encode_options.h"
#include "encoder/kfuncs.h"
#include "encoder/select.h"
#include "encoder/unit_worker.h"

/* Of the experimental records. */
struct site_report {
	struct site_counts counts;	/* as DWARF has them */
	uint32_t written;		/* inline sites in LOCSECs */
	uint32_t unpromisable;		/* left out: their FUNC would be taken for a promise */
	uint32_t added_funcs;		/* FUNCs for functions that are inlined everywhere */
	uint32_t instances;		/* in .BTF.extra */
	uint32_t extra_sites;		/* and inline sites there */
	uint32_t extra_funcs;		/* FUNCs with type 0 */
	uint32_t locs;			/* LOCs */
};

/* The numbers for the summary line and the statistics. */
struct encode_report {
	struct worker_counts units;
	uint32_t left_out;		/* units with types that the kernel would reject */
	uint64_t dwarf_types;
	uint64_t dwarf_kinds[DWARF_KIND_COUNT];	/* these by kind, without declarations */
	uint64_t dwarf_declarations;
	uint64_t inexpressible;		/* what C has and BTF cannot say */
	char loss[200];			/* one of these, as the verifier says it; or "" */
	uint64_t broken;		/* groups with a wrong assumption: lower_known.c */
	struct resolve_counts resolve;
	uint32_t verdicts[VERDICT_COUNT];
	uint32_t variables;
	struct site_report sites;
	struct stat read;		/* the file that was encoded */
	bool stale_ids;			/* its .BTF_ids has, or may have, ids of the .BTF in it */
	uint32_t kfuncs_without_flags;	/* as ids are resolved, but not by a .BTF in it */
	bool lone_module;		/* it is a module, but the BTF is not split */
	bool nothing_wanted;		/* it failed: no DWARF, or nothing in it for BTF */
};

struct program {
	const struct encode_options *options;
	double lap_begin;		/* seconds; with --timings */
	struct object object;
	struct symbol_table symbols;
	struct shared_code code;	/* of all workers */
	struct unit_list units;
	struct unit_groups groups;
	bool *left_out;			/* by group: its types break a rule of the kernel */
	bool problems_printed;
	uint32_t excluded_units;	/* of excluded languages: nothing is known of them */

	const char **unit_names;	/* by unit, DW_AT_name; NULL: not kept (keep_changes), or
					   not read */
	struct unit_worker *workers;
	struct merge_source *sources;	/* one per worker */
	struct string_pool pool;
	struct node_table table;
	struct resolver *resolver;
	uint32_t *funcs;		/* by judged function: its FUNC, or 0 */
	uint32_t repairs;		/* rounds of repair.c */
	bool targets_first;		/* they want that order of the image */
	struct kfunc_list kfuncs;	/* after program_add_functions() */
	ARRAY_OF(char *) texts;		/* strings that only the pool has */
	struct instances instances;	/* of all workers, names are pool ids, types resolved; only
					   variables of sections that are written */
	struct site_list sites;		/* in the same spaces */
	uint32_t first_site_node;	/* of table: those before it are types */
	struct selection selection;
	ARRAY_OF(struct kfunc_registration) registrations;	/* with keep_registrations, in no
								   order */
};

/* What its BTF is to be split from, or NULL. */
static inline const struct btf_reader *program_base(const struct program *program)
{
	return program->options->base ? program->options->base->reader : NULL;
}

/* False: err says why, nothing needs closing. `options` are borrowed until program_close(). */
bool program_open(struct program *program, const struct encode_options *options,
		  struct error *err);

/*
 * Runs the passes. Their results stay in *program until program_close(): instances, selection, and
 * the types that their prototypes refer to.
 */
bool program_encode(struct program *program, struct btf_image *image,
		    struct encode_report *report, struct error *err);

/* The same from opening to closing: a file becomes an image that has passed the own checks. */
bool encode_file(const struct encode_options *options, struct btf_image *image,
		 struct encode_report *report, struct error *err);

/* Only the passes up to the verdicts: nothing is written, and nothing verified. */
bool program_judge(struct program *program, struct encode_report *report, struct error *err);

/*
 * How often code of the file calls or jumps to each judged function that is `ok`; 0: the others.
 * Sorted by selection_sort() or not. The caller's; NULL: not known for this machine.
 */
uint32_t *program_count_callers(const struct program *program);

/* After kfuncs_read() and program_judge(): is_lost of those that have no FUNC or no code here. */
void program_find_absent_kfuncs(struct program *program);

/* Why a kfunc has no FUNC, as a sentence to be freed; NULL: it has one. */
char *program_lost_kfunc(const struct program *program, const struct kfunc *kfunc);

/* What is looked for in units of excluded languages. */
struct excluded_query {
	const char *name;
	bool types;			/* of that kind; BTF_VOID: any with a name */
	enum btf_kind kind;
	bool functions;
	bool has_address;		/* the function there, whatever its name */
	uint64_t address;
};

/* Where it is described, and which option takes that in, to be freed; NULL: nowhere. */
char *program_find_excluded(const struct program *program, const struct excluded_query *query);

void program_close(struct program *program);

#endif
