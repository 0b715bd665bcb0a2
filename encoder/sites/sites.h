/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Sites: addresses in the code with what is known there of a function's parameters. Instances are
 * where a function's own code is entered, inline sites where an inlined copy of it begins.
 * docs/format.md has the model, and the two encodings that are made of it (encoder/emit_sites.c,
 * encoder/emit_extra.c).
 *
 * In: the model of a group that has been lowered. Out: lists with the worker's own ids;
 * gather.c merges the nodes and the lists. The parameter locations of a site are a
 * LOC_PROTO node, so equal ones are one, and a site is 16 bytes.
 *
 * The nodes of sites have a table of their own, *site nodes*, so that types and their order are
 * the same with and without sites: FUNC_PROTOs, which refer to nodes of the worker's
 * table; LOC_PARAMs; LOC_PROTOs, which refer to LOC_PARAMs in the same table.
 */
#ifndef BTFENC_ENCODER_SITES_SITES_H
#define BTFENC_ENCODER_SITES_SITES_H

#include "dwarf/inline_site.h"
#include "encoder/evidence/instance.h"
#include "encoder/evidence/evidence.h"
#include "encoder/lower/lower.h"
#include "encoder/sites/loc_param.h"

/* A function as its sites refer to it: one per group and function that has any. */
struct site_function {
	struct group_id group;
	struct pool_id name;
	uint32_t number;		/* function_number() */
	uint32_t declared_die;		/* offset in the group of the DIE with name and prototype */
	struct node_ref prototype;	/* REF_VOID: no prototype in DWARF */
	bool has_named_parameters;	/* all of them: without, there can be no FUNC */
	bool is_declaration;		/* DW_AT_declaration */
	/*
	 * Of its inline sites, but those in its own code, where GCC has split it: how many, their
	 * parameters, and how many of these have a location.
	 */
	uint32_t sites;
	uint32_t parameters;
	uint32_t known;
};

struct site {
	uint64_t address;
	uint32_t function;		/* index in site_list.functions */
	struct node_ref locations;		/* a LOC_PROTO */
};

/* What explain shows of an inline site besides its record. Strings live as long as the worker. */
struct site_source {
	uint64_t die;			/* in .debug_info */
	const char *caller;		/* the function in whose code it is */
	const char *parent;		/* the inlined function that it was inlined with, or NULL */
	uint32_t call_file;		/* in the file table of the caller's unit */
	uint32_t call_line;		/* 0: not known */
	bool in_itself;			/* inline_site_is_in_itself() */
};

/* A fragment of a function's code that is entered elsewhere than the function: f.cold. */
struct site_fragment {
	struct site site;
	uint32_t symbol;
};

struct site_counts {
	uint64_t sites;			/* inline sites with code */
	uint64_t without_code;		/* nothing is left of them, or the linker threw it away */
	uint64_t without_parameters;	/* of the sites: nothing to describe */
	uint64_t complete;		/* all parameters have a location */
	uint64_t partial;
	uint64_t empty;			/* none has */
	uint64_t in_itself;		/* of the sites: in the code of the same function */
	uint64_t locations[LOC_PARAM_COUNT];	/* of all their parameters */
};

/* Of all workers, in the order of groups. */
struct site_list {
	ARRAY_OF(struct site_function) functions;
	ARRAY_OF(struct site) sites;
	ARRAY_OF(struct site_source) sources;	/* by site; empty unless a name is asked for */
	ARRAY_OF(struct site_fragment) fragments;
	struct site_counts counts;
};

/* The same of one worker. */
struct collected_site_function {
	struct name_key name;
	struct site_node prototype;
	struct site_function function;	/* without name and prototype */
};

struct collected_site {
	uint64_t address;
	uint32_t function;
	struct site_node locations;
};

struct collected_fragment {
	struct collected_site site;
	uint32_t symbol;
};

struct collected_sites {
	ARRAY_OF(struct collected_site_function) functions;
	ARRAY_OF(struct collected_site) sites;
	ARRAY_OF(struct site_source) sources;
	ARRAY_OF(struct collected_fragment) fragments;
	struct site_counts counts;
};

