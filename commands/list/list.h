/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc list`: what a kernel or a module has of one kind, functions, tracepoints and the like,
 * that fits a query. Two inputs fill the same model: BTF, which has what is promised, and a program
 * that has been judged, which has all functions with their verdicts.
 */
#ifndef BTFENC_COMMANDS_LIST_LIST_H
#define BTFENC_COMMANDS_LIST_LIST_H

#include <jansson.h>

#include "kernel/attach/trampoline.h"
#include "commands/list/type_pattern.h"
#include "encoder/result.h"
#include "kernel/events.h"
#include "kernel/kfunc_table.h"

#define LIST_KIND_WORDS "function|kfunc|tracepoint|lsm|iter|struct_ops"
enum list_kind {
	LIST_FUNCTION, LIST_KFUNC, LIST_TRACEPOINT, LIST_LSM, LIST_ITER, LIST_STRUCT_OPS,
	LIST_KINDS,
};

extern const char *const list_kinds[LIST_KINDS];

struct listed {
	const char *name;
	uint32_t id;			/* by BTF: of the FUNC in the kernel; 0: not known */
	uint32_t number;		/* of several of the name; by DWARF function_number() */
	uint32_t prototype;		/* FUNC_PROTO in the source's types; 0: not known */
	uint32_t named_prototype;	/* of a tracepoint: the same, with names; 0: not known */
	uint64_t address;		/* in the image; ATTACH_NOWHERE: by its name */
	uint32_t sites;			/* where it was inlined, as far as that is known */
	struct event event;		/* of a tracepoint */
	const uint32_t *record;		/* and the words of its struct; NULL: not known */
	uint8_t verdict;		/* of a function, enum verdict */
	uint8_t kind;			/* enum list_kind; a kfunc is also a function */
	uint8_t taken;			/* by an LSM hook: programs, enum attach_answer */
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
	struct events events;
	struct kfunc_table kfuncs;
	ARRAY_OF(char *) names;		/* that nothing else has */
	uint32_t hooks;			/* of LSMs, that were looked at */
	bool has_sites;			/* it has records of inline sites, or DWARF */
	enum list_kind kind;		/* what is there besides functions: to be set */
	ARRAY_OF(struct listed) items;	/* by name, functions before others */
};

/*
 * Fill the items and where the types are; the rest of the source is the caller's. `parts` are on
 * top of the BTF and each other, and nothing of it is damaged. All is borrowed.
 */
void list_add_btf(struct list_source *source, const struct btf_reader *btf,
		  const struct btf_reader *parts, uint32_t part_count);
void list_add_program(struct list_source *source, const struct program *program);
void list_source_release(struct list_source *source);

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
	_Atomic bool *is_found;		/* by name: it is in an answer */
	ARRAY_OF(struct list_parameter) takes;	/* all of them */
	bool has_result;
	struct type_pattern result;
	enum list_attachable attachable;
	enum list_kind kind;
	const char *field;		/* of the events' records; NULL: any */
	bool with_sites;
	uint32_t verdicts;		/* bits of enum verdict; 0: any */
};

static inline bool list_is_of_kind(const struct listed *listed, enum list_kind kind)
{
	return listed->kind == kind || (kind == LIST_FUNCTION && listed->kind == LIST_KFUNC);
}

/* Does the pattern fit the name, or with a colon GROUP:NAME? `group` may be NULL. */
bool list_name_fits(const char *pattern, const char *group, const char *name);

bool list_is_wanted(const struct list_query *query, const struct list_source *source,
		    const struct listed *listed);

/* ---- list_print.c ---- */

enum list_format { LIST_TEXT, LIST_NAMES, LIST_TSV, LIST_JSON, LIST_BPFTRACE, LIST_IDS };

/* What fits, as it is printed: its sources may be closed. */
struct list_answer {
	const struct list_query *query;
	enum list_format format;
	size_t count;
	struct text lines;
	json_t *rows;			/* instead, of LIST_JSON */
	const char *last_name;		/* of the source at hand; NULL: this has begun */
};

/* On any thread, one for each answer. */
void list_answer_add(struct list_answer *answer, const struct list_source *source,
		     const struct listed *listed);

/* Moves all of `from` to the end. */
void list_answer_append(struct list_answer *answer, struct list_answer *from);
void list_answer_release(struct list_answer *answer);

/* To standard output, which the caller flushes: that tells whether it could be written. */
void list_print(const struct list_answer *answer);

#endif
