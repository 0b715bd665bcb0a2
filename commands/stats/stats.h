/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc stats`: the results of an encoding as numbers, and the two ways to print them. The
 * numbers do not depend on the number of workers.
 */
#ifndef BTFENC_COMMANDS_STATS_STATS_H
#define BTFENC_COMMANDS_STATS_STATS_H

#include <jansson.h>

#include "kernel/attach/trampoline.h"
#include "encoder/result.h"
#include "kernel/build_files.h"
#include "kernel/function_rows.h"

/* Function names that have a reason against them; a name may have several. */
struct reason_count {
	uint32_t names;
	uint32_t alone;		/* of these: it is their only reason */
	const char *example;	/* one of these where there is one, or NULL */
};

struct suffix_count {
	uint32_t symbols;	/* of functions */
	uint32_t instances;	/* functions in DWARF that are joined to one of them */
};

/* Some of the names that are promised, with the first of them. */
struct promised_count {
	uint32_t names;
	const char *example;
	const char *symbol;	/* of the example */
};

/* How many units a compiler has made. */
struct compiler_count {
	char *name;		/* "": nothing says it */
	uint32_t units;
};

/* Most units first. */
typedef ARRAY_OF(struct compiler_count) compiler_counts;

struct stats {
	const struct program *program;
	const struct encode_report *report;
	const struct btf_image *image;
	uint32_t names;			/* that have a verdict */
	uint32_t names_with_code;	/* of these: all but the inlined-only ones */
	struct reason_count reasons[VERDICT_COUNT];
	enum verdict costly[VERDICT_COUNT];	/* reasons that occur, most names first */
	uint32_t costly_count;			/* INLINED_ONLY costs nothing: there is no code */
	struct suffix_count suffixes[SUFFIX_COUNT];
	struct promised_count renamed;	/* the symbol is NAME.llvm.HASH, which the kernel strips */
	struct promised_count obstacles[FENTRY_OBSTACLE_COUNT];	/* to fentry, the first of a name */
	uint32_t aliases;		/* other names without one: program_visit_aliases() */
	struct btf_reader btf;		/* of the image; to be released */
};

/* Counts the results of program_encode(); borrows all three. False: err is filled. */
bool stats_gather(struct stats *stats, const struct program *program,
		  const struct encode_report *report, const struct btf_image *image,
		  struct error *err);

/* The compilers of all units that were read. */
void compilers_count(const struct program *program, compiler_counts *counts);
void compilers_release(compiler_counts *counts);

/*
 * One JSON object, whose keys are documented in man/btfenc.1 and stay, or a page for people.
 * `colour`: on a terminal that may show bold and dim text.
 */
void stats_print(const struct stats *stats, bool as_json, bool colour);

/* The same of BTF without DWARF, which is complete. */
void stats_print_alone(const struct btf_reader *btf, bool as_json, bool colour);

/*
 * The list of functions of `btfenc stats --functions`: rows (kernel/function_rows.h) as lines of
 * tab-separated fields, a header line with the names of the columns first. The last line has what
 * they are of: "#", release and build id of the kernel ("-": not known), and for each compiler its
 * name and how many units it has made, most first. `btfenc diff` reads these lists
 * (commands/diff/function_table.h). Of rows of a program, and others; what they are of is the
 * program's.
 */
void function_list_print(const struct function_rows *rows, const struct program *program,
			 struct text *out);

/*
 * What makes BTF large. Of the BTF alone, without its base: "all", "header", "types" and "strings"
 * in bytes, and the rows "by_kind", "largest_types", "longest_strings", and "repeated": several
 * structs, unions or enums of one name, with the bytes of all of them. Each list has the largest
 * first, at most 10 but for kinds.
 */
json_t *btf_sizes(const struct btf_reader *btf);

/*
 * ---- the functions of a whole build: build_list.c ----
 *
 * The rows of its vmlinux, then those of each module, by the names of the modules. Modules are read
 * at the same time, one by each thread (files_visit()).
 */

typedef ARRAY_OF(char *) kfunc_names;

/*
 * Adds those kfuncs that the list of functions has not, because they have no code here; each is
 * owned by the caller. For what program_encode() or program_find_absent_kfuncs() left. Of a module
 * also those that the kernel may have, which is not asked.
 */
void keep_absent_kfuncs(const struct program *program, bool of_module, kfunc_names *names);

/* Finds what a list of its functions shows; its BTF, too, if `image` is not NULL. */
bool judge_program(struct program *program, struct btf_image *image, struct error *err);

/*
 * The functions of a module with DWARF. `options` are for it but for the path and the jobs. What
 * `image` and `absent` are for is only found if they are not NULL.
 */
bool list_dwarf_module(const struct encode_options *options, const struct module_file *module,
		       struct btf_image *image, kfunc_names *absent,
		       struct function_rows *rows, struct error *err);

#endif
