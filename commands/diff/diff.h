/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc diff`: the changes of functions, and of types, between two builds.
 *
 * In: two function tables, two BTFs if types are asked for. Out: at most one change for each name,
 * of the first class in the order of DIFF_CLASS_LIST that holds. Addresses, units, paths and the
 * numbers of suffixes are not compared; so neither order nor directory of the build matters.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_H
#define BTFENC_COMMANDS_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/sort.h"
#include "btf/reader.h"
#include "commands/diff/function_table.h"
#include "kernel/build_files.h"
#include "kernel/c_spelling.h"
#include "commands/stats/build_list.h"
#include "encoder/result.h"

/* ---- the classes of changes: diff_class.c ---- */

/* X(identifier, code, sentence), the most important first; those up to GONE are losses. */
#define DIFF_CLASS_LIST(X)                                                                         \
	X(LOST, "lost",                                                                            \
	  "had a FUNC: what is left is not called as declared, or renamed; or only BTF is known")  \
	X(AMBIGUOUS, "ambiguous", "had a FUNC: several functions have this name now")              \
	X(INCONSISTENT, "inconsistent", "had a FUNC: the name has several prototypes now")         \
	X(INLINED, "inlined", "had a FUNC: every call is inlined now")                             \
	X(GONE, "gone", "had a FUNC: neither code nor an inline site of it is described now")     \
	X(CHANGED, "changed", "has a FUNC with another prototype")                                 \
	X(MOVED, "moved", "moved into a module, out of one, or into another")                      \
	X(TYPE_GONE, "type-gone", "a type that does not exist any more")                           \
	X(TYPE_CHANGED, "type-changed", "a type with another layout")                              \
	X(PARTLY_INLINED, "partly-inlined",                                                        \
	  "has its FUNC, but some calls are inlined now, which tracers do not see")                \
	X(CLONES, "clones",                                                                        \
	  "has its FUNC; clones, which take calls away, fragments or aliases came or went")        \
	X(GAINED, "gained", "has a FUNC now")                                                      \
	X(SITES, "sites", "inlined at other sites, or with other parameter locations there")       \
	X(OTHER, "other", "no FUNC before or now: for another reason, new, or gone")               \
	X(TYPE_MOVED, "type-moved", "a type that is in another file of the build now") \
	X(TYPE_NEW, "type-new", "a type that did not exist before")

enum diff_class {
#define X(id, code, text) DIFF_##id,
	DIFF_CLASS_LIST(X)
#undef X
	DIFF_CLASS_COUNT,
};

#define DIFF_BIT(id)  (1u << DIFF_##id)
#define DIFF_LOSSES   (DIFF_BIT(GONE) * 2 - 1)
#define DIFF_TYPES    (DIFF_BIT(TYPE_GONE) | DIFF_BIT(TYPE_CHANGED) | DIFF_BIT(TYPE_MOVED) | \
		       DIFF_BIT(TYPE_NEW))
#define DIFF_ALL      ((1u << DIFF_CLASS_COUNT) - 1)
#define DIFF_DEFAULT_FAILS (DIFF_LOSSES | DIFF_BIT(CHANGED) | DIFF_BIT(TYPE_GONE) | \
			    DIFF_BIT(TYPE_CHANGED))

struct diff_class_row {
	const char *code;
	const char *sentence;
	uint32_t mask;
};

extern const struct diff_class_row diff_classes[];	/* by enum diff_class */

/*
 * Classes by their codes, with commas: "lost" means all losses, "types" all of types, "all" and
 * "none"; "-CODE" removes one. A text that begins with it changes *mask, any other text replaces
 * it. Returns the unknown word, which goes up to a comma or the end; NULL: there is none.
 */
const char *diff_classes_parse(const char *text, uint32_t *mask);

/* ---- types: diff_types.c ---- */

/*
 * Which types that have a name have another layout in one BTF than in another: structs, unions,
 * enums and typedefs, by kind and name. What BPF programs read is compared: the offset, the size
 * and the type of each member, those of members without a name included; the value of each
 * enumerator.
 *
 * Knows two readers and nothing else; ids and order do not matter. A name that has several
 * definitions is compared as the set of them.
 */

typedef ARRAY_OF(char *) type_change_lines;

struct type_change {
	enum diff_class class;	/* of DIFF_TYPES */
	const char *keyword;	/* "struct", "union", "enum", "typedef" */
	char *name;
	const char *module;	/* NULL: of the file itself; borrowed */
	type_change_lines details;	/* from where it moved, and its layout's, in their order */
};

/* Ids of what has a name, by it and the keyword. */
struct type_names {
	const struct btf_reader *btf;
	ARRAY_OF(struct sort_item) items;
};

/* The definitions of a name that a file has and the file of that name on the other side has not. */
struct lone_type {
	struct type_names names;	/* of the file; borrowed */
	size_t first, count;		/* of these */
	const char *module;		/* NULL: the file itself; borrowed */
	uint32_t pointer_bytes;
};

struct type_diff {
	ARRAY_OF(struct type_change) changes;
	uint32_t compared;			/* names on both sides */
	bool incomplete;			/* there was more than is ever compared */
	struct type_names kernel[2];		/* of the old and the new file itself */
	ARRAY_OF(struct type_names) names;	/* of modules */
	struct lone_types {
		struct lone_type *data;
		size_t count, capacity;
	} lone[2];
};

/*
 * Compares the types of the files themselves (`module` is NULL), and after that those of a module's
 * own; a NULL reader: that side has no such module. At the end type_diff_finish() tells types that
 * are gone or new from those that are in another file now. Release it in any case. The readers may
 * be damaged, but not closed before it is done. The size of a pointer is not in BTF; 0: not known,
 * to be guessed.
 */
void type_diff_add(struct type_diff *diff, const char *module, const struct btf_reader *old,
		   uint32_t old_pointer_bytes, const struct btf_reader *new,
		   uint32_t new_pointer_bytes);
void type_diff_finish(struct type_diff *diff);
void type_diff_release(struct type_diff *diff);

/* ---- sides: diff_side.c ---- */

/*
 * One build is made of a file: DWARF is read as encode reads it; BTF is taken as it is, with
 * its .BTF.extra where there is one; a list of functions was made before (stats --functions).
 */
enum side_kind {
	SIDE_DWARF,
	SIDE_BTF,
	SIDE_TABLE,			/* a list of functions */
};

struct diff_compiler {
	char *name;
	uint32_t units;
};

/* The types of a module, split from those of the vmlinux. */
struct side_module {
	struct btf_input input;		/* of BTF; else: */
	struct btf_image image;
	struct btf_reader reader;
	const struct btf_reader *btf;	/* NULL: has none */
	kfunc_names absent_kfuncs;
};

struct diff_side {
	const char *path;		/* a file, or the directory of a build */
	const char *modules;		/* the directory of its modules, or NULL */
	struct encode_options options;	/* jobs, features */
	const char *base;		/* of split BTF or a module, or NULL */
	const char *base_option;	/* by which it is given, or would be */
	bool types;			/* those of `file` will be compared */
	/* Filled by diff_side_find(): */
	enum side_kind kind;		/* of the file */
	const char *file;		/* what `path` is, or its vmlinux */
	bool is_build;			/* with modules */
	struct build_files build;
	/* Filled by diff_side_read(): */
	bool is_read;
	struct error err;		/* why it is not */
	ARRAY_OF(struct diff_compiler) compilers;	/* none: not known */
	struct function_table table;
	struct side_module *modules_read;	/* by build.modules */
	kfunc_names absent_kfuncs;	/* in sets, without a FUNC, and not in the table */
	const struct btf_reader *btf;	/* NULL: has no types */
	uint32_t pointer_bytes;		/* 0: not known */
	uint16_t machine;		/* EM_*; 0: not known */
	uint8_t byte_order;		/* ELFDATA2LSB or ELFDATA2MSB; 0: not known */
	/* Where `btf` is. */
	struct btf_input input;
	struct btf_image image;
	struct btf_reader reader;
	bool has_reader;
};

/* Finds the files of a build, and says what the side is. */
bool diff_side_find(struct diff_side *side, struct error *err);

/* Release it in any case. */
bool diff_side_read(struct diff_side *side, struct error *err);
void diff_side_release(struct diff_side *side);

/* ---- what is allowed: diff_allow.c ---- */

/*
 * Changes that are accepted: a file with a line for each.
 *
 *	GLOB [CLASS[,CLASS]...] # why
 *
 * GLOB matches names, by fnmatch(); the classes are those of --fail-on, all if there is none. The
 * reason is required: it is all that a reader of the file has a year later. Empty lines and lines
 * that begin with # are ignored.
 */
struct allow_rule {
	const char *glob;
	const char *why;
	uint32_t classes;
	uint32_t line;
	uint32_t used;		/* how many changes it has allowed */
};

struct allow_list {
	struct text text;	/* of the file, cut into words */
	ARRAY_OF(struct allow_rule) rules;
};

bool allow_list_read(struct allow_list *list, const char *path, struct error *err);
void allow_list_release(struct allow_list *list);

/* The first rule for a change of that class, which is used then; NULL: none. */
const struct allow_rule *allow_list_find(const struct allow_list *list, const char *name,
					 uint32_t class_bit);

/* ---- changes ---- */

struct diff_change {
	enum diff_class class;
	const char *name;
	uint32_t marks;			/* of either side */
	char *from;			/* its old and new state, in words; NULL: none */
	char *to;
	const struct table_function *old;	/* NULL: not there, or a type */
	const struct table_function *new;
	const struct type_change *type;	/* NULL: a function */
	const struct allow_rule *allowed;	/* NULL: by none */
	bool fails;			/* counts as a regression */
	int weight;			/* the less, the more important */
};

/* ---- functions that are known: diff_known.c ---- */

/* By a tool that many use. */
bool diff_is_traced(const char *name);

/* `file` is the base name of its source, or NULL. */
bool diff_is_test(const char *name, const char *file);

/* The mark that an --only word means, as a bit; 0: the word is a glob of names. */
uint32_t diff_only_mark(const char *only);

struct diff_options {
	uint32_t fail_on;		/* mask of classes */
	uint32_t show;			/* other classes are only counted */
	ARRAY_OF(const char *) only;	/* "exported", "kfunc", globs of names; any of them */
	struct allow_list allow;
};

struct diff {
	const struct diff_options *options;
	const struct diff_side *old;
	const struct diff_side *new;
	bool has_modules;		/* a side is more than one file */
	struct type_diff types;
	ARRAY_OF(struct diff_change) changes;	/* by class, the most important first */
	uint32_t counts[DIFF_CLASS_COUNT];
	uint32_t allowed[DIFF_CLASS_COUNT];	/* of these */
	uint32_t in_old, in_new, in_both;	/* names of functions */
	uint32_t verdicts[2][VERDICT_COUNT + 1];	/* names, old and new; the last: unknown */
	uint32_t suffixes[2][SUFFIX_COUNT];		/* names with such symbols */
	ARRAY_OF(const struct table_function *) lost_kfuncs;	/* new ones without a FUNC */
	uint64_t sites[2];
	uint64_t site_parameters[2];
	uint64_t site_locations[2];
	bool sites_known;			/* on both sides, and comparable */
	ARRAY_OF(uint32_t) important;	/* of the losses, indices into changes */
	uint32_t fails;
};

#define DIFF_IMPORTANT 10

/* The name of its module, or "vmlinux". */
const char *diff_module(const struct table_function *function);
const char *diff_change_module(const struct diff_change *change);

/* Is it in another module than before? False: it was or is nowhere, too. */
bool diff_has_moved(const struct diff *diff, const struct diff_change *change);

/* Borrows everything; `types` says whether they are compared, for which both sides need a BTF. */
void diff_make(struct diff *diff, const struct diff_side *old, const struct diff_side *new,
	       bool types, const struct diff_options *options);
void diff_release(struct diff *diff);

/* ---- printing: diff_report.c, diff_json.c ---- */

struct diff_style {
	bool colour;
	bool is_markdown;
	uint32_t limit;			/* changes of a class that are listed; 0: all */
};

/* Text for people, or Markdown. */
void diff_print_report(const struct diff *diff, const struct diff_style *style, FILE *out);
void diff_print_json(const struct diff *diff, FILE *out);
void diff_print_html(const struct diff *diff, FILE *out);

typedef void diff_put_line(void *context, const char *line);

/* Sentences for the head of a report: what is compared, totals, balance. Calls `put` for each. */
void diff_summarize(const struct diff *diff, diff_put_line *put, void *context);
/* Those about kfuncs of NEW that BPF programs cannot call; changed or not. */
void diff_put_lost_kfuncs(const struct diff *diff, diff_put_line *put, void *context);
/* The sentence for builds of two machines, if they are. */
void diff_put_machines(const struct diff *diff, diff_put_line *put, void *context);

/* ---- lines of C as words and signs, and their differences: diff_words.c ---- */

struct word_run {
	char op;		/* '=', '-' only in the old line, '+' only in the new one */
	const char *text;	/* in the one or the other */
	size_t length;
};

/* Runs that make up both lines, but for blanks; '-' comes before '+'. */
struct word_runs {
	char *old, *new;	/* the lines, each in one spelling, into which the runs point */
	struct word_run *data;	/* those of both lines into the new one */
	size_t count, capacity;
};

void word_runs_make(struct word_runs *runs, const char *old, const char *new);
void word_runs_release(struct word_runs *runs);

#endif