/* What the encoding asks for. */
struct site_options {
	bool sites;			/* inline sites */
	bool counts;			/* of them; without `sites` that is all that is kept */
	bool instances;			/* locations of instances, and fragments */
	const struct string_set *names;	/* only of functions of these names, which are all listed,
					   declarations, too; and sources. NULL: of all */
};

/* Are functions of one name to be told apart (function_number())? */
static inline bool site_options_want_lines(const struct site_options *options)
{
	return options->sites || options->counts || options->instances;
}

/* first_seen of site nodes: after all types, else as of types (btf/dedup/node_table.h). */
#define SITE_FIRST_SEEN (UINT64_C(1) << 63)

/*
 * A site node that was met lately, with its words: of a kernel's 900,000 are asked for, 60,000 are
 * different, and it is the way to the words in the table that takes time.
 */
#define SITE_KNOWN_LOG2	 13
#define SITE_KNOWN_WORDS 11

struct site_known {
	struct site_node node;
	uint32_t words[SITE_KNOWN_WORDS];	/* an info word of 0: empty */
};

/* A worker's. */
struct site_collector {
	const struct object *object;
	struct lowering *lowering;
	struct evidence *evidence;
	struct site_options options;
	struct collected_sites list;
	struct node_table nodes;		/* site nodes */
	struct node_ref *merged;		/* by site node, by gather.c; NULL: none */
	struct site_known *known;		/* by hash; NULL: no site has a record */
	struct loc_param_site loc_param_site;
	struct inline_sites read;
	/* Scratch of the group: */
	ARRAY_OF(uint32_t) of_function;		/* model's function -> list.functions + 1 */
	ARRAY_OF(uint32_t) first_type;		/* by list.functions from first_function on */
	uint32_t first_function;
	ARRAY_OF(struct loc_param_type) types;
	ARRAY_OF(uint32_t) words;
	ARRAY_OF(bool) is_wanted;		/* by function; empty: all are */
	const struct call_frames *frames;	/* NULL until one is needed */
	struct group_id group;
	const struct dwarf_model *model;
	const struct inline_site *inlined;	/* the site being read; NULL: an entry */
	uint64_t pc;
	uint32_t frame_of;			/* whose frame base loc_param_site has */
	struct address_range code;		/* an executable section: the last that was met */
};

void site_collector_init(struct site_collector *collector, const struct object *object,
			 struct lowering *lowering, struct evidence *evidence,
			 struct site_options options);
void site_collector_release(struct site_collector *collector);

/* Takes back the open group: `before` is a copy of the list from before it. */
void site_collector_take_back(struct site_collector *collector,
			      const struct collected_sites *before, uint32_t nodes);

/* `model` is the group's, lowered. */
void site_collector_begin(struct site_collector *collector, const struct dwarf_model *model,
			  struct group_id group);

/*
 * Parameter locations at one of a function's entries, by the address where DWARF begins to describe
 * it. `is_entry`: that of the function itself, where the caller's stack is, not of a fragment.
 */
struct site_node site_locations_at_entry(struct site_collector *collector, uint32_t function,
				      uint64_t described, bool is_entry);

/* Adds the entry of a fragment. */
void site_collector_add_fragment(struct site_collector *collector, uint32_t function,
				 const struct entry_join *join);

/* Are sites of this function wanted? */
static inline bool site_collector_wants(const struct site_collector *collector, uint32_t declared)
{
	return !collector->options.names || collector->is_wanted.data[declared];
}

/* Adds all inline sites of the group. False: a unit is damaged, err says where. */
bool site_collector_add_inlined(struct site_collector *collector, struct unit_reader *reader,
				struct error *err);

/* The section of an address in code, 0 for data and for what the linker threw away. */
size_t site_section(const struct object *object, uint64_t address);

void site_list_release(struct site_list *list);
void collected_sites_release(struct collected_sites *sites);

#endif
