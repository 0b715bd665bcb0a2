/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A file with BTF, opened on top of its bases. With several bases the first is the lowest.
 *
 * Sites and locations (docs/format.md) are BTF of their own, parts that are split from FILE's: in
 * an ELF file the sections .BTF.inline and .BTF.extra, else the files FILE.inline and FILE.extra,
 * which are to be given themselves.
 */
#ifndef BTFENC_KERNEL_BTF_INPUT_H
#define BTFENC_KERNEL_BTF_INPUT_H

#include "base/error.h"
#include "btf/dedup/base.h"
#include "btf/reader.h"
#include "kallsyms/kernel_version.h"

#define BTF_INPUT_MAX_BASES 8

/* The bases of something, lowest first. */
struct base_list {
	const char *paths[BTF_INPUT_MAX_BASES];
	uint32_t count;
};

/* A stack of BTF files, each split from the one below. */
struct btf_bases {
	struct btf_reader readers[BTF_INPUT_MAX_BASES];
	uint32_t count;
	char release[KERNEL_RELEASE_BYTES];	/* of the lowest one's kernel; "": not known */
};

/* Opens them, to read what is split from them: the file, none of them. Release them in any case. */
bool btf_bases_open_for(struct btf_bases *bases, const struct base_list *list, const char *path,
			struct error *err);

/*
 * The same of at least one, to split something from them: what refers to types that are not there
 * is refused. Makes the base, to be released too if that is good.
 */
bool btf_bases_open_base(struct btf_bases *bases, const struct base_list *list,
			 struct btf_base *base, struct error *err);
void btf_bases_release(struct btf_bases *bases);

/* The highest, NULL when there is none. */
const struct btf_reader *btf_bases_top(const struct btf_bases *bases);

/* Does it need a base that it does not bring itself? False also for what cannot be read. */
bool btf_file_is_split(const char *path);

/* Has it BTF that can be read, perhaps on a base? */
bool btf_file_has_btf(const char *path, bool has_base);

struct btf_input {
	const char *path;
	struct base_list given;		/* its bases */
	const struct btf_reader *below;	/* its base, opened before; NULL: those given */
	const char *base_option;	/* by which they are given; NULL: --base */
	struct btf_bases bases;
	struct btf_reader btf;
	bool is_extra;			/* `btf` is what FILE.extra has */
	const char *part_suffix;	/* FILE is FILE.inline or FILE.extra, by its name; NULL */
	char *part_bases[BTF_PART_COUNT];	/* the bases that the name implies; NULL */
	bool implies_base;		/* and one that was not given was taken */
	uint32_t part_count;
	struct btf_reader parts[BTF_PART_COUNT];	/* on top of `btf` and each other */
};

/*
 * Opens the bases and the file, damaged or not; but split BTF without its base is refused. Release
 * the input in any case. Raw FILE.inline has FILE for its base unless others are given, and on top
 * of these where FILE is split BTF; FILE.extra has FILE.inline, too, if there is one. FILE.extra is
 * known by its types under another name.
 */
bool btf_input_open(struct btf_input *input, struct error *err);

/*
 * Opens the parts that the ELF file has; with `next_to_it` also FILE.inline and FILE.extra. `extra`
 * is what to take for the latter, or for either of both; NULL: by default. The name of a section's
 * reader is "FILE: SECTION". A damaged .BTF cannot be a base for them.
 */
bool btf_input_open_parts(struct btf_input *input, bool next_to_it, const char *extra,
			  struct error *err);

/* The highest BTF of the file: it finds all ids and strings. */
const struct btf_reader *btf_input_top(const struct btf_input *input);

/* Is there a type of that kind? BTF_DATASEC: one of functions. */
bool btf_has_kind(const struct btf_reader *btf, enum btf_kind kind);

void btf_input_release(struct btf_input *input);

#endif
