/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc stats`: the results of an encoding as numbers, and the two ways to print them. The
 * numbers do not depend on the number of workers.
 */
#ifndef BTFENC_COMMANDS_STATS_STATS_H
#define BTFENC_COMMANDS_STATS_STATS_H

#include "kernel/attach/trampoline.h"
#include "encoder/result.h"

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

struct type_row {
	const char *code;
	const char *btf;	/* the kinds in BTF, for people; "" for none */
	uint64_t dwarf;
	uint64_t encoded;
};

#define TYPE_ROWS_MAX 24

/* Most units first. */
typedef ARRAY_OF(struct producer_count) producer_counts;

struct stats {
	const struct program *program;
	const struct encode_report *report;
	const struct btf_image *image;
	producer_counts producers;
	uint32_t names;			/* that have a verdict */
	uint32_t names_with_code;	/* of these: all but the inlined-only ones */
	struct reason_count reasons[VERDICT_COUNT];
	enum verdict costly[VERDICT_COUNT];	/* reasons that occur, most names first */
	uint32_t costly_count;			/* INLINED_ONLY costs nothing: there is no code */
	struct suffix_count suffixes[SUFFIX_COUNT];
	struct promised_count renamed;	/* the symbol is NAME.llvm.HASH, which the kernel strips */
	struct promised_count obstacles[FENTRY_OBSTACLE_COUNT];	/* to fentry, the first of a name */
	uint32_t aliases;		/* other names without one: program_visit_aliases() */
	struct type_row types[TYPE_ROWS_MAX];
	uint32_t type_rows;
	ARRAY_OF(const struct section_header *) sections;	/* .debug_*, largest first */
	uint64_t section_bytes;
	struct btf_reader btf;		/* of the image */
};

/* Counts the results of program_encode(); borrows all three. False: err is filled. */
bool stats_gather(struct stats *stats, const struct program *program,
		  const struct encode_report *report, const struct btf_image *image,
		  struct error *err);
void stats_release(struct stats *stats);

/* The compilers of all units that were read; the texts are the program's. */
void producers_count(const struct program *program, producer_counts *counts);

/* Prints a page for people. `colour`: on a terminal that may show bold and dim text. */
void stats_print_page(const struct stats *stats, bool colour);

/* One JSON object; its keys are documented in man/btfenc.1 and stay. */
void stats_print_json(const struct stats *stats);

/* What there is to say of BTF without DWARF, which is complete. */
void stats_print_alone(const struct btf_reader *btf, bool colour);
void stats_print_alone_json(const struct btf_reader *btf);

#endif
