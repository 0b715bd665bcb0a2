/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc encode`: the passes from an ELF file with DWARF to BTF. */
#ifndef BTFENC_ENCODER_ENCODE_H
#define BTFENC_ENCODER_ENCODE_H

#include "btf/dedup/image.h"
#include "btf/dedup/resolve.h"
#include "encoder/features.h"
#include "encoder/select.h"
#include "encoder/unit_worker.h"

struct encode_options {
	const char *path;
	unsigned int jobs;		/* at least 1 */
	struct features features;
	struct language_set languages;	/* to leave out */
	const struct btf_base *base;	/* of a split BTF, or NULL; borrowed */
	bool strict;			/* a unit that cannot be used is an error */
	bool timings;			/* print the seconds of each pass on stderr */
	bool examine_copies;		/* find out what is wrong with copies, too */
	const char *keep_findings;	/* what was found about functions of that name, and
					   their sites alone; NULL: nothing asked */
	bool count_inlined;		/* judge functions without code of their own, too */
	bool count_sites;		/* read inline sites though nobody encodes them */
	bool keep_changes;		/* keep what was found about functions with reasons */
};

/* Of the experimental records. */
struct site_report {
	struct site_counts counts;	/* as DWARF has them */
	uint32_t written;		/* inline sites in LOCSECs */
	uint32_t unpromisable;		/* left out: their FUNC would be taken for a promise */
	uint32_t added_funcs;		/* FUNCs for functions that are inlined everywhere */
	uint32_t instances;		/* in .BTF.extra */
	uint32_t nameless;		/* and left out: no symbol stands there */
	uint32_t extra_sites;		/* and inline sites there */
	uint32_t extra_funcs;		/* FUNCs with type 0 */
	uint32_t locs;			/* LOCs */
};

/* What came out beside the bytes: for the summary line and the statistics. */
struct encode_report {
	struct worker_counts units;
	uint32_t left_out;		/* units with types that the kernel would reject */
	uint64_t dwarf_types;
	uint64_t dwarf_kinds[DWARF_KIND_COUNT];	/* these by kind, without declarations */
	uint64_t dwarf_declarations;
	uint64_t inexpressible;
	uint64_t broken;		/* groups with a broken promise: encoder/lower/lower_known.c */
	struct resolve_counts resolve;
	uint32_t verdicts[VERDICT_COUNT];
	uint32_t true_signatures;	/* FUNCs with what is left of a signature */
	uint32_t variables;
	uint32_t kfuncs;
	struct site_report sites;
	struct file_stamp read;		/* the file that was encoded */
	bool stale_ids;			/* it has .BTF_ids, with ids of a .BTF that it has, too */
	bool lone_module;		/* it is a module, but the BTF is not split */
	bool no_dwarf;			/* it failed, because there is none */
};

/* Encodes a file into an image that has passed the project's own checks. */
bool encode_file(const struct encode_options *options, struct btf_image *image,
		 struct encode_report *report, struct error *err);

#endif
