/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A file with BTF, opened on top of its bases. With several bases the first is the lowest.
 *
 * Sites and locations (docs/format.md) are a BTF of their own, split from FILE's: in an ELF file
 * the section .BTF.extra, else the file FILE.extra, which is to be given itself.
 */
#ifndef BTFENC_COMMANDS_RECORDS_BTF_INPUT_H
#define BTFENC_COMMANDS_RECORDS_BTF_INPUT_H

#include "base/error.h"
#include "btf/reader.h"

#define BTF_INPUT_MAX_BASES 8

/* A stack of BTF files, each split from the one below. */
struct btf_bases {
	struct btf_reader readers[BTF_INPUT_MAX_BASES];
	uint32_t count;
};

/*
 * Opens them, lowest first, for something that is to be split from them: what refers to types that
 * are not there is refused. Release them in any case.
 */
bool btf_bases_open(struct btf_bases *bases, const char *const *paths, uint32_t count,
		    struct error *err);
void btf_bases_release(struct btf_bases *bases);

/* The highest, NULL when there is none. */
const struct btf_reader *btf_bases_top(const struct btf_bases *bases);

#define BTF_EXTRA_SECTION ".BTF.extra"
#define BTF_EXTRA_SUFFIX  ".extra"

/* Does it need a base that it does not bring itself? False also for what cannot be read. */
bool btf_file_is_split(const char *path);

struct btf_input {
	const char *path;
	const char *base_paths[BTF_INPUT_MAX_BASES];
	uint32_t base_count;
	const char *base_option;	/* by which they are given; NULL: --base */
	struct btf_bases bases;
	struct btf_reader btf;
	bool is_extra;			/* `btf` is what FILE.extra has */
	char *extra_base;		/* the base that FILE.extra implies, the last; NULL */
	bool has_extra;
	struct btf_reader extra;	/* if so: .BTF.extra, on top of `btf` */
};

/*
 * Opens the bases and the file, damaged or not; but split BTF without its base is refused. Release
 * the input in any case. Raw FILE.extra has FILE for its base unless others are given, and on top
 * of these where FILE is split BTF. Under another name it is known by its types.
 */
bool btf_input_open(struct btf_input *input, struct error *err);

/*
 * Opens .BTF.extra of the ELF file that was opened; input->has_extra: there is one. A damaged .BTF
 * is no base for it.
 */
bool btf_input_open_extra(struct btf_input *input, struct error *err);
void btf_input_release(struct btf_input *input);

#endif
