/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What is asked of one encoding. */
#ifndef BTFENC_ENCODER_ENCODE_OPTIONS_H
#define BTFENC_ENCODER_ENCODE_OPTIONS_H

#include "btf/dedup/base.h"
#include "encoder/features.h"
#include "encoder/unit_worker.h"

struct encode_options {
	const char *path;
	unsigned int jobs;		/* at least 1 */
	struct features features;
	struct language_set languages;	/* to leave out */
	const char *kabi_prefix;	/* a name that begins with it is read as it; or NULL */
	const struct btf_base *base;	/* of a split BTF, or NULL; borrowed */
	bool strict;			/* a unit that cannot be used is an error */
	bool timings;			/* print the seconds of each pass on stderr */
	bool examine_clones;		/* find out what is wrong with copies, too */
	const char *keep_findings;	/* what was found about functions of that name, and
					   their sites alone; NULL: nothing asked */
	bool count_inlined;		/* judge functions without code of their own, too */
	bool count_sites;		/* read inline sites though nobody encodes them */
	bool keep_changes;		/* keep what was found about functions with reasons */
};

#endif
