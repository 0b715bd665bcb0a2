/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The options of one encoding. */
#ifndef BTFENC_ENCODER_ENCODE_OPTIONS_H
#define BTFENC_ENCODER_ENCODE_OPTIONS_H

#include "btf/dedup/base.h"
#include "encoder/features.h"

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
	const char *kabi_prefix;	/* a name that begins with it is read as it; or NULL */
	const struct btf_base *base;	/* of a split BTF, or NULL; borrowed */
	bool split_inline;		/* inline sites go into .BTF.inline, not into .BTF */
	bool strict;			/* a unit that cannot be used is an error */
	bool timings;			/* print the seconds of each pass on stderr */
	bool examine_clones;		/* examine clones by their call sites, too */
	const char *keep_findings;	/* keep the findings of functions of this name, and only
					   their sites; NULL: not asked for */
	bool count_inlined;		/* judge functions without code of their own, too */
	bool count_sites;		/* read inline sites even if they are not encoded */
	bool keep_changes;		/* keep the findings of functions with reasons */
};

#endif
