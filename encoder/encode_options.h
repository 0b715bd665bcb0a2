/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What one encoding is asked to do: features, options. */
#ifndef BTFENC_ENCODER_ENCODE_OPTIONS_H
#define BTFENC_ENCODER_ENCODE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/sort.h"
#include "btf/dedup/base.h"

/*
 * The features of the BTF, with the names and meanings of pahole's --btf_features. The experimental
 * records and strips_llvm are in no set.
 */
enum feature_set {
	FEATURES_DEFAULT,	/* and in all */
	FEATURES_ALL,
	FEATURES_NAMED,
};

/* X(name, the smallest set it is in, what it does), in the order in which pahole lists them. */
#define FEATURE_LIST(X)									   \
	X(encode_force, DEFAULT,                                                                   \
	  "names that BTF cannot hold do not stop the encoding; always on")                        \
	X(var, DEFAULT, "per-CPU variables (VAR) and their DATASEC")                               \
	X(float, DEFAULT, "FLOAT for floating point types instead of INT")                         \
	X(decl_tag, DEFAULT, "DECL_TAG for btf_decl_tag annotations")                              \
	X(type_tag, DEFAULT, "TYPE_TAG for btf_type_tag annotations")                              \
	X(enum64, DEFAULT, "ENUM64 for enumerations wider than 32 bits")                           \
	X(optimized_func, DEFAULT,                                                                 \
	  "functions of a symbol f.llvm.HASH if the kernel finds it as f")                         \
	X(consistent_func, DEFAULT, "leave out functions with several prototypes")                 \
	X(decl_tag_kfuncs, DEFAULT, "bpf_kfunc tags for the functions in BTF_ID kfunc sets")       \
	X(reproducible_build, DEFAULT, "the same bytes at every -j; always on")                    \
	X(distilled_base, ALL, "split BTF: refer to a minimal base of its own (.BTF.base)")        \
	X(global_var, ALL, "variables of all sections, a DATASEC for each section")                \
	X(attributes, ALL, "address_space(1) attributes on kfuncs' pointers into an arena")        \
	X(true_signature, ALL, "changed or renamed functions, under the names of their symbols")   \
	X(layout, ALL, "describe the kinds in a layout section, which older kernels refuse")       \
	X(force_cu_merging, DEFAULT, "units that refer to each other are read as one; always on")  \
	X(inline, NAMED, "where functions were inlined, in .BTF.inline, as in bpf-next")           \
	X(func_secinfo, NAMED, "where functions begin, in .BTF.extra; =inline: inlined, too")      \
	X(strips_llvm, NAMED, "the kernel finds f.llvm.HASH as f, whatever its DWARF shows")

struct features {
#define X(name, set, text) bool feature_##name;
	FEATURE_LIST(X)
#undef X
	bool func_secinfo_inline;	/* func_secinfo=inline: inline sites, too */
};

void features_default(struct features *features);

/*
 * Applies a comma-separated list: names replace the default set, "+name" and "-name" change what is
 * there, "default" and "all" are sets. Unknown names are an error that lists the known ones.
 */
bool features_parse(struct features *features, const char *list, struct error *err);

/*
 * The same as pahole reads its lists: named features are added, a leading "+" adds the default set
 * first; unknown names are skipped unless `strict`.
 */
bool features_add(struct features *features, const char *list, bool strict, struct error *err);

/* With a line about each; only the names, as pahole prints them. */
void features_print(FILE *out);
void features_print_names(FILE *out);

struct language_set {
	bool c;			/* and its dialects */
	bool cxx;
	bool rust;
	bool assembler;
	bool other;		/* all that is none of these */
};

struct encode_options {
	const char *path;
	unsigned int jobs;		/* at least 1 */
	struct features features;
	struct language_set languages;	/* to leave out */
	bool may_be_empty;		/* with nothing but them an image without types is made */
	const char *kabi_prefix;	/* a name that begins with it is read as it; or NULL */
	const struct btf_base *base;	/* of a split BTF, or NULL; borrowed */
	bool any_base;			/* a base of another kernel costs a warning, not the BTF */
	bool split_inline;		/* inline sites go into .BTF.inline, not into .BTF */
	bool strict;			/* a unit that cannot be used is an error */
	bool timings;			/* print the seconds of each pass on stderr */
	bool examine_clones;		/* examine clones by their call sites, too */
	const struct string_set *keep_findings;	/* keep the findings of functions of these names,
						   and only their sites; NULL: not asked for */
	bool count_inlined;		/* judge functions without code of their own, too */
	bool count_sites;		/* read inline sites even if they are not encoded */
	bool keep_changes;		/* keep the findings of functions with reasons */
	bool keep_registrations;	/* read the calls that register sets of kfuncs */
};

/* Default features, without the languages that kernels leave out, Rust and C++; the rest stays. */
void encode_options_default(struct encode_options *options);

#endif
