/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A file with records of sites (docs/format.md) and what is needed to make use of them: the BTF,
 * its extra part, the sections that offsets count from, symbols. Nothing here prints.
 *
 * Three spaces of addresses, which differ by where sections start:
 *	offsets	in a section, all that records have;
 *	image	where FILE's symbols are: those of its own symbol table, or of --symbols;
 *	running	where the code is now, by --running; the image is it if it is by /proc/kallsyms
 */
#ifndef BTFENC_COMMANDS_RECORDS_RECORDS_H
#define BTFENC_COMMANDS_RECORDS_RECORDS_H

#include "dwarf/abi/abi.h"
#include "commands/records/btf_input.h"
#include "commands/records/record_elf.h"
#include "commands/records/section_anchor.h"
#include "kallsyms/kallsyms_file.h"

struct records_options {
	const char *path;
	const char *base_paths[BTF_INPUT_MAX_BASES];
	uint32_t base_count;
	const char *extra;	/* NULL: PATH's sections, or PATH.inline and PATH.extra */
	const char *symbols;	/* NULL: PATH's own, or KALLSYMS_PATH */
	const char *running;	/* NULL: running addresses are not asked for */
	const char *module;	/* NULL: by PATH, if its BTF is split */
	bool records_only;	/* DWARF in PATH does not matter */
};

struct record_section {
	const char *name;
	uint32_t size;		/* 0: not known */
	bool is_known;		/* its address in the image */
	bool runs;		/* its running address is known */
	uint64_t address;
	uint64_t running;
	struct section_anchors anchors;		/* of the image; none in an ELF file's own */
};

/* An entry of a DATASEC of functions, or of a LOCSEC. */
struct record_site {
	uint32_t function;	/* FUNC */
	uint32_t section;	/* index into records->sections */
	uint32_t offset;
	uint32_t location;	/* FUNC_PROTO, LOC or LOC_PROTO; or 0 */
};

struct records {
	const struct records_options *options;
	struct btf_input input;
	bool has_extra;			/* there are entries of functions */
	const struct btf_reader *btf;	/* the highest: it finds all ids and strings */
	bool is_elf;
	struct record_elf elf;
	struct kallsyms_file file;	/* --symbols */
	struct kallsyms_file running;
	const struct symbol_table *symbols;	/* of the image */
	const char *symbols_path;
	char *module;			/* as kallsyms has it; NULL: a kernel */
	const struct abi *abi;		/* NULL: not known */
	uint8_t word_bytes;
	ARRAY_OF(struct record_section) sections;
};

/*
 * Is PATH for records rather than DWARF: raw BTF, or an ELF file without .debug_info that has
 * records of sites, or no debug file?
 */
bool records_are_meant(const char *path);

/* False: err is filled. Release the records in any case. */
bool records_open(struct records *records, const struct records_options *options,
		  struct error *err);
void records_release(struct records *records);

/*
 * Opens the parts of the input, which is complete, in its sections or the files next to it; `extra`
 * as for btf_input_open_parts(). False: err says what is wrong, such as that a part was made with
 * another BTF.
 */
bool records_open_parts(struct btf_input *input, const char *extra, struct error *err);

/* All sites, in the order of the records; the first of both of one section's, then the next's. */
struct site_walk {
	const struct records *records;
	enum btf_kind kind;		/* BTF_DATASEC or BTF_LOCSEC */
	uint32_t layer;			/* of the BTF and its parts */
	uint32_t next_type;
	const uint32_t *entry;		/* the next one of the section at hand */
	uint32_t left;			/* how many that has */
	uint32_t section;
};

/* Entries and inline sites in DATASECs, or inline sites in LOCSECs. */
struct site_walk records_walk_extra(const struct records *records);
struct site_walk records_walk_inline(const struct records *records);
bool site_walk_next(struct site_walk *walk, struct record_site *site);

/* "" where there is none. */
const char *records_string(const struct records *records, uint32_t offset);

/* The FUNC's name, "" for what is no FUNC. */
const char *records_function_name(const struct records *records, uint32_t id);

#define RECORDS_ANYWHERE UINT64_MAX

/* A symbol that a kernel finds by this name, at the address or anywhere. NULL: there is none. */
const struct symbol *records_find_symbol(const struct symbol_table *symbols, const char *name,
					 uint64_t address);

#endif
