/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Everything that is known about one function name: is it promised, where is its code entered,
 * where was it inlined, where are its parameters there, what can be attached.
 *
 * Two inputs fill the same model: explain_dwarf.c by the passes of encode, explain_records.c by
 * what they have written. Where a parameter is comes from encoder/sites in both cases. DWARF adds
 * evidence, reasons, source lines and tracepoints. advice.c draws the conclusions; explain_json.c
 * and explain_script.c print.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLANATION_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLANATION_H

#include <jansson.h>

#include "base/near_names.h"
#include "commands/explain/asked.h"
#include "commands/explain/probe_point.h"
#include "kernel/events.h"
#include "kernel/kernel.h"

struct advice {
	const char *tool;		/* "bpf", "bpftrace", "tracefs", "boot", "encode", "note" */
	char *text;
};

/* What BTF has under the name. */
enum func_state {
	FUNC_NONE,
	FUNC_WITHOUT_PROTOTYPE,
	FUNC_WITHOUT_SYMBOL,
	FUNC_OF_NAMESAKES,	/* it may be any of several functions */
	FUNC_PROMISED,
};

struct explanation {
	const char *name;		/* without suffixes */
	/* Bytes for what is still said of instances, sites and their parameters; 0: it was cut. */
	size_t *room;			/* that of the first of namesakes: */
	size_t own_room;
	const char *asked;		/* the same, or a symbol of it: foo.isra.0 */
	enum asked_kind kind;		/* what the words before it said that it is; */
	const char *word;		/* the first of them, "fmod_ret.s", or NULL, */
	uint8_t needs;			/* and what its program needs (struct asked) */
	const char *path;		/* of the file that is asked */
	const char *folder;		/* of events, or a module; NULL: none was said */
	const struct program *program;	/* by DWARF, else NULL */
	const struct records *records;	/* by records, else NULL */
	struct type_source types;
	struct attach_image image;
	struct events events;
	struct source_lines lines;
	bool has_function;		/* false: only a tracepoint */
	bool is_system_call;		/* nothing but a system call has the name */
	bool is_described;		/* its code or a declaration: not by the symbol alone */
	char *excluded;			/* a unit that was left out has it: where; or NULL */
	uint8_t func;			/* enum func_state */
	reason_set reasons;		/* why it is not promised, as far as that is known */
	uint32_t prototype_id;		/* in the types, 0: not known */
	uint32_t implicit;		/* so many of its last parameters are not in a FUNC of the
					   kernel's BTF */
	char *prototype;		/* as C; NULL: not known */
	/* That of the image's own FUNC (btf/own_btf.h), if it is another one; NULL */
	char *own_prototype;
	uint32_t own_prototype_id;	/* in explain_own_types() */
	struct source_line declared;
	struct probe_points instances;	/* functions, clones, fragments, cold code */
	struct probe_points sites;		/* by address */
	struct probe_points unplaced;	/* by records: either, whose section is not known */
	/* Where nothing describes an instance: what symbol and promise say of the entry. */
	bool has_entry;
	struct probe_point entry;
	size_t outer_sites;		/* of the sites, not in the function itself */
	bool sites_unknown;		/* nothing says where it was inlined */
	struct tracepoint *tracepoint;	/* NULL: none of that name */
	ARRAY_OF(struct hook) hooks;
	size_t hook_points;		/* instances and outer sites whose code was looked at */
	json_t *kfunc;			/* its sets, none where BTF's tag alone is known; NULL: it
					   is no kfunc */
	char *headline;			/* the answer in a line, without the name */
	ARRAY_OF(struct advice) advice;
	/*
	 * Other functions of that name, as of other files. What they are asked by is the first's:
	 * they have no hooks, and borrow image and lines.
	 */
	struct explanation *namesakes;
	size_t namesake_count;
	size_t rank;			/* of a namesake, from 1 on: events' names have it */
};

/*
 * Begins it: of a name, asked->name being that or a symbol of it. Of a program that has been judged
 * with the name in options->keep_findings. Callers that look at more than one name append to it.
 */
void explanation_begin(struct explanation *explanation, const struct kernel *kernel,
		       const char *name, const struct asked *asked);

/* Takes from the room what was said, as far as there is. */
void explain_spend(size_t *room, size_t bytes);

/* Those of the image's own BTF. */
struct type_source explain_own_types(const struct explanation *explanation);

/* A FUNC_PROTO as C, to be freed; NULL for 0. */
char *explain_prototype(const struct explanation *explanation, uint32_t prototype,
			const char *name);

/* Is the tracepoint what was asked for, and not the function of that name? Or is there none? */
bool explanation_is_of_tracepoint(const struct explanation *explanation);

/* The FUNC_PROTO of a FUNC of that name, in BTF or the program's types; 0: none. */
uint32_t explain_find_function(const struct explanation *explanation, const char *name);

/* By enum bpf_attach_type: does the kernel know such programs? */
enum attach_answer explain_has_attach_type(const struct explanation *explanation, const char *name);

/* When it is known what is asked for: as many namesakes, of which nothing else is known yet. */
void explanation_add_namesakes(struct explanation *explanation, size_t count);

#define EXPLAIN_NOTRACE ", refused without CONFIG_KPROBE_EVENTS_ON_NOTRACE: no tracer's hook is " \
			"in the function around it"

#define EXPLAIN_NOT_KNOWN ", not known whether it is taken"

/* Why no kprobe or fentry program sees calls there when the kernel runs; NULL: one does. */
const char *explain_refusal(const struct explanation *explanation,
			    const struct probe_point *point, bool by_fentry);

#endif
