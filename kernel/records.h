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
#ifndef BTFENC_KERNEL_RECORDS_H
#define BTFENC_KERNEL_RECORDS_H

#include "base/hash_table.h"
#include "btf/verify/verify.h"
#include "kernel/attach/running_kernel.h"
#include "kernel/btf_input.h"
#include "kernel/btf_machine.h"
#include "kernel/elf_input.h"

/*
 * Where a section starts, of which only offsets are known, by symbols that are in it.
 *
 * Each function that has one offset and whose name one symbol has is an anchor: the section would
 * start at `address of the symbol - offset`. When the symbols are those of this kernel, all anchors
 * say the same but for the odd one (a name that one copy has lost); of another build hardly two do.
 */
struct section_anchors {
	uint64_t start;		/* what most say; 0 when there are no anchors */
	uint32_t agreeing;
	uint32_t count;
};

struct records_options {
	const char *path;
	struct base_list bases;
	const struct btf_reader *below;	/* if there are none: a base that is open; or NULL */
	bool is_module;		/* of a kernel, which may not be known */
	bool needs_no_symbols;	/* PATH may lack them, and those of a running kernel are not read */
	const char *extra;	/* NULL: PATH's sections, or PATH.inline and PATH.extra */
	const char *symbols;	/* NULL: PATH's own, or those of a running kernel */
	const char *root;	/* goes before the paths of a running kernel's files */
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
	bool is_told;		/* the running kernel says where it is */
};

/* An entry of a DATASEC of functions, or of a LOCSEC. */
struct record_site {
	uint32_t function;	/* FUNC */
	uint32_t section;	/* index into records->sections */
	uint32_t offset;
	uint32_t location;	/* FUNC_PROTO, LOC or LOC_PROTO; or 0 */
};

/* In the order of the records. */
struct record_sites {
	struct record_site *data;
	size_t count, capacity;
};

struct records {
	const struct records_options *options;
	struct btf_input input;
	bool has_extra;			/* there are entries of functions */
	const struct btf_reader *btf;	/* the highest: it finds all ids and strings */
	bool is_elf;
	struct elf_input elf;
	struct kallsyms_file file;	/* --symbols */
	struct kallsyms_file running;		/* --running */
	const struct symbol_table *symbols;	/* of the image */
	char *symbols_path;
	char *without_symbols;	/* why there are none; NULL: there are */
	struct running_kernel running_kernel;
	bool is_running;	/* the symbols are those of the running kernel */
	char *module;			/* as kallsyms has it; NULL: a kernel */
	const struct abi *abi;		/* NULL: not known */
	uint8_t word_bytes;
	ARRAY_OF(struct record_section) sections;
	struct hash_table by_section;	/* their numbers, from 1 */
	struct record_sites entries;		/* of DATASECs: instances and inline sites */
	struct record_sites inline_sites;	/* of LOCSECs */
};

/*
 * Is split BTF on top of its own base? Types and names come out wrong on another: rules of the
 * kernel are broken, most names begin within other names, or most functions have no symbol in the
 * module (`elf`; NULL: it is raw BTF). True of BTF that is not split.
 */
bool records_are_split_right(const struct btf_reader *btf, const struct elf_input *elf,
			     struct error *err);

/*
 * Has a module BTF of another file, or of another tool? Some only carry the kernel's
 * (btf_vmlinux.ko, btf_vmlinux_inline.ko), which is not to be replaced by their own. Then err says
 * so. False: an encoder may have made it of this file.
 */
bool records_are_of_another(const char *path, struct error *err);

/*
 * Any BTF will do; with records of sites more is known. Where no symbols are named, and those of
 * the running kernel are of another one, or hidden, it goes on without any.
 *
 * False: err is filled. Release the records in any case.
 */
bool records_open(struct records *records, const struct records_options *options,
		  struct error *err);
void records_release(struct records *records);

/*
 * Opens the parts of the input, in its sections or the files next to it; `extra` as for
 * btf_input_open_parts(). False: err says what is wrong: the BTF is not complete, is not split from
 * its base (by `elf`, too, if it is not NULL), or is itself a part; or a part was made with another
 * BTF.
 */
bool records_open_parts(struct btf_input *input, const struct elf_input *elf, const char *extra,
			struct error *err);

/*
 * Is what the part says true of the BTF below it? Ids of another lead to types that are not what
 * its records take them for. False: err is filled.
 */
bool records_part_fits(const struct btf_reader *part, const struct btf_reader *btf,
		       struct error *err);

/* The FUNC's name, "" for what is no FUNC. */
const char *records_function_name(const struct records *records, uint32_t id);

#define RECORDS_ANYWHERE UINT64_MAX

/* A symbol that a kernel finds by this name, at the address or anywhere. NULL: there is none. */
const struct symbol *records_find_symbol(const struct symbol_table *symbols, const char *name,
					 uint64_t address);

#endif
