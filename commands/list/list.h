/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc list`: functions and tracepoints of a kernel or a module that fit a query. Two inputs
 * fill the same model: BTF, which has what is promised, and a program that has been judged, which
 * has all functions with their verdicts.
 */
#ifndef BTFENC_COMMANDS_LIST_LIST_H
#define BTFENC_COMMANDS_LIST_LIST_H

#include "kernel/attach/trampoline.h"
#include "commands/list/type_pattern.h"
#include "encoder/result.h"

struct listed {
	const char *name;
	uint32_t number;		/* of several of the name; by DWARF function_number() */
	uint32_t prototype;		/* FUNC_PROTO in the source's types; 0: not known */
	uint32_t named_prototype;	/* of a tracepoint: the same, with names; 0: not known */
	uint64_t address;		/* in the image; ATTACH_NOWHERE: by its name */
	uint32_t sites;			/* where it was inlined, as far as that is known */
	uint8_t verdict;		/* of a function, enum verdict */
	bool is_tracepoint;
	bool is_kfunc;
	bool has_address;		/* `address` */
	bool is_other;			/* another function is found by the name */
	bool is_twin;			/* one of two FUNCs of the name, which may be of either */
};

/* A kernel or a module. */
struct list_source {
	const char *module;		/* NULL: a kernel */
	struct type_source types;
	struct type_alignments alignments;	/* of the types, for these */
	struct attach_image image;	/* what is known of its symbols and of the running kernel */
	bool has_sites;			/* it has records of inline sites, or DWARF */
	ARRAY_OF(struct listed) items;	/* by name, functions before tracepoints */
};

/*
 * Fill the items and where the types are; the rest of the source is the caller's. `parts` are on
 * top of the BTF and each other, and nothing of it is damaged. All is borrowed.
 */
void list_add_btf(struct list_source *source, const struct btf_reader *btf,
		  const struct btf_reader *parts, uint32_t part_count);
void list_add_program(struct list_source *source, const struct program *program);

/* What kprobes ask for, or fentry alone. */
struct attach_state list_attach(const struct list_source *source, const struct listed *listed,
				bool by_kprobe);

/* ---- what is asked for ---- */

enum list_attachable { LIST_ANY, LIST_FENTRY, LIST_KPROBE };

struct list_parameter {
	struct type_pattern type;
	uint32_t position;		/* from 1; 0: any */
};

struct list_query {
	char **names;			/* patterns of a shell, any of which fits; */
	int name_count;			/* 0: all names */
	ARRAY_OF(struct list_parameter) takes;	/* all of them */
	bool has_result;
	struct type_pattern result;
	uint8_t attachable;		/* enum list_attachable */
	bool tracepoints;		/* instead of functions */
	bool kfuncs, with_sites;
	uint32_t verdicts;		/* bits of enum verdict; 0: any */
};

bool list_is_wanted(const struct list_query *query, const struct list_source *source,
		    const struct listed *listed);

/* ---- list_print.c ---- */

enum list_format { LIST_TEXT, LIST_NAMES, LIST_TSV, LIST_JSON, LIST_BPFTRACE };

/* What is printed of a function or tracepoint; its source may be closed. */
struct list_found {
	char *name;
	char *module;		/* NULL: of a kernel */
	char *prototype;	/* NULL: not known, or of more than 4 KB */
	uint32_t sites;
	uint8_t verdict;
	enum attach_answer hook;	/* of TSV and JSON */
	bool is_tracepoint, is_kfunc, has_sites;
};

struct list_answer {
	struct list_found *data;
	size_t count, capacity;
};

void list_answer_add(struct list_answer *answer, const struct list_source *source,
		     const struct listed *listed, enum list_format format);
void list_answer_release(struct list_answer *answer);

/* To standard output, which the caller flushes: that tells whether it could be written. */
void list_print(const struct list_answer *answer, enum list_format format, bool by_kprobe);

#endif
