/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc diff`: what happened to functions, and to types, between two builds.
 *
 * In: two function tables, two BTFs if types are asked for. Out: at most one change for each name,
 * of the first class in the order of DIFF_CLASS_LIST that holds. Addresses, units, paths and the
 * numbers of suffixes are not compared; so neither order nor place of the build matters.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_H
#define BTFENC_COMMANDS_DIFF_DIFF_H

#include "commands/diff/diff_allow.h"
#include "commands/diff/diff_types.h"
#include "commands/diff/function_table.h"

/* X(identifier, code, sentence), the most important first; those up to GONE are losses. */
#define DIFF_CLASS_LIST(X)                                                                         \
	X(LOST, "lost",                                                                            \
	  "had a FUNC: what is left is not called as declared, or not under its name")             \
	X(AMBIGUOUS, "ambiguous", "had a FUNC: the name stands for several addresses now")         \
	X(INCONSISTENT, "inconsistent", "had a FUNC: the name has several prototypes now")         \
	X(INLINED, "inlined", "had a FUNC: every call is inlined now")                             \
	X(GONE, "gone", "had a FUNC: no DWARF describes such a function any more")                 \
	X(CHANGED, "changed", "has a FUNC with another prototype")                                 \
	X(TYPE_GONE, "type-gone", "a type that is not there any more")                             \
	X(TYPE_CHANGED, "type-changed", "a type with another layout")                              \
	X(PARTLY_INLINED, "partly-inlined",                                                        \
	  "has its FUNC, but calls are inlined now that a tracer does not see")                    \
	X(CLONES, "clones",                                                                        \
	  "has its FUNC; copies, which take calls away, pieces or other names came or went")       \
	X(GAINED, "gained", "has a FUNC now")                                                      \
	X(SITES, "sites", "inlined at other places, or other parameters can be seen there")        \
	X(OTHER, "other", "no FUNC before and now: for another reason, new, or gone")              \
	X(TYPE_NEW, "type-new", "a type that was not there before")

enum diff_class {
#define X(id, code, text) DIFF_##id,
	DIFF_CLASS_LIST(X)
#undef X
	DIFF_CLASS_COUNT,
};

#define DIFF_BIT(id)  (1u << DIFF_##id)
#define DIFF_LOSSES   (DIFF_BIT(GONE) * 2 - 1)
#define DIFF_TYPES    (DIFF_BIT(TYPE_GONE) | DIFF_BIT(TYPE_CHANGED) | DIFF_BIT(TYPE_NEW))
#define DIFF_ALL      ((1u << DIFF_CLASS_COUNT) - 1)
#define DIFF_DEFAULT_FAILS (DIFF_LOSSES | DIFF_BIT(CHANGED) | DIFF_BIT(TYPE_GONE) | \
			    DIFF_BIT(TYPE_CHANGED))

const char *diff_class_code(enum diff_class class);
const char *diff_class_sentence(enum diff_class class);

/*
 * Classes by their codes, with commas: "lost" means all losses, "types" all of types, "all" and
 * "none"; "-CODE" takes one away. What begins with it is taken from *classes, all else begins
 * with none. False: *bad is the word that is none, with *length bytes.
 */
bool diff_classes_parse(const char *text, uint32_t *classes, const char **bad, size_t *length);

struct diff_compiler {
	char *name;
	uint32_t units;
};

/* One build. */
struct diff_side {
	const char *path;
	const char *kind;		/* "dwarf", "btf", "table" */
	ARRAY_OF(struct diff_compiler) compilers;	/* none: not known */
	struct function_table table;
	const struct btf_reader *btf;	/* NULL: has no types */
	uint32_t pointer_bytes;		/* 0: not known */
	uint16_t machine;		/* EM_*; 0: not known */
	uint8_t byte_order;		/* ELFDATA2LSB or ELFDATA2MSB; 0: not known */
};

struct diff_change {
	enum diff_class class;
	const char *name;
	uint32_t marks;			/* of either side */
	char *from;			/* what it was and is, in words; NULL: nothing to say */
	char *to;
	const struct table_function *old;	/* NULL: not there, or a type */
	const struct table_function *new;
	const struct type_change *type;	/* NULL: a function */
	const struct allow_rule *allowed;	/* NULL: by none */
	bool fails;			/* counts as a regression */
};

struct diff_options {
	uint32_t fail_on;		/* mask of classes */
	uint32_t show;			/* other classes are only counted */
	const char *const *only;	/* "exported", "kfunc", globs of names; any of them */
	uint32_t only_count;
	struct allow_list *allow;	/* or NULL */
};

struct diff {
	const struct diff_options *options;
	const struct diff_side *old;
	const struct diff_side *new;
	struct type_diff types;
	ARRAY_OF(struct diff_change) changes;	/* by class; kfuncs and exports first; by name */
	uint32_t counts[DIFF_CLASS_COUNT];
	uint32_t allowed[DIFF_CLASS_COUNT];	/* of these */
	uint32_t verdicts[2][VERDICT_COUNT + 1];	/* names, old and new; the last: unknown */
	uint32_t suffixes[2][SUFFIX_COUNT];		/* names with such symbols */
	uint64_t sites[2];
	uint64_t site_parameters[2];
	uint64_t site_places[2];
	bool sites_known;			/* on both sides, and comparable */
	ARRAY_OF(uint32_t) important;	/* of the losses, indices into changes */
	uint32_t fails;
};

#define DIFF_IMPORTANT 10

/* Borrows everything; `types` says whether they are compared, for which both sides need a BTF. */
void diff_make(struct diff *diff, const struct diff_side *old, const struct diff_side *new,
	       bool types, const struct diff_options *options);
void diff_release(struct diff *diff);

/* ---- printing: commands/diff/diff_text.c, diff_json.c, diff_markdown.c, diff_html.c ---- */

struct diff_style {
	bool colour;
	uint32_t limit;			/* changes of a class that are listed; 0: all */
};

void diff_print_text(const struct diff *diff, const struct diff_style *style, FILE *out);
void diff_print_markdown(const struct diff *diff, const struct diff_style *style, FILE *out);
/* `for_page`: on one line, to stand in an HTML <script>. */
void diff_print_json(const struct diff *diff, bool for_page, FILE *out);
void diff_print_html(const struct diff *diff, FILE *out);

/* Sentences for the head of a report: what is compared, totals, balance. Call `put` for each. */
void diff_summarize(const struct diff *diff, void (*put)(void *context, const char *line),
		    void *context);
/* Of these the one that says that the builds are for two machines, if they are. */
void diff_put_machines(const struct diff *diff, void (*put)(void *context, const char *line),
		       void *context);

#endif
