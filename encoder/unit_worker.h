/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One worker of the reading pass: takes groups of units, reads, lowers and collects them. It owns
 * everything it touches but the object, the units and the counter that hands out the groups.
 */
#ifndef BTFENC_ENCODER_UNIT_WORKER_H
#define BTFENC_ENCODER_UNIT_WORKER_H

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/sort.h"
#include "dwarf/unit_reader.h"
#include "encoder/encode_options.h"
#include "encoder/evidence/instance.h"
#include "encoder/folded_code.h"
#include "encoder/kfuncs.h"
#include "encoder/lower/lower.h"
#include "encoder/sites/sites.h"
#include "encoder/unit_groups.h"
#include "kallsyms/symbol_table.h"

struct worker_counts {
	uint32_t units;			/* read */
	uint32_t excluded;		/* of an excluded language */
	uint32_t unusable;		/* skipped with a warning */
	uint32_t typeless;		/* of C with code, built with -g1 */
	uint64_t functions;		/* subprograms with code */
	uint64_t parameters[PARAMETER_STATE_COUNT];	/* of functions with a symbol */
};

/* Where the seconds of reading went. */
struct worker_times {
	double dies;		/* from bytes to the model */
	double types;		/* from the model to nodes */
	double functions;	/* instances, symbols, evidence */
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
	const struct encode_options *options;
	struct unit_reader reader;
	struct dwarf_model model;
	struct collector collector;
	struct lowering lowering;
	struct evidence evidence;
	struct collected_instances instances;
	struct site_collector sites;
	ARRAY_OF(uint32_t) examined;		/* by evidence.functions: its instance */
	ARRAY_OF(bool) has_code;		/* by function: a DIE with code declares it */
	struct folded_code folded;		/* of the group */
	const char **unit_names;		/* by unit, to be filled; NULL: not asked for */
	bool notes_inlined;			/* to be set */
	bool wants_groups;			/* a unit may refer to others: groups are needed */
	ARRAY_OF(struct name_key) inlined;	/* functions that were inlined somewhere, if
						   notes_inlined */
	struct hash_table inlined_numbers;	/* index in it + 1, by hash_number() */
	struct worker_counts counts;
	struct worker_times times;
	ARRAY_OF(struct producer_count) producers;
	ARRAY_OF(struct sort_item) annotations;	/* of the group's functions and variables, by
						   annotation_key() */
	ARRAY_OF(struct group_problem) problems;
	ARRAY_OF(struct kfunc_registration) registrations;
};

/* A group that could not be used, with the line that says why. */
struct group_problem {
	struct group_id group;
	char *text;
};

/* Seconds since some fixed time. */
double seconds_now(void);

/* All that it is given is borrowed. */
void unit_worker_init(struct unit_worker *worker, struct object *object,
		      const struct unit_list *units, const struct unit_groups *groups,
		      const struct symbol_table *symbols, struct shared_code *code,
		      const struct encode_options *options);
void unit_worker_release(struct unit_worker *worker);

/*
 * Reads group `group`, later ones after earlier ones; a problem is recorded, never fatal here. With
 * wants_groups set afterwards all that was read is void.
 */
void unit_worker_take(struct unit_worker *worker, struct group_id group);

#endif
