/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One worker of the reading pass: takes groups of units, reads, lowers and collects them. It owns
 * everything it touches but the object, the units and the counter that hands out the groups.
 */
#ifndef BTFENC_ENCODER_UNIT_WORKER_H
#define BTFENC_ENCODER_UNIT_WORKER_H

#include "dwarf/unit_reader.h"
#include "encoder/evidence/instance.h"
#include "encoder/features.h"
#include "encoder/lower/lower.h"
#include "encoder/evidence/name_set.h"
#include "encoder/sites/sites.h"
#include "encoder/unit_groups.h"
#include "kallsyms/symbol_table.h"

struct language_set {
	bool c;			/* and its dialects */
	bool cxx;
	bool rust;
	bool assembler;
	bool other;		/* all that is none of these */
};

struct worker_counts {
	uint32_t units;			/* read */
	uint32_t excluded;		/* of an excluded language */
	uint32_t unusable;		/* skipped with a warning */
	uint64_t functions;		/* subprograms with code */
	uint64_t parameters[PARAMETER_STATE_COUNT];	/* of functions with a symbol */
};

/* Where the seconds of reading went; all 0 without `timed`. */
struct worker_times {
	double dies;		/* from bytes to the model */
	double types;		/* from the model to shapes */
	double functions;	/* instances, symbols, evidence */
};

/* An instance whose parameters have been examined. */
struct examined_instance {
	uint32_t instance;
	uint32_t examined;	/* in evidence.functions */
};

/* Units by compiler. */
struct producer_count {
	struct producer producer;
	uint32_t units;
};

struct unit_worker {
	const struct object *object;
	const struct unit_list *units;
	const struct unit_groups *groups;
	const struct symbol_table *symbols;
	const struct features *features;
	const struct language_set *excluded;
	struct unit_reader reader;
	struct dwarf_model model;
	struct collector collector;
	struct lowering lowering;
	struct evidence evidence;
	struct collected_instances instances;
	struct site_collector sites;
	ARRAY_OF(struct examined_instance) subjects;	/* of the group */
	ARRAY_OF(bool) has_code;		/* by function: some DIE with code says it is it */
	bool examine_copies;			/* ask the callers of .isra and the like, too */
	const char *keep_findings;		/* of the functions of that name; NULL: none */
	bool keep_changes;			/* of those that have reasons */
	const char **unit_names;		/* by unit, to be filled; NULL: nobody asks */
	bool count_inlined;			/* collect `inlined` */
	bool wants_groups;			/* a unit may refer to others, and nobody looked */
	struct name_set inlined;		/* names of functions that were inlined somewhere */
	struct worker_counts counts;
	bool timed;
	struct worker_times times;
	ARRAY_OF(struct producer_count) producers;
	ARRAY_OF(uint32_t) annotation_heads;	/* by function, then variable: annotation + 1 */
	ARRAY_OF(uint32_t) annotation_next;	/* by annotation: the next of its owner + 1 */
	ARRAY_OF(struct group_problem) problems;
};

/* A group that could not be used, with the line that says why. */
struct group_problem {
	uint32_t group;
	char *text;
};

void unit_worker_init(struct unit_worker *worker, const struct object *object,
		      const struct unit_list *units, const struct unit_groups *groups,
		      const struct symbol_table *symbols, struct shared_code *code,
		      const struct features *features, const struct language_set *excluded,
		      struct site_wishes wishes);
void unit_worker_release(struct unit_worker *worker);

/*
 * Reads group `group`, later ones after earlier ones; a problem is recorded, never fatal here. With
 * wants_groups set afterwards all that was read is void.
 */
void unit_worker_take(struct unit_worker *worker, uint32_t group);

#endif
