/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What all units say about one function name: declarations, definitions, the places where it was
 * inlined, and the types of its parameters as a probe fetches them.
 *
 * The passes of encode have seen all this and forgotten it, because no other name needs it. But
 * they have noted which groups have the name (program->name_presence), and these few are read
 * again; groups that encode has left out are walked over for their names.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_SCAN_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_SCAN_H

#include "dwarf/inline_site.h"
#include "encoder/result.h"

/* A type of tracefs' fetch arguments: u32, s8, x64. */
struct fetch_type {
	char sign;		/* u, s or x; '\0': none, such as void or a float */
	uint8_t bits;
	uint8_t words;		/* of the machine: 2 for a struct of 16 bytes */
};

struct scanned_parameter {
	const char *name;	/* "" when it has none */
	struct fetch_type type;
};

/* A DW_TAG_subprogram with name and prototype. */
struct scanned_function {
	uint64_t die;		/* in .debug_info */
	uint32_t group;
	uint32_t first_parameter;
	uint32_t parameter_count;
	struct fetch_type result;
	uint8_t flags;		/* FUNCTION_* */
};

/* What a parameter is at an inline site. */
struct scanned_argument {
	uint32_t parameter;	/* number */
	struct location location;
};

struct scanned_site {
	uint64_t declared;	/* `die` of the function that was inlined */
	uint64_t die;		/* its own, in .debug_info */
	uint64_t address;
	const char *caller;	/* the function in whose code it is */
	const char *parent;	/* the inlined function that it was inlined with, or NULL */
	uint32_t call_file;
	uint32_t call_line;
	bool in_itself;			/* inline_site_is_in_itself() */
	uint32_t first_argument;
	uint32_t argument_count;
};

struct scan {
	ARRAY_OF(struct scanned_function) functions;	/* by DIE */
	ARRAY_OF(struct scanned_site) sites;		/* by address, then DIE */
	ARRAY_OF(struct scanned_parameter) parameters;
	ARRAY_OF(struct scanned_argument) arguments;
};

/* The strings live as long as the program's object. Units that cannot be read are passed over. */
void scan_function(struct scan *scan, const struct program *program, const char *name);
void scan_release(struct scan *scan);

/* The function whose DIE that is, or NULL. */
const struct scanned_function *scan_find(const struct scan *scan, uint64_t die);

/*
 * Calls visit(context, worker, name) for each name of a function in DWARF, repetitions included,
 * from program->options->jobs threads at once.
 */
typedef void (*scan_visitor)(void *context, unsigned int worker, const char *name);
void scan_names(const struct program *program, scan_visitor visit, void *context);

/*
 * A prototype with nodes of its own, for a function without code: the merged table does not have
 * it. False: it cannot be read.
 */
struct lone_prototype {
	struct unit_reader *reader;
	struct dwarf_model model;
	struct collector collector;
	struct merge_source source;
	struct string_pool pool;
	struct node_table table;
	struct resolver *resolver;
	struct node_ref prototype;
};

bool lone_prototype_read(struct lone_prototype *lone, const struct program *program,
			 const struct scanned_function *function);
void lone_prototype_release(struct lone_prototype *lone);

#endif
