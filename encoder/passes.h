/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The passes of encode, in the order in which encode.c calls them, and what they share. Only they
 * change a program.
 */
#ifndef BTFENC_ENCODER_PASSES_H
#define BTFENC_ENCODER_PASSES_H

#include "btf/verify/verify.h"
#include "encoder/result.h"

/* ---- the passes ---- */

/*
 * Reads all groups of units into the workers, and adds up what these have counted. False: nothing
 * can be encoded, or a unit cannot be used and --strict is given; err says why.
 */
bool program_read(struct program *program, struct encode_report *report, struct error *err);

/* Frees the workers and what they have read. */
void program_release_workers(struct program *program);

/* Adds the site nodes of all workers to the table: site_collector.merged. */
void program_merge_sites(struct program *program);

/* Fills program->instances with those of all workers, whose own lists are empty then. */
void program_gather_instances(struct program *program);

/*
 * The last question about parameters without a location in the callee's DWARF that the callee does
 * not read: does a caller, anywhere in the image, leave the register clobbered? Asked of
 * instructions only, for instances that have open_registers and no reason yet; GCC's kernels have
 * none. And about a struct in memory that the callee does not read: is there a caller that LTO has
 * seen with it? What such a caller stores of the struct is not asked. Adds REASON(PARAM_UNSET) to
 * instances.
 */
void program_ask_distant_callers(struct program *program);

/*
 * Adds a FUNC for each function judged ok, with its annotations and kfunc tags. program->funcs has
 * them by judged function, 0 for the others. False, too, if a kfunc is lost and --strict is given.
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

enum attempt {
	ATTEMPT_DONE,
	ATTEMPT_FAILED,
	ATTEMPT_AGAIN,		/* groups of units have been marked as left out */
	ATTEMPT_REPAIRED,	/* the table has changed: the image is to be built again */
};

/*
 * Takes out of the table what legal C may have and the kernel would reject. *losses: how much,
 * maybe nothing. False: none of the findings, which are about `reader`, is such a thing.
 */
bool program_repair(struct program *program, const struct btf_image *image,
		    const struct btf_reader *reader, const struct btf_findings *findings,
		    uint32_t *losses);

/*
 * Reads the image back, on the base that its readers will have, and checks every rule of the
 * kernel. What legal C may have is repaired. If nothing of that is left, the groups of units that
 * have a type which breaks a rule are marked as left out, with a warning each.
 */
enum attempt program_check(struct program *program, const struct btf_image *image,
			   struct encode_report *report, struct error *err);

/*
 * Is the base that of the kernel which a module was built for? It is not where the file is a kernel
 * itself, where byte order, size of pointers, machine (that of raw BTF shows by its pt_regs) or
 * release differ, or struct module has another size than __this_module, which kernels compare.
 * Where an image has a struct module of its own, though the size is the same, there is a warning:
 * nearly all types of a kernel can be reached from it. (The right base has it for each of 2,139
 * modules of Debian's 6.1 and 7.2; but the .BTF of 6.1 itself, by pahole 1.24, describes it
 * otherwise.) False: an error, for options->any_base a warning.
 */
bool program_check_base(const struct program *program, struct error *err);
bool program_check_module(const struct program *program, const struct btf_image *image,
			  struct error *err);

/* ---- shared by them ---- */

/* One for each of the gathered annotations [first, first + count). */
void program_add_annotations(struct program *program, uint32_t node, uint32_t first,
			     uint32_t count);

/* The pool's id of a text that the program keeps a copy of. */
struct pool_id program_add_text(struct program *program, const char *text);

/* Interns words as a root that is written after everything of the same name and kind. */
uint32_t program_intern(struct program *program, const uint32_t *words);

/* The same of words that are in no node yet, or shall not be joined with one. */
uint32_t program_append(struct program *program, const uint32_t *words);

/* What records say of an address, in a LOCSEC or in a DATASEC of functions. */
struct site_entry {
	uint64_t address;
	uint32_t func;			/* node */
	uint32_t location;		/* node: LOC_PROTO; FUNC_PROTO or LOC, or 0 */
};

/*
 * Adds a record of that kind (LOCSEC, DATASEC) for each section with code that has entries, in the
 * order of addresses; entries of one address stay in their order. Of equal ones the first is
 * written, the others are changed. Returns how many are written.
 */
uint32_t program_add_site_sections(struct program *program, enum btf_kind kind,
				   struct site_entry *entries, size_t count);

/*
 * The FUNC that promises a name, or 0. program->funcs has them by judged function, for which
 * program_add_functions() has run.
 */
uint32_t program_promised_func(const struct program *program, struct pool_id name);

/* Is that FUNC about the function, with its prototype, and not about another one of its name? */
bool program_promises(const struct program *program, const struct site_function *function);

#endif
