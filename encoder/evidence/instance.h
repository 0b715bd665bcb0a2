/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The seam between reading and judging: function instances in, verdicts out.
 *
 * A function instance is a DW_TAG_subprogram with code, joined with the symbol at its address, and
 * with the reasons that its own evidence gives against promising it; its code may be known by its
 * symbol only (collect_folded_function()). Workers collect them with their own name keys and types;
 * gather.c translates these; select.c judges names.
 */
#ifndef BTFENC_ENCODER_EVIDENCE_INSTANCE_H
#define BTFENC_ENCODER_EVIDENCE_INSTANCE_H

#include <stdbool.h>

#include "base/memory.h"
#include "btf/dedup/node_table.h"
#include "btf/string_pool.h"
#include "encoder/evidence/evidence.h"
#include "kallsyms/symbol_table.h"

/*
 * The name of something in DWARF, as the name table of one reader has it (dwarf/name_table.h).
 * Equal keys are equal names; two keys may be the same name. 0: no name. Keys of two readers are
 * not related, and none is an id of a string pool (btf/string_pool.h).
 */
struct name_key {
	uint32_t value;
};

/*
 * Which of the functions of one name it is: static functions of several files often share one. 0 is
 * the external function; static ones are told apart by line and file of their declaration
 * (dwarf_function.declared_at). Of the 72,000 names of Debian's 6.1, 928 are of several functions;
 * in its modules and on other machines 51 are declared in lines of the same number. Where lines are
 * not read (site_options_want_lines()), all static functions of a name are one.
 */
static inline uint32_t function_number(bool external, uint32_t declared_at)
{
	return external ? 0 : declared_at < UINT32_MAX ? declared_at + 1 : declared_at;
}

/* A btf_decl_tag of a function or variable. */
struct decl_annotation {
	struct pool_id value;
	int32_t component;	/* parameter, or -1 */
};

/* What the symbols at an instance's addresses make of it, the better the higher. */
enum join_class {
	JOIN_NONE,		/* no function symbol of its name */
	JOIN_COLD,		/* .cold: the unlikely paths */
	JOIN_FRAGMENT,		/* .part: an outlined piece */
	JOIN_CLONE,		/* a suffix that lets the signature change: .isra, .constprop */
	JOIN_RENAMED,		/* whole and as declared, but not found by its name: .lto_priv */
	JOIN_SAME,		/* a lookup of its name finds the symbol */
};

/* By the name alone of a symbol of the function; of f.llvm.1 JOIN_RENAMED. In entry.c. */
enum join_class join_by_suffix(const char *symbol, const char *name);

struct function_instance {
	struct group_id group;
	struct pool_id name;
	uint32_t number;		/* function_number() */
	struct node_ref prototype;	/* a FUNC_PROTO, resolved as all references here */
	struct node_ref true_prototype;	/* what is left of it, REF_VOID: cannot be said */
	struct node_ref locations;	/* of its parameters at the entry, a LOC_PROTO; REF_VOID:
					   not asked for, or it is folded */
	uint32_t die;			/* offsets of the DIEs in the group: the code's */
	uint32_t declared_die;		/* and that of name and prototype */
	uint32_t symbol;		/* in the symbol table, or NO_SYMBOL */
	uint64_t address;		/* where it is entered: the symbol's */
	uint32_t first_annotation;
	uint32_t annotation_count;
	uint32_t first_finding;		/* of its parameters; count 0 where they are not kept */
	uint32_t finding_count;
	reason_set reasons;		/* of this instance alone */
	uint64_t open_registers;	/* see encoder/distant_callers.c */
	bool open_struct;		/* the same */
	uint8_t join;			/* enum join_class */
	bool result_in_doubt;		/* a changed copy: its callers do not show that it still
					   returns its value */
	bool external;
	bool folded;			/* its DIE has no code: joined by name */
};

/* There is no evidence that it is called in another way than it is declared. */
static inline bool instance_is_by_convention(const struct function_instance *instance)
{
	const reason_set harmless = REASON(INVALID_NAME) | REASON(UNNAMED_PARAM);

	return instance->join >= JOIN_RENAMED && !(instance->reasons & ~harmless);
}

/* What can be promised under the name of its symbol (feature true_signature); REF_VOID: nothing. */
static inline struct node_ref instance_true_prototype(const struct function_instance *instance)
{
	return instance->join == JOIN_RENAMED && !instance->reasons ? instance->prototype
								    : instance->true_prototype;
}

struct variable_instance {
	struct group_id group;
	struct pool_id name;
	struct node_ref type;
	uint64_t address;
	uint32_t section;		/* of ELF, by gather.c */
	uint32_t first_annotation;
	uint32_t annotation_count;
	bool external;
};

/* Of all workers, in the order of groups and DIEs. */
struct instances {
	ARRAY_OF(struct function_instance) functions;
	ARRAY_OF(struct variable_instance) variables;
	ARRAY_OF(struct decl_annotation) annotations;
	struct parameter_findings findings;
};

void instances_release(struct instances *instances);

/* A node of a worker's table of sites (encoder/sites/sites.h); 0: none. */
struct site_node {
	uint32_t index;
};

/*
 * What one worker has collected: its name keys and references into its own tables are next to the
 * instance, whose name and references are set when it is gathered. Lists are in the order of groups
 * and DIEs; first_annotation and first_finding are indices into the lists here until then.
 */
struct collected_function {
	struct name_key name;
	struct node_ref prototype;
	struct node_ref true_prototype;
	struct site_node locations;
	struct function_instance instance;
};

struct collected_variable {
	struct name_key name;
	struct node_ref type;
	struct variable_instance instance;
};

struct collected_annotation {
	struct name_key value;
	int32_t component;
};

struct collected_instances {
	ARRAY_OF(struct collected_function) functions;
	ARRAY_OF(struct collected_variable) variables;
	ARRAY_OF(struct collected_annotation) annotations;
	struct parameter_findings findings;
};

void collected_instances_release(struct collected_instances *instances);

/* ---- entry.c ---- */

/*
 * The addresses of a function's entry, and the symbol there. They are several, and each question
 * wants its own:
 *
 * - The symbol's value is *the* entry: calls through pointers go there, kallsyms and tracers know
 *   it, and a FUNC promises the arguments there. The Thumb bit is in no address.
 * - DWARF may describe the function from a later address on, past the NOPs that
 *   -fpatchable-function-entry leaves for a tracer: GCC 11 to 16 put DW_AT_low_pc, location lists
 *   and call frames there (GCC PR98776) on arm64, riscv64, ppc64le, s390x and loongarch64; clang,
 *   and GCC on x86, describe the symbol's address. What is known of arguments is asked there.
 * - Direct calls of ppc64le (ELFv2) enter later, at the local entry (symbol.local_entry_bytes). A
 *   probe that is given as an address has to stand there.
 * - The tracer's hook may be in front of the symbol, at it, or after the prologue:
 *   kernel/attach/attach.c.
 */

struct entry_join {
	enum join_class class;
	uint32_t symbol;	/* NO_SYMBOL when the class is JOIN_NONE */
	uint64_t described;	/* where DWARF begins to describe it */
};

/*
 * Looks for the best symbol of `name` for code that DWARF describes from an address on, and takes
 * it if it is better than what *join has.
 */
void entry_join_symbol(struct evidence *evidence, const char *name, uint64_t described,
		       struct entry_join *join);

/* Does DWARF's description of the symbol's code begin at that address? */
bool entry_is_described_at(struct evidence *evidence, const struct symbol *symbol,
			   uint64_t described);

#endif
